/*
 * coverage: writes what code that dpacc --coverage has compiled has counted, as a raw profile of
 * LLVM. The counters are in the program's memory; they are read when the process is gone, or when
 * the program ends with it. Where they go: DPAKIT_COVERAGE, else LLVM_PROFILE_FILE; without
 * either nothing is written.
 */
#ifndef DPK_ENGINE_PROC_COVERAGE_H
#define DPK_ENGINE_PROC_COVERAGE_H

#include "engine/proc/process.h"

/* Sees whether the program counts, and where its counters go. Without sched's lock, as the other. */
enum dpk_status coverage_enter(struct dpk_process *p, struct dpk_error *err);
/* Writes the counters. */
void coverage_leave(struct dpk_process *p);

#endif
