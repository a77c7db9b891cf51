/* Shared by the sources of blocks. */
#ifndef DPK_GPU_BLOCKS_PRIVATE_H
#define DPK_GPU_BLOCKS_PRIVATE_H

#include "blocks.h"
#include "gpu/fibers/fibers.h"

struct block;
struct worker;

enum block_wait { WAIT_NONE, WAIT_BARRIER, WAIT_WARP, WAIT_ACTIVE };

/* A thread of a block. It lies at the top of its stack. */
struct fiber {
    struct dpk_gpu_thread self; /* first: dpk_gpu_self points to it */
    struct block *block;
    struct fiber *next;  /* in a queue, or in the list of free fibers */
    struct fiber *other; /* next fiber of the block */
    void *sp;            /* while it does not run */
    struct dpk_fiber_stack stack;
    uint32_t index; /* linear number of its thread */
    enum block_wait wait;
    uint32_t barrier, mask; /* what it waits for */
    const void *site;       /* code that waits */
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
    struct fiber *lane[DPK_BLOCK_WARP]; /* waiting ones */
};

enum { BARRIERS = 16 };

struct block {
    struct dpk_grid *grid;
    struct worker *worker;
    struct block *next;
    uint32_t at[3];
    uint32_t threads, started, live, polls;
    struct queue ready, polling;
    struct fiber *fibers; /* all of them */
    char *shared;
    void (*entry)(void *);          /* code of its fibers: block_thread_main */
    bool (*settle)(struct block *); /* block_warp_settle */
    bool failed;
    struct barrier barriers[BARRIERS];
    struct warp warps[DPK_BLOCK_THREADS_MAX / DPK_BLOCK_WARP];
};

struct worker {
    unsigned number, count; /* count: of all workers */
    void *sp;               /* the worker's own stack, while a fiber runs */
    struct fiber *free;
    struct block *free_blocks;
    struct block *active, **active_end;
    unsigned active_count;
    struct { /* of a fault */
        int signal;
        bool written;
        const void *pc, *address;
    } fault;
    struct { /* a failure that the worker reports, on its own stack: a fiber's may be too small */
        enum dpk_block_failure kind;
        struct fiber *fiber; /* NULL: of the whole block */
        const void *pc;
        char what[640];
    } failure;
};

/* The running thread, or NULL. Device code loads it. */
extern _Thread_local struct dpk_gpu_thread *dpk_gpu_self
    __attribute__((tls_model("initial-exec"), visibility("default")));

static inline struct fiber *block_here(void)
{
    return (struct fiber *)dpk_gpu_self;
}

/* ---- fiber.c ---- */
void block_queue_put(struct queue *q, struct fiber *f);
/* Continues another fiber, or the worker, until the fiber runs again. */
void block_leave(struct fiber *f);
/* Same, for a fiber that has ended. */
void block_leave_forever(struct fiber *f) __attribute__((noreturn));
/* Runs fibers until none can run or each that polls has polled. */
void block_slice(struct block *b);
/* Gives the block's fibers back to the worker. */
void block_give_fibers(struct block *b);

/* Leaves the running thread, which has failed. */
void block_fail(enum dpk_block_failure failure, const void *pc, const char *what)
    __attribute__((noreturn));

/* ---- thread.c ---- */
/* Runs threads of the block, one after the other, as the code of a fiber. */
void block_thread_main(void *fiber);

/* ---- barrier.c ---- */
void block_barrier_ended(struct block *b); /* a thread has ended */

/* ---- warp.c ---- */
void block_warp_begin(struct block *b);
void block_warp_ended(struct fiber *f);
/* No thread can run: lets threads that ask who is active go on. Returns false if there are none. */
bool block_warp_settle(struct block *b);

/* ---- failure.c ---- */
/* After a slice: reports what has failed. Runs on the worker's stack. `f`: the thread that faulted. */
void block_fail_report(struct block *b, struct fiber *f);

/* ---- fault.c ---- */
void block_fault_catch(void); /* of the process, once */
void block_fault_stack(void); /* of a worker: its stack for signals */

/* ---- line.c ---- */
/* Writes "FILE:LINE", or the object and offset, of code at `pc`. */
void block_line(const void *pc, char *out, size_t size);

#endif
