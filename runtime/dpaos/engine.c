/* The scheduler: a run queue, worker threads that take turns on it, the run-time limit. */
#include "dpaos/engine.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NEVER       UINT64_MAX
#define WORKERS_MAX 256

struct engine dpaos_engine = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .quiet = PTHREAD_COND_INITIALIZER,
    .queue = {&dpaos_engine.queue, &dpaos_engine.queue},
    .active = {&dpaos_engine.active, &dpaos_engine.active},
    .kernels = {.pending = {&dpaos_engine.kernels.pending, &dpaos_engine.kernels.pending},
                .max = DPK_THREADS_MAX},
    .calls = {.pending = {&dpaos_engine.calls.pending, &dpaos_engine.calls.pending},
              .max = DPK_CALLS_MAX},
    .next_deadline = NEVER,
};

static struct engine *const engine = &dpaos_engine;

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

static void cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

/* False when `deadline` has passed. */
static bool cond_wait(pthread_cond_t *cond, uint64_t deadline)
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
    cond_init(&w->cond);
    w->satisfied = false;
    w->wait.who = WAIT_HOST;
    list_init(&w->wait.node);
    list_init(&w->in_process);
    if (p) {
        p->users++;
        list_append(&p->host_waits, &w->in_process);
    }
}

bool host_wait_sleep(struct host_wait *w, uint64_t deadline)
{
    return cond_wait(&w->cond, deadline ? deadline : NEVER);
}

void host_wait_end(struct host_wait *w, struct dpk_process *p)
{
    list_remove(&w->wait.node);
    list_remove(&w->in_process);
    pthread_cond_destroy(&w->cond);
    if (p)
        process_leave(p);
    pthread_setcancelstate(w->cancel_state, NULL);
}

/* ---- Turns ---------------------------------------------------------------------------------- */

void engine_enqueue(struct thread *t)
{
    t->state = THREAD_QUEUED;
    list_append(&engine->queue, &t->queued);
    pthread_cond_signal(&engine->work);
}

static void overrun(struct thread *t)
{
    char place[200], story[400];
    turn_place(t, place, sizeof place);
    snprintf(story, sizeof story, "thread %u: run-time limit of %llu ms reached,%s", t->slot,
             (unsigned long long)(t->process->limit / 1000000u), place);
    process_fail(t->process, DPK_ERR_TIMEOUT, story);
}

/* Fails the processes of threads that are over their limit. A running one is told at the end of
 * its turn: its registers are not ours to look at. */
static void expire(uint64_t now)
{
    struct thread *late;
    do {
        late = NULL;
        engine->next_deadline = NEVER;
        for (struct list *n = engine->active.next; n != &engine->active; n = n->next) {
            struct thread *t = owner_of(n, struct thread, active);
            if (t->deadline > now) {
                if (t->deadline < engine->next_deadline)
                    engine->next_deadline = t->deadline;
            } else if (t->state != THREAD_RUNNING) {
                late = t;
            }
        }
        if (late)
            overrun(late);
    } while (late);
}

/* What follows from a turn of `t` that left it without a unit. */
static void settle(struct thread *t, const struct outcome *o)
{
    struct dpk_process *p = t->process;
    if (p->failed == DPK_OK && o->how == TURN_FAULT)
        process_fail(p, DPK_ERR_FAULT, o->story);
    else if (p->failed == DPK_OK && o->how != TURN_DONE && engine_now() >= t->deadline)
        overrun(t);
    if (p->failed != DPK_OK || o->how == TURN_DONE) {
        thread_end(t, o->value);
    } else if (o->how == TURN_BLOCK && !event_satisfies(o->event, o->threshold, o->mask)) {
        t->state = THREAD_BLOCKED;
        t->wait.threshold = o->threshold;
        t->wait.mask = o->mask;
        list_append(&o->event->waits, &t->wait.node);
    } else {
        engine_enqueue(t);
    }
}

