/* The sections of a program: two little-endian dwords with the sizes of .dpa_bin and .dpa_sig, then
 * .dpa_bin, .dpa_sig and .dpa_proc_attr. The subjects are inside the bytes or have a fault;
 * building a parsed area again gives the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "elfcrypto/elfcrypto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void inside(const uint8_t *part, size_t part_size, const uint8_t *whole, size_t size)
{
    if (part && (part < whole || part > whole + size || part_size > size - (size_t)(part - whole)))
        abort();
}

static void build_again(const uint8_t *bytes, size_t size)
{
    struct dpk_fat fat, again;
    struct dpk_buf b = {0};
    if (dpk_fat_parse(bytes, size, &fat, NULL) != DPK_OK)
        return;
    if (dpk_fat_build(fat.members, fat.count, &b, NULL) != DPK_OK ||
        dpk_fat_parse(b.data, b.size, &again, NULL) != DPK_OK || again.count != fat.count)
        abort();
    for (size_t i = 0; i < fat.count; i++)
        if (again.members[i].target != fat.members[i].target ||
            again.members[i].size != fat.members[i].size ||
            memcmp(again.members[i].data, fat.members[i].data, fat.members[i].size) != 0)
            abort();
    dpk_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_subject subjects[DPK_FAT_MAX];
    struct dpk_reader r = dpk_reader(data, size);
    size_t elf = dpk_read_le32(&r), room = dpk_read_le32(&r), left = dpk_reader_left(&r);
    if (r.failed)
        return 0;
    elf %= left + 1;
    room %= left - elf + 1;
    const struct dpk_sections s = {.elf = r.pos,
                                   .elf_size = elf,
                                   .room = room ? r.pos + elf : NULL,
                                   .room_size = room,
                                   .attributes = r.pos + elf + room,
                                   .attributes_size = left - elf - room};
    size_t count = dpk_subjects(&s, subjects);
    if (count < 1 || count > DPK_FAT_MAX)
        abort();
    for (size_t i = 0; i < count; i++) {
        const struct dpk_subject *one = &subjects[i];
        inside(one->elf.file.begin, dpk_reader_left(&one->elf.file), s.elf, s.elf_size);
        inside(one->crypto, one->crypto_size, s.room, s.room_size);
        inside(one->manifest, one->manifest_size, s.attributes, s.attributes_size);
        if (count > 1 && !one->target[0])
            abort();
        for (size_t k = 0; k < i; k++)
            if (subjects[k].target_id == one->target_id)
                abort();
        if (dpk_verify(one, NULL, NULL) == DPK_VERDICT_OK)
            abort();
    }
    build_again(s.elf, s.elf_size);
    build_again(s.attributes, s.attributes_size);
    return 0;
}
