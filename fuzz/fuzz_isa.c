/* A device ELF, or its section .riscv.attributes: NULL, or a text inside the bytes. */
#include <stdlib.h>
#include <string.h>

#include "elfcrypto/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *isa, const uint8_t *data, size_t size)
{
    if (!isa)
        return;
    size_t at = (size_t)((const uint8_t *)isa - data);
    if (at >= size || !memchr(isa, 0, size - at))
        abort();
    if (dpk_isa_has(isa, "zba") && !strstr(isa, "_zba"))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(elfcrypto_isa_of_attributes(data, size), data, size);
    const struct dpk_elf elf = dpk_elf(data, size);
    check(dpk_isa_of(&elf), data, size);
    return 0;
}
