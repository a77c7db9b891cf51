/* queue: the run queue, first come first served. */
#ifndef DPK_SCHED_QUEUE_H
#define DPK_SCHED_QUEUE_H

#include "sched/sched.h"

/* HART_POLLING: the worker that ran it comes back by itself; else one is due. */
void queue_put(struct sched_hart *h, enum hart_state state);
/* NULL: it is empty. */
struct sched_hart *queue_first(void);
/* Takes the first, which must be there. */
struct sched_hart *queue_take(void);
/* More than one. */
bool queue_has_more(void);
/* Moves the group's harts from the queue to the end of `to`. */
void queue_remove(const struct sched_group *g, struct list *to);

#endif
