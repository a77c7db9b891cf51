/* timer: the thread on which timers expire. */
#ifndef DPK_ENGINE_SCHED_TIMER_H
#define DPK_ENGINE_SCHED_TIMER_H

/* Ends the thread. Call this without the lock. */
void sched_timers_stop(void);

#endif
