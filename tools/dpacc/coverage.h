/*
 * coverage: adapts instrumented code (-fprofile-instr-generate) to the DPA. The code is compiled to
 * assembly, changed, and assembled:
 *
 * - A record of a function says how far its counters are from it. LLVM 14 has no relocation for
 *   that on RISC-V. The address of the counters is stored instead, and the engine subtracts.
 * - A constructor would register the records. The DPA runs none, and the engine needs none.
 */
#ifndef DPK_DPACC_COVERAGE_H
#define DPK_DPACC_COVERAGE_H

#include "base/base.h"

/* Appends the changed text. */
void dpacc_coverage_edit(const char *text, struct dpk_buf *out);

#endif
