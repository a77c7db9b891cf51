/* Events: counters with waiters: DPA threads, launches, host threads. */
#include <stdlib.h>

#include "proc/engine.h"

struct dpk_event *dpk_event_create(void)
{
    struct dpk_event *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->references = 1;
    list_init(&e->waits);
    engine_lock();
    e->name = ++the_engine.event_names;
    engine_unlock();
    return e;
}

void dpk_event_name(struct dpk_event *e, uint64_t name)
{
    engine_lock();
    e->name = name;
    engine_unlock();
}

void event_unref(struct dpk_event *e)
{
    if (e && --e->references == 0)
        free(e);
}

void dpk_event_release(struct dpk_event *e)
{
    engine_lock();
    event_unref(e);
    engine_unlock();
}

/* ---- Handles -------------------------------------------------------------------------------- */

struct dpk_event *event_of_handle(const struct dpk_process *p, uint64_t handle)
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
    e->references++;
    return DPK_OK;
}

enum dpk_status dpk_event_handle(struct dpk_event *e, struct dpk_process *p, uint64_t *handle,
                                 struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    engine_lock();
    size_t i = 0;
    while (i < p->event_count && p->events[i] != e)
        i++;
    if (i == p->event_count)
        status = add_handle(p, e, err);
    engine_unlock();
    *handle = status == DPK_OK ? i + 1 : 0;
    return status;
}

/* ---- Values --------------------------------------------------------------------------------- */

bool event_satisfies(const struct dpk_event *e, uint64_t threshold, uint64_t mask)
{
    return (atomic_load_explicit(&e->value, memory_order_relaxed) & mask) > threshold;
}

static void wake(struct wait *w)
{
    list_remove(&w->untold);
    switch (w->who) {
    case WAIT_THREAD:
        watchdog_end(owner_of(w, struct thread, wait));
        engine_enqueue(owner_of(w, struct thread, wait));
        break;
    case WAIT_LAUNCH:
        launch_ready(owner_of(w, struct launch, wait));
        break;
    case WAIT_HOST:
        owner_of(w, struct host_wait, wait)->satisfied = true;
        host_wait_wake(owner_of(w, struct host_wait, wait));
        break;
    }
}

void event_update(struct dpk_event *e, uint64_t value)
{
    struct list woken;
    list_init(&woken);
    atomic_store_explicit(&e->value, value, memory_order_release);
    if (tracing())
        trace_event(value);
    if (the_engine.forked)
        return; /* who waited is not in this process */
    for (struct list *n = e->waits.next, *next; n != &e->waits; n = next) {
        struct wait *w = owner_of(n, struct wait, node);
        next = n->next;
        if (!event_satisfies(e, w->threshold, w->mask))
            continue;
        list_remove(n);
        list_append(&woken, n);
    }
    /* Waking one may take others away, when it fails their process: so one after the other. */
    while (!list_empty(&woken)) {
        struct wait *w = owner_of(woken.next, struct wait, node);
        list_remove(&w->node);
        wake(w);
    }
}

uint64_t dpk_event_get(const struct dpk_event *e)
{
    return atomic_load_explicit(&e->value, memory_order_acquire);
}

uint64_t dpk_event_add(struct dpk_event *e, uint64_t value)
{
    engine_lock();
    uint64_t before = atomic_load_explicit(&e->value, memory_order_relaxed);
    event_update(e, before + value);
    engine_unlock();
    return before;
}

void dpk_event_set(struct dpk_event *e, uint64_t value)
{
    engine_lock();
    event_update(e, value);
    engine_unlock();
}

enum dpk_status dpk_event_wait_gt(struct dpk_event *e, uint64_t threshold, uint64_t mask,
                                  struct dpk_process *p, uint32_t timeout_ms, struct dpk_error *err)
{
    struct host_wait w = {.wait = {.threshold = threshold, .mask = mask}};
    enum dpk_status status = DPK_OK;
    bool in_time = true;
    engine_lock();
    e->references++;
    host_wait_begin(&w, p);
    w.event = e;
    if (timeout_ms)
        w.deadline = engine_now() + (uint64_t)timeout_ms * 1000000u;
    w.satisfied = event_satisfies(e, threshold, mask);
    if (!w.satisfied)
        list_append(&e->waits, &w.wait.node);
    if (!w.satisfied && !timeout_ms)
        notice_begin(&w.wait);
    while (!w.satisfied && in_time && (!p || (status = process_state(p, err)) == DPK_OK))
        in_time = host_wait_work(&w);
    if (w.satisfied)
        status = DPK_OK;
    else if (status == DPK_OK)
        status = dpk_fail(err, DPK_ERR_TIMEOUT, "event: not above %llu after %u ms",
                          (unsigned long long)threshold, timeout_ms);
    host_wait_end(&w);
    event_unref(e);
    engine_unlock();
    return status;
}
