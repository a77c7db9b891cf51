/* Starts OpenSSL, and returns the reasons of its failures. */
#include <pthread.h>
#include <stdatomic.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "base.h"

/* fork() waits for this lock. A child that inherits a half-started OpenSSL would wait for ever,
 * because the thread that starts OpenSSL does not exist there. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void)
{
    pthread_mutex_lock(&starting);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&starting);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

/* Call with the lock. */
static enum dpk_status start(struct dpk_error *err)
{
    /* OpenSSL 3.5 deadlocks if its first allocations fail, so check that there is memory. */
    struct dpk_buf memory = {0};
    bool short_of_memory = !dpk_buf_reserve(&memory, 1 << 16);
    dpk_buf_free(&memory);
    if (short_of_memory)
        return dpk_fail_nomem(err);
    /* Make its context first: OpenSSL tries this once, and OpenSSL 3.0 ignores a failure. No
     * cleanup at exit(), because in a child of fork() it would wait for locks of other threads. */
    const uint64_t how = OPENSSL_INIT_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT;
    EVP_MD *any = OSSL_LIB_CTX_get0_global_default() && OPENSSL_init_crypto(how, NULL) == 1
                      ? EVP_MD_fetch(NULL, "SHA256", NULL)
                      : NULL;
    if (!any)
        return dpk_fail(err, DPK_ERR_CRYPTO, "OpenSSL cannot start: out of memory, or no provider");
    EVP_MD_free(any);
    return DPK_OK;
}

enum dpk_status dpk_openssl_start(struct dpk_error *err)
{
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    static atomic_bool started;
    if (atomic_load(&started))
        return DPK_OK;
    pthread_once(&watched, watch_forks);
    pthread_mutex_lock(&starting);
    const enum dpk_status status = atomic_load(&started) ? DPK_OK : start(err);
    if (status == DPK_OK)
        atomic_store(&started, true);
    pthread_mutex_unlock(&starting);
    return status;
}

const char *dpk_openssl_reason(void)
{
    const unsigned long code = ERR_peek_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    ERR_clear_error();
    return reason ? reason : "no reason given";
}
