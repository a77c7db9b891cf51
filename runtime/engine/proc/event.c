/* Events: counters for which DPA threads, launches and host threads wait. */
#include <stdlib.h>

#include "engine/proc/stall.h"
#include "engine/proc/trace.h"

static uint64_t names;

struct dpk_event *dpk_event_create(void)
{
    struct dpk_event *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->references = 1;
    sched_counter_init(&e->counter);
    sched_lock();
    e->name = ++names;
    sched_unlock();
    return e;
}

void dpk_event_name(struct dpk_event *e, uint64_t name)
{
    sched_lock();
    e->name = name;
    sched_unlock();
}

void proc_event_ref(struct dpk_event *e)
{
    e->references++;
}

void proc_event_unref(struct dpk_event *e)
{
    if (e && --e->references == 0)
        free(e);
}

void dpk_event_release(struct dpk_event *e)
{
    sched_lock();
    proc_event_unref(e);
    sched_unlock();
}

/* ---- Handles ---- */

struct dpk_event *proc_event_of_handle(const struct dpk_process *p, uint64_t handle)
{
    return handle >= 1 && handle <= p->event_count ? p->events[handle - 1] : NULL;
}

static enum dpk_status add_handle(struct dpk_process *p, struct dpk_event *e, struct dpk_error *err)
{
    if (p->event_count == p->event_capacity) {
        size_t capacity = p->event_capacity ? p->event_capacity * 2 : 16;
        struct dpk_event **events = realloc(p->events, capacity * sizeof(struct dpk_event *));
        if (!events)
            return dpk_fail_nomem(err);
        p->events = events;
        p->event_capacity = capacity;
    }
    p->events[p->event_count++] = e;
    proc_event_ref(e);
    return DPK_OK;
}

uint64_t proc_event_handle(const struct dpk_process *p, const struct dpk_event *e)
{
    for (size_t i = 0; i < p->event_count; i++)
        if (p->events[i] == e)
            return i + 1;
    return 0;
}

enum dpk_status dpk_event_handle(struct dpk_event *e, struct dpk_process *p, uint64_t *handle,
                                 struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    sched_lock();
    *handle = proc_event_handle(p, e);
    if (*handle == 0 && (status = add_handle(p, e, err)) == DPK_OK)
        *handle = p->event_count;
    sched_unlock();
    return status;
}

/* ---- Values ---- */

void proc_event_set(struct dpk_event *e, uint64_t value)
{
    if (tracing())
        proc_trace_event(value);
    sched_counter_set(&e->counter, value);
}

uint64_t dpk_event_get(const struct dpk_event *e)
{
    return atomic_load_explicit(&e->counter.value, memory_order_acquire);
}

uint64_t dpk_event_update(struct dpk_event *e, bool adds, uint64_t value)
{
    sched_lock();
    uint64_t before = atomic_load_explicit(&e->counter.value, memory_order_relaxed);
    proc_event_set(e, adds ? before + value : value);
    sched_unlock();
    return before;
}

enum dpk_status dpk_event_wait_gt(struct dpk_event *e, uint64_t threshold, uint64_t mask,
                                  struct dpk_process *p, uint32_t timeout_ms, struct dpk_error *err)
{
    struct sched_waiter w;
    struct stall stall = {0};
    enum dpk_status status = DPK_OK;
    bool in_time = true;
    sched_lock();
    proc_event_ref(e);
    sched_waiter_begin(&w, p ? &p->group : NULL);
    bool satisfied = sched_counter_exceeds(&e->counter, threshold, mask);
    if (timeout_ms)
        w.deadline = dpk_now_ns() + (uint64_t)timeout_ms * 1000000u;
    if (!satisfied) {
        w.wait.threshold = threshold;
        w.wait.mask = mask;
        sched_wait_begin(&w.wait, &e->counter);
    }
    if (!satisfied && !timeout_ms)
        proc_stall_begin(&stall, p, e, threshold, mask, 0);
    while (!satisfied && in_time && (!p || (status = proc_process_state(p, err)) == DPK_OK)) {
        in_time = sched_waiter_work(&w);
        satisfied = w.state == WAITER_SATISFIED;
    }
    if (satisfied)
        status = DPK_OK;
    else if (status == DPK_OK)
        status = dpk_fail(err, DPK_ERR_TIMEOUT, "event: not above %llu after %u ms",
                          (unsigned long long)threshold, timeout_ms);
    proc_stall_end(&stall);
    sched_waiter_end(&w);
    proc_event_unref(e);
    sched_unlock();
    return status;
}
