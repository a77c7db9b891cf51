/* The scheduler: a run queue, worker threads that take turns on it. */
#include "proc/engine.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORKERS_MAX 256
#define POLL_MAX    50000u /* nanoseconds that a turn of a thread that polls counts at most */

struct engine the_engine = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .quiet = PTHREAD_COND_INITIALIZER,
    .queue = {&the_engine.queue, &the_engine.queue},
    .all = {&the_engine.all, &the_engine.all},
    .kernels = {&the_engine.kernels, &the_engine.kernels},
    .calls = {&the_engine.calls, &the_engine.calls},
    .blocked = {&the_engine.blocked, &the_engine.blocked},
    .untold = {&the_engine.untold, &the_engine.untold},
    .no_eu = {&the_engine.no_eu, &the_engine.no_eu},
};

static struct engine *const engine = &the_engine;

uint64_t engine_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void engine_lock(void)
{
    pthread_mutex_lock(&engine->lock);
}

void engine_unlock(void)
{
    pthread_mutex_unlock(&engine->lock);
}

/* ---- Waiting with a deadline ---------------------------------------------------------------- */

void engine_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

bool engine_cond_wait(pthread_cond_t *cond, uint64_t deadline)
{
    if (deadline == NEVER)
        return pthread_cond_wait(cond, &engine->lock) == 0;
    struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000u),
                             .tv_nsec = (long)(deadline % 1000000000u)};
    return pthread_cond_timedwait(cond, &engine->lock, &until) != ETIMEDOUT;
}

void host_wait_begin(struct host_wait *w, struct dpk_process *p)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &w->cancel_state);
    engine_cond_init(&w->cond);
    w->satisfied = false;
    w->process = p;
    w->own = NULL;
    w->deadline = NEVER;
    w->wait.who = WAIT_HOST;
    w->event = NULL;
    list_init(&w->wait.node);
    list_init(&w->wait.untold);
    list_init(&w->in_process);
    if (p) {
        p->users++;
        list_append(&p->host_waits, &w->in_process);
    }
}

void host_wait_sleep(struct host_wait *w)
{
    engine_cond_wait(&w->cond, NEVER);
}

void host_wait_wake(struct host_wait *w)
{
    w->woken = true;
    pthread_cond_signal(&w->cond);
}

static bool is_late(const struct host_wait *w)
{
    return w->deadline != NEVER && engine_now() >= w->deadline;
}

/* A host thread that may have run something goes: what it could have taken next is for a worker.
 * Those that only poll have theirs. */
static void leave_queue(void)
{
    if (!list_empty(&engine->queue) && !owner_of(engine->queue.next, struct thread, queued)->polls)
        pthread_cond_signal(&engine->work);
}

void host_wait_end(struct host_wait *w)
{
    leave_queue();
    list_remove(&w->wait.node);
    list_remove(&w->wait.untold);
    list_remove(&w->in_process);
    pthread_cond_destroy(&w->cond);
    if (w->process)
        process_leave(w->process);
    pthread_setcancelstate(w->cancel_state, NULL);
}

/* ---- Turns ---------------------------------------------------------------------------------- */

static void keep_still(struct thread *t)
{
    list_append(&t->process->held, &t->queued);
    pthread_cond_broadcast(&t->process->still);
}

/* Quietly: no worker need come for it; the one that ran it goes on. `polls` says so as long as it
 * is in the queue: whatever it did before, a thread that somebody is called for is not such a one.
 */
static void enqueue(struct thread *t, bool quietly)
{
    t->state = THREAD_QUEUED;
    t->polls &= quietly;
    if (!debug_may_run(t)) {
        keep_still(t);
        return;
    }
    bool taken = engine->takes_next && list_empty(&engine->queue);
    list_append(&engine->queue, &t->queued);
    if (!quietly && !taken)
        pthread_cond_signal(&engine->work);
}

