/*
 * launch: kernels, tasks and RPCs: a function that some harts carry out. RPCs need no execution
 * unit; the others wait in line until there are enough. With sched's lock.
 */
#ifndef DPK_PROC_LAUNCH_H
#define DPK_PROC_LAUNCH_H

#include "proc/hart.h"

struct launch {
    struct dpk_process *process;
    struct list in_process;        /* kernels and tasks: in order */
    struct sched_wait head_starts; /* of threads, that it waits for first; then ... */
    struct list pending;           /* ... in the line of those that wait for harts */
    struct dpk_call call;
    void *args;
    size_t args_size;
    unsigned threads, remaining;
    bool rpc;
    bool started; /* there are harts */
    uint64_t ran; /* nanoseconds that its harts had of the host's processors, together */
    void (*ended)(struct launch *l, uint64_t result); /* the last hart has; may free it */
    uint64_t trace_id;                                /* 0: none */
};

/* A launch of one thread that `ended` is told of; in no list. */
void launch_init(struct launch *l, struct dpk_process *p, const struct dpk_call *call,
                 void (*ended)(struct launch *l, uint64_t result));
/* DPK_ERR_RANGE: the function takes other arguments. */
enum dpk_status launch_check(const struct dpk_call *call, size_t size, struct dpk_error *err);
/* Takes a hart, which is to run. NULL: out of memory. */
struct hart *launch_hart(struct launch *l, unsigned rank);
/* Whether it can start now. */
bool launch_fits(const struct launch *l);
/* Starts it, or lets it wait for what goes first. */
void launch_start(struct launch *l);
/* Takes one that has not started out of every line. */
void launch_forget(struct launch *l);
/* Starts those in line that can be. */
void launches_admit(void);
/* A hart of it has ended. */
void launch_hart_ended(struct launch *l, uint64_t result);

#endif
