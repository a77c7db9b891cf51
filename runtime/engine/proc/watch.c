/* Watches: host calls when an event has an awaited value. */
#include <stdlib.h>

#include "engine/proc/event.h"

struct dpk_event_watch {
    struct dpk_event *event; /* a reference */
    struct sched_wait wait;
    struct sched_timer timer; /* expires when the event has the value; its thread makes the call */
    void (*met)(void *context, struct dpk_event_watch *watch);
    void *context;
    bool begun;
};

static void watch_free(struct dpk_event_watch *w)
{
    list_remove(&w->wait.node);
    sched_timer_stop(&w->timer);
    proc_event_unref(w->event);
    free(w);
}

/* The thread that updates the event holds the lock here. */
static void wake(struct sched_wait *wait)
{
    struct dpk_event_watch *w = owner_of(wait, struct dpk_event_watch, wait);
    sched_timer_stop(&w->timer);
    sched_timer_start(&w->timer, 0);
}

static void expired(struct sched_timer *t)
{
    struct dpk_event_watch *w = owner_of(t, struct dpk_event_watch, timer);
    w->begun = true;
    sched_unlock();
    w->met(w->context, w);
    sched_lock();
    watch_free(w);
}

enum dpk_status dpk_event_watch(struct dpk_process *p, const struct dpk_event_condition *c,
                                void (*met)(void *context, struct dpk_event_watch *watch),
                                void *context, struct dpk_event_watch **out, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    struct dpk_event_watch *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return dpk_fail_nomem(err);
    sched_wait_init(&w->wait, wake);
    w->wait.threshold = c->value;
    w->wait.mask = UINT64_MAX;
    w->wait.differs = c->differs;
    sched_timer_init(&w->timer, expired);
    w->met = met;
    w->context = context;
    sched_lock();
    w->event = proc_event_of_handle(p, c->event);
    if (!w->event) {
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "not a handle of an event");
    } else {
        proc_event_ref(w->event);
        /* Starts the timer now, so that a missing host thread is reported at once. */
        if (!sched_wait_is_over(&w->wait, &w->event->counter)) {
            if (sched_timer_start(&w->timer, SCHED_NEVER))
                *out = w;
            else
                status = dpk_fail(err, DPK_ERR_IO, "the host has no thread left");
        }
    }
    if (*out)
        sched_wait_begin(&w->wait, &w->event->counter);
    else
        watch_free(w);
    sched_unlock();
    return status;
}

bool dpk_event_unwatch(struct dpk_event_watch *w)
{
    sched_lock();
    const bool in_time = !w->begun;
    if (in_time)
        watch_free(w);
    sched_unlock();
    return in_time;
}
