/* hart: changes of a hart's state that only sched makes. */
#ifndef DPK_ENGINE_SCHED_HART_H
#define DPK_ENGINE_SCHED_HART_H

#include "engine/sched/sched.h"

/* Puts the hart into the run queue with that state, or among the held harts. */
void sched_hart_ready(struct sched_hart *h, enum hart_state state);
/* Blocks the hart until the counter is above the threshold. */
void sched_hart_block(struct sched_hart *h, struct sched_counter *c, uint64_t threshold,
                      uint64_t mask);
/* Returns true if the hart must not run on because its group has ended. */
bool sched_hart_is_doomed(const struct sched_hart *h);

#endif
