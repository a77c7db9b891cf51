#include "sched/queue.h"

#include "sched/lock.h"

static struct list queue = {&queue, &queue};

void queue_put(struct sched_hart *h, enum hart_state state)
{
    h->state = state;
    list_append(&queue, &h->queued);
    if (state != HART_POLLING)
        worker_due();
}

struct sched_hart *queue_first(void)
{
    return list_empty(&queue) ? NULL : owner_of(queue.next, struct sched_hart, queued);
}

struct sched_hart *queue_take(void)
{
    struct sched_hart *h = queue_first();
    list_remove(&h->queued);
    if (list_empty(&queue))
        no_worker_due();
    return h;
}

bool queue_has_more(void)
{
    return list_has_more(&queue);
}

void queue_remove(const struct sched_group *g, struct list *to)
{
    for (struct list *n = queue.next, *next; n != &queue; n = next) {
        struct sched_hart *h = owner_of(n, struct sched_hart, queued);
        next = n->next;
        if (h->group != g)
            continue;
        list_remove(n);
        list_append(to, n);
        h->state = HART_HELD;
    }
}
