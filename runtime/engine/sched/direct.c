/* Harts that a host thread runs itself, without the run queue. */
#include "engine/sched/sched.h"

bool sched_direct_begin(struct sched_hart *h)
{
    /* Either this thread sees that the group is closed, or the closing thread sees that the hart
     * runs. */
    atomic_store(&h->direct, true);
    if (!atomic_load(&h->group->closed))
        return true;
    sched_direct_end(h);
    return false;
}

void sched_direct_end(struct sched_hart *h)
{
    atomic_store(&h->direct, false);
    if (!atomic_load(&h->group->closed))
        return;
    sched_lock();
    pthread_cond_broadcast(&h->group->still);
    sched_unlock();
}

bool sched_group_runs_direct(const struct sched_group *g)
{
    for (const struct list *n = g->harts.next; n != &g->harts; n = n->next)
        if (atomic_load(&owner_of(n, struct sched_hart, in_group)->direct))
            return true;
    return false;
}
