/* The threads that run harts: workers, and host threads that replace sleeping workers. */
#include "engine/sched/worker.h"

#include <stdlib.h>

#include "engine/sched/deferred.h"
#include "engine/sched/hart.h"
#include "engine/sched/lead.h"
#include "engine/sched/queue.h"
#include "engine/sched/run.h"
#include "engine/sched/timer.h"
#include "engine/sched/waiter.h"

struct workers workers;

/* ---- Workers ---- */

static void *work(void *unused)
{
    bool rests = false; /* another worker takes from the queue */
    deferred_allow();
    sched_lock();
    while (!workers.stop) {
        if (!rests && sched_queue_first() && (sched_workers() > 1 || run_count() == 0)) {
            rests = run_hart(sched_queue_take(), ON_WORKER, NULL);
            deferred_check();
        } else {
            worker_sleep(!rests && run_count() == 0);
            rests = false;
        }
    }
    sched_unlock();
    return unused;
}

bool sched_start_workers(void)
{
    if (workers.count)
        return true;
    if (!workers.threads)
        workers.threads = calloc(sched_workers(), sizeof *workers.threads);
    if (!workers.threads)
        return false;
    while (workers.count < sched_workers() &&
           dpk_pthread_start(&workers.threads[workers.count], work, NULL) == 0)
        workers.count++;
    return workers.count > 0;
}

void sched_configure(unsigned count)
{
    run_configure(count);
    workers_may_poll(count > 1); /* runs with one worker are repeatable */
}

void sched_stop(void)
{
    sched_lock();
    workers.stop = true;
    workers_wake();
    sched_unlock();
    timers_stop();
    for (unsigned i = 0; i < workers.count; i++)
        pthread_join(workers.threads[i], NULL);
    free(workers.threads);
    workers.threads = NULL;
    workers.count = 0;
    workers.stop = false;
}

/* ---- Host threads ---- */

/* Returns whether a host thread may run the first hart, of this group: if the hart does not keep
 * the thread from other work, and in place of a sleeping worker. A single worker does everything
 * itself. */
static bool may_take_first(const struct sched_group *g)
{
    const struct sched_hart *h = sched_queue_first();
    return h && h->group == g && !h->workers_only && !g->debugged && sched_workers() > 1 &&
           run_count() < sched_workers();
}

bool sched_waiter_work(struct sched_waiter *w)
{
    if (w->state == WAITER_WOKEN)
        w->state = WAITER_WAITS;
    if (!w->group || !may_take_first(w->group))
        return sched_wait(&w->cond, w->deadline);
    struct sched_hart *h = sched_queue_take();
    run_hart(h, h == w->call ? ON_CALLER : ON_WAITER, w);
    return !waiter_is_late(w);
}

bool sched_may_call(const struct sched_group *g)
{
    return g->holds == 0 && !lead_exists() &&
           (sched_workers() > 1 || (run_count() == 0 && !sched_queue_first()));
}

void sched_call(struct sched_hart *h, struct sched_waiter *w)
{
    w->call = h;
    h->ran = 0;
    h->units = (struct dpk_units){0};
    if (h->hold) {
        hart_ready(h, HART_NEW);
    } else {
        h->state = HART_NEW;
        run_hart(h, ON_CALLER, w);
    }
}

void sched_run_moment(const struct sched_group *g)
{
    int cancel_state;
    if (!may_take_first(g))
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    run_hart(sched_queue_take(), ON_LAUNCHER, NULL);
    pthread_setcancelstate(cancel_state, NULL);
}