void engine_enqueue(struct thread *t)
{
    enqueue(t, false);
}

static void turn_failed(struct thread *t, const struct outcome *o)
{
    struct dpk_process *p = t->process;
    p->culprit = t;
    p->ended_itself = o->ends_process;
    process_fail(p, DPK_ERR_FAULT, o->story);
}

/* Of last words nothing follows. */
static bool ended_badly(const struct thread *t, const struct outcome *o)
{
    return t->last_words && (o->how == TURN_FAULT || limit_reached(t));
}

/* What follows from a turn of `t` that left it without a unit. */
static void settle(struct thread *t, const struct outcome *o)
{
    struct dpk_process *p = t->process;
    if (o->stop.how != DPK_STOP_NONE)
        debug_stop(t, &o->stop);
    if (p->failed == DPK_OK && o->how == TURN_FAULT)
        turn_failed(t, o);
    else if (p->failed == DPK_OK && o->how != TURN_DONE && limit_reached(t))
        limit_fail(t);
    if (thread_is_doomed(t) || t->stopping || o->how == TURN_DONE || ended_badly(t, o)) {
        thread_end(t, o->end, o->value);
    } else if (o->how == TURN_BLOCK && !event_satisfies(o->event, o->threshold, o->mask)) {
        t->state = THREAD_BLOCKED;
        t->wait.threshold = o->threshold;
        t->wait.mask = o->mask;
        list_append(&o->event->waits, &t->wait.node);
        watchdog_begin(t, o->event);
    } else {
        enqueue(t, t->polls);
    }
}

/* Threads that only poll share one worker: there they wait for each other, and not for the host to
 * run both workers. */
static bool shares_worker(const struct outcome *o)
{
    return o->polls && engine->polling > 1;
}

/* The host thread that runs `t` meanwhile has other things to do, or is one too many: it only takes
 * the place of a worker that sleeps. */
static bool loses_runner(const struct thread *t)
{
    return t->runner && (t->for_workers || t->runner->woken || is_late(t->runner) ||
                         engine->running > engine->workers_max);
}

/* Whether `t` may keep its unit for another turn; a call that its caller runs does without asking,
 * for nobody else would get the caller's thread. */
static bool goes_on(const struct thread *t, const struct outcome *o, bool own_unit)
{
    if (thread_is_doomed(t) || t->stopping || limit_reached(t) || !debug_may_run(t) ||
        o->stop.how != DPK_STOP_NONE)
        return false;
    if (!own_unit && (!list_empty(&engine->queue) || shares_worker(o) || loses_runner(t)))
        return false;
    return o->how == TURN_AGAIN ||
           (o->how == TURN_BLOCK && event_satisfies(o->event, o->threshold, o->mask));
}

bool engine_may_run(void)
{
    return engine->workers_max > 1 || (engine->running == 0 && list_empty(&engine->queue));
}

static uint64_t processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t clock_of(bool polls)
{
    return polls ? engine_now() : processor_time();
}

/* Counts the time since `from` in *took, but not that of the first turn, which is short: most calls
 * end with it, and asking for the time takes longer than they. Nor is that of a thread that polled
 * before taken too seriously: the clock that can be read quickly goes on while the host runs
 * others. */
static uint64_t charge(struct thread *t, const struct outcome *o, uint64_t from, bool polls,
                       uint64_t *took)
{
    *took = 0;
    if (o->how == TURN_DONE)
        return from;
    uint64_t now = clock_of(polls);
    if (t->begun)
        *took = polls && now - from > POLL_MAX ? POLL_MAX : now - from;
    t->begun = true;
    return now;
}

/* Whether it only polls now; a host thread is no worker. */
static void note_polling(struct thread *t, bool polls, bool by_host)
{
    t->for_workers |= polls;
    if (by_host || t->polls == polls)
        return;
    t->polls = polls;
    if (polls)
        engine->polling++;
    else
        engine->polling--;
}

