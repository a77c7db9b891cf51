/* The run-time limit, and the watchdog, which ends processes whose threads wait for an event longer
 * than they may run: on the card such a wait is a loop, so its time counts as any other. */
#include <inttypes.h>

#include "proc/engine.h"

/* Threads of a kernel run side by side on a card, and one after the other here: so the limit is
 * for the processor time of each. But many that loop would take long to have that. Together they
 * have this many times the limit on every worker: a time that hardly depends on their number, nor
 * on what else the machine does, and room for programs whose threads work hard. */
#define KERNEL_SHARE 10u

static struct engine *const engine = &the_engine;

/* ---- Running --------------------------------------------------------------------------------- */

void limit_count(struct thread *t, uint64_t took)
{
    t->ran += took;
    if (t->launch)
        t->launch->ran += took;
}

static bool kernel_reached(const struct thread *t)
{
    return t->launch && t->launch->ran / KERNEL_SHARE / engine->workers_max >= t->process->limit;
}

/* A debugger may take its time. */
bool limit_reached(const struct thread *t)
{
    return (t->ran >= t->process->limit || kernel_reached(t)) && !t->process->debugger;
}

void limit_fail(struct thread *t)
{
    struct dpk_process *p = t->process;
    char place[PLACE_MAX], others[100] = "", story[800];
    turn_place(t, place, sizeof place);
    if (t->ran < p->limit)
        snprintf(others, sizeof others,
                 " %u times over on each of %u workers by the %u threads of its kernel together,",
                 KERNEL_SHARE, engine->workers_max, t->launch->threads);
    snprintf(story, sizeof story, "thread %u: run-time limit of %" PRIu64 " ms reached,%s%s",
             t->slot, p->limit / 1000000u, others, place);
    p->culprit = t;
    process_fail(p, DPK_ERR_TIMEOUT, story);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static uint64_t deadline_of(const struct thread *t)
{
    uint64_t limit = t->process->limit;
    return t->blocked + (t->ran < limit ? limit - t->ran : 0);
}

/* By deadline. Most processes have the same limit: it is the last one's place, as a rule. */
static void insert(struct thread *t)
{
    struct list *before = engine->blocked.prev;
    t->deadline = deadline_of(t);
    while (before != &engine->blocked &&
           owner_of(before, struct thread, timed)->deadline > t->deadline)
        before = before->prev;
    list_append(before->next, &t->timed);
}

static struct thread *first(void)
{
    return list_empty(&engine->blocked) ? NULL
                                        : owner_of(engine->blocked.next, struct thread, timed);
}

static uint64_t handle_of(const struct dpk_process *p, const struct dpk_event *e)
{
    size_t i = 0;
    while (i < p->event_count && p->events[i] != e)
        i++;
    return i + 1;
}

static void expire(struct thread *t)
{
    struct dpk_process *p = t->process;
    if (p->debugger) { /* it may take its time */
        t->blocked = engine_now();
        insert(t);
        return;
    }
    if (t->last_words) {
        thread_end(t, END_FINISH, 0);
        return;
    }
    char place[PLACE_MAX], story[800];
    t->hart.pc -= 4; /* back on the ECALL */
    turn_place(t, place, sizeof place);
    snprintf(story, sizeof story,
             "thread %u: run-time limit of %" PRIu64
             " ms reached while it waited for event %" PRIu64 ", which is 0x%" PRIx64
             " (mask 0x%" PRIx64 "), to exceed 0x%" PRIx64 ",%s",
             t->slot, p->limit / 1000000u, handle_of(p, t->awaited), dpk_event_get(t->awaited),
             t->wait.mask, t->wait.threshold, place);
    p->culprit = t;
    process_fail(p, DPK_ERR_TIMEOUT, story);
}

static void *watch(void *unused)
{
    engine_lock();
    while (!engine->stop) {
        struct thread *t = first();
        uint64_t now = engine_now(), notice = notice_next();
        if (t && t->deadline <= now) {
            list_remove(&t->timed);
            expire(t);
        } else if (notice <= now) {
            notice_tell();
        } else {
            engine->watchdog_wakes = t && t->deadline < notice ? t->deadline : notice;
            engine_cond_wait(&engine->watchdog_turns, engine->watchdog_wakes);
        }
    }
    engine_unlock();
    return unused;
}

bool watchdog_look(uint64_t at)
{
    if (engine->watchdog_runs) {
        if (at < engine->watchdog_wakes)
            pthread_cond_signal(&engine->watchdog_turns);
        return true;
    }
    engine_cond_init(&engine->watchdog_turns);
    engine->watchdog_wakes = 0;
    engine->watchdog_runs = dpk_pthread_start(&engine->watchdog, watch, NULL) == 0;
    return engine->watchdog_runs;
}

void watchdog_begin(struct thread *t, struct dpk_event *e)
{
    t->awaited = e;
    t->blocked = engine_now();
    insert(t);
    if (!watchdog_look(t->deadline))
        process_fail(t->process, DPK_ERR_NOMEM, "the host gives no thread for the watchdog");
}

void watchdog_end(struct thread *t)
{
    list_remove(&t->timed);
    t->ran += engine_now() - t->blocked;
}

void watchdog_stop(void)
{
    if (!engine->watchdog_runs)
        return;
    engine_lock();
    pthread_cond_signal(&engine->watchdog_turns);
    engine_unlock();
    pthread_join(engine->watchdog, NULL);
    pthread_cond_destroy(&engine->watchdog_turns);
    engine->watchdog_runs = false;
}
