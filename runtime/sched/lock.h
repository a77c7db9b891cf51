/* lock: whom giving back the lock calls. */
#ifndef DPK_SCHED_LOCK_H
#define DPK_SCHED_LOCK_H

#include <pthread.h>

/* Where workers sleep. */
extern pthread_cond_t workers_called;
/* One worker more is called when the lock is given back. */
void worker_due(void);
/* At least one is. */
void some_worker_due(void);
/* Nobody needs to come. */
void no_worker_due(void);
/* Sleeps as a worker, until called. */
void worker_sleep(void);
/* Every worker is to look. */
void workers_wake(void);

#endif
