/* Host ELF files made for unit tests, one feature each. */
#ifndef TESTS_HOSTELF_H
#define TESTS_HOSTELF_H

#include <elf.h>
#include <string.h>

#include "base/base.h"

#define HOST_SECTIONS_MAX 1100

struct host_section {
    const char *name;
    uint32_t type; /* 0: SHT_PROGBITS */
    const void *data;
    size_t size; /* with data NULL: so many zeros */
};

/* Where things are, for tests that break them. */
struct host_layout {
    uint64_t table;
    uint64_t offsets[HOST_SECTIONS_MAX]; /* of the content of each section, as given */
};

/* An ET_REL of the sections given, `.shstrtab` after them and the header table at the end, as
 * linkers lay it out. Section i of the list has index i + 1. */
static inline struct dpk_buf make_host(const struct host_section *s, size_t count,
                                       struct host_layout *layout)
{
    static Elf64_Shdr headers[HOST_SECTIONS_MAX + 2];
    struct dpk_buf b = {0}, names = {0};
    Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
                    .e_type = ET_REL,
                    .e_machine = EM_X86_64,
                    .e_version = 1,
                    .e_ehsize = 64,
                    .e_shentsize = 64,
                    .e_shnum = (uint16_t)(count + 2),
                    .e_shstrndx = (uint16_t)(count + 1)};
    memset(headers, 0, sizeof headers);
    dpk_put(&b, &h, sizeof h);
    dpk_put_u8(&names, 0);
    for (size_t i = 0; i < count; i++) {
        uint32_t type = s[i].type ? s[i].type : SHT_PROGBITS;
        headers[i + 1] = (Elf64_Shdr){.sh_name = (uint32_t)names.size,
                                      .sh_type = type,
                                      .sh_offset = b.size,
                                      .sh_size = s[i].size,
                                      .sh_addralign = 1};
        if (layout)
            layout->offsets[i] = b.size;
        dpk_put(&names, s[i].name, strlen(s[i].name) + 1);
        if (type == SHT_NOBITS)
            continue;
        if (s[i].data)
            dpk_put(&b, s[i].data, s[i].size);
        else
            dpk_put_fill(&b, 0, s[i].size);
    }
    headers[count + 1] =
        (Elf64_Shdr){.sh_name = (uint32_t)names.size, .sh_type = SHT_STRTAB, .sh_offset = b.size};
    dpk_put(&names, ".shstrtab", 10);
    headers[count + 1].sh_size = names.size;
    dpk_put(&b, names.data, names.size);
    dpk_put_align(&b, 8, 0);
    uint64_t table = b.size;
    dpk_put(&b, headers, (count + 2) * sizeof(Elf64_Shdr));
    memcpy(b.data + offsetof(Elf64_Ehdr, e_shoff), &table, 8);
    if (layout)
        layout->table = table;
    dpk_buf_free(&names);
    return b;
}

/* An `ar` archive of members. */
static inline void put_member(struct dpk_buf *ar, const char *name, const struct dpk_buf *content)
{
    char header[61];
    if (ar->size == 0)
        dpk_put(ar, "!<arch>\n", 8);
    dpk_put_align(ar, 2, '\n');
    snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0644u,
             content->size);
    dpk_put(ar, header, 60);
    dpk_put(ar, content->data, content->size);
    dpk_put_align(ar, 2, '\n');
}

#endif
