/* The beginning of OpenSSL. */
#include <stdatomic.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base.h"

enum dpk_status dpk_openssl_start(struct dpk_error *err)
{
    static atomic_bool started;
    if (atomic_load(&started))
        return DPK_OK;
    /* Where its first allocations fail, OpenSSL 3.5 waits for itself: is there any memory? */
    struct dpk_buf memory = {0};
    bool short_of_memory = !dpk_buf_reserve(&memory, 1 << 16);
    dpk_buf_free(&memory);
    if (short_of_memory)
        return dpk_fail_nomem(err);
    /* Its context first: there is one try, and OpenSSL 3.0 does not look whether it succeeded. */
    EVP_MD *any = OSSL_LIB_CTX_get0_global_default() &&
                          OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL) == 1
                      ? EVP_MD_fetch(NULL, "SHA256", NULL)
                      : NULL;
    if (!any)
        return dpk_fail(err, DPK_ERR_CRYPTO, "OpenSSL cannot start: out of memory, or no provider");
    EVP_MD_free(any);
    atomic_store(&started, true);
    return DPK_OK;
}
