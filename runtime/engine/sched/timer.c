/* Timers in order of time, and the thread that waits for the first timer. */
#include "engine/sched/timer.h"

#include "engine/sched/sched.h"

static struct {
    struct list started; /* by time */
    pthread_t thread;
    pthread_cond_t changed;
    uint64_t wakes; /* time at which the thread wakes by itself */
    bool runs, stop;
} timers = {.started = {&timers.started, &timers.started}};

static struct sched_timer *timer_of(struct list *node)
{
    return owner_of(node, struct sched_timer, node);
}

static void *watch(void *unused)
{
    sched_lock();
    while (!timers.stop) {
        struct sched_timer *t = list_empty(&timers.started) ? NULL : timer_of(timers.started.next);
        if (t && t->at <= dpk_now_ns()) {
            list_remove(&t->node);
            t->expired(t);
        } else {
            timers.wakes = t ? t->at : SCHED_NEVER;
            sched_wait(&timers.changed, timers.wakes);
        }
    }
    sched_unlock();
    return unused;
}

void sched_timer_init(struct sched_timer *t, void (*expired)(struct sched_timer *t))
{
    *t = (struct sched_timer){.expired = expired};
    list_init(&t->node);
}

/* Most timers have the same duration, so the search begins at the end of the list. */
bool sched_timer_start(struct sched_timer *t, uint64_t at)
{
    struct list *before = timers.started.prev;
    t->at = at;
    while (before != &timers.started && timer_of(before)->at > at)
        before = before->prev;
    list_append(before->next, &t->node);
    if (timers.runs) {
        if (at < timers.wakes)
            pthread_cond_signal(&timers.changed);
        return true;
    }
    sched_cond_init(&timers.changed);
    timers.wakes = 0;
    timers.runs = dpk_pthread_start(&timers.thread, watch, NULL) == 0;
    if (!timers.runs)
        pthread_cond_destroy(&timers.changed);
    return timers.runs;
}

void sched_timer_stop(struct sched_timer *t)
{
    list_remove(&t->node);
}

void sched_timers_stop(void)
{
    if (!timers.runs)
        return;
    sched_lock();
    timers.stop = true;
    pthread_cond_signal(&timers.changed);
    sched_unlock();
    pthread_join(timers.thread, NULL);
    pthread_cond_destroy(&timers.changed);
    timers.runs = timers.stop = false;
}
