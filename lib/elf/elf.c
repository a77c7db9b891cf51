/* Reads ELF64 files. */
#include "elf/elf.h"

#include <string.h>

bool dpk_elf_is_riscv(const void *bytes, size_t size)
{
    struct dpk_reader r = dpk_reader(bytes, size);
    const uint8_t *magic = dpk_read_bytes(&r, SELFMAG);
    dpk_read_skip(&r, offsetof(Elf64_Ehdr, e_machine) - SELFMAG);
    return magic && memcmp(magic, ELFMAG, SELFMAG) == 0 && dpk_read_le16(&r) == EM_RISCV;
}

/* ---- The file header ---- */

static enum dpk_elf_flaw read_file_header(struct dpk_elf *elf)
{
    struct dpk_reader r = elf->file;
    elf->ident = dpk_read_bytes(&r, EI_NIDENT);
    if (!elf->ident)
        return DPK_ELF_SHORT;
    if (memcmp(elf->ident, ELFMAG, SELFMAG) != 0)
        return DPK_ELF_MAGIC;
    if (elf->ident[EI_CLASS] != ELFCLASS64)
        return DPK_ELF_CLASS;
    if (elf->ident[EI_DATA] != ELFDATA2LSB)
        return DPK_ELF_BYTE_ORDER;
    elf->type = dpk_read_le16(&r);
    elf->machine = dpk_read_le16(&r);
    elf->version = dpk_read_le32(&r);
    elf->entry = dpk_read_le64(&r);
    elf->phoff = dpk_read_le64(&r);
    elf->shoff = dpk_read_le64(&r);
    elf->flags = dpk_read_le32(&r);
    elf->ehsize = dpk_read_le16(&r);
    elf->phentsize = dpk_read_le16(&r);
    elf->phnum = dpk_read_le16(&r);
    elf->shentsize = dpk_read_le16(&r);
    elf->shnum = dpk_read_le16(&r);
    elf->shstrndx = dpk_read_le16(&r);
    return r.failed ? DPK_ELF_SHORT : DPK_ELF_SOUND;
}

static enum dpk_elf_flaw find_segments(struct dpk_elf *elf)
{
    if (elf->phnum == 0)
        return DPK_ELF_SOUND;
    if (elf->phentsize != sizeof(Elf64_Phdr))
        return DPK_ELF_ENTRY_SIZE;
    struct dpk_reader table =
        dpk_reader_slice(&elf->file, elf->phoff, elf->phnum * sizeof(Elf64_Phdr));
    if (table.failed)
        return DPK_ELF_OUTSIDE;
    elf->segments = table;
    elf->segment_count = elf->phnum;
    return DPK_ELF_SOUND;
}

static struct dpk_elf_section read_section(struct dpk_reader r)
{
    struct dpk_elf_section s;
    s.name = dpk_read_le32(&r);
    s.type = dpk_read_le32(&r);
    s.flags = dpk_read_le64(&r);
    s.address = dpk_read_le64(&r);
    s.offset = dpk_read_le64(&r);
    s.size = dpk_read_le64(&r);
    s.link = dpk_read_le32(&r);
    s.info = dpk_read_le32(&r);
    s.alignment = dpk_read_le64(&r);
    s.entry_size = dpk_read_le64(&r);
    return s;
}

/* Numbers that do not fit into the file header are in section 0. */
static enum dpk_elf_flaw find_sections(struct dpk_elf *elf)
{
    uint64_t count = elf->shnum;
    if (count == 0 && elf->shoff == 0)
        return DPK_ELF_SOUND;
    if (elf->shentsize != sizeof(Elf64_Shdr))
        return DPK_ELF_ENTRY_SIZE;
    struct dpk_reader first = dpk_reader_slice(&elf->file, elf->shoff, sizeof(Elf64_Shdr));
    if (first.failed)
        return DPK_ELF_OUTSIDE;
    struct dpk_elf_section zero = read_section(first);
    if (elf->shnum == 0)
        count = zero.size;
    uint64_t most = (uint64_t)(elf->file.end - elf->file.begin) / sizeof(Elf64_Shdr);
    struct dpk_reader table = dpk_reader_slice(
        &elf->file, elf->shoff, count <= most ? count * sizeof(Elf64_Shdr) : UINT64_MAX);
    if (table.failed || count == 0)
        return elf->shnum == 0 ? DPK_ELF_COUNT : DPK_ELF_OUTSIDE;
    elf->sections = table;
    elf->section_count = (size_t)count;
    elf->names_index = elf->shstrndx == SHN_XINDEX ? zero.link : elf->shstrndx;
    return DPK_ELF_SOUND;
}

