#include "labels.h"

#include "elf/elf.h"

#include <string.h>

#define ALIGNMENT_MAX 4096 /* bytes; no section that is not loaded needs more */

/* The symbol table and its names, before and after. */
struct table {
    size_t index, names_index;
    struct dpk_elf_section header;
    struct dpk_buf symbols, names;
    uint32_t locals; /* symbols that precede the first global symbol */
};

/* Finds the only symbol table. Returns false if there is another, or if relocations use it. */
static bool find_table(const struct dpk_elf *elf, struct table *t)
{
    int tables = 0;
    for (size_t i = 1; i < elf->section_count; i++) {
        const struct dpk_elf_section s = dpk_elf_section(elf, i);
        if (s.type == SHT_REL || s.type == SHT_RELA || s.type == SHT_SYMTAB_SHNDX)
            return false;
        if (s.type == SHT_SYMTAB && ++tables == 1)
            *t = (struct table){.index = i, .names_index = s.link, .header = s};
    }
    return tables == 1 && t->header.entry_size == sizeof(Elf64_Sym) &&
           t->names_index < elf->section_count && t->names_index != elf->names_index &&
           dpk_elf_section(elf, t->names_index).offset >= t->header.offset;
}

/* Only sections that are not loaded, and no segment's bytes, may follow the table. */
static bool may_move(const struct dpk_elf *elf, uint64_t offset)
{
    for (size_t i = 1; i < elf->section_count; i++) {
        const struct dpk_elf_section s = dpk_elf_section(elf, i);
        if (s.offset >= offset && dpk_elf_has_content(&s) &&
            (s.flags & SHF_ALLOC || s.alignment > ALIGNMENT_MAX || dpk_elf_content(elf, &s).failed))
            return false;
    }
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct dpk_elf_segment s = dpk_elf_segment(elf, i);
        if (s.offset > offset || s.file_size > offset - s.offset)
            return false;
    }
    return elf->shoff >= offset;
}

/* The name at `offset` of a string table; NULL if it does not end there. */
static const char *name_at(struct dpk_reader texts, uint32_t offset)
{
    dpk_read_skip(&texts, offset);
    return !texts.failed && memchr(texts.pos, 0, dpk_reader_left(&texts)) ? (const char *)texts.pos
                                                                          : NULL;
}

/* Copies the symbols that stay. Returns false if the table is damaged. */
static bool copy_symbols(const struct dpk_elf *elf, const char *prefix, struct table *t)
{
    const struct dpk_elf_section names = dpk_elf_section(elf, t->names_index);
    const struct dpk_reader texts = dpk_elf_content(elf, &names);
    struct dpk_reader entries = dpk_elf_content(elf, &t->header);
    dpk_put_u8(&t->names, 0);
    for (bool first = true; dpk_reader_left(&entries) > 0; first = false) {
        const uint8_t *bytes = entries.pos;
        const struct dpk_elf_symbol symbol = dpk_elf_read_symbol(&entries);
        const char *name = name_at(texts, symbol.name);
        if (entries.failed || !name)
            return false;
        if (!first && (!*name || strncmp(name, prefix, strlen(prefix)) == 0))
            continue;
        dpk_put_le32(&t->symbols, *name ? (uint32_t)t->names.size : 0);
        dpk_put(&t->symbols, bytes + sizeof(uint32_t), sizeof(Elf64_Sym) - sizeof(uint32_t));
        if (*name)
            dpk_put(&t->names, name, strlen(name) + 1);
        t->locals += ELF64_ST_BIND(symbol.info) == STB_LOCAL;
    }
    return true;
}

/* Whether section `a` precedes section `b` in the file. An empty section precedes another section at its
 * offset, as it did when it was written. */
static bool precedes(const struct dpk_elf *elf, size_t a, size_t b)
{
    const struct dpk_elf_section x = dpk_elf_section(elf, a), y = dpk_elf_section(elf, b);
    if (x.offset != y.offset)
        return x.offset < y.offset;
    return !x.size != !y.size ? !x.size : a < b;
}

/* Returns the section at `offset` or later that follows section `last` in the file; 0 at the end. */
static size_t next_section(const struct dpk_elf *elf, uint64_t offset, size_t last)
{
    size_t next = 0;
    for (size_t i = 1; i < elf->section_count; i++) {
        const struct dpk_elf_section s = dpk_elf_section(elf, i);
        if (dpk_elf_has_content(&s) && s.offset >= offset && (!last || precedes(elf, last, i)) &&
            (!next || precedes(elf, i, next)))
            next = i;
    }
    return next;
}

/* Writes the table, the sections after it and the section headers. */
static void write_again(const struct dpk_elf *elf, const struct table *t, struct dpk_buf *out)
{
    struct dpk_elf header = *elf;
    struct dpk_buf headers = {0}, file_header = {0};
    dpk_put(out, elf->file.begin, (size_t)t->header.offset);
    dpk_put(&headers, elf->sections.begin, elf->section_count * sizeof(Elf64_Shdr));
    for (size_t i = 0; (i = next_section(elf, t->header.offset, i));) {
        struct dpk_elf_section s = dpk_elf_section(elf, i);
        struct dpk_reader content = dpk_elf_content(elf, &s);
        struct dpk_buf entry = {0};
        if (i == t->index)
            content = dpk_reader(t->symbols.data, t->symbols.size);
        else if (i == t->names_index)
            content = dpk_reader(t->names.data, t->names.size);
        s.info = i == t->index ? t->locals : s.info;
        dpk_put_align(out, s.alignment ? (size_t)s.alignment : 1, 0);
        s.offset = out->size;
        s.size = dpk_reader_left(&content);
        dpk_put(out, content.pos, s.size);
        dpk_elf_put_section(&entry, &s);
        if (!entry.failed && !headers.failed)
            memcpy(headers.data + i * sizeof(Elf64_Shdr), entry.data, entry.size);
        headers.failed |= entry.failed;
        dpk_buf_free(&entry);
    }
    dpk_put_align(out, sizeof(uint64_t), 0);
    header.shoff = out->size;
    dpk_put(out, headers.data, headers.size);
    dpk_elf_put_file_header(&file_header, &header);
    if (!out->failed && !file_header.failed)
        memcpy(out->data, file_header.data, file_header.size);
    out->failed |= headers.failed || file_header.failed;
    dpk_buf_free(&headers);
    dpk_buf_free(&file_header);
}

void dpacc_labels_remove(struct dpk_buf *executable, const char *prefix)
{
    const struct dpk_elf elf = dpk_elf(executable->data, executable->size);
    struct dpk_buf made = {0};
    struct table t = {0};
    if (elf.flaw != DPK_ELF_SOUND || elf.extended || !find_table(&elf, &t) ||
        !may_move(&elf, t.header.offset) || !copy_symbols(&elf, prefix, &t)) {
        executable->failed |= t.symbols.failed || t.names.failed;
    } else {
        write_again(&elf, &t, &made);
        made.failed |= t.symbols.failed || t.names.failed || executable->failed;
        dpk_buf_free(executable);
        *executable = made;
    }
    dpk_buf_free(&t.symbols);
    dpk_buf_free(&t.names);
}