bool engine_run(struct thread *t, const struct host_wait *w)
{
    struct dpk_process *p = t->process;
    struct outcome o;
    const bool polls = t->polls && t->begun, own = w && w->own == t;
    uint64_t from = t->begun ? clock_of(polls) : 0, begin = tracing() ? engine_now() : 0;
    t->state = THREAD_RUNNING;
    engine->running++;
    t->polls = false;
    t->runner = own ? NULL : w;
    note_polling(t, polls, w);
    p->users++;
    p->turns++;
    do {
        uint64_t before = t->hart.instret, took;
        engine_unlock();
        turn_run(t, &o);
        from = charge(t, &o, from, polls, &took);
        engine_lock();
        limit_count(t, took);
        p->instructions += t->hart.instret - before;
        t->retired = t->hart.instret;
        note_polling(t, o.polls, w);
    } while (goes_on(t, &o, own && engine->workers_max > 1));
    engine->running--;
    bool rests = !w && shares_worker(&o) && list_empty(&engine->queue);
    if (t->polls)
        engine->polling--;
    if (tracing())
        trace_turn(t, begin);
    engine->takes_next = !rests;
    settle(t, &o);
    engine->takes_next = false;
    p->turns--;
    debug_settled(p);
    if (tracing() && engine->running == 0)
        dpk_trace_flush(engine->trace);
    if (!w && !o.polls && list_has_more(&engine->queue))
        pthread_cond_signal(&engine->work);
    process_leave(p);
    return rests;
}

/* ---- Workers -------------------------------------------------------------------------------- */

/* The first in the queue, behind those that somebody has come to hold meanwhile; NULL: none. */
static struct thread *first_in_queue(void)
{
    while (!list_empty(&engine->queue)) {
        struct thread *t = owner_of(engine->queue.next, struct thread, queued);
        if (debug_may_run(t))
            return t;
        list_remove(&t->queued);
        keep_still(t);
    }
    return NULL;
}

/* Host threads take the places of workers that sleep. One worker does everything by itself, so that
 * runs are deterministic. */
static bool hosts_may_run(const struct dpk_process *p)
{
    return engine->workers_max > 1 && engine->running < engine->workers_max && p->holds == 0 &&
           !p->debugger;
}

/* What a host thread may run while it waits: what is of its process, and keeps it from nothing. */
static struct thread *first_for(const struct host_wait *w)
{
    struct thread *t = w->process && hosts_may_run(w->process) ? first_in_queue() : NULL;
    return t && t->process == w->process && !t->for_workers ? t : NULL;
}

bool host_wait_work(struct host_wait *w)
{
    struct thread *t = first_for(w);
    w->woken = false;
    if (!t) {
        leave_queue();
        return engine_cond_wait(&w->cond, w->deadline);
    }
    list_remove(&t->queued);
    engine_run(t, w);
    return !is_late(w);
}

bool engine_takes(const struct dpk_process *p)
{
    engine->takes_next = hosts_may_run(p) && list_empty(&engine->queue);
    return engine->takes_next;
}

void engine_run_taken(void)
{
    static const struct host_wait in_a_hurry = {.woken = true, .deadline = NEVER};
    struct thread *t = first_in_queue();
    int cancel_state;
    engine->takes_next = false;
    if (!t)
        return;
    list_remove(&t->queued);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    engine_run(t, &in_a_hurry);
    leave_queue();
    pthread_setcancelstate(cancel_state, NULL);
}

static void *worker(void *unused)
{
    bool rests = false; /* what is in the queue is for another worker */
    engine_lock();
    while (!engine->stop) {
        bool may = !rests && (engine->workers_max > 1 || engine->running == 0);
        struct thread *t = may ? first_in_queue() : NULL;
        if (t) {
            list_remove(&t->queued);
            rests = engine_run(t, NULL);
        } else {
            engine_cond_wait(&engine->work, NEVER);
            rests = false;
        }
    }
    engine_unlock();
    return unused;
}

