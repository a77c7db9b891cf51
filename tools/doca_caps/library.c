/* Loads DOCA libraries from the folder beside the tools: bin/../lib. */
#include "doca_caps.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "common/self.h"

void *caps_library_open(const char *name)
{
    char file[64], path[PATH_MAX];
    snprintf(file, sizeof file, "lib/libdoca_%s.so.2", name);
    return dpk_self_beside(file, path, NULL) == DPK_OK ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

void *caps_library_find(const char *name, const char *function)
{
    void *library = caps_library_open(name);
    return library ? dlsym(library, function) : NULL;
}

void *caps_library_need(const char *name, const char *function)
{
    void *found = caps_library_find(name, function);
    if (!found) {
        struct dpk_error err = {0};
        dpk_fail(&err, DPK_ERR_TOOL, "no %s: libdoca_%s.so.2 is not that of this tool", function,
                 name);
        exit(dpk_tool_fail(&err));
    }
    return found;
}
