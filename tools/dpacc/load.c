#include "config.h"
#include "ifgen.h"

#include <dlfcn.h>
#include <stdlib.h>

__typeof__(ifgen_parse) *dpacc_ifgen_load(struct dpk_error *err)
{
    struct config here = {0};
    char *path = NULL;
    void *library = NULL, *found = NULL;
    if (dpacc_config_find_root(&here, err) != DPK_OK)
        goto out;
    if (asprintf(&path, "%s/lib/" IFGEN_LIBRARY, here.root) < 0) {
        path = NULL;
        dpk_fail_nomem(err);
        goto out;
    }
    library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library)
        found = dlsym(library, "ifgen_parse");
    if (!found) {
        const char *reason = dlerror();
        dpk_fail(err, DPK_ERR_TOOL, "the library that reads device sources cannot be loaded: %s",
                 reason ? reason : path);
    }
out:
    free(path);
    dpacc_config_free(&here);
    return found;
}
