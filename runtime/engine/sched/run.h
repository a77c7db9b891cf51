/* run: runs a hart on a host thread, slice after slice. */
#ifndef DPK_ENGINE_SCHED_RUN_H
#define DPK_ENGINE_SCHED_RUN_H

#include "engine/sched/sched.h"

/* Runs `h`, which is in no list, until it ends, blocks, or another hart should get the processor.
 * `w`: the wait of the host thread that runs it, else NULL. Returns true if the worker should sleep
 * now, because another worker takes `h` from the run queue. */
bool sched_run_hart(struct sched_hart *h, enum slice_runner runner, const struct sched_waiter *w);
/* Returns the number of running slices, on workers and host threads. */
unsigned sched_run_count(void);
void sched_run_configure(unsigned workers);

#endif
