#include "engine/sched/hart.h"

#include "engine/sched/lead.h"
#include "engine/sched/queue.h"
#include "engine/sched/units.h"

void sched_hart_ready(struct sched_hart *h, enum hart_state state)
{
    struct sched_group *g = h->group;
    if (g->holds == 0 && !h->hold) {
        sched_queue_put(h, state);
        if (state == HART_NEW && h->event)
            sched_lead_begin(h);
        return;
    }
    sched_lead_end(h);
    h->state = HART_HELD;
    list_append(&g->held, &h->queued);
    pthread_cond_broadcast(&g->still);
}

bool sched_hart_is_doomed(const struct sched_hart *h)
{
    return h->group->ended && h != h->group->survivor;
}

/* ---- Blocking ---- */

/* On the card such a wait is a loop, so its time counts against the run-time limit. */
static bool watch(struct sched_hart *h)
{
    uint64_t limit = h->limit;
    h->blocked = dpk_now_ns();
    return sched_timer_start(&h->timer, h->blocked + (h->ran < limit ? limit - h->ran : 0));
}

void sched_hart_block(struct sched_hart *h, struct sched_counter *c, uint64_t threshold,
                      uint64_t mask)
{
    h->state = HART_BLOCKED;
    h->awaited = c;
    h->wait.threshold = threshold;
    h->wait.mask = mask;
    sched_wait_begin(&h->wait, c);
    if (!watch(h))
        h->group->owner->overran(h, SCHED_OVERRUN_NO_TIMER);
}

static void wake(struct sched_wait *w)
{
    struct sched_hart *h = owner_of(w, struct sched_hart, wait);
    sched_timer_stop(&h->timer);
    h->ran += dpk_now_ns() - h->blocked;
    sched_hart_ready(h, HART_READY);
}

static void expired(struct sched_timer *t)
{
    struct sched_hart *h = owner_of(t, struct sched_hart, timer);
    if (h->group->debugged)
        (void)watch(h); /* the timers' thread runs this, so it exists */
    else if (h == h->group->survivor)
        sched_hart_end(h, END_FINISH, 0);
    else
        h->group->owner->overran(h, SCHED_OVERRUN_BLOCKED);
}

/* ---- From idle to idle ---- */

void sched_hart_init(struct sched_hart *h, struct sched_group *g)
{
    *h = (struct sched_hart){.group = g, .limit = g->limit, .unit = SCHED_NO_UNIT};
    list_init(&h->queued);
    list_init(&h->leads);
    sched_wait_init(&h->wait, wake);
    sched_timer_init(&h->timer, expired);
    list_append(&g->harts, &h->in_group);
}

void sched_hart_start(struct sched_hart *h, struct dpk_units units)
{
    h->ran = 0;
    h->units = units;
    if (dpk_units_none(&units) || sched_unit_take(h))
        sched_hart_ready(h, HART_NEW);
    else
        sched_unit_await(h);
}

bool sched_hart_occupy(struct sched_hart *h, const struct dpk_units *units)
{
    h->units = *units;
    return sched_unit_take(h);
}

void sched_hart_vacate(struct sched_hart *h)
{
    struct sched_hart *next = sched_unit_give(h);
    if (next)
        sched_hart_ready(next, HART_NEW);
}

void sched_hart_end(struct sched_hart *h, enum hart_end how, uint64_t value)
{
    struct sched_group *g = h->group;
    bool stopped = h->state == HART_ENDING;
    h->state = sched_hart_is_doomed(h) ? HART_FAILED : HART_IDLE;
    if (h == g->survivor)
        g->survivor = NULL;
    list_remove(&h->queued);
    list_remove(&h->wait.node);
    sched_lead_end(h);
    sched_timer_stop(&h->timer);
    sched_hart_vacate(h);
    if (stopped)
        sched_group_wake(g);
    g->owner->ended(h, how, value);
}

void sched_hart_stop(struct sched_hart *h)
{
    if (h->state == HART_RUNNING)
        h->state = HART_ENDING;
    else if (!sched_hart_runs(h) && !sched_hart_rests(h))
        sched_hart_end(h, END_FINISH, 0);
}
