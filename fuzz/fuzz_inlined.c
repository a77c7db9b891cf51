/* Any bytes as a program's debug information entries: inlined functions, or none, found without harm. The first
 * bytes of the input say how much is .debug_info, and how much .debug_abbrev; the rest is every other table. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "engine/debug/debug.h"
#include "engine/loader/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {".debug_info",        ".debug_abbrev",  ".debug_str",
                                    ".debug_str_offsets", ".debug_addr",    ".debug_rnglists",
                                    ".debug_ranges",      ".debug_line_str"};

enum { TABLES = sizeof names / sizeof *names, SECTIONS = TABLES + 2 };

/* A header and sections that lie one after another; those behind the second all have the rest. */
static void make_elf(const uint8_t *bytes, size_t left, size_t info, size_t abbreviations,
                     struct dpk_buf *out)
{
    const size_t text = sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr);
    Elf64_Shdr s[SECTIONS] = {{0}};
    struct dpk_buf strings = {0};
    Elf64_Ehdr e = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                    .e_shoff = sizeof e,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = SECTIONS,
                    .e_shstrndx = SECTIONS - 1};
    dpk_put_u8(&strings, 0);
    for (size_t i = 0; i < TABLES; i++) {
        const size_t begin = i == 0 ? 0 : i == 1 ? info : info + abbreviations;
        const size_t end = i == 0 ? info : i == 1 ? info + abbreviations : left;
        s[i + 1] = (Elf64_Shdr){.sh_name = (Elf64_Word)strings.size,
                                .sh_type = SHT_PROGBITS,
                                .sh_offset = text + begin,
                                .sh_size = end - begin};
        dpk_put(&strings, names[i], strlen(names[i]) + 1);
    }
    s[SECTIONS - 1] =
        (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = text + left, .sh_size = strings.size};
    dpk_put(out, &e, sizeof e);
    dpk_put(out, s, sizeof s);
    dpk_put(out, bytes, left);
    dpk_put(out, strings.data, strings.size);
    if (out->failed || strings.failed)
        abort();
    dpk_buf_free(&strings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_reader r = dpk_reader(data, size);
    const uint64_t pc = dpk_read_le16(&r);
    size_t info = dpk_read_le16(&r), abbreviations = dpk_read_le16(&r);
    const size_t left = dpk_reader_left(&r);
    if (r.failed)
        return 0;
    info = info < left ? info : left;
    abbreviations = abbreviations < left - info ? abbreviations : left - info;
    struct dpk_image *image = loader_image_create("fuzz");
    struct dpk_buf elf = {0};
    make_elf(r.pos, left, info, abbreviations, &elf);
    if (!image)
        abort();
    image->copy = elf.data;
    image->elf = dpk_elf(elf.data, elf.size);
    struct dpk_inlines *all = dpk_inlines_create(image);
    const char *found[DPK_INLINED_MAX];
    const unsigned count = all ? dpk_inlines_find(all, pc, found) : DPK_INLINED_MAX + 1;
    if (count > DPK_INLINED_MAX)
        abort();
    for (unsigned i = 0; i < count; i++)
        if (strlen(found[i]) > size + sizeof names)
            abort();
    dpk_inlines_free(all);
    dpk_image_free(image);
    return 0;
}
