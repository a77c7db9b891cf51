/*
 * blocks: runs the blocks of grids on host threads, the workers, as a GPU runs them on its
 * multiprocessors. The threads of a block are fibers of one worker, so a barrier is a switch of
 * stacks. A thread that polls lets other threads run, then other blocks of its worker.
 *
 *     struct dpk_grid grid = {.kernel = kernel, .blocks = {8, 1, 1}, .threads = {256, 1, 1},
 *                             .args = args, .ended = ended};
 *     dpk_blocks_start(&grid);                   // ended(&grid) is called by a worker
 *
 * Workers start with the first grid. The environment variable DPAKIT_GPU_WORKERS sets their number;
 * a single worker runs all threads in the same order each time. DPAKIT_GPU_CHECK tells whether data
 * races are looked for (check.c).
 */
#ifndef DPK_GPU_BLOCKS_BLOCKS_H
#define DPK_GPU_BLOCKS_BLOCKS_H

#include "base/base.h"
#include "gpu/abi/abi.h"
#include "gpu/races/races.h"

enum {
    DPK_BLOCK_THREADS_MAX = 1024,
    DPK_BLOCK_WARP = 32,
    DPK_BLOCK_SHARED_DEFAULT = 48 << 10, /* bytes, unless the kernel asks for more */
    DPK_BLOCK_SHARED_MAX = 227 << 10,
    DPK_BLOCKS_RESIDENT = 32, /* most blocks that a worker runs at once */
};

/* Why a grid failed. */
enum dpk_block_failure {
    DPK_BLOCK_FINE = 0,
    DPK_BLOCK_BAD_ADDRESS,
    DPK_BLOCK_ASSERTED,
    DPK_BLOCK_TRAPPED,
    DPK_BLOCK_STACK,      /* a thread's stack was too small */
    DPK_BLOCK_ARITHMETIC, /* integer division by zero, or an illegal instruction */
    DPK_BLOCK_DEADLOCK,   /* all threads wait, and no wait can end */
    DPK_BLOCK_NO_MEMORY,
};

/* A launch. The caller fills the members up to `context`, and keeps the structure until `ended` is
 * called. */
struct dpk_grid {
    const struct dpk_gpu_kernel *kernel;
    uint32_t blocks[3], threads[3]; /* the caller has checked them: no 0, products in range */
    uint32_t dynamic;               /* bytes of dynamic shared memory */
    void **args;
    void (*ended)(struct dpk_grid *grid); /* called without a lock */
    void *context;

    uint64_t number;
    _Atomic int failure; /* enum dpk_block_failure */
    uint64_t total, next;
    _Atomic uint64_t left;
    _Atomic uint32_t sync_arrived, sync_round; /* the barrier of the whole grid */
    struct dpk_grid *after;
    struct dpk_gpu_races *races; /* NULL: its accesses are not checked */
};

/* Starts a grid; its blocks start after the blocks of earlier grids. Returns false, and does not
 * call `ended`, if the system cannot start a worker. */
bool dpk_blocks_start(struct dpk_grid *grid);
/* Runs job(context) on a worker later, for a copy or a host function. Returns false if memory is
 * exhausted. */
bool dpk_blocks_job(void (*job)(void *), void *context);
/* Returns true while a grid runs. */
bool dpk_blocks_run(void);
/* Returns the number of workers, at least 1. */
unsigned dpk_blocks_workers(void);
/* Sets the stack size, in bytes, of threads that start later. Returns false if the size is out of
 * range. */
bool dpk_blocks_set_stack(size_t bytes);
size_t dpk_blocks_stack(void);
/* Installs the signal handlers for faults of kernels, and for code of the CPU that touches hidden
 * memory of the GPU (memory.h). The first grid installs them, too. */
void dpk_blocks_catch_faults(void);
/* Returns true if the caller runs on a worker. */
bool dpk_blocks_inside(void);

#endif
