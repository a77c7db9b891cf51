/* A heap with four children a node: half as deep as a binary one, and the children of a node lie in
 * one line of the cache. */
#include <stdlib.h>

#include "agenda.h"

#define CHILDREN 4

void agenda_free(struct agenda *a)
{
    free(a->entries);
    *a = (struct agenda){0};
}

static bool is_before(const struct agenda_entry *a, const struct agenda_entry *b)
{
    return a->at < b->at || (a->at == b->at && (int32_t)(a->order - b->order) < 0);
}

static bool has_room(struct agenda *a)
{
    if (a->count < a->capacity)
        return true;
    const uint32_t capacity = a->capacity ? 2 * a->capacity : 1024;
    struct agenda_entry *entries = NULL;
    if (capacity > a->capacity)
        entries = realloc(a->entries, capacity * sizeof *entries);
    if (!entries) {
        a->failed = true;
        return false;
    }
    a->entries = entries;
    a->capacity = capacity;
    return true;
}

void agenda_put(struct agenda *a, uint64_t at, uint32_t what)
{
    if (!has_room(a))
        return;
    const struct agenda_entry entry = {at, a->order++, what};
    uint32_t i = a->count++;
    while (i > 0) {
        const uint32_t parent = (i - 1) / CHILDREN;
        if (!is_before(&entry, &a->entries[parent]))
            break;
        a->entries[i] = a->entries[parent];
        i = parent;
    }
    a->entries[i] = entry;
}

struct agenda_entry agenda_take(struct agenda *a)
{
    const struct agenda_entry first = a->entries[0], last = a->entries[--a->count];
    uint32_t i = 0;
    for (;;) {
        const uint32_t from = i * CHILDREN + 1;
        if (from >= a->count)
            break;
        const uint32_t to = from + CHILDREN < a->count ? from + CHILDREN : a->count;
        uint32_t least = from;
        for (uint32_t c = from + 1; c < to; c++)
            if (is_before(&a->entries[c], &a->entries[least]))
                least = c;
        if (!is_before(&a->entries[least], &last))
            break;
        a->entries[i] = a->entries[least];
        i = least;
    }
    a->entries[i] = last;
    return first;
}
