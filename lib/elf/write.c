/* Writes the headers of ELF64 files. */
#include "elf/elf.h"

void dpk_elf_put_file_header(struct dpk_buf *out, const struct dpk_elf *elf)
{
    dpk_put(out, elf->ident, EI_NIDENT);
    dpk_put_le16(out, elf->type);
    dpk_put_le16(out, elf->machine);
    dpk_put_le32(out, elf->version);
    dpk_put_le64(out, elf->entry);
    dpk_put_le64(out, elf->phoff);
    dpk_put_le64(out, elf->shoff);
    dpk_put_le32(out, elf->flags);
    dpk_put_le16(out, elf->ehsize);
    dpk_put_le16(out, elf->phentsize);
    dpk_put_le16(out, elf->phnum);
    dpk_put_le16(out, elf->shentsize);
    dpk_put_le16(out, elf->shnum);
    dpk_put_le16(out, elf->shstrndx);
}

void dpk_elf_set_sections(struct dpk_elf *elf, struct dpk_elf_section *first, uint64_t offset,
                          size_t count, size_t names_index)
{
    bool many = count >= SHN_LORESERVE, far = names_index >= SHN_LORESERVE;
    if (many || far || elf->shnum == 0 || elf->shstrndx == SHN_XINDEX) {
        first->size = many ? count : 0;
        first->link = far ? (uint32_t)names_index : 0;
    }
    elf->shoff = offset;
    elf->shnum = many ? 0 : (uint16_t)count;
    elf->shstrndx = far ? SHN_XINDEX : (uint16_t)names_index;
}

void dpk_elf_put_segment(struct dpk_buf *table, const struct dpk_elf_segment *s)
{
    dpk_put_le32(table, s->type);
    dpk_put_le32(table, s->flags);
    dpk_put_le64(table, s->offset);
    dpk_put_le64(table, s->address);
    dpk_put_le64(table, 0); /* p_paddr */
    dpk_put_le64(table, s->file_size);
    dpk_put_le64(table, s->memory_size);
    dpk_put_le64(table, s->alignment);
}

void dpk_elf_put_section(struct dpk_buf *table, const struct dpk_elf_section *s)
{
    dpk_put_le32(table, s->name);
    dpk_put_le32(table, s->type);
    dpk_put_le64(table, s->flags);
    dpk_put_le64(table, s->address);
    dpk_put_le64(table, s->offset);
    dpk_put_le64(table, s->size);
    dpk_put_le32(table, s->link);
    dpk_put_le32(table, s->info);
    dpk_put_le64(table, s->alignment);
    dpk_put_le64(table, s->entry_size);
}
