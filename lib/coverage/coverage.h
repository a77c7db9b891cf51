/*
 * coverage: raw LLVM profiles (.profraw) for llvm-profdata and llvm-cov. They say how often each
 * part of the code ran. Code that clang compiled with -fprofile-instr-generate has three sections
 * for them: records of functions, their counters, and names.
 *
 *     struct dpk_coverage raw = {.version = 8, .records = {bytes, size, address}, ...};
 *     struct dpk_buf file = {0};
 *     dpk_coverage_put(&raw, &file, &err);
 *
 * The form is that of LLVM 14 to 16 (version 8), 18 (9), 19 and 20 (10), little-endian, 64 bits:
 * https://llvm.org/docs/InstrProfileFormat.html
 */
#ifndef DPK_COVERAGE_COVERAGE_H
#define DPK_COVERAGE_COVERAGE_H

#include "base/base.h"

struct dpk_coverage_part {
    const void *data;
    size_t size;
    uint64_t address; /* address in the program's memory */
};
struct dpk_coverage {
    uint64_t version; /* __llvm_profile_raw_version of the program */
    struct dpk_coverage_part records, counters, names;
};

/* Appends a raw profile. The parts are not trusted. A record's address of its counters is replaced
 * by the distance from the record (dpacc's coverage.h says why). Errors: DPK_ERR_UNSUPPORTED for
 * another version, DPK_ERR_FORMAT if the sizes do not fit records and counters. */
enum dpk_status dpk_coverage_put(const struct dpk_coverage *raw, struct dpk_buf *out,
                                 struct dpk_error *err);
/* Adds the counters of one raw profile (made by dpk_coverage_put) to another. Returns false, and
 * changes nothing, if they belong to different programs. */
bool dpk_coverage_add(struct dpk_buf *to, const struct dpk_buf *from);
/* Returns a number that is equal for raw profiles of the same program. */
uint64_t dpk_coverage_signature(const struct dpk_buf *raw);

#endif
