/* clock: vector clocks: for each thread, up to which time its actions have happened before. */
#ifndef DPK_ENGINE_RACES_CLOCK_H
#define DPK_ENGINE_RACES_CLOCK_H

#include "base/base.h"

struct clock {
    uint32_t *at; /* `count` threads; the others are 0 */
    unsigned count;
};

void races_clock_free(struct clock *c);
static inline uint32_t clock_of(const struct clock *c, unsigned thread)
{
    return thread < c->count ? c->at[thread] : 0;
}
/* Advances the time of a thread. Returns false if there is no memory. */
bool races_clock_tick(struct clock *c, unsigned thread);
/* Sets each thread of *to to the later of both times. Returns false, and leaves *to, if there is no
 * memory. */
bool races_clock_join(struct clock *to, const struct clock *from);

#endif
