/* Any bytes as a program's line table: two look-ups find the same line, or no line. The first bytes
 * give the size of .debug_line; .debug_line_str and .debug_str follow. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "engine/debug/debug.h"
#include "engine/loader/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char names[] = "\0.debug_line\0.debug_line_str\0.debug_str\0.shstrtab";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SECTIONS = 5 };
    struct dpk_reader r = dpk_reader(data, size);
    uint64_t pc = dpk_read_le16(&r), lines = dpk_read_le16(&r), left = dpk_reader_left(&r);
    if (r.failed)
        return 0;
    lines = lines < left ? lines : left;
    const size_t text = sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr), strings = text + left;
    Elf64_Ehdr e = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                    .e_shoff = sizeof e,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = SECTIONS,
                    .e_shstrndx = SECTIONS - 1};
    const Elf64_Shdr s[SECTIONS] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = text, .sh_size = lines},
        {.sh_name = 13,
         .sh_type = SHT_PROGBITS,
         .sh_offset = text + lines,
         .sh_size = left - lines},
        {.sh_name = 29,
         .sh_type = SHT_PROGBITS,
         .sh_offset = text + lines,
         .sh_size = left - lines},
        {.sh_name = 40, .sh_type = SHT_STRTAB, .sh_offset = strings, .sh_size = sizeof names},
    };
    struct dpk_image *image = loader_image_create("fuzz");
    struct dpk_buf elf = {0};
    struct dpk_line line;
    dpk_put(&elf, &e, sizeof e);
    dpk_put(&elf, s, sizeof s);
    dpk_put(&elf, r.pos, left);
    dpk_put(&elf, names, sizeof names);
    if (!image || elf.failed)
        abort();
    image->copy = elf.data;
    image->elf = dpk_elf(elf.data, elf.size);
    if (dpk_line_find(image, pc, &line) && (line.line == 0 || strlen(line.file) > 255))
        abort();
    struct dpk_lines *all = dpk_lines_create(image);
    if (!all || (dpk_lines_find(all, pc, &line) && (line.line == 0 || strlen(line.file) > 255)))
        abort();
    dpk_lines_free(all);
    dpk_image_free(image);
    return 0;
}
