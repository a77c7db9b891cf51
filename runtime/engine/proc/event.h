/* event: counters that host and DPA update and wait for. With sched's lock. */
#ifndef DPK_ENGINE_PROC_EVENT_H
#define DPK_ENGINE_PROC_EVENT_H

#include "engine/proc/process.h"

struct dpk_event {
    struct sched_counter counter;
    unsigned references;
    uint64_t name; /* the number by which warnings and dpadev ps name it */
};

void event_ref(struct dpk_event *e);
/* NULL is fine. */
void event_unref(struct dpk_event *e);
void event_set(struct dpk_event *e, uint64_t value);
/* NULL: device code of `p` has no such handle. */
struct dpk_event *event_of_handle(const struct dpk_process *p, uint64_t handle);
/* 0: the event has no handle in `p`. */
uint64_t event_handle(const struct dpk_process *p, const struct dpk_event *e);

#endif
