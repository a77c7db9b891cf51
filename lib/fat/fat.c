/* Areas of several targets, and the contents of their members (signing(7)). */
#include "fat/fat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t magic[8] = {'N', 'V', 'D', 'P', 'A', 'F', 'B', 'F'};

#define VERSION     1
#define HEADER_SIZE 24
#define MEMBER_SIZE 32
#define ALIGNMENT   8

static const char *const target_names[] = {"generic", "cx7", "bf3", "cx8", "cx9"};
#define TARGET_COUNT (sizeof target_names / sizeof *target_names)

const char *dpk_target_name(uint32_t target)
{
    return target < TARGET_COUNT ? target_names[target] : NULL;
}

bool dpk_target_find(const char *name, uint32_t *target)
{
    for (uint32_t i = 0; i < TARGET_COUNT; i++) {
        if (strcmp(target_names[i], name) != 0)
            continue;
        *target = i;
        return true;
    }
    return false;
}

bool dpk_target_has_zba(uint32_t target)
{
    return target != DPK_TARGET_CX7 && target != DPK_TARGET_BF3;
}

const char *dpk_target_text(uint32_t target, char out[DPK_TARGET_TEXT])
{
    const char *name = dpk_target_name(target);
    if (name)
        snprintf(out, DPK_TARGET_TEXT, "%s", name);
    else
        snprintf(out, DPK_TARGET_TEXT, "target%" PRIu32, target);
    return out;
}

bool dpk_fat_is(const void *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* ---- Reading ---- */

static enum dpk_status read_header(struct dpk_reader *r, size_t *count, struct dpk_error *err)
{
    const uint8_t *m = dpk_read_bytes(r, sizeof magic);
    uint32_t version = dpk_read_le32(r), n = dpk_read_le32(r);
    dpk_read_skip(r, 8); /* reserved */
    if (!m || memcmp(m, magic, sizeof magic) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "no multi-target area: its magic is missing");
    if (r->failed)
        return dpk_fail(err, DPK_ERR_FORMAT, "multi-target area: truncated header");
    if (version != VERSION)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "multi-target area: version %" PRIu32 ", not %d",
                        version, VERSION);
    if (n == 0 || n > DPK_FAT_MAX)
        return dpk_fail(err, DPK_ERR_FORMAT, "multi-target area: %" PRIu32 " members, not 1 to %d",
                        n, DPK_FAT_MAX);
    *count = n;
    return DPK_OK;
}

/* `area` is the whole area; `first` is the lowest offset of a member. */
static enum dpk_status read_member(const struct dpk_reader *area, struct dpk_reader *table,
                                   size_t first, struct dpk_fat_member *m, struct dpk_error *err)
{
    uint32_t target = dpk_read_le32(table), kind = dpk_read_le32(table);
    uint64_t offset = dpk_read_le64(table), size = dpk_read_le64(table);
    dpk_read_skip(table, 8); /* reserved */
    if (table->failed)
        return dpk_fail(err, DPK_ERR_FORMAT, "truncated table");
    struct dpk_reader content = dpk_reader_slice(area, offset, size);
    if (content.failed || offset < first)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "its bytes are not inside the area (offset %#" PRIx64 ", %" PRIu64
                        " bytes)",
                        offset, size);
    *m = (struct dpk_fat_member){
        .target = target, .kind = kind, .data = content.begin, .size = (size_t)size};
    return DPK_OK;
}

/* Checks that the target is new and that its bytes overlap no other member. */
static enum dpk_status check_new(const struct dpk_fat *fat, const struct dpk_fat_member *m,
                                 struct dpk_error *err)
{
    char text[DPK_TARGET_TEXT];
    if (dpk_fat_find(fat, m->target))
        return dpk_fail(err, DPK_ERR_FORMAT, "target %s is there twice",
                        dpk_target_text(m->target, text));
    for (size_t i = 0; i < fat->count; i++) {
        const struct dpk_fat_member *other = &fat->members[i];
        if (m->size && other->size && m->data < other->data + other->size &&
            other->data < m->data + m->size)
            return dpk_fail(err, DPK_ERR_FORMAT, "its bytes are those of member %zu too", i);
    }
    return DPK_OK;
}

enum dpk_status dpk_fat_parse(const void *bytes, size_t size, struct dpk_fat *out,
                              struct dpk_error *err)
{
    const struct dpk_reader area = dpk_reader(bytes, size);
    struct dpk_reader r = area;
    struct dpk_fat fat = {0};
    size_t count = 0;
    *out = fat;
    enum dpk_status status = read_header(&r, &count, err);
    if (status != DPK_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        struct dpk_fat_member m = {0};
        status = read_member(&area, &r, HEADER_SIZE + count * MEMBER_SIZE, &m, err);
        if (status == DPK_OK)
            status = check_new(&fat, &m, err);
        if (status != DPK_OK) {
            dpk_error_prefix(err, "multi-target area: member %zu", i);
            return status;
        }
        fat.members[fat.count++] = m;
    }
    *out = fat;
    return DPK_OK;
}

