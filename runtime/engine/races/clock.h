/* clock: vector clocks: for each thread, up to when what it did has happened before. */
#ifndef DPK_ENGINE_RACES_CLOCK_H
#define DPK_ENGINE_RACES_CLOCK_H

#include "base/base.h"

struct clock {
    uint32_t *at; /* of `count` threads; those behind are 0 */
    unsigned count;
};

void clock_free(struct clock *c);
static inline uint32_t clock_of(const struct clock *c, unsigned thread)
{
    return thread < c->count ? c->at[thread] : 0;
}
/* Time goes on for a thread. False: out of memory. */
bool clock_tick(struct clock *c, unsigned thread);
/* The later of both, for each thread. False: out of memory; then *to is as it was. */
bool clock_join(struct clock *to, const struct clock *from);

#endif
