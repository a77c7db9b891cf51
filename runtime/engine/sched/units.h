/* units: which hart occupies which execution unit of its pool. */
#ifndef DPK_ENGINE_SCHED_UNITS_H
#define DPK_ENGINE_SCHED_UNITS_H

#include "engine/sched/sched.h"

/* Gives the hart one of its units. False: none is free. */
bool unit_take(struct sched_hart *h);
/* Puts the hart at the end of the line for units. */
void unit_await(struct sched_hart *h);
/* Gives back the unit of `h`, if it has one. Returns the hart that waited for it, and has it now;
 * NULL: none. */
struct sched_hart *unit_give(struct sched_hart *h);
/* Gives a unit to the first in line that may have one. NULL: there is none. */
struct sched_hart *unit_next(struct sched_pool *pool);

#endif
