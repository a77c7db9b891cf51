/* Counts the instructions that events take. */
#include <math.h>

#include "dpapcc.h"

static unsigned bin_of(uint32_t v)
{
    unsigned high = v < 64 ? 0 : 26u - (unsigned)__builtin_clz(v);
    return high * 64 + (v >> (high ? high - 1 : 0)) - (high ? 64 : 0);
}

/* Returns the greatest number in a bin. */
static uint64_t end_of(unsigned bin)
{
    unsigned high = bin / 64;
    if (high == 0)
        return bin;
    return (((uint64_t)bin % 64 + 64 + 1) << (high - 1)) - 1;
}

void dpapcc_cost_add(struct cost *c, uint32_t instructions)
{
    c->bins[bin_of(instructions)]++;
    c->count++;
    c->sum += instructions;
    if (instructions > c->most)
        c->most = instructions;
}

uint64_t dpapcc_cost_quantile(const struct cost *c, double q)
{
    uint64_t rank = (uint64_t)ceil(q * (double)c->count), below = 0;
    for (unsigned i = 0; i < COST_BINS && c->count; i++) {
        below += c->bins[i];
        if (below >= rank && below > 0)
            return end_of(i) < c->most ? end_of(i) : c->most;
    }
    return 0;
}
