#include "engine/sched/queue.h"

#include "engine/sched/lead.h"

struct list sched_run_queue = {&sched_run_queue, &sched_run_queue};
atomic_bool sched_queue_has_work;

void sched_queue_remove(const struct sched_group *g, struct list *to)
{
    for (struct list *n = sched_run_queue.next, *next; n != &sched_run_queue; n = next) {
        struct sched_hart *h = owner_of(n, struct sched_hart, queued);
        next = n->next;
        if (h->group != g)
            continue;
        list_remove(n);
        list_append(to, n);
        h->state = HART_HELD;
        sched_lead_end(h);
    }
}
