/* Future events in a calendar queue (Brown, "Calendar queues: a fast O(1) priority queue
 * implementation for the simulation event set problem", 1988). Time is divided into days; each of
 * the next AGENDA_DAYS days has a list, which is sorted when the day starts. Later entries are in a
 * heap. Entries come out by time, then in the order of insertion. */
#ifndef DPK_DPAPCC_MODEL_AGENDA_H
#define DPK_DPAPCC_MODEL_AGENDA_H

#include <stdbool.h>
#include <stdint.h>

struct agenda_entry {
    uint64_t at;    /* picoseconds */
    uint32_t order; /* order of insertion; it may wrap, because it only separates equal times */
    uint32_t what;  /* chosen by the caller */
};

#define AGENDA_DAY_BITS 13   /* 8.2 ns */
#define AGENDA_DAYS     4096 /* 34 us: covers packets on links and at ports */

struct agenda_list {
    struct agenda_entry *entries;
    uint32_t count, capacity;
};

struct agenda {
    struct agenda_list days[AGENDA_DAYS]; /* days after today */
    uint64_t busy[AGENDA_DAYS / 64];      /* a bit for each day with entries */
    struct agenda_list today, far;        /* sorted; a heap */
    uint64_t day;                         /* today's number */
    uint32_t next;                        /* index in today's list */
    uint32_t near;                        /* number of entries in `days` */
    uint32_t order;
    bool failed; /* there was no memory */
};

struct agenda *model_agenda_new(void); /* NULL if there is no memory */
void model_agenda_free(struct agenda *a);
/* `at` must not be before the last entry that was taken. */
void model_agenda_put(struct agenda *a, uint64_t at, uint32_t what);
/* Takes the first entry. Returns false if there is none. */
bool model_agenda_take(struct agenda *a, struct agenda_entry *out);

/* Returns the entry that comes `ahead` entries later, if it is in today's list; else NULL. */
static inline const struct agenda_entry *agenda_peek(const struct agenda *a, uint32_t ahead)
{
    return ahead < a->today.count - a->next ? &a->today.entries[a->next + ahead] : 0;
}

#endif
