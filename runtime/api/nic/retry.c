/* Retries messages that wait for a receive, as a card does if a receiver is not ready. This is
 * necessary because a program posts a receive by writing a doorbell record, which does not call the
 * device. */
#include <time.h>
#include <unistd.h>

#include "private.h"

#include <pthread.h>
#include <stdlib.h>

#define PERIOD_NS 1000000

struct retry {
    struct dpk_queues *queues;
    pid_t owner; /* a child of fork() does not have the thread */
    pthread_t thread;
    pthread_mutex_t lock; /* guards the following; inside the queues' lock */
    pthread_cond_t changed;
    bool runs, wanted, ends;
};

struct retry *nic_retry_new(struct dpk_queues *queues)
{
    struct retry *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->queues = queues;
    r->owner = getpid();
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    return r;
}

/* Returns false if the thread must end. */
static bool await_wish(struct retry *r)
{
    pthread_mutex_lock(&r->lock);
    while (!r->wanted && !r->ends)
        pthread_cond_wait(&r->changed, &r->lock);
    bool goes_on = !r->ends;
    r->wanted = false;
    pthread_mutex_unlock(&r->lock);
    return goes_on;
}

static void *retry_main(void *context)
{
    const struct timespec period = {.tv_nsec = PERIOD_NS};
    struct retry *r = context;
    while (await_wish(r)) {
        nanosleep(&period, NULL);
        dpk_queues_kick(r->queues, NULL); /* requests another retry if messages still wait */
    }
    return NULL;
}

void nic_retry_soon(struct retry *r)
{
    if (r->owner != getpid())
        return;
    pthread_mutex_lock(&r->lock);
    r->wanted = true;
    if (!r->runs)
        r->runs = dpk_pthread_start(&r->thread, retry_main, r) == 0;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

void nic_retry_end(struct retry *r)
{
    if (!r)
        return;
    if (r->owner == getpid()) {
        pthread_mutex_lock(&r->lock);
        bool runs = r->runs;
        r->ends = true;
        pthread_cond_signal(&r->changed);
        pthread_mutex_unlock(&r->lock);
        if (runs)
            pthread_join(r->thread, NULL);
        pthread_cond_destroy(&r->changed);
        pthread_mutex_destroy(&r->lock);
    }
    free(r);
}
