/* Counters, and waits for their values. */
#include "engine/sched/sched.h"

void sched_counter_init(struct sched_counter *c)
{
    c->value = 0;
    list_init(&c->waits);
}

bool sched_counter_exceeds(const struct sched_counter *c, uint64_t threshold, uint64_t mask)
{
    return (atomic_load_explicit(&c->value, memory_order_relaxed) & mask) > threshold;
}

bool sched_wait_is_over(const struct sched_wait *w, const struct sched_counter *c)
{
    return w->differs
               ? (atomic_load_explicit(&c->value, memory_order_relaxed) & w->mask) != w->threshold
               : sched_counter_exceeds(c, w->threshold, w->mask);
}

void sched_counter_set(struct sched_counter *c, uint64_t value)
{
    struct list woken;
    list_init(&woken);
    atomic_store_explicit(&c->value, value, memory_order_release);
    if (sched_is_forked())
        return; /* the threads that waited are only in the parent */
    for (struct list *n = c->waits.next, *next; n != &c->waits; n = next) {
        struct sched_wait *w = owner_of(n, struct sched_wait, node);
        next = n->next;
        if (!sched_wait_is_over(w, c))
            continue;
        list_remove(n);
        list_append(&woken, n);
    }
    /* Waking a hart may end its group, which removes other harts from the list. So each iteration
     * takes the first hart. */
    while (!list_empty(&woken)) {
        struct sched_wait *w = owner_of(woken.next, struct sched_wait, node);
        list_remove(&w->node);
        w->wake(w);
    }
}

void sched_wait_init(struct sched_wait *w, void (*wake)(struct sched_wait *w))
{
    *w = (struct sched_wait){.wake = wake};
    list_init(&w->node);
}

void sched_wait_begin(struct sched_wait *w, struct sched_counter *c)
{
    list_append(&c->waits, &w->node);
}
