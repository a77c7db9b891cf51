/* queue: the run queue, first come first served. */
#ifndef DPK_ENGINE_SCHED_QUEUE_H
#define DPK_ENGINE_SCHED_QUEUE_H

#include "engine/sched/lock.h"
#include "engine/sched/sched.h"

extern struct list sched_run_queue;
/* True if the first hart, or a hart that is about to be first, does not poll; read without the
 * lock. */
extern atomic_bool sched_queue_has_work;

/* Appends `h` with that state. It wakes a worker for the hart, unless the hart polls: the worker
 * that ran a polling hart looks at the queue again by itself. */
static inline void sched_queue_put(struct sched_hart *h, enum hart_state state)
{
    h->state = state;
    list_append(&sched_run_queue, &h->queued);
    if (state == HART_POLLING)
        return;
    sched_workers_due++;
    atomic_store_explicit(&sched_queue_has_work, true, memory_order_relaxed);
}

/* Returns the first hart, which stays in the queue. NULL if the queue is empty. */
static inline struct sched_hart *sched_queue_first(void)
{
    return list_empty(&sched_run_queue) ? NULL
                                        : owner_of(sched_run_queue.next, struct sched_hart, queued);
}

/* Removes and returns the first hart. The queue must not be empty. */
static inline struct sched_hart *sched_queue_take(void)
{
    struct sched_hart *h = sched_queue_first();
    list_remove(&h->queued);
    if (list_empty(&sched_run_queue))
        sched_workers_due = 0;
    const struct sched_hart *next = sched_queue_first();
    atomic_store_explicit(&sched_queue_has_work, next && next->state != HART_POLLING,
                          memory_order_relaxed);
    return h;
}

/* Moves the harts of a group from the queue to the end of `to`, and makes them HELD. */
void sched_queue_remove(const struct sched_group *g, struct list *to);

#endif
