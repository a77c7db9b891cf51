/* A calendar queue: today's list, a wheel of the next days, and a heap of later entries. */
#include <stdlib.h>
#include <string.h>

#include "agenda.h"

#define SORT_BY_INSERTION 32

struct agenda *model_agenda_new(void)
{
    return calloc(1, sizeof(struct agenda));
}

void model_agenda_free(struct agenda *a)
{
    if (!a)
        return;
    for (uint32_t i = 0; i < AGENDA_DAYS; i++)
        free(a->days[i].entries);
    free(a->today.entries);
    free(a->far.entries);
    free(a);
}

static bool is_before(const struct agenda_entry *a, const struct agenda_entry *b)
{
    return a->at < b->at || (a->at == b->at && (int32_t)(a->order - b->order) < 0);
}

/* Appends an entry. */
static bool add(struct agenda *a, struct agenda_list *l, const struct agenda_entry *entry)
{
    if (l->count == l->capacity) {
        const uint32_t capacity = l->capacity ? 2 * l->capacity : 16;
        struct agenda_entry *entries = NULL;
        if (capacity > l->capacity)
            entries = realloc(l->entries, capacity * sizeof *entries);
        if (!entries) {
            a->failed = true;
            return false;
        }
        l->entries = entries;
        l->capacity = capacity;
    }
    l->entries[l->count++] = *entry;
    return true;
}

/* ---- The heap ---- */

static void put_far(struct agenda *a, const struct agenda_entry *entry)
{
    struct agenda_list *h = &a->far;
    if (!add(a, h, entry))
        return;
    uint32_t i = h->count - 1;
    for (uint32_t parent; i > 0 && is_before(entry, &h->entries[parent = (i - 1) / 2]); i = parent)
        h->entries[i] = h->entries[parent];
    h->entries[i] = *entry;
}

static struct agenda_entry take_far(struct agenda *a)
{
    struct agenda_list *h = &a->far;
    const struct agenda_entry first = h->entries[0], last = h->entries[--h->count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < h->count; i = child) {
        if (child + 1 < h->count && is_before(&h->entries[child + 1], &h->entries[child]))
            child++;
        if (!is_before(&h->entries[child], &last))
            break;
        h->entries[i] = h->entries[child];
    }
    h->entries[i] = last;
    return first;
}

/* ---- The wheel ---- */

static void put_near(struct agenda *a, const struct agenda_entry *entry)
{
    const uint32_t slot = (uint32_t)(entry->at >> AGENDA_DAY_BITS) % AGENDA_DAYS;
    if (!add(a, &a->days[slot], entry))
        return;
    a->busy[slot / 64] |= (uint64_t)1 << slot % 64;
    a->near++;
}

/* Inserts from the end, because most entries for today come late in it. */
static void put_today(struct agenda *a, const struct agenda_entry *entry)
{
    struct agenda_list *t = &a->today;
    if (!add(a, t, entry))
        return;
    uint32_t i = t->count - 1;
    for (; i > a->next && is_before(entry, &t->entries[i - 1]); i--)
        t->entries[i] = t->entries[i - 1];
    t->entries[i] = *entry;
}

void model_agenda_put(struct agenda *a, uint64_t at, uint32_t what)
{
    const struct agenda_entry entry = {at, a->order++, what};
    const uint64_t day = at >> AGENDA_DAY_BITS;
    if (day <= a->day)
        put_today(a, &entry);
    else if (day - a->day < AGENDA_DAYS)
        put_near(a, &entry);
    else
        put_far(a, &entry);
}

/* Returns the next day with entries in the wheel, which must not be empty. */
static uint64_t next_busy(const struct agenda *a)
{
    uint32_t slot = (uint32_t)(a->day + 1) % AGENDA_DAYS, word = slot / 64;
    uint64_t bits = a->busy[word] & ~(uint64_t)0 << slot % 64;
    while (!bits) {
        word = (word + 1) % (AGENDA_DAYS / 64);
        bits = a->busy[word];
    }
    slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return a->day + 1 + (slot - (uint32_t)(a->day + 1)) % AGENDA_DAYS;
}

static int compare(const void *x, const void *y)
{
    return is_before(x, y) ? -1 : 1;
}

static void sort(struct agenda_list *l)
{
    if (l->count > SORT_BY_INSERTION) {
        qsort(l->entries, l->count, sizeof *l->entries, compare);
        return;
    }
    for (uint32_t i = 1; i < l->count; i++) {
        const struct agenda_entry entry = l->entries[i];
        uint32_t at = i;
        for (; at > 0 && is_before(&entry, &l->entries[at - 1]); at--)
            l->entries[at] = l->entries[at - 1];
        l->entries[at] = entry;
    }
}

/* Starts the next day with entries. Returns false if there are no entries. */
static bool begin_day(struct agenda *a)
{
    if (!a->near && !a->far.count)
        return false;
    a->day = a->near ? next_busy(a) : a->far.entries[0].at >> AGENDA_DAY_BITS;
    while (a->far.count && (a->far.entries[0].at >> AGENDA_DAY_BITS) - a->day < AGENDA_DAYS) {
        const struct agenda_entry entry = take_far(a);
        put_near(a, &entry);
    }
    const uint32_t slot = (uint32_t)a->day % AGENDA_DAYS;
    const struct agenda_list empty = {a->today.entries, 0, a->today.capacity};
    a->today = a->days[slot];
    a->days[slot] = empty;
    a->busy[slot / 64] &= ~((uint64_t)1 << slot % 64);
    a->near -= a->today.count;
    a->next = 0;
    sort(&a->today);
    return true;
}

bool model_agenda_take(struct agenda *a, struct agenda_entry *out)
{
    if (a->next == a->today.count && !begin_day(a))
        return false;
    if (a->next == a->today.count)
        return false; /* no memory for the day's entries */
    *out = a->today.entries[a->next++];
    return true;
}
