/* waiter: a host thread that waits for a group's harts or for a counter. */
#ifndef DPK_ENGINE_SCHED_WAITER_H
#define DPK_ENGINE_SCHED_WAITER_H

#include "engine/sched/sched.h"

/* Returns true if its deadline has passed. */
bool sched_waiter_is_late(const struct sched_waiter *w);

#endif
