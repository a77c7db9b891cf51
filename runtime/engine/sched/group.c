/* Groups of harts that are held, ended and awaited together. */
#include "engine/sched/hart.h"
#include "engine/sched/queue.h"
#include "engine/sched/waiter.h"

void sched_group_init(struct sched_group *g, const struct sched_owner *owner, uint64_t limit)
{
    *g = (struct sched_group){.owner = owner, .limit = limit};
    list_init(&g->harts);
    list_init(&g->held);
    list_init(&g->waiters);
    sched_cond_init(&g->still);
    sched_cond_init(&g->idle);
}

void sched_group_destroy(struct sched_group *g)
{
    pthread_cond_destroy(&g->still);
    pthread_cond_destroy(&g->idle);
}

/* ---- Standing still, and the end ---- */

void sched_group_hold(struct sched_group *g)
{
    g->holds++;
    atomic_store(&g->closed, true);
    sched_queue_remove(g, &g->held);
    pthread_cond_broadcast(&g->still);
}

void sched_group_release(struct sched_group *g)
{
    struct list again = {&again, &again};
    g->holds--;
    atomic_store(&g->closed, g->holds > 0 || g->ended);
    while (!list_empty(&g->held)) {
        struct list *n = g->held.next;
        list_remove(n);
        list_append(&again, n);
    }
    while (!list_empty(&again)) {
        struct sched_hart *h = owner_of(again.next, struct sched_hart, queued);
        list_remove(&h->queued);
        sched_hart_ready(h, HART_READY);
    }
}

void sched_group_await_still(struct sched_group *g)
{
    while (g->running > 0 || sched_group_runs_direct(g))
        sched_wait(&g->still, SCHED_NEVER);
}

void sched_group_end(struct sched_group *g)
{
    g->ended = true;
    atomic_store(&g->closed, true);
    for (struct list *n = g->harts.next; n != &g->harts; n = n->next) {
        struct sched_hart *h = owner_of(n, struct sched_hart, in_group);
        if (!sched_hart_rests(h) && !sched_hart_runs(h))
            sched_hart_end(h, END_FINISH, 0);
    }
    pthread_cond_broadcast(&g->still);
}

/* ---- Users ---- */

void sched_group_enter(struct sched_group *g)
{
    g->users++;
}

void sched_group_leave(struct sched_group *g)
{
    if (--g->users == 0)
        pthread_cond_signal(&g->idle);
}

void sched_group_await_idle(struct sched_group *g)
{
    while (g->users > 0)
        sched_wait(&g->idle, SCHED_NEVER);
}
