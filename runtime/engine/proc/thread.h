/* thread: threads of event-driven programs. With sched's lock. */
#ifndef DPK_ENGINE_PROC_THREAD_H
#define DPK_ENGINE_PROC_THREAD_H

#include "engine/proc/hart.h"

struct dpk_thread {
    struct dpk_process *process;
    struct list in_process;
    struct dpk_thread_options options;
    struct hart *hart;
    enum thread_state { THREAD_CREATED, THREAD_STARTED, THREAD_RUN } state;
    bool active, parked;
    uint64_t events; /* events that arrived during an activation and have not caused one yet */
    struct list triggers;
};

/* Sends an event to the thread. */
void proc_thread_activate(struct dpk_thread *t);
/* Called when an activation has ended. */
void proc_activation_end(struct dpk_thread *t, enum hart_end how);
/* Frees the remaining threads and triggers when the process is destroyed. */
void proc_threads_free(struct dpk_process *p);

#endif
