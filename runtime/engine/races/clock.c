#include "engine/races/clock.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 16 };

void races_clock_free(struct clock *c)
{
    free(c->at);
    *c = (struct clock){0};
}

static bool grow(struct clock *c, unsigned count)
{
    if (count <= c->count)
        return true;
    count = (count + STEP - 1) / STEP * STEP;
    uint32_t *at = realloc(c->at, count * sizeof *at);
    if (!at)
        return false;
    memset(at + c->count, 0, (count - c->count) * sizeof *at);
    c->at = at;
    c->count = count;
    return true;
}

bool races_clock_tick(struct clock *c, unsigned thread)
{
    if (!grow(c, thread + 1))
        return false;
    if (c->at[thread] < UINT32_MAX)
        c->at[thread]++;
    return true;
}

bool races_clock_join(struct clock *to, const struct clock *from)
{
    if (!grow(to, from->count))
        return false;
    for (unsigned i = 0; i < from->count; i++)
        if (from->at[i] > to->at[i])
            to->at[i] = from->at[i];
    return true;
}
