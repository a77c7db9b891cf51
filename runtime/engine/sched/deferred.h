/* deferred: when work that was put off is carried out. */
#ifndef DPK_ENGINE_SCHED_DEFERRED_H
#define DPK_ENGINE_SCHED_DEFERRED_H

/* The calling thread is a worker from now on: it may put work off. Without the lock. */
void deferred_allow(void);
/* Carries out what waits, if no hart is ready or it has waited long enough. It may give the lock
 * back for a while. Workers call it after each slice. */
void deferred_check(void);

#endif
