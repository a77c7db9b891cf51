/* Head starts: the harts that have them, in the order of their beginning, and the waits for
 * them. */
#include "engine/sched/lead.h"

/* About as many instructions as a card's execution unit runs while a host call travels to the
 * card. */
#define LEAD_INSTRUCTIONS 65536u
/* Nanoseconds. A hart may be in a long call, such as a message to a host that does not read. */
#define LEAD_TIME 500000000u

static void expired(struct sched_timer *t);

static struct {
    struct list harts;
    uint64_t begun;            /* number of the last head start */
    struct sched_counter over; /* all head starts up to this number have ended */
    struct sched_timer timer;  /* runs as long as there is a wait */
    uint64_t watched;          /* head starts up to this number end when it expires */
} leads = {.harts = {&leads.harts, &leads.harts},
           .over.waits = {&leads.over.waits, &leads.over.waits},
           .timer = {.node = {&leads.timer.node, &leads.timer.node}, .expired = expired}};

static struct sched_hart *first(void)
{
    return owner_of(leads.harts.next, struct sched_hart, leads);
}

bool sched_lead_exists(void)
{
    return !list_empty(&leads.harts);
}

void sched_lead_begin(struct sched_hart *h)
{
    h->lead_number = ++leads.begun;
    h->lead = LEAD_INSTRUCTIONS;
    list_append(&leads.harts, &h->leads);
}

void sched_lead_end(struct sched_hart *h)
{
    list_remove(&h->leads);
    uint64_t over = sched_lead_exists() ? first()->lead_number - 1 : leads.begun;
    if (over == leads.over.value)
        return;
    sched_counter_set(&leads.over, over);
    if (list_empty(&leads.over.waits))
        sched_timer_stop(&leads.timer);
}

void sched_lead_spend(struct sched_hart *h, const struct slice *s)
{
    if (list_empty(&h->leads))
        return;
    if (s->end != SLICE_USED || s->instructions >= h->lead)
        sched_lead_end(h);
    else
        h->lead -= s->instructions;
}

static bool watch(void)
{
    leads.watched = leads.begun;
    return sched_timer_start(&leads.timer, dpk_now_ns() + LEAD_TIME);
}

static void expired(struct sched_timer *t)
{
    (void)t;
    while (sched_lead_exists() && first()->lead_number <= leads.watched)
        sched_lead_end(first());
    if (sched_lead_exists() && !list_empty(&leads.over.waits))
        (void)watch(); /* the timers' thread runs this, so it exists */
}

bool sched_follow(struct sched_wait *w)
{
    if (!sched_lead_exists() || (list_empty(&leads.over.waits) && !watch()))
        return false;
    w->threshold = leads.begun - 1;
    w->mask = UINT64_MAX;
    sched_wait_begin(w, &leads.over);
    return true;
}
