/* hart: a context of the guest: a stack, registers, and what they are used for at the moment. */
#ifndef DPK_PROC_HART_H
#define DPK_PROC_HART_H

#include "debug/debug.h"
#include "proc/process.h"

struct hart {
    struct sched_hart sched; /* its state, and its place in queues */
    struct rv64_hart regs;
    struct dpk_process *process;
    unsigned id;
    struct launch *launch;     /* that it carries out, or */
    struct dpk_thread *thread; /* whose it is as long as that lives */
    struct dpk_caller caller;
    unsigned rank, peers; /* in the launch */
    unsigned polled;      /* calls in a row that found nothing */
    uint64_t misaligned;  /* loads and stores, when it last left its processor */
    bool rpc;             /* what it does, or did last ... */
    uint64_t function;    /* ... and the address of that */
    /* Of the slice that ended in a fault: why, if not by an exception; the report of it. */
    enum { CAUSE_EXCEPTION, CAUSE_BAD_CALL, CAUSE_END_PROCESS } cause;
    char report[800];
    /* A debugger's: how it is to go on; what it stopped for in its last slice, of which the runner
     * of that slice knows; and what is to be told. */
    enum dpk_resume resume;
    struct dpk_stop hit, stop;
    uint64_t began; /* trace.c: when it came to its processor */
};

static inline struct hart *hart_of(struct sched_hart *h)
{
    return owner_of(h, struct hart, sched);
}

/* A hart of the process that is idle and nobody's; made, with its stack, if there is none yet.
 * NULL: out of memory, or of harts. */
struct hart *hart_take(struct dpk_process *p);
/* Registers and arguments as dpa_abi.h says, at the beginning of `call`. */
void hart_reset(struct hart *h, const struct dpk_call *call, const void *args, size_t size);
/* The lowest address of its stack. */
uint64_t hart_stack(const struct hart *h);
void hart_set_resume(struct hart *h, enum dpk_resume how);
/* Those at work, or those that were when the process failed; the one to look at first. */
size_t harts_at_work(const struct dpk_process *p, struct hart *out[HARTS_MAX]);
/* As dpk_thread_info says. */
const char *hart_state_name(const struct hart *h);
/* The number of the signal that a program of Linux would get for what `h` ended with. */
int hart_signal(const struct hart *h);

#endif
