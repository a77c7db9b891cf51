/* lead: the head start of harts that an event started. With the lock. */
#ifndef DPK_SCHED_LEAD_H
#define DPK_SCHED_LEAD_H

#include "sched/sched.h"

/* `h` has a head start from now on. */
void lead_begin(struct sched_hart *h);
/* It has none any more, if it had one. */
void lead_end(struct sched_hart *h);
/* The same after a slice, if that used the head start up, or the hart has nothing to run now. */
void lead_spend(struct sched_hart *h, const struct slice *s);
/* Whether any hart has one. */
bool lead_exists(void);

#endif
