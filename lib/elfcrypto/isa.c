/* Reads the instruction set of a device ELF from its RISC-V attributes ("RISC-V ELF psABI
 * specification", "Attributes"). */
#include "isa.h"

#include <string.h>

#define FORMAT_A 'A'
#define TAG_FILE 1
#define TAG_ARCH 5

/* Reads a string with its NUL; NULL if the NUL is missing. */
static const char *text(struct dpk_reader *r)
{
    size_t left = dpk_reader_left(r);
    const uint8_t *end = left ? memchr(r->pos, 0, left) : NULL;
    return end ? (const char *)dpk_read_bytes(r, (size_t)(end - r->pos) + 1) : NULL;
}

/* Attributes of the file: even tags have numbers, odd tags have strings. */
static const char *find_arch(struct dpk_reader r)
{
    while (dpk_reader_left(&r) > 0 && !r.failed) {
        uint64_t tag = dpk_read_uleb(&r);
        const char *value = tag % 2 ? text(&r) : NULL;
        if (tag % 2 == 0)
            dpk_read_uleb(&r);
        else if (!value)
            return NULL;
        if (tag == TAG_ARCH)
            return value;
    }
    return NULL;
}

const char *elfcrypto_isa_of_attributes(const uint8_t *section, size_t size)
{
    struct dpk_reader all = dpk_reader(section, size), r = all;
    if (dpk_read_u8(&r) != FORMAT_A)
        return NULL;
    uint32_t length = dpk_read_le32(&r);
    r = dpk_reader_slice(&all, 1, length);
    dpk_read_skip(&r, 4);
    const char *vendor = text(&r);
    if (!vendor || strcmp(vendor, "riscv") != 0)
        return NULL;
    size_t at = dpk_reader_offset(&r);
    uint8_t tag = dpk_read_u8(&r);
    uint32_t of_file = dpk_read_le32(&r);
    if (r.failed || tag != TAG_FILE || of_file < 5)
        return NULL;
    struct dpk_reader file = dpk_reader_slice(&all, 1, length);
    file = dpk_reader_slice(&file, at, of_file);
    dpk_read_skip(&file, 5);
    return file.failed ? NULL : find_arch(file);
}

const char *dpk_isa_of(const struct dpk_elf *elf)
{
    struct dpk_reader section = dpk_elf_find(elf, ".riscv.attributes");
    return section.failed ? NULL
                          : elfcrypto_isa_of_attributes(section.begin, dpk_reader_left(&section));
}

bool dpk_isa_has(const char *isa, const char *extension)
{
    size_t length = strlen(extension);
    for (const char *at = strchr(isa, '_'); at; at = strchr(at + 1, '_'))
        if (strncmp(at + 1, extension, length) == 0 && at[1 + length] >= '0' &&
            at[1 + length] <= '9')
            return true;
    return false;
}
