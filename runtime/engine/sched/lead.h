/* lead: the head start of harts that an event started. Call these with the lock. */
#ifndef DPK_ENGINE_SCHED_LEAD_H
#define DPK_ENGINE_SCHED_LEAD_H

#include "engine/sched/sched.h"

/* Gives `h` a head start. */
void sched_lead_begin(struct sched_hart *h);
/* Ends the head start of `h`, if it has one. */
void sched_lead_end(struct sched_hart *h);
/* Ends the head start after a slice that used it up, or in which the hart found nothing more to
 * do. */
void sched_lead_spend(struct sched_hart *h, const struct slice *s);
/* Returns true if any hart has a head start. */
bool sched_lead_exists(void);

#endif
