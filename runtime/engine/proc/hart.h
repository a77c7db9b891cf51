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
    struct launch *launch;           /* the launch that it runs, or NULL */
    struct dpk_thread *thread;       /* the thread that owns it, or NULL */
    const struct dpk_direct *direct; /* the host thread that runs it without sched, or NULL */
    struct dpk_caller caller;
    unsigned rank, peers; /* its number in the launch, and the launch's number of threads */
    unsigned polled;      /* consecutive calls that found nothing to do */
    uint64_t misaligned;  /* misaligned loads and stores until it last left its processor */
    bool reserved;        /* it occupies a unit without running (reserved.c) */
    bool rpc;             /* it runs an RPC, or its last call was an RPC */
    uint64_t function;    /* address of its current or last function */
    /* The cause and the report of the fault with which its last slice ended. */
    enum { CAUSE_EXCEPTION, CAUSE_BAD_CALL, CAUSE_END_PROCESS, CAUSE_BAD_ACCESS } cause;
    char report[800];
    /* For a debugger: how the hart continues; why it stopped in its last slice, written by the
     * thread that runs the slice; and the stop that is not reported to the client yet. */
    enum dpk_resume resume;
    struct dpk_stop hit, stop;
    uint64_t began; /* trace.c: time when it started to run, or 0 */
    uint64_t named; /* address of the function under which other programs see it (running.h) */
    /* profile.c: instruction count of the next sample, 0 before its first run; number of
     * instructions before the sample that are interpreted. */
    uint64_t sample_at, sample_margin;
    struct window_cache *windows; /* window_cache.c; NULL: it is empty, or not wanted */
    struct store_buffer *stores;  /* store_buffer.c; NULL: likewise */
    const void *awaited;          /* the event that it has waited for, or NULL */
};

static inline struct hart *hart_of(struct sched_hart *h)
{
    return owner_of(h, struct hart, sched);
}

/* Returns an idle hart of the process that no launch or thread uses. If there is none, it makes a
 * hart with its stack. Returns NULL if the host has no memory, or the process has HARTS_MAX
 * harts. */
struct hart *proc_hart_take(struct dpk_process *p);
/* Sets registers and arguments to the start of `call`, as described in dpa_abi.h. */
void proc_hart_reset(struct hart *h, const struct dpk_call *call, const void *args, size_t size);
/* Called when it starts to run: other programs see its function's name, and count it. */
void proc_hart_counts(struct hart *h);
/* Returns the clock that its code reads, in nanoseconds. */
uint64_t proc_hart_now(const struct hart *h);
/* Returns the lowest address of its stack. */
static inline uint64_t hart_stack(const struct hart *h)
{
    return h->process->layout.stacks + h->id * STACK_STRIDE + STACK_GUARD;
}
void proc_hart_set_resume(struct hart *h, enum dpk_resume how);
/* Lists the harts that are active, or were active when the process failed. The first is the hart
 * that a debugger should show. Returns the number of harts. */
size_t proc_harts_at_work(const struct dpk_process *p, struct hart *out[HARTS_MAX]);
/* Returns the state by the names of dpk_thread_info. */
const char *proc_hart_state_name(const struct hart *h);
/* Returns the signal that a Linux program would get for the end of `h`. */
int proc_hart_signal(const struct hart *h);

#endif
