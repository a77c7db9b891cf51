/* lock: the workers that are called when the lock is given back. */
#ifndef DPK_SCHED_LOCK_H
#define DPK_SCHED_LOCK_H

#include <pthread.h>

/* Where workers sleep. */
extern pthread_cond_t workers_called;
/* How many of them are called when the lock is given back: one for each hart that became ready and
 * that nobody has taken until then. */
extern unsigned workers_due;
/* Sleeps as a worker, until called. */
void worker_sleep(void);
/* Every worker is to look. */
void workers_wake(void);

#endif
