/* The lock, the clock, and the workers to call when the lock is given back. */
#include "sched/lock.h"

#include <errno.h>
#include <time.h>

#include "sched/sched.h"

static struct {
    pthread_mutex_t lock;
    bool forked;
} sched = {.lock = PTHREAD_MUTEX_INITIALIZER};

pthread_cond_t workers_called = PTHREAD_COND_INITIALIZER;
unsigned workers_due;

static void call_workers(void)
{
    for (; workers_due > 0; workers_due--)
        pthread_cond_signal(&workers_called);
}

void sched_lock(void)
{
    pthread_mutex_lock(&sched.lock);
}

/* Who is called needs the lock, so it is given back first. */
void sched_unlock(void)
{
    unsigned due = workers_due;
    workers_due = 0;
    pthread_mutex_unlock(&sched.lock);
    for (; due > 0; due--)
        pthread_cond_signal(&workers_called);
}

uint64_t sched_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
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
    call_workers();
    if (deadline == SCHED_NEVER)
        return pthread_cond_wait(cond, &sched.lock) == 0;
    struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000u),
                             .tv_nsec = (long)(deadline % 1000000000u)};
    return pthread_cond_timedwait(cond, &sched.lock, &until) != ETIMEDOUT;
}

void worker_sleep(void)
{
    sched_wait(&workers_called, SCHED_NEVER);
}

void workers_wake(void)
{
    pthread_cond_broadcast(&workers_called);
}

void sched_forked(void)
{
    sched.forked = true;
    sched_cond_init(&workers_called); /* a signal might wait for those who slept there */
}

bool sched_is_forked(void)
{
    return sched.forked;
}
