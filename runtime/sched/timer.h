/* timer: the thread that lets timers expire. */
#ifndef DPK_SCHED_TIMER_H
#define DPK_SCHED_TIMER_H

/* Ends it. Without the lock. */
void timers_stop(void);

#endif
