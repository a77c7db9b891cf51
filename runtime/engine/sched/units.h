/* units: which hart occupies which execution unit of its pool. */
#ifndef DPK_ENGINE_SCHED_UNITS_H
#define DPK_ENGINE_SCHED_UNITS_H

#include "engine/sched/sched.h"

/* Gives the hart one of its units. Returns false if none is free. */
bool sched_unit_take(struct sched_hart *h);
/* Puts the hart at the end of the line for units. */
void sched_unit_await(struct sched_hart *h);
/* Gives back the unit of `h`, if it has one. Returns the hart that waited for the unit and has it
 * now, or NULL. */
struct sched_hart *sched_unit_give(struct sched_hart *h);
/* Gives a unit to the first hart in line that may have one. Returns the hart, or NULL. */
struct sched_hart *sched_unit_next(struct sched_pool *pool);

#endif
