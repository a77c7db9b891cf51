/* deferred: when deferred work is executed. */
#ifndef DPK_ENGINE_SCHED_DEFERRED_H
#define DPK_ENGINE_SCHED_DEFERRED_H

/* Marks the calling thread as a worker, which may defer work. Call this without the lock. */
void sched_deferred_allow(void);
/* Executes deferred work, if no hart is ready or the work has waited long enough. It may release
 * the lock meanwhile. Workers call it after each slice. */
void sched_deferred_check(void);

#endif
