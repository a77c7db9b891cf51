/* Starts threads, and shares the rounds of a loop among threads. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"

#define THREADS_MAX 256u

int dpk_pthread_start(pthread_t *out, void *(*run)(void *), void *context)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t others, before;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&others, faults[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    int error = pthread_create(out, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

struct loop {
    void (*job)(void *context, size_t index);
    void *context;
    size_t count;
    atomic_size_t next;
};

static void *run(void *argument)
{
    struct loop *l = argument;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->count;)
        l->job(l->context, i);
    return NULL;
}

unsigned dpk_cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > 0 ? (unsigned)n : 1;
}

static unsigned threads_of(unsigned threads)
{
    if (threads == 0)
        threads = dpk_cores();
    return threads > THREADS_MAX ? THREADS_MAX : threads;
}

unsigned dpk_parallel_share(size_t count, unsigned threads)
{
    threads = threads_of(threads);
    if (count == 0)
        return threads;
    return count >= threads ? 1 : (threads + (unsigned)count - 1) / (unsigned)count;
}

void dpk_parallel(size_t count, unsigned threads, void (*job)(void *context, size_t index),
                  void *context)
{
    struct loop l = {.job = job, .context = context, .count = count};
    pthread_t helpers[THREADS_MAX];
    unsigned started = 0;
    threads = threads_of(threads);
    while (started + 1 < threads && started + 1 < count &&
           pthread_create(&helpers[started], NULL, run, &l) == 0)
        started++;
    run(&l);
    while (started > 0)
        pthread_join(helpers[--started], NULL);
}
