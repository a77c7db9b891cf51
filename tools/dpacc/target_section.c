#include "target_section.h"

#include "elf/elf.h"

#include <endian.h>
#include <stddef.h>
#include <string.h>

/* The format of RISC-V's attributes, of the vendor "nvidia": tag 2 of the whole file is the target. */
void dpacc_target_section_put(uint32_t target, struct dpk_buf *out)
{
    static const char vendor[] = "nvidia";
    const uint32_t of_file = 1 + 4 + 2, all = 4 + sizeof vendor + of_file;
    dpk_put_u8(out, 'A');
    dpk_put_le32(out, all);
    dpk_put(out, vendor, sizeof vendor);
    dpk_put_u8(out, 1);
    dpk_put_le32(out, of_file);
    dpk_put_u8(out, 2);
    dpk_put_u8(out, (uint8_t)target);
}

/* Finds the room. Returns false if there is none. */
static bool find_room(const struct dpk_elf *elf, size_t size, size_t *index,
                      struct dpk_elf_section *room)
{
    for (*index = 0; *index < elf->section_count; ++*index) {
        *room = dpk_elf_section(elf, *index);
        const struct dpk_reader content = dpk_elf_content(elf, room);
        const char *name = dpk_elf_name(elf, room);
        if (room->type == SHT_PROGBITS && name && strcmp(name, ".dpa.attributes") == 0 &&
            !content.failed && dpk_reader_left(&content) == size)
            return true;
    }
    return false;
}

/* Removes the last program header if it is for other attributes than those at `offset`. */
static void drop_header(struct dpk_buf *executable, const struct dpk_elf *elf, uint64_t offset)
{
    if (elf->segment_count == 0)
        return;
    const size_t last = elf->segment_count - 1;
    const struct dpk_elf_segment header = dpk_elf_segment(elf, last);
    if (header.type != RISCV_ATTRIBUTES || header.offset == offset)
        return;
    const uint16_t count = htole16((uint16_t)last);
    memset(executable->data + elf->phoff + last * sizeof(Elf64_Phdr), 0, sizeof(Elf64_Phdr));
    memcpy(executable->data + offsetof(Elf64_Ehdr, e_phnum), &count, sizeof count);
}

void dpacc_target_section_fill(struct dpk_buf *executable, uint32_t target)
{
    struct dpk_buf content = {0}, entry = {0};
    const struct dpk_elf elf = dpk_elf(executable->data, executable->size);
    struct dpk_elf_section room;
    size_t index;
    dpacc_target_section_put(target, &content);
    if (!content.failed && find_room(&elf, content.size, &index, &room)) {
        room.type = RISCV_ATTRIBUTES;
        room.flags = 0;
        dpk_elf_put_section(&entry, &room);
        if (!entry.failed) {
            memcpy(executable->data + room.offset, content.data, content.size);
            memcpy(executable->data + elf.shoff + index * sizeof(Elf64_Shdr), entry.data,
                   entry.size);
            drop_header(executable, &elf, room.offset);
        }
    }
    executable->failed |= content.failed || entry.failed;
    dpk_buf_free(&content);
    dpk_buf_free(&entry);
}