/* Whether `t` may keep its unit for another turn; a call that its caller runs does without asking,
 * for nobody else would get the caller's thread. */
static bool goes_on(const struct thread *t, const struct outcome *o, bool own_unit)
{
    uint64_t now = engine_now();
    if (now >= engine->next_deadline)
        expire(now);
    if (t->process->failed != DPK_OK || now >= t->deadline)
        return false;
    if (!own_unit && !list_empty(&engine->queue))
        return false;
    return o->how == TURN_AGAIN ||
           (o->how == TURN_BLOCK && event_satisfies(o->event, o->threshold, o->mask));
}

bool engine_may_run(void)
{
    return engine->units > 1 || (engine->running == 0 && list_empty(&engine->queue));
}

void engine_run(struct thread *t, bool by_caller)
{
    struct dpk_process *p = t->process;
    struct outcome o;
    t->state = THREAD_RUNNING;
    engine->running++;
    p->users++;
    do {
        uint64_t before = t->hart.instret;
        engine_unlock();
        turn_run(t, &o);
        engine_lock();
        p->instructions += t->hart.instret - before;
    } while (goes_on(t, &o, by_caller && engine->units > 1));
    engine->running--;
    settle(t, &o);
    if (!list_empty(&engine->queue))
        pthread_cond_signal(&engine->work);
    process_leave(p);
}

/* ---- Workers -------------------------------------------------------------------------------- */

static void *worker(void *unused)
{
    engine_lock();
    while (!engine->stop) {
        uint64_t now = engine_now();
        if (now >= engine->next_deadline)
            expire(now);
        if (!list_empty(&engine->queue) && (engine->units > 1 || engine->running == 0)) {
            struct thread *t = owner_of(engine->queue.next, struct thread, queued);
            list_remove(&t->queued);
            engine_run(t, false);
        } else {
            cond_wait(&engine->work, engine->next_deadline);
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
        engine->workers = calloc(engine->units, sizeof *engine->workers);
    if (!engine->workers)
        return false;
    /* Signals are the application's: none of its handlers runs on a worker. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (engine->worker_count < engine->units &&
           pthread_create(&engine->workers[engine->worker_count], NULL, worker, NULL) == 0)
        engine->worker_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return engine->worker_count > 0;
}

/* ---- Life ----------------------------------------------------------------------------------- */

static enum dpk_status count_units(unsigned *units, struct dpk_error *err)
{
    const char *wanted = getenv("DPAKIT_WORKERS");
    if (wanted && *wanted) {
        char *end;
        errno = 0;
        unsigned long n = strtoul(wanted, &end, 10);
        if (*end || errno || wanted[0] < '0' || wanted[0] > '9' || n < 1 || n > WORKERS_MAX)
            return dpk_fail(err, DPK_ERR_USAGE, "DPAKIT_WORKERS=%s is not a number from 1 to %d",
                            wanted, WORKERS_MAX);
        *units = (unsigned)n;
        return DPK_OK;
    }
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    *units = n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
    return DPK_OK;
}

/* A child has no workers, and what they were at when it came to be is not known. */
static void forked_child(void)
{
    engine->forked |= engine->processes > 0;
    engine_unlock();
}

enum dpk_status engine_enter(struct dpk_error *err)
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
    if (engine->processes == 0 && (status = count_units(&engine->units, err)) == DPK_OK)
        cond_init(&engine->work);
    if (status == DPK_OK)
        engine->processes++;
    engine_unlock();
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
    for (unsigned i = 0; i < engine->worker_count; i++)
        pthread_join(engine->workers[i], NULL);
    engine_lock();
    free(engine->workers);
    engine->workers = NULL;
    engine->worker_count = 0;
    engine->next_deadline = NEVER;
    pthread_cond_destroy(&engine->work);
    engine->stop = false;
    pthread_cond_broadcast(&engine->quiet);
    engine_unlock();
}
