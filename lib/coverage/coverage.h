/*
 * coverage: raw profiles of LLVM (.profraw), which llvm-profdata reads: how often each part of the code
 * ran, for llvm-cov. Code that clang has compiled with -fprofile-instr-generate has three sections
 * for it: records of functions, their counters, and names.
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
    uint64_t address; /* where the program has it */
};
struct dpk_coverage {
    uint64_t version; /* __llvm_profile_raw_version of the program */
    struct dpk_coverage_part records, counters, names;
};

/* Appends a raw profile. The parts are not trusted. Where a record has the address of its counters,
 * it gets their distance from the record (dpacc's coverage.h says why). DPK_ERR_UNSUPPORTED: another
 * version. DPK_ERR_FORMAT: the sizes are not those of records and counters. */
enum dpk_status dpk_coverage_put(const struct dpk_coverage *raw, struct dpk_buf *out,
                                 struct dpk_error *err);
/* Adds the counters of one raw profile of dpk_coverage_put to another. False, and nothing changes: they
 * are not of the same program. */
bool dpk_coverage_add(struct dpk_buf *to, const struct dpk_buf *from);
/* A number that is the same for raw profiles of the same program. */
uint64_t dpk_coverage_signature(const struct dpk_buf *raw);

#endif
