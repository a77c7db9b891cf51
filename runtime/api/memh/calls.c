/* Finds the functions of UCX, and redirects the calls of a program to those of this room. */
#include "memh.h"

#if __has_include(<ucp/api/ucp.h>)
#include <ucp/api/ucp.h>
#endif

#if defined UCP_API_VERSION && UCP_API_VERSION >= UCP_VERSION(1, 16)
#include <dlfcn.h>
#include <pthread.h>

#include "api/paths/paths.h"
#include "private.h"

struct memh_real memh_real;

static const struct paths_call calls[] = {
#define CALL(name) {#name, (void *)memh_front_##name},
    MEMH_CALLS(CALL)
#undef CALL
};

/* Returns false if UCX is not loaded, or lacks one of the functions. */
static bool find_real(void)
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

void memh_redirect(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool found;
    pthread_mutex_lock(&lock);
    found = found || find_real();
    if (found)
        paths_redirect_calls(calls, sizeof calls / sizeof *calls);
    pthread_mutex_unlock(&lock);
}
#else
void memh_redirect(void)
{
    /* UCX before 1.16 has no exported memory handles. */
}
#endif
