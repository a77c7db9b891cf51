/* Loads libucp.so.0 when a fabric is opened, because other programs do not need UCX. */
#if __has_include(<ucp/api/ucp.h>)
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "library.h"

#define LIBRARY "libucp.so.0"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fabric_library library;
static bool loaded;
static pid_t loader; /* the process that loaded UCX; UCX's threads do not exist in its children */

/* UCX installs handlers of these signals when it is loaded. They are restored, because they belong
 * to the program. */
static const int signals[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE};
#define SIGNALS (sizeof signals / sizeof *signals)

static void *load(void)
{
    struct sigaction before[SIGNALS];
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], NULL, &before[i]);
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    return handle;
}

/* Changes settings for the whole process that UCX reads when it is loaded, unless the program uses
 * UCX itself. Otherwise UCX would write its messages into the output of the program, and would look
 * for InfiniBand through libibverbs, which may be dpakit's. */
static void settle(void *handle)
{
    ucs_status_t (*set)(const char *name, const char *value);
    *(void **)&set = dlsym(handle, "ucs_global_opts_set_value");
    if (!set)
        return;
    if (!getenv("UCX_LOG_LEVEL"))
        set("LOG_LEVEL", "fatal");
    if (!getenv("UCX_MODULES") && !secure_getenv("DPAKIT_UCX_TLS"))
        set("MODULES", "tcp");
}

static enum dpk_status find_all(void *handle, struct dpk_error *err)
{
#define FIND(name)                                                                                 \
    if (!(*(void **)&library.name = dlsym(handle, #name)))                                         \
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s has no function %s", LIBRARY, #name);
    FABRIC_CALLS(FIND)
    FIND(ucs_status_string)
#undef FIND
    return DPK_OK;
}

enum dpk_status fabric_library_load(const struct fabric_library **out, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    pthread_mutex_lock(&lock);
    if (loaded && loader != getpid()) {
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED,
                          "the fabric belongs to the process that forked this one");
    } else if (!loaded) {
        const bool is_ours = !dlopen(LIBRARY, RTLD_NOLOAD | RTLD_LAZY);
        void *handle = load();
        status = handle
                     ? find_all(handle, err)
                     : dpk_fail(err, DPK_ERR_UNSUPPORTED,
                                "a fabric needs UCX (Debian: the package libucx0): %s", dlerror());
        loaded = status == DPK_OK;
        loader = getpid();
        if (loaded && is_ours)
            settle(handle);
    }
    pthread_mutex_unlock(&lock);
    *out = &library;
    return status;
}
#endif
