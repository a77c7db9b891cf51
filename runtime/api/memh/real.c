/* Finds UCX's own functions, which the functions of this room call. */
#if __has_include(<ucp/api/ucp.h>)
#include <ucp/api/ucp.h>
#endif

#if defined UCP_API_VERSION && UCP_API_VERSION >= UCP_VERSION(1, 16)
#include <dlfcn.h>

#include "private.h"

struct memh_real memh_real;

bool memh_real_find(void)
{
    void *library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (!library)
        return false;
    bool all = true;
#define FIND(name)                                                                                 \
    *(void **)&memh_real.name = dlsym(library, #name);                                             \
    all = all && memh_real.name;
    MEMH_CALLS(FIND)
#undef FIND
    return all;
}
#endif
