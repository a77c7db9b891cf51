/*
 * races: finds data races between threads by the happens-before relation. Each thread has a vector
 * clock, which releases and acquires of objects pass on (Flanagan, Freund: "FastTrack", PLDI 2009).
 * Each 8 bytes of memory remember their last accesses, as ThreadSanitizer's do. Two accesses to the
 * same byte race if one of them writes, not both are atomic, and neither happens before the other.
 * This room does not know the guest: addresses, threads and places are numbers.
 *
 *     struct races *r = races_create();
 *     races_access(r, &(struct races_access){.thread = 1, .address = 64, .size = 4, .how = RACES_WRITES,
 *                                            .place = 0x400010}, &race);
 *     races_release(r, 1, key);         // thread 1 sends a message ...
 *     races_acquire(r, 2, key);         // ... which thread 2 gets: what 1 did has happened before
 *     if (races_access(r, &of_thread_2, &race))
 *         ... race.now, race.before ...
 *
 * Each function may be called by any host thread.
 */
#ifndef DPK_ENGINE_RACES_RACES_H
#define DPK_ENGINE_RACES_RACES_H

#include "base/base.h"

#define RACES_THREADS 2048 /* threads are 1 to RACES_THREADS - 1; 0 is the outside (host, NIC) */
#define RACES_END     (UINT64_C(1) << 32) /* addresses are below this */

enum {
    RACES_WRITES = 1,
    RACES_ATOMIC = 2,
};

struct races_access {
    unsigned thread;
    uint64_t address, size;
    unsigned how;   /* RACES_* */
    uint32_t place; /* address of the code */
};

struct race {
    uint64_t address; /* first of 8 bytes; both accesses touch them */
    struct races_access now, before;
};

struct races;

/* Returns NULL if there is no memory. */
struct races *races_create(void);
void races_destroy(struct races *r);

/* Records an access. Returns true if it races with an earlier access; each pair of places is
 * reported once. An access outside of memory is not recorded. If host memory runs out, some races
 * are not found. */
bool races_access(struct races *r, const struct races_access *a, struct race *out);

/* Release: earlier actions of the thread happen before the actions of threads that acquire `key`
 * later. */
void races_release(struct races *r, unsigned thread, uint64_t key);
void races_acquire(struct races *r, unsigned thread, uint64_t key);

/* An atomic access to `address`, as in C11. Call races_store before a store, and races_load after a
 * load. With `ordered` the access is a release, or an acquire; otherwise a fence can make it so. */
void races_store(struct races *r, unsigned thread, uint64_t address, bool ordered);
void races_load(struct races *r, unsigned thread, uint64_t address, bool ordered);
/* Same, but called before a load: the value counts that is in memory at the thread's next fence. */
void races_load_soon(struct races *r, unsigned thread, uint64_t address);
void races_fence(struct races *r, unsigned thread, bool releases, bool acquires);

/* A write from outside. A thread that reads the bytes acquires RACES_OUTSIDE. */
#define RACES_OUTSIDE 1 /* a key; other keys are addresses of objects, above 4095 */
void races_written_outside(struct races *r, uint64_t address, uint64_t size);
/* A read from outside: actions of the writers happen before those of threads that acquire
 * RACES_OUTSIDE. */
void races_read_outside(struct races *r, uint64_t address, uint64_t size);
/* Forgets earlier accesses, because the memory is new. */
void races_forget(struct races *r, uint64_t address, uint64_t size);

#endif
