/* Fat files: device ELFs of several targets in one program (signing(7)). */
#include "fat/fat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

static const char fat_magic[8] = "DPKFAT1", sigs_magic[8] = "DPKSIGS";

#define VERSION         1
#define HEADER_SIZE     16
#define MEMBER_SIZE     40
#define FLAG_COMPRESSED 1u
#define ALIGNMENT       8
#define DEFLATE_LEVEL   9
#define INFLATE_MAX     ((uint64_t)256 << 20) /* bytes of an ELF out of a compressed member */
#define INFLATE_RATIO   1040u                 /* deflate cannot do better than 1032 to 1 */

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

static bool begins_with(const uint8_t *bytes, size_t size, const char magic[8])
{
    return size >= 8 && memcmp(bytes, magic, 8) == 0;
}

bool dpk_fat_is(const uint8_t *bytes, size_t size)
{
    return begins_with(bytes, size, fat_magic);
}

bool dpk_fat_is_foreign(const uint8_t *bytes, size_t size)
{
    static const char magic[8] = {'N', 'V', 'D', 'P', 'A', 'F', 'B', 'F'};
    return begins_with(bytes, size, magic);
}

/* ---- Reading ---- */

/* Magic, version and count of either structure. */
static enum dpk_status read_header(struct dpk_reader *r, const char magic[8], const char *what,
                                   size_t *count, struct dpk_error *err)
{
    const uint8_t *m = dpk_read_bytes(r, 8);
    uint32_t version = dpk_read_le32(r), n = dpk_read_le32(r);
    if (r->failed || memcmp(m, magic, 8) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: no %s magic", what, magic);
    if (version != VERSION)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s: version %" PRIu32 ", not %d", what, version,
                        VERSION);
    if (n == 0 || n > DPK_FAT_MAX)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: %" PRIu32 " members, not 1 to %d", what, n,
                        DPK_FAT_MAX);
    *count = n;
    return DPK_OK;
}

static enum dpk_status read_member(const struct dpk_reader *file, struct dpk_reader *table,
                                   uint64_t least, struct dpk_fat_member *m, struct dpk_error *err)
{
    uint32_t target = dpk_read_le32(table), flags = dpk_read_le32(table);
    uint64_t offset = dpk_read_le64(table), stored = dpk_read_le64(table);
    uint64_t size = dpk_read_le64(table), reserved = dpk_read_le64(table);
    bool compressed = flags & FLAG_COMPRESSED;
    if (table->failed)
        return dpk_fail(err, DPK_ERR_FORMAT, "truncated table");
    if (flags & ~FLAG_COMPRESSED || reserved)
        return dpk_fail(err, DPK_ERR_FORMAT, "reserved bits are set");
    struct dpk_reader content = dpk_reader_slice(file, offset, stored);
    if (content.failed || offset % ALIGNMENT || offset < least || stored == 0)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "its bytes are not where they can be (offset %#" PRIx64 ", %" PRIu64
                        " bytes)",
                        offset, stored);
    bool possible =
        compressed ? size && size <= INFLATE_MAX && size / INFLATE_RATIO <= stored : size == stored;
    if (!possible)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%" PRIu64 " bytes cannot stand for an ELF of %" PRIu64, stored, size);
    *m = (struct dpk_fat_member){.target = target,
                                 .compressed = compressed,
                                 .stored = content.begin,
                                 .stored_size = (size_t)stored,
                                 .elf_size = (size_t)size};
    return DPK_OK;
}

static const struct dpk_fat_member *find(const struct dpk_fat *fat, uint32_t target)
{
    for (size_t i = 0; i < fat->count; i++)
        if (fat->members[i].target == target)
            return &fat->members[i];
    return NULL;
}

enum dpk_status dpk_fat_parse(const uint8_t *bytes, size_t size, struct dpk_fat *out,
                              struct dpk_error *err)
{
    struct dpk_reader file = dpk_reader(bytes, size), r = file;
    struct dpk_fat fat = {0};
    size_t count = 0;
    *out = fat;
    if (dpk_fat_is_foreign(bytes, size))
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "fat file: made by NVIDIA's compiler, its layout is not public");
    enum dpk_status status = read_header(&r, fat_magic, "fat file", &count, err);
    if (status != DPK_OK)
        return status;
    uint64_t end = HEADER_SIZE + count * MEMBER_SIZE;
    for (size_t i = 0; i < count; i++) {
        struct dpk_fat_member m = {0};
        status = read_member(&file, &r, end, &m, err);
        if (status == DPK_OK && find(&fat, m.target))
            status = dpk_fail(err, DPK_ERR_FORMAT, "target %" PRIu32 " is there twice", m.target);
        if (status != DPK_OK) {
            dpk_error_prefix(err, "fat file: member %zu", i);
            return status;
        }
        end = (uint64_t)(m.stored - bytes) + m.stored_size;
        fat.members[fat.count++] = m;
    }
    *out = fat;
    return DPK_OK;
}

enum dpk_status dpk_fat_find(const struct dpk_fat *fat, uint32_t target,
                             const struct dpk_fat_member **out, struct dpk_error *err)
{
    *out = find(fat, target);
    if (*out)
        return DPK_OK;
    const char *name = dpk_target_name(target);
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "fat file: nothing for target %s",
                    name ? name : "unknown");
}

