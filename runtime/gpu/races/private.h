/* Shared by the sources of races. */
#ifndef DPK_GPU_RACES_PRIVATE_H
#define DPK_GPU_RACES_PRIVATE_H

#include "known.h"
#include "pages.h"
#include "races.h"

#include <pthread.h>

enum { RECENT = 8, BUCKETS = 4096, OBJECTS_MAX = 1 << 20 };

/* An atomic variable that a thread has written in order: what its writers knew. */
struct object {
    struct object *next;
    uintptr_t key;
    struct races_known *known;
};

struct dpk_gpu_races {
    pthread_mutex_t lock; /* of `objects` and `latest` */
    struct object *objects[BUCKETS];
    size_t object_count;
    uint32_t latest;           /* time of the latest block at a barrier of the grid */
    _Atomic uint32_t base;     /* accesses of all blocks up to this time have happened before */
    _Atomic bool off, partial; /* partial: some memory is not checked */
    struct races_pages *pages;
};

struct thread {
    struct races_times *own;      /* what it knows of its block, beyond `base` */
    struct races_known *others;   /* of other blocks */
    struct races_known *pending;  /* what a fence that acquires adds to it */
    struct races_known *released; /* what it knew at its last fence that releases */
    uintptr_t recent[RECENT];     /* variables read since the last fence that acquires, or 0 */
    uint32_t recent_at;
};

/* The time of a block advances when its threads synchronise. As the threads run one at a time, there
 * is one time for all. */
struct dpk_gpu_races_block {
    struct dpk_gpu_races *grid;
    struct dpk_gpu_races_where where;
    uint32_t now, base; /* base: accesses up to this time have happened before, for all threads */
    struct thread threads[];
};

#endif