bool dpk_fat_is_library(const void *bytes, size_t size)
{
    static const char archive[] = "!<arch>\n";
    struct dpk_fat fat;
    if (!dpk_fat_is(bytes, size) || dpk_fat_parse(bytes, size, &fat, NULL) != DPK_OK)
        return false;
    const struct dpk_fat_member *first = &fat.members[0];
    return first->kind == DPK_FAT_ARCHIVE ||
           (first->size >= sizeof archive - 1 &&
            memcmp(first->data, archive, sizeof archive - 1) == 0);
}

const struct dpk_fat_member *dpk_fat_find(const struct dpk_fat *fat, uint32_t target)
{
    for (size_t i = 0; i < fat->count; i++)
        if (fat->members[i].target == target)
            return &fat->members[i];
    return NULL;
}

/* ---- Building ---- */

static enum dpk_status check_members(const struct dpk_fat_member *members, size_t count,
                                     struct dpk_error *err)
{
    char text[DPK_TARGET_TEXT];
    if (count == 0 || count > DPK_FAT_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "multi-target area: %zu members, not 1 to %d", count,
                        DPK_FAT_MAX);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (members[i].target == members[j].target)
                return dpk_fail(err, DPK_ERR_EXISTS, "multi-target area: target %s is there twice",
                                dpk_target_text(members[i].target, text));
    return DPK_OK;
}

/* Bytes between a member and the next. */
static size_t padding(const struct dpk_fat_member *m)
{
    return m->kind == DPK_FAT_ARCHIVE ? 0 : -m->size % ALIGNMENT;
}

enum dpk_status dpk_fat_build(const struct dpk_fat_member *members, size_t count,
                              struct dpk_buf *out, struct dpk_error *err)
{
    enum dpk_status status = check_members(members, count, err);
    if (status != DPK_OK)
        return status;
    dpk_put(out, magic, sizeof magic);
    dpk_put_le32(out, VERSION);
    dpk_put_le32(out, (uint32_t)count);
    dpk_put_le64(out, 0);
    size_t at = HEADER_SIZE + count * MEMBER_SIZE;
    for (size_t i = 0; i < count; i++) {
        dpk_put_le32(out, members[i].target);
        dpk_put_le32(out, members[i].kind);
        dpk_put_le64(out, at);
        dpk_put_le64(out, members[i].size);
        dpk_put_le64(out, 0);
        at += members[i].size + padding(&members[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct dpk_fat_member *m = &members[i];
        if (m->data)
            dpk_put(out, m->data, m->size);
        else
            dpk_put_fill(out, 0, m->size);
        if (i + 1 < count)
            dpk_put_fill(out, 0, padding(m));
    }
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* ---- Rooms for crypto data ---- */

enum dpk_status dpk_room_read(const uint8_t *room, size_t room_size, const uint8_t **crypto,
                              size_t *size, struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(room, room_size);
    uint64_t length = dpk_read_le64(&r);
    *crypto = NULL;
    *size = 0;
    if (room_size == 0 || (!r.failed && length == 0))
        return DPK_OK;
    if (r.failed || length > dpk_reader_left(&r))
        return dpk_fail(err, DPK_ERR_FORMAT, "a length of %" PRIu64 " bytes, in a room for %zu",
                        length, dpk_reader_left(&r));
    *crypto = r.pos;
    *size = (size_t)length;
    return DPK_OK;
}

/* ---- Attributes ---- */

enum dpk_status dpk_attributes_read(const struct dpk_fat_member *member, const uint8_t **data,
                                    size_t *size, struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(member->data, member->size);
    dpk_read_skip(&r, 8); /* reserved */
    uint64_t length = dpk_read_le64(&r);
    *data = NULL;
    *size = 0;
    if (r.failed || length > dpk_reader_left(&r))
        return dpk_fail(err, DPK_ERR_FORMAT, "a length of %" PRIu64 " bytes, in %zu", length,
                        dpk_reader_left(&r));
    if (length)
        *data = r.pos;
    *size = (size_t)length;
    return DPK_OK;
}

enum dpk_status dpk_attributes_build(const uint32_t *targets, size_t count, const void *data,
                                     size_t size, struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_fat_member members[DPK_FAT_MAX];
    struct dpk_buf one = {0};
    enum dpk_status status = DPK_OK;
    dpk_put_le64(&one, 0);
    dpk_put_le64(&one, size);
    dpk_put(&one, data, size);
    for (size_t i = 0; i < count && i < DPK_FAT_MAX; i++)
        members[i] =
            (struct dpk_fat_member){.target = targets[i], .data = one.data, .size = one.size};
    status = one.failed ? dpk_fail_nomem(err) : dpk_fat_build(members, count, out, err);
    dpk_buf_free(&one);
    return status;
}
