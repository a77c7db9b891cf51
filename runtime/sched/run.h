/* run: slices of a hart, one after the other, on one thread of the host. */
#ifndef DPK_SCHED_RUN_H
#define DPK_SCHED_RUN_H

#include "sched/sched.h"

/* Runs `h`, which is in no list, until it ends or blocks, or others want the processor. `w`: the
 * host thread's wait, if `runner` is one. True: the worker has nothing to do, for another one will
 * take `h`. */
bool run_hart(struct sched_hart *h, enum slice_runner runner, const struct sched_waiter *w);
/* How many slices run now, on workers and host threads. */
unsigned run_count(void);
void run_configure(unsigned workers);

#endif
