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

struct workers sched_the_workers;

/* ---- Workers ---- */

static void *work(void *unused)
{
    bool rests = false; /* another worker takes from the queue */
    sched_deferred_allow();
    sched_lock();
    while (!sched_the_workers.stop) {
        if (!rests && sched_queue_first() && (sched_workers() > 1 || sched_run_count() == 0)) {
            rests = sched_run_hart(sched_queue_take(), ON_WORKER, NULL);
            sched_deferred_check();
        } else {
            sched_worker_sleep(!rests && sched_run_count() == 0);
            rests = false;
        }
    }
    sched_unlock();
    return unused;
}

bool sched_start_workers(void)
{
    if (sched_the_workers.count)
        return true;
    if (!sched_the_workers.threads)
        sched_the_workers.threads = calloc(sched_workers(), sizeof *sched_the_workers.threads);
    if (!sched_the_workers.threads)
        return false;
    while (sched_the_workers.count < sched_workers() &&
           dpk_pthread_start(&sched_the_workers.threads[sched_the_workers.count], work, NULL) == 0)
        sched_the_workers.count++;
    return sched_the_workers.count > 0;
}

void sched_configure(unsigned count)
{
    sched_run_configure(count);
    sched_workers_may_poll(count > 1); /* runs with one worker are repeatable */
}

void sched_stop(void)
{
    sched_lock();
    sched_the_workers.stop = true;
    sched_workers_wake();
    sched_unlock();
    sched_timers_stop();
    for (unsigned i = 0; i < sched_the_workers.count; i++)
        pthread_join(sched_the_workers.threads[i], NULL);
    free(sched_the_workers.threads);
    sched_the_workers.threads = NULL;
    sched_the_workers.count = 0;
    sched_the_workers.stop = false;
}

/* ---- Host threads ---- */

/* Returns whether a host thread may run the first hart, of this group: if the hart does not keep
 * the thread from other work, and in place of a sleeping worker. A single worker does everything
 * itself. */
static bool may_take_first(const struct sched_group *g)
{
    const struct sched_hart *h = sched_queue_first();
    return h && h->group == g && !h->workers_only && !g->debugged && sched_workers() > 1 &&
           sched_run_count() < sched_workers();
}

bool sched_waiter_work(struct sched_waiter *w)
{
    if (w->state == WAITER_WOKEN)
        w->state = WAITER_WAITS;
    if (!w->group || !may_take_first(w->group))
        return sched_wait(&w->cond, w->deadline);
    struct sched_hart *h = sched_queue_take();
    sched_run_hart(h, h == w->call ? ON_CALLER : ON_WAITER, w);
    return !sched_waiter_is_late(w);
}

bool sched_may_call(const struct sched_group *g)
{
    return g->holds == 0 && !sched_lead_exists() &&
           (sched_workers() > 1 || (sched_run_count() == 0 && !sched_queue_first()));
}

void sched_call(struct sched_hart *h, struct sched_waiter *w)
{
    w->call = h;
    h->ran = 0;
    h->units = (struct dpk_units){0};
    if (h->hold) {
        sched_hart_ready(h, HART_NEW);
    } else {
        h->state = HART_NEW;
        sched_run_hart(h, ON_CALLER, w);
    }
}

void sched_run_moment(const struct sched_group *g)
{
    int cancel_state;
    if (!may_take_first(g))
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    sched_run_hart(sched_queue_take(), ON_LAUNCHER, NULL);
    pthread_setcancelstate(cancel_state, NULL);
}
