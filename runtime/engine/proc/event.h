/* event: counters that host and DPA update and wait for. With sched's lock. */
#ifndef DPK_ENGINE_PROC_EVENT_H
#define DPK_ENGINE_PROC_EVENT_H

#include "engine/proc/process.h"

struct dpk_event {
    struct sched_counter counter;
    unsigned references;
    uint64_t name; /* number of the event in warnings and dpadev ps */
};

void proc_event_ref(struct dpk_event *e);
/* NULL is allowed. */
void proc_event_unref(struct dpk_event *e);
void proc_event_set(struct dpk_event *e, uint64_t value);
/* Returns NULL if device code of `p` does not have this handle. */
struct dpk_event *proc_event_of_handle(const struct dpk_process *p, uint64_t handle);
/* Returns 0 if the event does not have a handle in `p`. */
uint64_t proc_event_handle(const struct dpk_process *p, const struct dpk_event *e);

#endif
