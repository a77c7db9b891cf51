/*
 * races: finds data races between the threads of a grid, by the happens-before relation of CUDA.
 * Each 8 bytes of memory remember their last accesses. Two accesses to the same byte race if one of
 * them writes, not both are atomic, and nothing orders them: a barrier of the block or of the grid,
 * __syncwarp, or a fence and an atomic variable on each side. Accesses of different grids are not
 * compared. engine/races is for few threads that live long; here each block has its own time, so that
 * a barrier of a block is one number.
 *
 *     struct dpk_gpu_races *r = dpk_gpu_races_new();
 *     struct dpk_gpu_races_block *b = dpk_gpu_races_begin(r, &(struct dpk_gpu_races_where){
 *                                         .block = 7, .threads = 64, .shared = at, .shared_size = 512});
 *     if (dpk_gpu_races_access(b, &access, &race))
 *         ... race.before.thread ...
 *     dpk_gpu_races_barrier(b);             // __syncthreads has ended
 *
 * One thread of the host at a time uses a block; blocks of a grid may run at once. If memory runs out,
 * races are not found any more, or not in all memory.
 */
#ifndef DPK_GPU_RACES_RACES_H
#define DPK_GPU_RACES_RACES_H

#include "base/base.h"

enum { DPK_GPU_RACES_WRITES = 1, DPK_GPU_RACES_ATOMIC = 2 };

struct dpk_gpu_races;       /* of a grid */
struct dpk_gpu_races_block; /* of a running block */

struct dpk_gpu_races_where {
    uint64_t block;   /* its number in the grid */
    uint32_t threads; /* at most 1024 */
    uintptr_t shared; /* its shared memory */
    size_t shared_size;
};

struct dpk_gpu_races_access {
    uint64_t block; /* filled by the room */
    uint32_t thread;
    uint32_t how; /* DPK_GPU_RACES_* */
    uintptr_t address;
    size_t size;
    const void *place; /* address of the code */
};

struct dpk_gpu_race {
    struct dpk_gpu_races_access now, before;
    bool shared; /* in shared memory */
};

/* Return NULL without memory. */
struct dpk_gpu_races *dpk_gpu_races_new(void);
struct dpk_gpu_races_block *dpk_gpu_races_begin(struct dpk_gpu_races *r,
                                                const struct dpk_gpu_races_where *where);
void dpk_gpu_races_end(struct dpk_gpu_races_block *b);
void dpk_gpu_races_free(struct dpk_gpu_races *r); /* after the end of its blocks */
/* Returns true if memory has run out, so that races may not have been found. */
bool dpk_gpu_races_is_partial(const struct dpk_gpu_races *r);

/* Records an access. Returns true, and fills *out, if it races with an earlier access. */
bool dpk_gpu_races_access(struct dpk_gpu_races_block *b, const struct dpk_gpu_races_access *access,
                          struct dpk_gpu_race *out);
/* Forgets accesses to memory that is given back. */
void dpk_gpu_races_forget(struct dpk_gpu_races_block *b, uintptr_t address, size_t size);

/* Barriers: of all threads of the block, and of some. */
void dpk_gpu_races_barrier(struct dpk_gpu_races_block *b);
void dpk_gpu_races_meet(struct dpk_gpu_races_block *b, const uint32_t *threads, uint32_t count);
/* A barrier of the grid: each block arrives; the last meets; then each block leaves. */
void dpk_gpu_races_grid_arrive(struct dpk_gpu_races_block *b);
void dpk_gpu_races_grid_meet(struct dpk_gpu_races_block *b);
void dpk_gpu_races_grid_leave(struct dpk_gpu_races_block *b);

/* An atomic access to `address`: call the first before a store, and the second before a load that
 * is not ordered or after a load that is. `ordered`: it releases, or acquires, without a fence. */
void dpk_gpu_races_store(struct dpk_gpu_races_block *b, uint32_t thread, uintptr_t address,
                         bool ordered);
void dpk_gpu_races_load(struct dpk_gpu_races_block *b, uint32_t thread, uintptr_t address,
                        bool ordered);
void dpk_gpu_races_fence(struct dpk_gpu_races_block *b, uint32_t thread, bool releases,
                         bool acquires);

#endif
