/* Crypto data of one fixed program: with nobody trusted no bytes may ever verify. */
#include "elfcrypto/elfcrypto.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_trust nobody = {0};
    struct dpk_report report;
    if (dpk_verify(data, size / 2, data + size / 2, size - size / 2, &nobody, &report) ==
        DPK_VERDICT_OK)
        abort();
    if (dpk_verify((const uint8_t *)"", 0, data, size, &nobody, &report) == DPK_VERDICT_OK)
        abort();
    return 0;
}
