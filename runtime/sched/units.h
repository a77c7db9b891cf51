/* units: which hart occupies which execution unit. */
#ifndef DPK_SCHED_UNITS_H
#define DPK_SCHED_UNITS_H

#include "sched/sched.h"

/* So many, all free. */
void units_configure(unsigned count);
/* A unit of the hart's range; false: none is free. */
bool unit_take(struct sched_hart *h);
/* The hart waits for one, behind the others. */
void unit_await(struct sched_hart *h);
/* Gives back the unit of `h`, if it has one. Returns the hart that waited for it, and has it now;
 * NULL: none. */
struct sched_hart *unit_give(struct sched_hart *h);

#endif
