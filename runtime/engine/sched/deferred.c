/* Work that workers defer while harts are ready. */
#include "engine/sched/deferred.h"

#include <unistd.h>

#include "engine/sched/queue.h"

#define WAIT_NS 20000u

static _Thread_local bool is_worker;
static struct {
    struct list waiting;
    uint64_t since;      /* when the first of them was deferred */
    atomic_bool has_any; /* read without the lock */
    pthread_cond_t done; /* signaled after work was carried out */
} deferred = {.waiting = {&deferred.waiting, &deferred.waiting}, .done = PTHREAD_COND_INITIALIZER};

void sched_deferred_init(struct sched_deferred *d, void (*run)(struct sched_deferred *d))
{
    *d = (struct sched_deferred){.run = run, .owner = getpid()};
    list_init(&d->node);
}

void sched_deferred_allow(void)
{
    is_worker = true;
}

bool sched_has_deferred(void)
{
    return atomic_load_explicit(&deferred.has_any, memory_order_relaxed);
}

/* With one worker, runs must be repeatable, so nothing depends on the clock. */
bool sched_defer(struct sched_deferred *d)
{
    if (!is_worker || !atomic_load_explicit(&sched_queue_has_work, memory_order_relaxed) ||
        sched_workers() == 1)
        return false;
    if (atomic_exchange(&d->waits, true))
        return true;
    sched_lock();
    if (list_empty(&deferred.waiting))
        deferred.since = dpk_now_ns();
    list_append(&deferred.waiting, &d->node);
    atomic_store(&deferred.has_any, true);
    sched_unlock();
    return true;
}

/* Runs the first deferred work. Work that is deferred from now on runs again. */
static void run_first(void)
{
    struct sched_deferred *d = owner_of(deferred.waiting.next, struct sched_deferred, node);
    list_remove(&d->node);
    atomic_store(&deferred.has_any, !list_empty(&deferred.waiting));
    d->runs++;
    sched_unlock();
    atomic_store(&d->waits, false);
    d->run(d);
    sched_lock();
    d->runs--;
    pthread_cond_broadcast(&deferred.done);
}

static bool must_run(void)
{
    const struct sched_hart *next = sched_queue_first();
    return !next || next->state == HART_POLLING || dpk_now_ns() - deferred.since >= WAIT_NS;
}

void sched_deferred_check(void)
{
    while (!list_empty(&deferred.waiting) && must_run())
        run_first();
}

void sched_do_deferred(void)
{
    if (!sched_has_deferred())
        return;
    sched_lock();
    while (!list_empty(&deferred.waiting))
        run_first();
    sched_unlock();
}

void sched_deferred_cancel(struct sched_deferred *d)
{
    if (d->owner != getpid())
        return;
    sched_lock();
    list_remove(&d->node);
    atomic_store(&deferred.has_any, !list_empty(&deferred.waiting));
    while (d->runs > 0)
        sched_wait(&deferred.done, SCHED_NEVER);
    sched_unlock();
}
