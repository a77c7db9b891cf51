/*
 * coverage: writes the counters of code that dpacc --coverage compiled, as a raw profile of LLVM.
 * The counters are in the program's memory. They are read when the process is destroyed, or when
 * the host program ends before. The file is DPAKIT_COVERAGE, else LLVM_PROFILE_FILE; without either
 * variable there is no file.
 */
#ifndef DPK_ENGINE_PROC_COVERAGE_H
#define DPK_ENGINE_PROC_COVERAGE_H

#include "engine/proc/process.h"

/* Finds out whether the program counts, and where its counters go. Call both functions without
 * sched's lock. */
enum dpk_status proc_coverage_enter(struct dpk_process *p, struct dpk_error *err);
/* Writes the counters. */
void proc_coverage_leave(struct dpk_process *p);

#endif
