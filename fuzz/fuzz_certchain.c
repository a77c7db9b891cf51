/* Certificate chains of programs and files of certificates, and validation of their paths. */
#include "certchain/certchain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_certchain *chain = NULL;
    bool warning;
    char why[256];
    struct dpk_reader r = dpk_reader(data, size);
    if (dpk_certchain_decode(&r, &chain, &warning, NULL) == DPK_OK) {
        dpk_certchain_validate(chain, NULL, 0, why, sizeof why);
        dpk_certchain_free(chain);
    }
    if (dpk_certchain_parse(data, size, &chain, NULL) == DPK_OK) {
        struct dpk_buf der = {0};
        unsigned char *p = NULL;
        int length = i2d_X509(dpk_certchain_cert(chain, 0), &p);
        if (length > 0) {
            struct dpk_der root = {p, (size_t)length};
            dpk_certchain_validate(chain, &root, 1, why, sizeof why);
            dpk_cert_check_root(p, (size_t)length, NULL);
        }
        OPENSSL_free(p);
        dpk_certchain_check(chain, NULL);
        if (dpk_certchain_encode(chain, NULL, &der, NULL) != DPK_OK)
            __builtin_trap();
        dpk_buf_free(&der);
        dpk_certchain_free(chain);
    }
    return 0;
}
