/* Waits that only an event can end: what is said of them to those who look, and once, by itself,
 * when the first of a process lasts long. Most of them wait for a value that never comes. */
#include <inttypes.h>
#include <stdio.h>

#include "proc/engine.h"

static struct engine *const engine = &the_engine;

/* ---- What they wait for ---------------------------------------------------------------------- */

static struct dpk_process *process_of(const struct wait *w)
{
    return w->who == WAIT_LAUNCH ? owner_of(w, struct launch, wait)->process
                                 : owner_of(w, struct host_wait, wait)->process;
}

static void put_event(struct dpk_buf *b, const struct dpk_event *e, uint64_t threshold,
                      uint64_t mask)
{
    dpk_put_format(b, "event 0x%" PRIx64, e->name);
    if (mask != UINT64_MAX)
        dpk_put_format(b, " & 0x%" PRIx64, mask);
    dpk_put_format(b, " > %" PRIu64 " (is %" PRIu64 ")", threshold, dpk_event_get(e) & mask);
}

void dpk_event_put_wait(const struct dpk_event *e, uint64_t threshold, uint64_t mask,
                        struct dpk_buf *out)
{
    engine_lock();
    put_event(out, e, threshold, mask);
    engine_unlock();
}

static void put_wait(struct dpk_buf *b, const struct wait *w)
{
    const struct dpk_event *e;
    if (w->who == WAIT_LAUNCH) {
        const struct launch *l = owner_of(w, struct launch, wait);
        dpk_put_format(b, "launch %" PRIu64, l->number);
        e = l->wait_event;
    } else {
        dpk_put_format(b, "the host");
        e = owner_of(w, struct host_wait, wait)->event;
    }
    dpk_put_format(b, " waits for ");
    put_event(b, e, w->threshold, w->mask);
}

/* `between`: what stands in front of every one but the first. */
void waits_put(struct dpk_buf *b, const struct dpk_process *p, const char *before,
               const char *between, const char *after)
{
    bool any = false;
    if (!list_empty(&p->launches)) { /* the others wait for the first */
        const struct launch *l = owner_of(p->launches.next, struct launch, in_process);
        if ((any = !list_empty(&l->wait.node))) {
            dpk_put_format(b, "%s", before);
            put_wait(b, &l->wait);
            dpk_put_format(b, "%s", after);
        }
    }
    for (const struct list *n = p->host_waits.next; n != &p->host_waits; n = n->next) {
        const struct host_wait *w = owner_of(n, struct host_wait, in_process);
        if (!w->event || w->deadline != NEVER || w->satisfied)
            continue;
        dpk_put_format(b, "%s%s", any ? between : "", before);
        put_wait(b, &w->wait);
        dpk_put_format(b, "%s", after);
        any = true;
    }
}

/* ---- Telling --------------------------------------------------------------------------------- */

void notice_begin(struct wait *w)
{
    const struct dpk_process *p = process_of(w);
    if (!p || !p->notice || p->noticed)
        return;
    w->tell_at = engine_now() + p->notice_after;
    struct list *before = engine->untold.prev;
    while (before != &engine->untold && owner_of(before, struct wait, untold)->tell_at > w->tell_at)
        before = before->prev;
    list_append(before->next, &w->untold);
    watchdog_look(w->tell_at);
}

uint64_t notice_next(void)
{
    return list_empty(&engine->untold)
               ? NEVER
               : owner_of(engine->untold.next, struct wait, untold)->tell_at;
}

void notice_tell(void)
{
    struct wait *w = owner_of(engine->untold.next, struct wait, untold);
    struct dpk_process *p = process_of(w);
    struct dpk_buf text = {0};
    list_remove(&w->untold);
    if (p->noticed || p->debugger || p->failed != DPK_OK)
        return;
    p->noticed = true;
    void (*notice)(const char *) = p->notice;
    dpk_put_format(&text, "program %.80s: ", dpk_image_app(p->image));
    put_wait(&text, w);
    dpk_put_format(&text, " since %" PRIu64 " s; dpadev ps -t shows what waits",
                   p->notice_after / 1000000000u);
    dpk_put_u8(&text, '\0');
    engine_unlock(); /* who prints may have to wait */
    if (!text.failed)
        notice((const char *)text.data);
    dpk_buf_free(&text);
    engine_lock();
}
