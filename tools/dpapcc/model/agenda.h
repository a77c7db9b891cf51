/* What happens when: a calendar queue (Brown, "Calendar queues: a fast O(1) priority queue
 * implementation for the simulation event set problem", 1988). Time is cut into days; each day of the
 * year that comes has its list, which is sorted when the day begins. What lies further ahead is in a
 * heap. Events come by time, then by the order in which they were put. */
#ifndef DPK_DPAPCC_MODEL_AGENDA_H
#define DPK_DPAPCC_MODEL_AGENDA_H

#include <stdbool.h>
#include <stdint.h>

struct agenda_entry {
    uint64_t at;    /* picoseconds */
    uint32_t order; /* of putting; it may wrap, for it only parts equal times */
    uint32_t what;  /* the caller's */
};

#define AGENDA_DAY_BITS 13   /* 8.2 ns */
#define AGENDA_DAYS     4096 /* 34 us; packets on links and at ports are within it */

struct agenda_list {
    struct agenda_entry *entries;
    uint32_t count, capacity;
};

struct agenda {
    struct agenda_list days[AGENDA_DAYS]; /* those after today */
    uint64_t busy[AGENDA_DAYS / 64];      /* a bit for each day that has entries */
    struct agenda_list today, far;        /* sorted; a heap */
    uint64_t day;                         /* today's number */
    uint32_t next;                        /* entry of today */
    uint32_t near;                        /* entries of all days after today */
    uint32_t order;
    bool failed; /* there was no memory */
};

struct agenda *agenda_new(void); /* NULL: no memory */
void agenda_free(struct agenda *a);
/* Not before what was taken last. */
void agenda_put(struct agenda *a, uint64_t at, uint32_t what);
/* Takes the first; false: there is none. */
bool agenda_take(struct agenda *a, struct agenda_entry *out);

/* What will happen `ahead` entries later, if today knows it already; NULL if not. */
static inline const struct agenda_entry *agenda_peek(const struct agenda *a, uint32_t ahead)
{
    return ahead < a->today.count - a->next ? &a->today.entries[a->next + ahead] : 0;
}

#endif
