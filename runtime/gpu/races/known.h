/* known: what a thread knows of accesses: for each block, up to which time those of each thread have
 * happened before. Both structures are counted, and shared between threads: a structure with several
 * users is not changed. */
#ifndef DPK_GPU_RACES_KNOWN_H
#define DPK_GPU_RACES_KNOWN_H

#include "base/base.h"

/* Times of the threads of a block. */
struct races_times {
    _Atomic uint32_t users;
    uint32_t base; /* the time of all its threads, at least */
    uint32_t count;
    uint32_t at[];
};

struct races_part {
    uint64_t block;
    struct races_times *times;
};

/* Times of several blocks, by number. */
struct races_known {
    _Atomic uint32_t users;
    size_t count;
    struct races_part parts[];
};

/* A function that runs out of memory sets *failed, and keeps what it had. NULL is the empty
 * structure in all of them. */
struct races_times *races_times_keep(struct races_times *t);
void races_times_drop(struct races_times *t);
/* Takes `t`, and returns a structure for `count` threads with a single user. */
struct races_times *races_times_own(struct races_times *t, uint32_t count, bool *failed);
/* Takes `t`, and returns the later times of both. */
struct races_times *races_times_join(struct races_times *t, const struct races_times *more,
                                     bool *failed);

static inline uint32_t races_times_of(const struct races_times *t, uint32_t thread)
{
    if (!t)
        return 0;
    const uint32_t at = thread < t->count ? t->at[thread] : 0;
    return at > t->base ? at : t->base;
}

struct races_known *races_known_keep(struct races_known *k);
void races_known_drop(struct races_known *k);
/* Takes `k`, and returns what both know. */
struct races_known *races_known_join(struct races_known *k, struct races_known *more, bool *failed);
/* Takes `k`, and returns it with times of a block added. */
struct races_known *races_known_add(struct races_known *k, uint64_t block,
                                    struct races_times *times, bool *failed);
/* Returns the times of a block. */
struct races_times *races_known_of(const struct races_known *k, uint64_t block);

#endif
