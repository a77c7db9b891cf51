#include "engine/proc/stall.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Text ---- */

static void put_event(struct dpk_buf *b, const struct dpk_event *e, uint64_t threshold,
                      uint64_t mask)
{
    dpk_put_format(b, "event 0x%" PRIx64, e->name);
    if (mask != UINT64_MAX)
        dpk_put_format(b, " & 0x%" PRIx64, mask);
    dpk_put_format(b, " > %" PRIu64 " (is %" PRIu64 ")", threshold, e->counter.value & mask);
}

void dpk_event_put_wait(const struct dpk_event *e, uint64_t threshold, uint64_t mask,
                        struct dpk_buf *out)
{
    sched_lock();
    put_event(out, e, threshold, mask);
    sched_unlock();
}

static void put_stall(struct dpk_buf *b, const struct stall *s)
{
    if (s->launch != 0)
        dpk_put_format(b, "launch %" PRIu64, s->launch);
    else
        dpk_put_format(b, "the host");
    dpk_put_format(b, " waits for ");
    put_event(b, s->event, s->threshold, s->mask);
}

/* Returns whether the event has come, although the waiter may not run yet. */
static bool is_over(const struct stall *s)
{
    return sched_counter_exceeds(&s->event->counter, s->threshold, s->mask);
}

void proc_stalls_put(struct dpk_buf *b, const struct dpk_process *p, const char *before,
                     const char *between, const char *after)
{
    bool any = false;
    for (const struct list *n = p->stalls.next; n != &p->stalls; n = n->next) {
        const struct stall *s = owner_of(n, struct stall, in_process);
        if (is_over(s))
            continue;
        dpk_put_format(b, "%s%s", any ? between : "", before);
        put_stall(b, s);
        dpk_put_format(b, "%s", after);
        any = true;
    }
}

/* ---- The warning ---- */

static void warn(struct sched_timer *t)
{
    const struct stall *s = owner_of(t, struct stall, timer);
    struct dpk_process *p = s->process;
    struct dpk_buf text = {0};
    if (p->warned || p->debugger || p->failed != DPK_OK || is_over(s))
        return;
    p->warned = true;
    void (*tell)(const char *) = p->warn;
    dpk_put_format(&text, "program %.80s: ", dpk_image_app(p->image));
    put_stall(&text, s);
    dpk_put_format(&text, " since %" PRIu64 " s; dpadev ps -t shows what waits, dpa-c(7) when a wait ends",
                   p->warn_after / 1000000000u);
    dpk_put_u8(&text, '\0');
    sched_unlock(); /* printing may block */
    if (!text.failed)
        tell((const char *)text.data);
    dpk_buf_free(&text);
    sched_lock();
}

void proc_stall_begin(struct stall *s, struct dpk_process *p, const struct dpk_event *e,
                      uint64_t threshold, uint64_t mask, uint64_t launch)
{
    *s = (struct stall){
        .process = p, .event = e, .threshold = threshold, .mask = mask, .launch = launch};
    sched_timer_init(&s->timer, warn);
    list_init(&s->in_process);
    if (!p)
        return;
    /* Only the first launch waits. It is listed before the host's threads. */
    list_append(launch != 0 ? p->stalls.next : &p->stalls, &s->in_process);
    if (p->warn && !p->warned)
        (void)sched_timer_start(&s->timer, dpk_now_ns() + p->warn_after);
}

void proc_stall_end(struct stall *s)
{
    if (!s->event)
        return;
    sched_timer_stop(&s->timer);
    list_remove(&s->in_process);
    s->event = NULL;
}
