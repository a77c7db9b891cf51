/* Fat files and the crypto data of fat programs: whatever parses must also come out whole. */
#include <stdlib.h>

#include "fat/fat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_fat fat;
    const uint8_t *crypto;
    size_t crypto_size;
    for (uint32_t target = 0; target < 3; target++)
        if (dpk_fat_crypto(data, size, target, &crypto, &crypto_size, NULL) == DPK_OK &&
            (crypto < data || crypto_size > size))
            abort();
    if (dpk_fat_parse(data, size, &fat, NULL) != DPK_OK)
        return 0;
    for (size_t i = 0; i < fat.count; i++) {
        struct dpk_buf elf = {0};
        const struct dpk_fat_member *m = &fat.members[i];
        if (m->elf_size <= (size_t)1 << 24 && dpk_fat_elf(m, &elf, NULL) == DPK_OK &&
            elf.size != m->elf_size)
            abort();
        dpk_buf_free(&elf);
    }
    return 0;
}
