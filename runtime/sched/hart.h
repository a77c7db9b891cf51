/* hart: the moves of a hart from state to state that only sched makes. */
#ifndef DPK_SCHED_HART_H
#define DPK_SCHED_HART_H

#include "sched/sched.h"

/* Into the run queue, with that state; or among the held. */
void hart_ready(struct sched_hart *h, enum hart_state state);
/* Until the counter is above the threshold. */
void hart_block(struct sched_hart *h, struct sched_counter *c, uint64_t threshold, uint64_t mask);
/* Whether it is not to run on: its group has ended. */
bool hart_is_doomed(const struct sched_hart *h);

#endif
