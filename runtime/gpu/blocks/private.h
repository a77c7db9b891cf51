/* Shared by the sources of blocks. */
#ifndef DPK_GPU_BLOCKS_PRIVATE_H
#define DPK_GPU_BLOCKS_PRIVATE_H

#include "blocks.h"
#include "gpu/fibers/fibers.h"
#include "gpu/poison/poison.h"

struct block;
struct worker;

enum { LARGE_STACK = 512 << 10 }; /* bytes that a report takes at most */

enum block_wait { WAIT_NONE, WAIT_BARRIER, WAIT_WARP, WAIT_ACTIVE };

/* A thread of a block. It lies at the top of its stack. */
struct fiber {
    struct dpk_gpu_thread self; /* first: dpk_gpu_self points to it */
    struct block *block;
    struct fiber *next;  /* the next fiber of a queue, or of the list of free fibers */
    struct fiber *other; /* the next fiber of the same block */
    void *sp;            /* saved stack pointer, while the fiber does not run */
    void *kept;          /* of AddressSanitizer, meanwhile */
    struct dpk_fiber_stack stack;
    uint32_t index; /* linear number of its thread in the block */
    enum block_wait wait;
    uint32_t barrier, mask; /* the barrier, or the lanes, that the fiber waits for */
    const void *site;       /* address of the code that waits */
    uint32_t operation, source;
    uint64_t value, result;
};

struct queue {
    struct fiber *first, *last;
};

struct barrier {
    uint32_t arrived, sum, needed;
    struct queue waiting;
};

struct group {
    uint32_t mask, arrived;
};
struct warp {
    uint32_t live; /* threads that have not ended */
    uint32_t groups;
    struct group group[DPK_BLOCK_WARP];
    struct fiber *lane[DPK_BLOCK_WARP]; /* fibers that wait, by lane */
};

enum { BARRIERS = 16 };

struct block {
    struct dpk_grid *grid;
    struct worker *worker;
    struct block *next;
    uint32_t at[3];
    uint32_t threads, started, live, polls;
    uint32_t turns; /* of threads, that are left in the slice */
    struct queue ready, polling;
    struct fiber *fibers; /* all fibers of the block */
    char *shared;
    void (*entry)(void *);          /* the code that its fibers run: block_thread_main */
    bool (*settle)(struct block *); /* block_warp_settle */
    bool failed, zoned;             /* zoned: a thread has told of the red zones in shared memory */
    struct dpk_gpu_races_block *races; /* NULL: its accesses are not checked */
    struct barrier barriers[BARRIERS];
    struct warp warps[DPK_BLOCK_THREADS_MAX / DPK_BLOCK_WARP];
};

struct worker {
    unsigned number, count; /* count: number of all workers */
    void *sp;               /* the worker's own stack, while a fiber runs */
    void *kept;             /* of AddressSanitizer, meanwhile */
    struct dpk_fiber_stack stack;
    bool watched; /* AddressSanitizer is in the program */
    struct fiber *free;
    struct block *free_blocks;
    struct block *active, **active_end;
    unsigned active_count;
    struct { /* the fault that the signal handler saw */
        int signal;
        bool written;
        const void *pc, *address;
    } fault;
    struct { /* a failure; reported on the worker's stack, since a fiber's may be too small */
        enum dpk_block_failure kind;
        struct fiber *fiber; /* NULL: the whole block failed */
        const void *pc;
        char what[640];
    } failure;
};

/* The running thread, or NULL. Device code reads this variable. */
extern _Thread_local struct dpk_gpu_thread *dpk_gpu_self
    __attribute__((tls_model("initial-exec"), visibility("default")));

static inline struct fiber *block_here(void)
{
    return (struct fiber *)dpk_gpu_self;
}

/* ---- fiber.c ---- */
void block_queue_put(struct queue *q, struct fiber *f);
/* Tells AddressSanitizer that the worker's own stack continues, in place of a fiber that ends. */
void block_back_to_worker(const struct worker *w);
/* Lets another fiber or the worker continue. Returns when the fiber runs again. */
void block_leave(struct fiber *f);
/* Does the same for a fiber that has ended; it never returns. */
void block_leave_forever(struct fiber *f) __attribute__((noreturn));
/* Runs fibers until no fiber can run, every fiber that polls has polled, or the slice has had its turns. */
void block_slice(struct block *b);
/* Returns the fibers of the block to the worker's list of free fibers. */
void block_give_fibers(struct block *b);

/* Ends the running thread, which has failed. */
void block_fail(enum dpk_block_failure failure, const void *pc, const char *what)
    __attribute__((noreturn));

/* ---- thread.c ---- */
/* Runs threads of the block, one after the other, as the code of a fiber. */
void block_thread_main(void *fiber);

/* ---- barrier.c ---- */
void block_barrier_ended(struct block *b); /* call this when a thread has ended */

/* ---- warp.c ---- */
void block_warp_begin(struct block *b);
void block_warp_ended(struct fiber *f);
/* Call this when no thread can run. Answers threads that wait for the mask of active lanes. Returns
 * false if no thread waits for it. */
bool block_warp_settle(struct block *b);

/* ---- failure.c ---- */
/* Reports the failure of a slice, on the worker's stack. `f`: the thread that faulted. */
void block_fail_report(struct block *b, struct fiber *f);

/* Reports what a thread did at a source line. */
void block_report_thread(const struct fiber *f, const char *line, const char *what);
/* Writes the kernel's name as in the source, if the program has a C++ library that demangles it. */
void block_kernel_name(const struct dpk_grid *g, char *out, size_t size);
/* Runs report(context) on a large stack: that of a thread may be too small. */
void block_on_large_stack(void (*report)(void *), void *context);

/* ---- check.c: the check of races. Without `races`, functions with a block do nothing. ---- */
void block_check_grid(struct dpk_grid *g); /* begins it, if the kernel has calls for it */
void block_check_grid_end(struct dpk_grid *g);
void block_check_begin(struct block *b);
void block_check_end(struct block *b);
/* Lanes of a warp, or all threads of the block, have met at a barrier. */
void block_check_lanes(struct block *b, const struct warp *w, uint32_t lanes);
void block_check_barrier(struct block *b);
/* A barrier of the grid: each block arrives, the last meets, each leaves. */
void block_check_grid_arrive(struct block *b);
void block_check_grid_meet(struct block *b);
void block_check_grid_leave(struct block *b);
/* The thread releases, or acquires, an object. */
void block_check_release(struct fiber *f, uintptr_t object);
void block_check_acquire(struct fiber *f, uintptr_t object);

/* ---- address.c: blocks and AddressSanitizer ---- */
void block_address_begin(struct block *b); /* marks the block's shared memory */
void block_address_watch(void);            /* reports name kernel, block and thread */

/* ---- race.c ---- */
/* Reports a race, once for each pair of source lines. Returns false if the pair was reported. */
bool block_race_report(const struct block *b, const struct dpk_gpu_race *race);

/* ---- fault.c ---- */
void block_fault_stack(void); /* gives the calling worker a stack for signal handlers */

/* ---- line.c ---- */
/* Writes the place of the code at `pc`: "FILE:LINE", or the object and the offset. */
void block_line(const void *pc, char *out, size_t size);

#endif
