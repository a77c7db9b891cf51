/* Any bytes as a program's counters, and as a file of counters: a raw profile, or an error. */
#include <stdlib.h>
#include <string.h>

#include "coverage/coverage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dpk_coverage_part part(struct dpk_reader *r, size_t size)
{
    struct dpk_coverage_part p = {.address = dpk_read_le64(r)};
    p.size = size < dpk_reader_left(r) ? size : dpk_reader_left(r);
    p.data = dpk_read_bytes(r, p.size);
    return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_reader r = dpk_reader(data, size);
    struct dpk_error err = {0};
    struct dpk_buf made = {0}, twice = {0}, other = {0};
    struct dpk_coverage c = {.version = dpk_read_u8(&r)};
    const size_t records = dpk_read_u8(&r), counters = dpk_read_u8(&r);
    c.records = part(&r, records);
    c.counters = part(&r, counters);
    c.names = part(&r, SIZE_MAX);
    if (r.failed)
        return 0;
    if (dpk_coverage_put(&c, &made, &err) == DPK_OK) {
        dpk_put(&twice, made.data, made.size);
        if (!dpk_coverage_add(&twice, &made) ||
            dpk_coverage_signature(&twice) != dpk_coverage_signature(&made))
            abort();
    }
    dpk_put(&other, data, size);
    (void)dpk_coverage_add(&made, &other);
    (void)dpk_coverage_add(&other, &other);
    (void)dpk_coverage_signature(&other);
    dpk_buf_free(&made);
    dpk_buf_free(&twice);
    dpk_buf_free(&other);
    return 0;
}
