/* queue: the run queue, first come first served. */
#ifndef DPK_SCHED_QUEUE_H
#define DPK_SCHED_QUEUE_H

#include "sched/lock.h"
#include "sched/sched.h"

extern struct list run_queue;

/* Appends `h` with that state. A worker is woken for it, unless it polls: the worker that ran it
 * looks at the queue again by itself. */
static inline void queue_put(struct sched_hart *h, enum hart_state state)
{
    h->state = state;
    list_append(&run_queue, &h->queued);
    if (state != HART_POLLING)
        workers_due++;
}

/* The first hart of the queue, which stays in it. NULL: the queue is empty. */
static inline struct sched_hart *queue_first(void)
{
    return list_empty(&run_queue) ? NULL : owner_of(run_queue.next, struct sched_hart, queued);
}

/* Takes the first hart out of the queue, which must not be empty. */
static inline struct sched_hart *queue_take(void)
{
    struct sched_hart *h = queue_first();
    list_remove(&h->queued);
    if (list_empty(&run_queue))
        workers_due = 0;
    return h;
}

/* Moves the harts of a group from the queue to the end of `to`, and makes them HELD. */
void queue_remove(const struct sched_group *g, struct list *to);

#endif
