/*
 * launch: a function that one or more harts run: a kernel, a task or an RPC. Kernels and tasks wait
 * in line until enough execution units are free. RPCs need no unit. With sched's lock.
 */
#ifndef DPK_ENGINE_PROC_LAUNCH_H
#define DPK_ENGINE_PROC_LAUNCH_H

#include "engine/proc/hart.h"

struct launch {
    struct dpk_process *process;
    struct list in_process; /* in the process's kernels or in the tasks of a queue, in order */
    struct sched_wait head_starts; /* wait for harts with a head start, before it is in line */
    struct list pending;           /* position in the line of launches that wait for units */
    struct dpk_call call;
    void *args;
    size_t args_size;
    unsigned threads, remaining;
    bool rpc;
    bool started; /* it has harts */
    uint64_t ran; /* total nanoseconds that its harts have run on host processors */
    void (*ended)(struct launch *l, uint64_t result); /* called after its last hart ended; may free
                                                       * it */
    uint64_t trace_id;                                /* its number in the trace; 0 if there is
                                                       * none */
};

/* Initializes a launch with one thread. `ended` is called after the thread has ended. */
void proc_launch_init(struct launch *l, struct dpk_process *p, const struct dpk_call *call,
                      void (*ended)(struct launch *l, uint64_t result));
/* Checks the size of the arguments. Errors: DPK_ERR_RANGE if the function takes arguments of
 * another size. */
enum dpk_status proc_launch_check(const struct dpk_call *call, size_t size, struct dpk_error *err);
/* Takes a hart and prepares it to run the function. Returns NULL if there is no memory. */
struct hart *proc_launch_hart(struct launch *l, unsigned rank);
/* Returns true if the launch can start now. */
bool proc_launch_fits(const struct launch *l);
/* Starts the launch or appends it to the line. First it waits for harts that have a head start. */
void proc_launch_start(struct launch *l);
/* Ends the waits of a launch that has not started. */
void proc_launch_forget(struct launch *l);
/* Starts the launches in line that can start now. */
void proc_launches_admit(void);
/* Called when a hart of the launch has ended. */
void proc_launch_hart_ended(struct launch *l, uint64_t result);

#endif
