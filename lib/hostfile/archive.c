/* Archives whose members change their size: their headers and the symbol index. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "edit.h"

#define MAGIC_SIZE  8
#define HEADER_SIZE 60
#define AT_SIZE     48 /* offset of the size: decimal, padded with blanks */
#define SIZE_DIGITS 10
#define AT_END      58

/* Symbol index: a count, then big-endian offsets of member headers. */
#define INDEX_NAME   "/               "
#define INDEX64_NAME "/SYM64/         "

#define BSD_NAME "#1/" /* the member's name precedes its content */

/* Returns, for every i, the distance by which the bytes after the first `i` objects move. */
static int64_t *shifts_of(const struct dpk_hostfile *host, const uint64_t *sizes)
{
    int64_t *shifts = calloc(host->object_count + 1, sizeof *shifts);
    for (size_t i = 0; shifts && i < host->object_count; i++) {
        uint64_t old = host->objects[i].size;
        shifts[i + 1] = shifts[i] + (int64_t)(sizes[i] + sizes[i] % 2) - (int64_t)(old + old % 2);
    }
    return shifts;
}

/* Returns the number of objects before offset `at` of the file. */
static size_t objects_before(const struct dpk_hostfile *host, uint64_t at)
{
    size_t low = 0, high = host->object_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (host->objects[middle].base <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void patch_size(struct dpk_edited *e, const struct object *o, uint64_t size)
{
    char text[SIZE_DIGITS + 12];
    snprintf(text, sizeof text, "%-*" PRIu64, SIZE_DIGITS, size);
    hostfile_edit_put(e, o->base - HEADER_SIZE + AT_SIZE, text, SIZE_DIGITS);
}

static uint64_t read_be(struct dpk_reader *r, size_t width)
{
    return width == 8 ? dpk_read_be64(r) : dpk_read_be32(r);
}

/* `index` is the content of the index member, with numbers of `width` bytes. */
static enum dpk_status patch_entries(struct dpk_edited *e, struct dpk_reader index, size_t width,
                                     const int64_t *shifts, struct dpk_error *err)
{
    uint64_t count = read_be(&index, width);
    if (index.failed || count > dpk_reader_left(&index) / width)
        return dpk_fail(err, DPK_ERR_FORMAT, "damaged symbol index of the archive");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = dpk_reader_offset(&index) + MAGIC_SIZE + HEADER_SIZE, moved;
        uint64_t at = read_be(&index, width);
        uint8_t entry[8];
        if (__builtin_add_overflow(at, shifts[objects_before(e->host, at)], &moved) ||
            (width == 4 && moved > UINT32_MAX))
            return dpk_fail(err, DPK_ERR_RANGE, "the archive gets too large for its symbol index");
        dpk_store_be64(entry, moved);
        hostfile_edit_put(e, place, entry + sizeof entry - width, width);
    }
    return DPK_OK;
}

static enum dpk_status refuse_bsd(struct dpk_error *err)
{
    return dpk_fail(
        err, DPK_ERR_UNSUPPORTED,
        "a BSD archive cannot change its size: make it again with llvm-ar --format=gnu, or "
        "link it first");
}

/* Returns true if the object directly follows its header, without a BSD name between. */
static bool is_behind_header(const struct dpk_hostfile *host, const struct object *o)
{
    struct dpk_reader file = dpk_reader(host->bytes.data, host->bytes.size);
    struct dpk_reader r = dpk_reader_slice(&file, o->base - HEADER_SIZE, HEADER_SIZE);
    const uint8_t *header = dpk_read_bytes(&r, HEADER_SIZE);
    return header && memcmp(header + AT_END, "`\n", 2) == 0 &&
           memcmp(header, BSD_NAME, sizeof BSD_NAME - 1) != 0;
}

/* Patches the symbol index, which is the first member if it exists. */
static enum dpk_status patch_index(struct dpk_edited *e, const int64_t *shifts,
                                   struct dpk_error *err)
{
    const struct dpk_hostfile *host = e->host;
    struct dpk_reader file = dpk_reader(host->bytes.data, host->bytes.size), r = file;
    char size_text[SIZE_DIGITS + 1] = "";
    dpk_read_skip(&r, MAGIC_SIZE);
    const uint8_t *header = dpk_read_bytes(&r, HEADER_SIZE);
    if (!header)
        return DPK_OK;
    bool wide = memcmp(header, INDEX64_NAME, 16) == 0;
    if (memcmp(header, "__.SYMDEF", 9) == 0 || memcmp(header, BSD_NAME, sizeof BSD_NAME - 1) == 0)
        return refuse_bsd(err);
    if (!wide && memcmp(header, INDEX_NAME, 16) != 0)
        return DPK_OK;
    memcpy(size_text, header + AT_SIZE, SIZE_DIGITS);
    char *end = NULL;
    uint64_t size = strtoull(size_text, &end, 10);
    if (end == size_text)
        return dpk_fail(err, DPK_ERR_FORMAT, "damaged symbol index of the archive");
    r = dpk_reader_slice(&file, MAGIC_SIZE + HEADER_SIZE, size);
    return patch_entries(e, r, wide ? 8 : 4, shifts, err);
}

enum dpk_status hostfile_archive_adjust(struct dpk_edited *e, const uint64_t *sizes,
                                        struct dpk_error *err)
{
    bool changed = false;
    for (size_t i = 0; i < e->host->object_count; i++) {
        const struct object *o = &e->host->objects[i];
        if (sizes[i] == o->size)
            continue;
        changed = true;
        if (!is_behind_header(e->host, o))
            return refuse_bsd(err);
        if (sizes[i] > 9999999999u)
            return dpk_fail(err, DPK_ERR_RANGE, "member %s gets too large", o->member);
        patch_size(e, o, sizes[i]);
    }
    if (!changed)
        return DPK_OK;
    int64_t *shifts = shifts_of(e->host, sizes);
    enum dpk_status status = shifts ? patch_index(e, shifts, err) : dpk_fail_nomem(err);
    free(shifts);
    return status;
}
