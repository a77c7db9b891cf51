/* Device libraries: an area of archives. Whatever the bytes, members lie inside the area and apart
 * from each other, objects inside their member, and an area that parses can be built again. */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "fat/fat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(const uint8_t *part, size_t part_size, const uint8_t *whole, size_t size)
{
    if (part < whole || part > whole + size || part_size > size - (size_t)(part - whole))
        abort();
}

/* No object begins before the end of the one before, and all have names. */
static void walk(const uint8_t *archive, size_t size)
{
    struct dpk_archive_walk w = dpk_archive_walk(archive, size);
    struct dpk_archive_object o;
    const uint8_t *end = archive;
    volatile uint8_t sum = 0;
    if (!dpk_archive_is(archive, size))
        return;
    while (dpk_archive_next_object(&w, &o)) {
        check_inside(o.data, o.size, archive, size);
        if (o.data < end || strlen(o.name) >= sizeof o.name)
            abort();
        end = o.data + o.size;
        if (o.size)
            sum = (uint8_t)(sum + o.data[0] + o.data[o.size - 1]);
    }
    if (dpk_archive_length(archive, size) > size ||
        (!dpk_archive_is_damaged(&w) && w.at + 8 <= size))
        abort();
}

static void check_members(const struct dpk_fat *fat, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < fat->count; i++) {
        const struct dpk_fat_member *m = &fat->members[i];
        check_inside(m->data, m->size, data, size);
        for (size_t k = 0; k < i; k++) {
            const struct dpk_fat_member *other = &fat->members[k];
            if (other->target == m->target ||
                (m->size && other->size && m->data < other->data + other->size &&
                 other->data < m->data + m->size))
                abort();
        }
        walk(m->data, m->size);
    }
}

static void build_again(const struct dpk_fat *fat)
{
    struct dpk_buf b = {0};
    struct dpk_fat again;
    if (dpk_fat_build(fat->members, fat->count, &b, NULL) != DPK_OK ||
        dpk_fat_parse(b.data, b.size, &again, NULL) != DPK_OK || again.count != fat->count)
        abort();
    for (size_t i = 0; i < fat->count; i++)
        if (again.members[i].target != fat->members[i].target ||
            again.members[i].kind != fat->members[i].kind ||
            again.members[i].size != fat->members[i].size ||
            memcmp(again.members[i].data, fat->members[i].data, fat->members[i].size) != 0)
            abort();
    dpk_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_fat fat;
    walk(data, size);
    const bool library = dpk_fat_is_library(data, size);
    if (dpk_fat_parse(data, size, &fat, NULL) != DPK_OK) {
        if (library || fat.count != 0)
            abort();
        return 0;
    }
    check_members(&fat, data, size);
    build_again(&fat);
    return 0;
}
