/* run: the callbacks of sched for harts of processes. */
#ifndef DPK_ENGINE_PROC_RUN_H
#define DPK_ENGINE_PROC_RUN_H

#include "engine/proc/hart.h"

extern const struct sched_owner proc_process_owner;

/* Runs code of `h` until `end` instructions have retired in all, it has made `calls` calls, or
 * another event ends the slice. Call this without the lock. */
void proc_run_until(struct hart *h, struct slice *s, uint64_t end, unsigned calls);

#endif
