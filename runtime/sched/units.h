/* units: which hart occupies which execution unit. */
#ifndef DPK_SCHED_UNITS_H
#define DPK_SCHED_UNITS_H

#include "sched/sched.h"

/* Makes that many units, all free. */
void units_configure(unsigned count);
/* Gives the hart a unit of its range. False: none is free. */
bool unit_take(struct sched_hart *h);
/* Puts the hart at the end of the line for units. */
void unit_await(struct sched_hart *h);
/* Gives back the unit of `h`, if it has one. Returns the hart that waited for it, and has it now;
 * NULL: none. */
struct sched_hart *unit_give(struct sched_hart *h);

#endif
