#include "sched/units.h"

static struct {
    const struct sched_hart *occupied[SCHED_UNITS_MAX];
    unsigned count, free;
    struct list line; /* harts that wait */
} units = {.line = {&units.line, &units.line}};

void units_configure(unsigned count)
{
    units.count = units.free = count;
}

unsigned sched_units_free(void)
{
    return units.free;
}

/* Searches from the highest number down: harts with affinity mostly name low units. */
bool unit_take(struct sched_hart *h)
{
    unsigned unit = h->units.end < units.count ? h->units.end : units.count;
    if (units.free == 0)
        return false;
    while (unit-- > h->units.first) {
        if (units.occupied[unit])
            continue;
        units.occupied[unit] = h;
        units.free--;
        h->unit = unit;
        return true;
    }
    return false;
}

void unit_await(struct sched_hart *h)
{
    h->state = HART_WAITS_UNIT;
    list_append(&units.line, &h->queued);
}

struct sched_hart *unit_give(struct sched_hart *h)
{
    if (h->unit == SCHED_NO_UNIT)
        return NULL;
    units.occupied[h->unit] = NULL;
    units.free++;
    h->unit = SCHED_NO_UNIT;
    for (struct list *n = units.line.next; n != &units.line; n = n->next) {
        struct sched_hart *next = owner_of(n, struct sched_hart, queued);
        if (!unit_take(next))
            continue;
        list_remove(n);
        return next;
    }
    return NULL;
}
