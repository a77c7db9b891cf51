/* The lock, its condition variables, and the workers to call when the lock is released. */
#include "engine/sched/lock.h"

#include <errno.h>
#include <time.h>

#include "engine/sched/sched.h"

static struct {
    pthread_mutex_t lock;
    bool forked;
} sched = {.lock = PTHREAD_MUTEX_INITIALIZER};

pthread_cond_t sched_workers_called = PTHREAD_COND_INITIALIZER;
unsigned sched_workers_due;

/* A worker without work polls before it sleeps, if workers are called often: waking a thread on an
 * idle processor takes longer than most activations. One worker polls at a time. */
#define POLL_NS     200000u /* for this time, if the last two calls came within it */
#define POLL_PAUSES 16u
#define TAKEN_NS    50000u /* between two clock readings: the processor was taken away */
static struct {
    bool allowed;
    atomic_bool polls;     /* a worker polls; changed with the lock */
    uint64_t woken, apart; /* time of the last call of a worker, and distance to the call before */
} idle;

/* Returns the number of due workers, except a worker that polls, which needs no signal. */
static unsigned take_due(void)
{
    unsigned due = sched_workers_due;
    sched_workers_due = 0;
    if (due > 0 && atomic_exchange(&idle.polls, false))
        due--;
    return due;
}

static void signal_workers(unsigned due)
{
    for (; due > 0; due--)
        pthread_cond_signal(&sched_workers_called);
}

void sched_lock(void)
{
    pthread_mutex_lock(&sched.lock);
}

/* Called workers need the lock, so it is released first. */
void sched_unlock(void)
{
    const unsigned due = take_due();
    pthread_mutex_unlock(&sched.lock);
    signal_workers(due);
}

void sched_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

bool sched_wait(pthread_cond_t *cond, uint64_t deadline)
{
    signal_workers(take_due());
    if (deadline == SCHED_NEVER)
        return pthread_cond_wait(cond, &sched.lock) == 0;
    struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000u),
                             .tv_nsec = (long)(deadline % 1000000000u)};
    return pthread_cond_timedwait(cond, &sched.lock, &until) != ETIMEDOUT;
}

/* ---- Workers without work ---- */

void sched_workers_may_poll(bool may)
{
    idle.allowed = may && dpk_cores() > 1;
}

/* Returns false if no call came, or if other host threads need the processor. */
static bool poll_for_call(void)
{
    uint64_t now = dpk_now_ns(), last = now;
    const uint64_t end = now + POLL_NS;
    atomic_store(&idle.polls, true);
    sched_unlock();
    while (atomic_load(&idle.polls) && now < end && now - last < TAKEN_NS) {
        for (unsigned i = 0; i < POLL_PAUSES; i++)
            dpk_pause();
        last = now;
        now = dpk_now_ns();
    }
    sched_lock();
    return !atomic_exchange(&idle.polls, false);
}

void sched_worker_sleep(bool polls)
{
    if (!polls || !idle.allowed || idle.apart > POLL_NS || idle.polls || !poll_for_call())
        sched_wait(&sched_workers_called, SCHED_NEVER);
    const uint64_t now = dpk_now_ns();
    idle.apart = now - idle.woken;
    idle.woken = now;
}

void sched_workers_wake(void)
{
    atomic_store(&idle.polls, false);
    pthread_cond_broadcast(&sched_workers_called);
}

void sched_forked(void)
{
    sched.forked = true;
    atomic_store(&idle.polls, false);
    sched_cond_init(&sched_workers_called); /* a signal might wait for threads that slept there */
}

bool sched_is_forked(void)
{
    return sched.forked;
}
