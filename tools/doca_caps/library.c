/* Loads DOCA libraries from the folder beside the tools: bin/../lib. */
#include "doca_caps.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Gets the root folder of this tool's installation, without a trailing slash. */
static bool find_root(char root[PATH_MAX])
{
    const ssize_t size = readlink("/proc/self/exe", root, PATH_MAX - 1);
    if (size < 0)
        return false;
    root[size] = 0;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(root, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    return true;
}

void *caps_library_open(const char *name)
{
    char root[PATH_MAX], path[PATH_MAX + 64];
    if (!find_root(root))
        return NULL;
    snprintf(path, sizeof path, "%s/lib/libdoca_%s.so.2", root, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
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
