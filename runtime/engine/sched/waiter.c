#include "engine/sched/waiter.h"

static void wake(struct sched_waiter *w)
{
    if (w->state != WAITER_SATISFIED)
        w->state = WAITER_WOKEN;
    pthread_cond_signal(&w->cond);
}

static void satisfy(struct sched_wait *wait)
{
    struct sched_waiter *w = owner_of(wait, struct sched_waiter, wait);
    w->state = WAITER_SATISFIED;
    pthread_cond_signal(&w->cond);
}

void sched_waiter_begin(struct sched_waiter *w, struct sched_group *g)
{
    *w = (struct sched_waiter){.group = g, .deadline = SCHED_NEVER};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &w->cancel_state);
    sched_cond_init(&w->cond);
    sched_wait_init(&w->wait, satisfy);
    list_init(&w->in_group);
    if (g) {
        sched_group_enter(g);
        list_append(&g->waiters, &w->in_group);
    }
}

void sched_waiter_end(struct sched_waiter *w)
{
    list_remove(&w->wait.node);
    list_remove(&w->in_group);
    pthread_cond_destroy(&w->cond);
    if (w->group)
        sched_group_leave(w->group);
    pthread_setcancelstate(w->cancel_state, NULL);
}

void sched_waiter_sleep(struct sched_waiter *w)
{
    sched_wait(&w->cond, SCHED_NEVER);
}

bool sched_waiter_is_late(const struct sched_waiter *w)
{
    return w->deadline != SCHED_NEVER && dpk_now_ns() >= w->deadline;
}

void sched_group_wake(struct sched_group *g)
{
    for (struct list *n = g->waiters.next; n != &g->waiters; n = n->next)
        wake(owner_of(n, struct sched_waiter, in_group));
}
