/* Redirects a program's calls of UCX to the functions of this room. */
#include "memh.h"

#if __has_include(<ucp/api/ucp.h>)
#include <ucp/api/ucp.h>
#endif

#if defined UCP_API_VERSION && UCP_API_VERSION >= UCP_VERSION(1, 16)
#include <pthread.h>

#include "api/paths/paths.h"
#include "private.h"

static const struct paths_call calls[] = {
#define CALL(name) {#name, (void *)memh_front_##name},
    MEMH_CALLS(CALL)
#undef CALL
};

void memh_redirect(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool found;
    pthread_mutex_lock(&lock);
    found = found || memh_real_find();
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
