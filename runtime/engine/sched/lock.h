/* lock: which workers are woken when the lock is released. */
#ifndef DPK_ENGINE_SCHED_LOCK_H
#define DPK_ENGINE_SCHED_LOCK_H

#include <pthread.h>
#include <stdbool.h>

/* The condition on which workers sleep. */
extern pthread_cond_t sched_workers_called;
/* Number of workers to wake when the lock is released: one for each hart that has become ready and
 * that no thread has taken meanwhile. */
extern unsigned sched_workers_due;
/* A worker sleeps until it is woken. `polls`: it may first poll for a while. */
void sched_worker_sleep(bool polls);
/* Sets whether workers may poll at all. */
void sched_workers_may_poll(bool may);
/* Wakes all workers. */
void sched_workers_wake(void);

#endif
