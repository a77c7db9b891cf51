/* Writing the headers of ELF64 files. */
#include "elf/elf.h"

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
