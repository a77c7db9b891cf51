#include "coverage/coverage.h"

#include <inttypes.h>
#include <string.h>

enum { COUNTERS_AT = 16 }; /* offset of the counters' address in a record */
enum { VALUE_KINDS_OLD = 1, VALUE_KINDS = 2 };

static const struct form {
    uint64_t version;
    unsigned header, record; /* bytes */
    uint64_t value_kinds;    /* number of the last kind */
} forms[] = {{8, 11 * 8, 48, VALUE_KINDS_OLD},
             {9, 14 * 8, 64, VALUE_KINDS_OLD},
             {10, 16 * 8, 64, VALUE_KINDS}};

static const uint64_t magic = UINT64_C(0xff6c70726f667281); /* "\xfflprofr\x81" */

static const struct form *form_of(uint64_t version)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].version == version)
            return &forms[i];
    return NULL;
}

static void put_header(const struct dpk_coverage *raw, const struct form *form, struct dpk_buf *out)
{
    const bool bitmaps = form->version >= 9, tables = form->version >= 10;
    const uint64_t distance = raw->counters.address - raw->records.address;
    dpk_put_le64(out, magic);
    dpk_put_le64(out, form->version);
    dpk_put_le64(out, 0); /* bytes of build IDs */
    dpk_put_le64(out, raw->records.size / form->record);
    dpk_put_le64(out, 0); /* padding before and after the counters */
    dpk_put_le64(out, raw->counters.size / 8);
    dpk_put_le64(out, 0);
    dpk_put_fill(out, 0, bitmaps ? 16 : 0); /* no bitmaps of conditions */
    dpk_put_le64(out, raw->names.size);
    dpk_put_le64(out, distance);
    dpk_put_fill(out, 0, bitmaps ? 8 : 0);
    dpk_put_le64(out, raw->names.address);
    dpk_put_fill(out, 0, tables ? 16 : 0); /* no tables of virtual functions */
    dpk_put_le64(out, form->value_kinds);
}

static void put_records(const struct dpk_coverage *raw, const struct form *form,
                        struct dpk_buf *out)
{
    struct dpk_reader r = dpk_reader(raw->records.data, raw->records.size);
    for (uint64_t at = raw->records.address; dpk_reader_left(&r) > 0; at += form->record) {
        dpk_put(out, dpk_read_bytes(&r, COUNTERS_AT), COUNTERS_AT);
        const uint64_t counters = dpk_read_le64(&r);
        const bool absolute = counters - raw->counters.address < raw->counters.size;
        dpk_put_le64(out, absolute ? counters - at : counters);
        const size_t rest = form->record - COUNTERS_AT - 8;
        dpk_put(out, dpk_read_bytes(&r, rest), rest);
    }
}

enum dpk_status dpk_coverage_put(const struct dpk_coverage *raw, struct dpk_buf *out,
                                 struct dpk_error *err)
{
    const struct form *form = form_of(raw->version);
    if (!form)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "its counters have version %" PRIu64
                        "; 8, 9 and 10 are known (LLVM 14 to 20)",
                        raw->version);
    if (raw->records.size == 0 || raw->records.size % form->record != 0 ||
        raw->counters.size % 8 != 0)
        return dpk_fail(
            err, DPK_ERR_FORMAT,
            "%zu bytes of records and %zu of counters are not those of version %" PRIu64,
            raw->records.size, raw->counters.size, raw->version);
    put_header(raw, form, out);
    put_records(raw, form, out);
    dpk_put(out, raw->counters.data, raw->counters.size);
    dpk_put(out, raw->names.data, raw->names.size);
    dpk_put_align(out, 8, 0);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* Finds the counters of a raw profile: bytes *begin to *end. */
static bool find_counters(const struct dpk_buf *raw, size_t *begin, size_t *end)
{
    struct dpk_reader r = dpk_reader(raw->data, raw->size);
    const uint64_t first = dpk_read_le64(&r);
    const struct form *form = form_of(dpk_read_le64(&r));
    dpk_read_skip(&r, 8);
    const uint64_t records = dpk_read_le64(&r);
    dpk_read_skip(&r, 8);
    const uint64_t counters = dpk_read_le64(&r);
    if (r.failed || first != magic || !form || records > raw->size || counters > raw->size)
        return false;
    *begin = form->header + (size_t)records * form->record;
    *end = *begin + (size_t)counters * 8;
    return *begin <= raw->size && *end <= raw->size;
}

bool dpk_coverage_add(struct dpk_buf *to, const struct dpk_buf *from)
{
    size_t begin, end, also_begin, also_end;
    if (to->size != from->size || !find_counters(to, &begin, &end) ||
        !find_counters(from, &also_begin, &also_end) || begin != also_begin || end != also_end ||
        memcmp(to->data, from->data, begin) != 0 ||
        memcmp(to->data + end, from->data + end, to->size - end) != 0)
        return false;
    struct dpk_reader a = dpk_reader(to->data + begin, end - begin),
                      b = dpk_reader(from->data + begin, end - begin);
    for (size_t at = begin; at < end; at += 8) {
        const uint64_t x = dpk_read_le64(&a), y = dpk_read_le64(&b);
        dpk_store_le64(to->data + at, x > UINT64_MAX - y ? UINT64_MAX : x + y);
    }
    return true;
}

uint64_t dpk_coverage_signature(const struct dpk_buf *raw)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    size_t begin = raw->size, end = raw->size;
    if (!find_counters(raw, &begin, &end))
        begin = end = raw->size;
    for (size_t i = 0; i < raw->size; i++)
        if (i < begin || i >= end)
            hash = (hash ^ raw->data[i]) * UINT64_C(0x100000001b3);
    return hash;
}
