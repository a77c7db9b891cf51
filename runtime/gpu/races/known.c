#include "known.h"

#include <stdlib.h>
#include <string.h>

/* ---- Times of a block ---- */

struct races_times *races_times_keep(struct races_times *t)
{
    if (t)
        atomic_fetch_add(&t->users, 1);
    return t;
}

void races_times_drop(struct races_times *t)
{
    if (t && atomic_fetch_sub(&t->users, 1) == 1)
        free(t);
}

struct races_times *races_times_own(struct races_times *t, uint32_t count, bool *failed)
{
    if (t && t->count >= count && atomic_load(&t->users) == 1)
        return t;
    if (t && t->count > count)
        count = t->count;
    struct races_times *own = calloc(1, sizeof *own + count * sizeof own->at[0]);
    if (!own) {
        *failed = true;
        return t;
    }
    atomic_store(&own->users, 1);
    own->count = count;
    if (t) {
        own->base = t->base;
        memcpy(own->at, t->at, t->count * sizeof t->at[0]);
    }
    races_times_drop(t);
    return own;
}

/* Returns true if no time of `more` is later than that of `t`. */
static bool covers(const struct races_times *t, const struct races_times *more)
{
    if (t == more || !more)
        return true;
    if (!t || t->base < more->base)
        return false;
    for (uint32_t i = 0; i < more->count; i++)
        if (more->at[i] > races_times_of(t, i))
            return false;
    return true;
}

struct races_times *races_times_join(struct races_times *t, const struct races_times *more,
                                     bool *failed)
{
    if (covers(t, more))
        return t;
    bool none = false;
    t = races_times_own(t, more->count, &none);
    if (none) {
        *failed = true;
        return t;
    }
    if (more->base > t->base)
        t->base = more->base;
    for (uint32_t i = 0; i < more->count; i++)
        if (more->at[i] > t->at[i])
            t->at[i] = more->at[i];
    return t;
}

/* ---- Times of several blocks ---- */

struct races_known *races_known_keep(struct races_known *k)
{
    if (k)
        atomic_fetch_add(&k->users, 1);
    return k;
}

void races_known_drop(struct races_known *k)
{
    if (!k || atomic_fetch_sub(&k->users, 1) != 1)
        return;
    for (size_t i = 0; i < k->count; i++)
        races_times_drop(k->parts[i].times);
    free(k);
}

static size_t place_of(const struct races_known *k, uint64_t block)
{
    size_t low = 0, high = k ? k->count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (k->parts[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct races_times *races_known_of(const struct races_known *k, uint64_t block)
{
    const size_t i = place_of(k, block);
    return k && i < k->count && k->parts[i].block == block ? k->parts[i].times : NULL;
}

static bool knows_all(const struct races_known *k, const struct races_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!covers(races_known_of(k, parts[i].block), parts[i].times))
            return false;
    return true;
}

static void put(struct races_known *k, uint64_t block, struct races_times *times)
{
    k->parts[k->count++] = (struct races_part){.block = block, .times = times};
}

/* Fills `out` with the parts of both lists, by number. */
static void merge(struct races_known *out, const struct races_known *k,
                  const struct races_part *parts, size_t count, bool *failed)
{
    size_t a = 0, b = 0;
    const size_t have = k ? k->count : 0;
    while (a < have || b < count) {
        if (b == count || (a < have && k->parts[a].block < parts[b].block)) {
            put(out, k->parts[a].block, races_times_keep(k->parts[a].times));
            a++;
        } else if (a == have || parts[b].block < k->parts[a].block) {
            put(out, parts[b].block, races_times_keep(parts[b].times));
            b++;
        } else {
            struct races_times *one = k->parts[a].times, *other = parts[b].times;
            if (covers(other, one))
                put(out, parts[b].block, races_times_keep(other));
            else
                put(out, parts[b].block, races_times_join(races_times_keep(one), other, failed));
            a++;
            b++;
        }
    }
}

static struct races_known *add_parts(struct races_known *k, const struct races_part *parts,
                                     size_t count, bool *failed)
{
    if (knows_all(k, parts, count))
        return k;
    const size_t most = (k ? k->count : 0) + count;
    struct races_known *out = calloc(1, sizeof *out + most * sizeof out->parts[0]);
    if (!out) {
        *failed = true;
        return k;
    }
    atomic_store(&out->users, 1);
    merge(out, k, parts, count, failed);
    races_known_drop(k);
    return out;
}

struct races_known *races_known_join(struct races_known *k, struct races_known *more, bool *failed)
{
    if (!more || k == more)
        return k;
    return k ? add_parts(k, more->parts, more->count, failed) : races_known_keep(more);
}

struct races_known *races_known_add(struct races_known *k, uint64_t block,
                                    struct races_times *times, bool *failed)
{
    const struct races_part part = {.block = block, .times = times};
    return times ? add_parts(k, &part, 1, failed) : k;
}
