/* hart: changes of a hart's state that only sched makes. */
#ifndef DPK_ENGINE_SCHED_HART_H
#define DPK_ENGINE_SCHED_HART_H

#include "engine/sched/sched.h"

/* Puts it into the run queue with that state, or among the held harts. */
void hart_ready(struct sched_hart *h, enum hart_state state);
/* Blocks it until the counter is above the threshold. */
void hart_block(struct sched_hart *h, struct sched_counter *c, uint64_t threshold, uint64_t mask);
/* Whether it must not run on, as its group has ended. */
bool hart_is_doomed(const struct sched_hart *h);

#endif