struct dpk_elf dpk_elf(const void *bytes, size_t size)
{
    const struct dpk_reader nothing = dpk_reader(NULL, 0);
    struct dpk_elf elf = {.file = dpk_reader(bytes, size),
                          .segments = nothing,
                          .sections = nothing,
                          .names = nothing};
    elf.flaw = read_file_header(&elf);
    if (elf.flaw != DPK_ELF_SOUND)
        return elf;
    elf.extended =
        elf.phnum == PN_XNUM || (elf.shnum == 0 && elf.shoff != 0) || elf.shstrndx == SHN_XINDEX;
    elf.segments_flaw = find_segments(&elf);
    elf.sections_flaw = find_sections(&elf);
    struct dpk_elf_section names = dpk_elf_section(&elf, elf.names_index);
    struct dpk_reader content = dpk_elf_content(&elf, &names);
    if (!content.failed)
        elf.names = content;
    return elf;
}

/* ---- Segments and sections ---- */

struct dpk_elf_segment dpk_elf_segment(const struct dpk_elf *elf, size_t index)
{
    if (index >= elf->segment_count)
        return (struct dpk_elf_segment){0};
    struct dpk_reader r =
        dpk_reader_slice(&elf->segments, index * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr));
    struct dpk_elf_segment s;
    s.type = dpk_read_le32(&r);
    s.flags = dpk_read_le32(&r);
    s.offset = dpk_read_le64(&r);
    s.address = dpk_read_le64(&r);
    dpk_read_skip(&r, 8); /* p_paddr has no meaning for virtual addresses */
    s.file_size = dpk_read_le64(&r);
    s.memory_size = dpk_read_le64(&r);
    s.alignment = dpk_read_le64(&r);
    return s;
}

struct dpk_elf_section dpk_elf_section(const struct dpk_elf *elf, size_t index)
{
    if (index >= elf->section_count)
        return (struct dpk_elf_section){0};
    return read_section(
        dpk_reader_slice(&elf->sections, index * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr)));
}

bool dpk_elf_has_content(const struct dpk_elf_section *section)
{
    return section->type != SHT_NULL && section->type != SHT_NOBITS;
}

struct dpk_reader dpk_elf_content(const struct dpk_elf *elf, const struct dpk_elf_section *section)
{
    if (!dpk_elf_has_content(section))
        return dpk_reader_slice(&elf->file, UINT64_MAX, 0);
    return dpk_reader_slice(&elf->file, section->size ? section->offset : 0, section->size);
}

const char *dpk_elf_name(const struct dpk_elf *elf, const struct dpk_elf_section *section)
{
    struct dpk_reader r = elf->names;
    dpk_read_skip(&r, section->name);
    size_t left = dpk_reader_left(&r);
    return left && memchr(r.pos, 0, left) ? (const char *)r.pos : NULL;
}

struct dpk_reader dpk_elf_find(const struct dpk_elf *elf, const char *name)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        struct dpk_elf_section s = dpk_elf_section(elf, i);
        const char *its = dpk_elf_name(elf, &s);
        struct dpk_reader content = dpk_elf_content(elf, &s);
        if (!content.failed && its && strcmp(its, name) == 0)
            return content;
    }
    return dpk_reader_slice(&elf->file, UINT64_MAX, 0);
}

/* ---- Symbols and notes ---- */

struct dpk_elf_symbol dpk_elf_read_symbol(struct dpk_reader *table)
{
    struct dpk_elf_symbol s;
    s.name = dpk_read_le32(table);
    s.info = dpk_read_u8(table);
    dpk_read_skip(table, 1); /* st_other */
    s.section = dpk_read_le16(table);
    s.value = dpk_read_le64(table);
    s.size = dpk_read_le64(table);
    return s;
}

/* Name and content are padded to multiples of four bytes; padding after the last note may be
 * missing. */
bool dpk_elf_read_note(struct dpk_reader *segment, struct dpk_elf_note *out)
{
    struct dpk_reader r = *segment;
    uint32_t name_size = dpk_read_le32(&r);
    uint32_t size = dpk_read_le32(&r);
    out->type = dpk_read_le32(&r);
    out->name_size = name_size;
    out->name = dpk_read_bytes(&r, name_size);
    dpk_read_skip(&r, -(size_t)name_size % 4);
    const uint8_t *content = dpk_read_bytes(&r, size);
    if (r.failed)
        return false;
    out->content = dpk_reader(content, size);
    size_t padding = -(size_t)size % 4, left = dpk_reader_left(&r);
    dpk_read_skip(&r, padding < left ? padding : left);
    *segment = r;
    return true;
}