bool engine_start_workers(void)
{
    if (engine->worker_count)
        return true;
    if (!engine->workers)
        engine->workers = calloc(engine->workers_max, sizeof *engine->workers);
    if (!engine->workers)
        return false;
    while (engine->worker_count < engine->workers_max &&
           dpk_pthread_start(&engine->workers[engine->worker_count], worker, NULL) == 0)
        engine->worker_count++;
    return engine->worker_count > 0;
}

/* ---- Life ----------------------------------------------------------------------------------- */

static enum dpk_status count_workers(unsigned *workers, struct dpk_error *err)
{
    const char *wanted = getenv("DPAKIT_WORKERS");
    if (wanted && *wanted) {
        char *end;
        errno = 0;
        unsigned long n = strtoul(wanted, &end, 10);
        if (*end || errno || wanted[0] < '0' || wanted[0] > '9' || n < 1 || n > WORKERS_MAX)
            return dpk_fail(err, DPK_ERR_USAGE, "DPAKIT_WORKERS=%s is not a number from 1 to %d",
                            wanted, WORKERS_MAX);
        *workers = (unsigned)n;
        return DPK_OK;
    }
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    *workers = n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
    return DPK_OK;
}

/* A child has no workers, and what they were at when it came to be is not known. */
static void forked_child(void)
{
    if (engine->processes > 0) {
        engine->forked = true;
        engine_cond_init(&engine->work); /* a signal might wait for those who slept there */
        for (struct list *n = engine->all.next; n != &engine->all; n = n->next)
            process_nothing_in_flight(owner_of(n, struct dpk_process, in_engine));
    }
    engine_unlock();
}

/* Nothing else is lost when it cannot be had, so that it is only told, and once. */
static void start_service(void (*notice)(const char *text))
{
    struct dpk_error why = {0};
    struct service *service = service_start(&why);
    char text[sizeof why.message + 64];
    engine_lock();
    engine->service = service;
    bool tell = !service && notice && !engine->service_missed;
    engine->service_missed |= tell;
    engine_unlock();
    if (!tell)
        return;
    snprintf(text, sizeof text, "dpadev ps and dpa-gdbserver do not find this program: %s",
             why.message);
    notice(text);
}

enum dpk_status engine_enter(void (*notice)(const char *text), struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    engine_lock();
    if (!engine->watches_forks)
        engine->watches_forks = pthread_atfork(engine_lock, engine_unlock, forked_child) == 0;
    if (engine->forked) {
        engine_unlock();
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "the DPA belongs to the process that forked this one");
    }
    while (engine->stop)
        pthread_cond_wait(&engine->quiet, &engine->lock);
    if (engine->processes == 0) {
        status = trace_begin(err);
        if (status == DPK_OK)
            status = count_workers(&engine->workers_max, err);
        if (status == DPK_OK)
            status = eu_configure(err);
        if (status == DPK_OK)
            engine_cond_init(&engine->work);
    }
    bool first = status == DPK_OK && engine->processes++ == 0;
    engine_unlock();
    if (first)
        start_service(notice);
    return status;
}

void engine_leave(void)
{
    engine_lock();
    if (--engine->processes > 0) {
        engine_unlock();
        return;
    }
    engine->stop = true;
    pthread_cond_broadcast(&engine->work);
    engine_unlock();
    if (engine->trace)
        dpk_trace_flush(engine->trace);
    service_stop(engine->service);
    engine->service = NULL;
    watchdog_stop();
    for (unsigned i = 0; i < engine->worker_count; i++)
        pthread_join(engine->workers[i], NULL);
    engine_lock();
    free(engine->workers);
    engine->workers = NULL;
    engine->worker_count = 0;
    pthread_cond_destroy(&engine->work);
    engine->stop = false;
    pthread_cond_broadcast(&engine->quiet);
    engine_unlock();
}
