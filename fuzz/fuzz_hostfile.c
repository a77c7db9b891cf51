/* Host files: whatever the bytes, opening one gives an error or programs that lie inside it. */
#include "elfcrypto/elfcrypto.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_hostfile *host = NULL;
    if (dpk_hostfile_parse("fuzz", data, size, &host, &err) != DPK_OK)
        return 0;
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        if (p->offset > size || p->elf_size > size - p->offset)
            abort();
        struct dpk_trust nobody = {0};
        if (dpk_verify(p->elf, p->elf_size, p->crypto, p->crypto_size, &nobody, NULL) ==
            DPK_VERDICT_OK)
            abort(); /* nobody is trusted */
    }
    dpk_hostfile_close(host);
    return 0;
}
