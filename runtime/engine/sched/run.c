#include "engine/sched/run.h"

#include <time.h>

#include "engine/sched/deferred.h"
#include "engine/sched/hart.h"
#include "engine/sched/lead.h"
#include "engine/sched/queue.h"
#include "engine/sched/waiter.h"

#define POLL_MAX 50000u /* nanoseconds: most time that counts for a slice of a polling hart */

static struct {
    unsigned workers; /* with 1, there is one slice at a time */
    unsigned running; /* current slices */
    unsigned polling; /* of these, on workers, of harts that poll */
} runs;

void sched_run_configure(unsigned workers)
{
    runs.workers = workers;
}

unsigned sched_run_count(void)
{
    return runs.running;
}

bool sched_is_idle(void)
{
    return runs.running == 0;
}

unsigned sched_workers(void)
{
    return runs.workers;
}

/* ---- The run-time limit ---- */

static uint64_t clock_of(bool polled)
{
    return polled ? dpk_now_ns() : dpk_thread_time_ns();
}

/* Adds the time since `from` to the hart's run time, and returns the current time. `from` is 0 for
 * a first slice, whose time does not count: a short call ends without reading the clock, which
 * would take longer than the call. A hart that polled is measured by a clock that is quick to read
 * but goes on while the host runs other programs, so its slice counts at most POLL_MAX. */
static uint64_t charge(struct sched_hart *h, const struct slice *s, uint64_t from, bool polled)
{
    if (s->end == SLICE_DONE)
        return from;
    uint64_t now = clock_of(polled), took = from ? now - from : 0;
    if (polled && took > POLL_MAX)
        took = POLL_MAX;
    h->ran += took;
    return now;
}

static enum sched_overrun overrun_of(const struct sched_hart *h)
{
    return h->ran >= h->limit ? SCHED_OVERRUN_RAN : SCHED_OVERRUN_SHARE;
}

/* The harts of a kernel run at the same time on a card, but here they share processors. So the
 * limit is for the processor time of each hart. Many harts that loop would reach it late, so there
 * is also a common limit, which depends only on the number of workers. */
static bool is_over_limit(const struct sched_hart *h)
{
    const uint64_t limit = h->limit;
    bool together = h->share && *h->share / SCHED_SHARE / runs.workers >= limit;
    return (h->ran >= limit || together) && !h->group->debugged;
}

/* ---- After a slice ---- */

/* Harts that poll share a worker: they take turns there, and no second worker competes for a host
 * processor. */
static bool shares_worker(const struct slice *s)
{
    return s->end == SLICE_POLLED && runs.polling > 1;
}

/* Returns whether a host thread gives back its hart: it has other work, or no worker sleeps in
 * whose place it could run the hart. */
static bool gives_back(const struct sched_hart *h, const struct slice *s)
{
    if (!slice_is_borrowed(s))
        return false;
    return h->workers_only || slice_is_hurried(s) || sched_waiter_is_late(s->waiter) ||
           runs.running > runs.workers;
}

static bool may_run_on(const struct sched_hart *h, const struct slice *s)
{
    return h->state != HART_ENDING && !sched_hart_is_doomed(h) && !is_over_limit(h) &&
           h->group->holds == 0 && !h->hold && !s->stopped;
}

static bool is_still_blocked(const struct slice *s)
{
    return s->end == SLICE_BLOCKED && !sched_counter_exceeds(s->counter, s->threshold, s->mask);
}

/* Returns whether `h` keeps its processor for another slice. With several workers a hart on its
 * caller's thread does, because nobody else would use that thread. */
static bool goes_on(const struct sched_hart *h, const struct slice *s)
{
    if (s->end == SLICE_DONE || s->end == SLICE_FAULT || !may_run_on(h, s))
        return false;
    if ((s->runner != ON_CALLER || runs.workers == 1) &&
        (sched_queue_first() || shares_worker(s) || gives_back(h, s)))
        return false;
    return !is_still_blocked(s);
}

/* Acts on the last slice of a hart that has left the processor. */
static void settle(struct sched_hart *h, const struct slice *s)
{
    const bool lone = h == h->group->survivor; /* its faults have no effect */
    if (!h->group->ended && s->end != SLICE_DONE && is_over_limit(h))
        h->group->owner->overran(h, overrun_of(h));
    if (h->state == HART_ENDING || sched_hart_is_doomed(h) || s->end == SLICE_DONE ||
        (lone && (s->end == SLICE_FAULT || is_over_limit(h))))
        sched_hart_end(h, s->how, s->value);
    else if (is_still_blocked(s))
        sched_hart_block(h, s->counter, s->threshold, s->mask);
    else
        sched_hart_ready(h, s->end == SLICE_POLLED && s->runner == ON_WORKER ? HART_POLLING
                                                                             : HART_READY);
}

/* Returns whether a worker must come for the next hart in the queue. Polling harts already have a
 * worker, which comes back for them. A worker takes one hart itself. */
static bool needs_worker(const struct slice *s)
{
    const struct sched_hart *next = sched_queue_first();
    if (s->runner == ON_WORKER)
        return s->end != SLICE_POLLED && list_has_more(&sched_run_queue);
    return next && next->state != HART_POLLING;
}

/* ---- Slices ---- */

static void count_polling(bool *counted, bool polls)
{
    if (*counted != polls)
        runs.polling += polls ? 1 : -1u;
    *counted = polls;
}

static void run_slice(struct sched_hart *h, struct slice *s, uint64_t *from, bool polled)
{
    struct sched_group *g = h->group;
    sched_unlock();
    g->owner->run(h, s);
    uint64_t before = h->ran;
    *from = charge(h, s, *from, polled);
    sched_lock();
    if (s->runner == ON_WORKER)
        sched_deferred_check();
    if (h->share)
        *h->share += h->ran - before;
    g->instructions += s->instructions;
    h->retired += s->instructions;
    sched_lead_spend(h, s);
}

bool sched_run_hart(struct sched_hart *h, enum slice_runner runner, const struct sched_waiter *w)
{
    struct sched_group *g = h->group;
    struct slice s = {.runner = runner, .waiter = w};
    const bool polled = h->state == HART_POLLING;
    bool polling = false;
    uint64_t from = h->state == HART_NEW ? 0 : clock_of(polled);
    h->state = HART_RUNNING;
    sched_group_enter(g);
    g->running++;
    runs.running++;
    count_polling(&polling, polled);
    do {
        run_slice(h, &s, &from, polled);
        h->workers_only |= s.end == SLICE_POLLED;
        count_polling(&polling, s.end == SLICE_POLLED && runner == ON_WORKER);
    } while (goes_on(h, &s));
    runs.running--;
    bool rests = runner == ON_WORKER && shares_worker(&s) && !sched_queue_first();
    count_polling(&polling, false);
    g->owner->left(h, &s);
    settle(h, &s);
    if (--g->running == 0)
        pthread_cond_broadcast(&g->still);
    g->owner->settled(g);
    if (sched_workers_due == 0 && needs_worker(&s))
        sched_workers_due = 1;
    sched_group_leave(g);
    return rests;
}
