/* hart: a context of the guest: registers, a stack, and the launch or thread that uses them. */
#ifndef DPK_ENGINE_PROC_HART_H
#define DPK_ENGINE_PROC_HART_H

#include "engine/debug/debug.h"
#include "engine/proc/process.h"

struct hart {
    struct sched_hart sched; /* its state, and its place in queues */
    struct rv64_hart regs;
    struct dpk_process *process;
    unsigned id;
    struct launch *launch;           /* the launch that it carries out, or NULL */
    struct dpk_thread *thread;       /* the thread that owns it, or NULL */
    const struct dpk_direct *direct; /* who runs it without sched, or NULL */
    struct dpk_caller caller;
    unsigned rank, peers; /* its number in the launch, and how many threads that has */
    unsigned polled;      /* calls in a row that found nothing */
    uint64_t misaligned;  /* misaligned loads and stores until it last left its processor */
    bool reserved;        /* it occupies a unit, and runs nothing (reserved.c) */
    bool rpc;             /* whether it carries out an RPC, or did last */
    uint64_t function;    /* address of the function that it runs, or ran last */
    /* The cause and the report of the fault with which its last slice ended. */
    enum { CAUSE_EXCEPTION, CAUSE_BAD_CALL, CAUSE_END_PROCESS, CAUSE_BAD_ACCESS } cause;
    char report[800];
    /* For a debugger: how the hart goes on; what it stopped for in its last slice, which the thread
     * that runs the slice writes; and the stop that the client is still to be told. */
    enum dpk_resume resume;
    struct dpk_stop hit, stop;
    uint64_t began; /* trace.c: when it began to run, or 0 */
    uint64_t named; /* address of the function that other programs see it by (running.h) */
    /* profile.c: the count of its instructions at the next sample, 0 before its first run; how many
     * of them before it are interpreted. */
    uint64_t sample_at, sample_margin;
    struct window_cache *windows; /* window_cache.c; NULL: it is empty, or not wanted */
    struct store_buffer *stores;  /* store_buffer.c; NULL: likewise */
    const void *awaited;          /* the event that it has waited for, or NULL */
};

static inline struct hart *hart_of(struct sched_hart *h)
{
    return owner_of(h, struct hart, sched);
}

/* Returns an idle hart of the process that no launch or thread uses. If there is none, makes one
 * with its stack. NULL: the host has no memory left, or the process has HARTS_MAX of them. */
struct hart *hart_take(struct dpk_process *p);
/* Sets registers and arguments to the beginning of `call`, as dpa_abi.h says. */
void hart_reset(struct hart *h, const struct dpk_call *call, const void *args, size_t size);
/* It begins to run: other programs see its function's name, and count it. */
void hart_counts(struct hart *h);
/* The clock that its code reads, in nanoseconds. */
uint64_t hart_now(const struct hart *h);
/* The lowest address of its stack. */
static inline uint64_t hart_stack(const struct hart *h)
{
    return STACKS_BASE + h->id * STACK_STRIDE + STACK_GUARD;
}
void hart_set_resume(struct hart *h, enum dpk_resume how);
/* Lists the harts that are active, or were when the process failed, and first the one that a
 * debugger should show. Returns how many there are. */
size_t harts_at_work(const struct dpk_process *p, struct hart *out[HARTS_MAX]);
/* The state by the names of dpk_thread_info. */
const char *hart_state_name(const struct hart *h);
/* The number of the signal that a program of Linux would get for what `h` ended with. */
int hart_signal(const struct hart *h);

#endif
