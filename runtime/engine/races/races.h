/*
 * races: finds data races between threads by what must happen before what. Each thread has a clock of
 * vectors, which releases and acquires of objects pass on (Flanagan, Freund: "FastTrack", PLDI 2009).
 * Each 8 bytes of memory remember their last accesses, as ThreadSanitizer's do. Two accesses to the same
 * byte race if one of them writes, not both are atomic, and neither happens before the other. It knows
 * no guest: addresses, threads and places are numbers.
 *
 *     struct races *r = races_create();
 *     races_access(r, &(struct races_access){.thread = 1, .address = 64, .size = 4, .how = RACES_WRITES,
 *                                            .place = 0x400010}, &race);
 *     races_release(r, 1, key);         // thread 1 sends a message ...
 *     races_acquire(r, 2, key);         // ... which thread 2 gets: what 1 did has happened before
 *     if (races_access(r, &of_thread_2, &race))
 *         ... race.now, race.before ...
 *
 * Each function may be called by any thread of the host.
 */
#ifndef DPK_ENGINE_RACES_RACES_H
#define DPK_ENGINE_RACES_RACES_H

#include "base/base.h"

#define RACES_THREADS 2048 /* threads are 1 to RACES_THREADS - 1; 0 is who is outside */
#define RACES_END     (UINT64_C(1) << 32) /* addresses are below it */

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
    uint64_t address; /* of 8 bytes that both access */
    struct races_access now, before;
};

struct races;

/* NULL: out of memory. */
struct races *races_create(void);
void races_destroy(struct races *r);

/* Notes an access. Returns whether it races with one before; of each pair of places once. An access
 * that is not within memory is not noted. Without memory of the host some races are not found. */
bool races_access(struct races *r, const struct races_access *a, struct race *out);

/* What the thread did happens before what those do who acquire `key` from now on. */
void races_release(struct races *r, unsigned thread, uint64_t key);
void races_acquire(struct races *r, unsigned thread, uint64_t key);

/* An atomic access to `address` as C11 has it: before a store, and after a load. With `ordered` it is a
 * release, or an acquire; else fences make it one. */
void races_store(struct races *r, unsigned thread, uint64_t address, bool ordered);
void races_load(struct races *r, unsigned thread, uint64_t address, bool ordered);
/* The same before a load: the value counts that is there at the thread's next fence. */
void races_load_soon(struct races *r, unsigned thread, uint64_t address);
void races_fence(struct races *r, unsigned thread, bool releases, bool acquires);

/* Who is outside has written: who reads it acquires RACES_OUTSIDE. */
#define RACES_OUTSIDE 1 /* a key; others are addresses of objects, above 4095 */
void races_written_outside(struct races *r, uint64_t address, uint64_t size);
/* Who is outside has read: what the writers did happens before what acquires RACES_OUTSIDE. */
void races_read_outside(struct races *r, uint64_t address, uint64_t size);
/* What was accessed before is forgotten: the memory is new. */
void races_forget(struct races *r, uint64_t address, uint64_t size);

#endif