enum dpk_status dpk_fat_elf(const struct dpk_fat_member *m, struct dpk_buf *out,
                            struct dpk_error *err)
{
    if (!m->compressed) {
        dpk_put(out, m->stored, m->stored_size);
        return out->failed ? dpk_fail_nomem(err) : DPK_OK;
    }
    if (!dpk_buf_reserve(out, m->elf_size))
        return dpk_fail_nomem(err);
    uLongf size = m->elf_size;
    uLong used = m->stored_size;
    int z = uncompress2(out->data + out->size, &size, m->stored, &used);
    if (z == Z_MEM_ERROR)
        return dpk_fail_nomem(err);
    if (z != Z_OK || size != m->elf_size || used != m->stored_size)
        return dpk_fail(err, DPK_ERR_FORMAT, "fat file: damaged compressed member");
    out->size += size;
    return DPK_OK;
}

/* ---- Building ---- */

/* Compresses where that saves something. */
static enum dpk_status pack(const struct dpk_fat_input *in, bool compressed, struct dpk_buf *out,
                            struct dpk_error *err)
{
    uLongf size = compressBound(in->size);
    if (!compressed || in->size > INFLATE_MAX)
        return DPK_OK;
    if (!dpk_buf_reserve(out, size))
        return dpk_fail_nomem(err);
    if (compress2(out->data, &size, in->elf, in->size, DEFLATE_LEVEL) != Z_OK)
        return dpk_fail_nomem(err);
    if (size < in->size)
        out->size = size;
    return DPK_OK;
}

static enum dpk_status check_inputs(const struct dpk_fat_input *in, size_t count,
                                    struct dpk_error *err)
{
    if (count == 0 || count > DPK_FAT_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "fat file: %zu members, not 1 to %d", count,
                        DPK_FAT_MAX);
    for (size_t i = 0; i < count; i++) {
        if (in[i].size == 0)
            return dpk_fail(err, DPK_ERR_FORMAT, "fat file: member %zu is empty", i);
        for (size_t j = 0; j < i; j++)
            if (in[i].target == in[j].target)
                return dpk_fail(err, DPK_ERR_EXISTS, "fat file: target %" PRIu32 " is there twice",
                                in[i].target);
    }
    return DPK_OK;
}

enum dpk_status dpk_fat_build(const struct dpk_fat_input *in, size_t count, bool compressed,
                              struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_buf table = {0}, contents = {0};
    enum dpk_status status = check_inputs(in, count, err);
    if (status != DPK_OK)
        return status;
    dpk_put(&table, fat_magic, sizeof fat_magic);
    dpk_put_le32(&table, VERSION);
    dpk_put_le32(&table, (uint32_t)count);
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        struct dpk_buf packed = {0};
        status = pack(&in[i], compressed, &packed, err);
        dpk_put_align(&contents, ALIGNMENT, 0);
        dpk_put_le32(&table, in[i].target);
        dpk_put_le32(&table, packed.size ? FLAG_COMPRESSED : 0);
        dpk_put_le64(&table, HEADER_SIZE + count * MEMBER_SIZE + contents.size);
        dpk_put_le64(&table, packed.size ? packed.size : in[i].size);
        dpk_put_le64(&table, in[i].size);
        dpk_put_le64(&table, 0);
        dpk_put(&contents, packed.size ? packed.data : in[i].elf,
                packed.size ? packed.size : in[i].size);
        dpk_buf_free(&packed);
    }
    dpk_put(&table, contents.data, contents.size);
    if (status == DPK_OK && !table.failed && !contents.failed)
        dpk_put(out, table.data, table.size);
    if (status == DPK_OK && (table.failed || contents.failed || out->failed))
        status = dpk_fail_nomem(err);
    dpk_buf_free(&contents);
    dpk_buf_free(&table);
    return status;
}

/* ---- Crypto data ---- */

void dpk_fat_sigs_begin(struct dpk_buf *out, size_t count)
{
    dpk_put(out, sigs_magic, sizeof sigs_magic);
    dpk_put_le32(out, VERSION);
    dpk_put_le32(out, (uint32_t)count);
}

void dpk_fat_sigs_put(struct dpk_buf *out, uint32_t target, const void *crypto, size_t size)
{
    dpk_put_le32(out, target);
    dpk_put_le32(out, (uint32_t)size);
    dpk_put(out, crypto, size);
    dpk_put_align(out, ALIGNMENT, 0);
}

bool dpk_fat_sigs_is(const uint8_t *crypto, size_t size)
{
    return begins_with(crypto, size, sigs_magic);
}

enum dpk_status dpk_fat_crypto(const uint8_t *crypto, size_t size, uint32_t target,
                               const uint8_t **out, size_t *out_size, struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(crypto, size);
    size_t count = 0;
    *out = NULL;
    *out_size = 0;
    enum dpk_status status = read_header(&r, sigs_magic, "crypto data", &count, err);
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        uint32_t id = dpk_read_le32(&r), length = dpk_read_le32(&r);
        const uint8_t *p = dpk_read_bytes(&r, length);
        dpk_read_skip(&r, -(size_t)length % ALIGNMENT);
        if (!p || r.failed || length == 0)
            status = dpk_fail(err, DPK_ERR_FORMAT, "crypto data: member %zu is truncated", i);
        else if (id == target && *out)
            status =
                dpk_fail(err, DPK_ERR_FORMAT, "crypto data: target %" PRIu32 " is there twice", id);
        else if (id == target) {
            *out = p;
            *out_size = length;
        }
    }
    if (status == DPK_OK && !*out)
        status =
            dpk_fail(err, DPK_ERR_NOT_FOUND, "crypto data: nothing for target %" PRIu32, target);
    if (status != DPK_OK) {
        *out = NULL;
        *out_size = 0;
    }
    return status;
}
