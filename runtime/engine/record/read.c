#include <zlib.h>

#include "format.h"

enum dpk_status dpk_records_begin(const void *data, size_t size, size_t *at, uint64_t *seed,
                                  struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(data, size);
    const uint64_t magic = dpk_read_le64(&r);
    *seed = dpk_read_le64(&r);
    *at = DPK_RECORD_HEADER;
    if (!r.failed && magic == RECORD_MAGIC)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_FORMAT,
                    "it is not a recording of DPAKIT_RECORD, or it is of another version");
}

/* Checks that a record is valid for its kind. */
static bool is_sound(const struct dpk_record *r)
{
    const bool maps = r->kind == DPK_RECORD_MAP || r->kind == DPK_RECORD_FILL;
    if (r->process == 0 || r->thread >= DPK_RECORD_THREADS_MAX ||
        (r->changed && r->kind != DPK_RECORD_RUN) || r->changed >> DPK_CHANGED_COUNT != 0)
        return false;
    if (maps && r->number > UINT64_MAX - r->address)
        return false;
    if (r->kind == DPK_RECORD_RUN)
        return r->small <= RV64_STOP_WATCH && r->number <= INT64_MAX;
    return r->kind != DPK_RECORD_END || r->size == DPK_RECORD_DIGEST;
}

static bool decode(const uint8_t *payload, size_t size, struct dpk_record *out)
{
    struct dpk_reader r = dpk_reader(payload, size);
    const uint8_t kind = dpk_read_u8(&r);
    *out = (struct dpk_record){.small = dpk_read_u8(&r)};
    out->kind = kind < DPK_RECORD_KINDS ? (enum dpk_record_kind)kind : DPK_RECORD_KINDS;
    out->process = dpk_read_le32(&r);
    out->thread = dpk_read_le32(&r);
    out->address = dpk_read_le64(&r);
    out->number = dpk_read_le64(&r);
    out->changed = dpk_read_le64(&r);
    for (unsigned i = 0; i < DPK_CHANGED_COUNT; i++)
        if (out->changed >> i & 1)
            out->values[i] = dpk_read_le64(&r);
    out->size = dpk_reader_left(&r);
    out->bytes = dpk_read_bytes(&r, out->size);
    return !r.failed && kind != 0 && kind < DPK_RECORD_KINDS && is_sound(out);
}

bool dpk_records_next(const void *data, size_t size, size_t *at, struct dpk_record *out, bool *cut,
                      struct dpk_error *err)
{
    const size_t begin = *at, left = begin < size ? size - begin : 0;
    struct dpk_reader r = dpk_reader((const uint8_t *)data + (size - left), left);
    *cut = false;
    if (left == 0)
        return false;
    const size_t length = dpk_read_le32(&r);
    const uint32_t crc = dpk_read_le32(&r);
    const uint8_t *payload = dpk_read_bytes(&r, length);
    if (r.failed) { /* the program was killed while it wrote, or the file was cut */
        *cut = true;
        return false;
    }
    if (crc32_z(crc32_z(0, NULL, 0), payload, length) != crc || !decode(payload, length, out)) {
        dpk_fail(err, DPK_ERR_FORMAT,
                 "damaged: the record at byte %zu has changed since it was written", begin);
        return false;
    }
    *at = begin + RECORD_FRAME + length;
    return true;
}
