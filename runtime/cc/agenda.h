/* What happens when: a heap of events by time, then by the order in which they were put. */
#ifndef DPK_CC_AGENDA_H
#define DPK_CC_AGENDA_H

#include <stdbool.h>
#include <stdint.h>

struct agenda_entry {
    uint64_t at;    /* picoseconds */
    uint32_t order; /* of putting; it may wrap, for it only parts equal times */
    uint32_t what;  /* the caller's */
};

struct agenda {
    struct agenda_entry *entries;
    uint32_t count, capacity, order;
    bool failed; /* there was no memory */
};

void agenda_free(struct agenda *a);
void agenda_put(struct agenda *a, uint64_t at, uint32_t what);
/* The first; there must be one. */
struct agenda_entry agenda_take(struct agenda *a);

#endif
