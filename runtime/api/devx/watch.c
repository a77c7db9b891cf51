/* Doorbells of queue pairs: a thread looks at their records, which the CPU and kernels of a GPU write. What they
 * write to a UAR says the same, and has no effect. */
#include <stdatomic.h>
#include <time.h>

#include "queue.h"

/* The thread looks again and again while doorbells are rung, after short pauses soon after that, and after long
 * pauses later. */
#define LOOKS       64u      /* times before a pause */
#define SHORT_PAUSE 50000L   /* ns */
#define LONG_PAUSE  2000000L /* ns */
#define SHORT_ONES  2000u    /* short pauses before long pauses: 0.1 s */

static pthread_mutex_t life = PTHREAD_MUTEX_INITIALIZER; /* of the thread; taken first */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static LIST_HEAD(, devx_pair) pairs = LIST_HEAD_INITIALIZER(pairs);
static pthread_t thread;
static atomic_bool ends;

static bool look(void)
{
    struct devx_pair *p;
    bool rung = false;
    pthread_mutex_lock(&lock);
    LIST_FOREACH(p, &pairs, watched)
    rung = devx_pair_look(p) || rung;
    pthread_mutex_unlock(&lock);
    return rung;
}

static void *run(void *context)
{
    unsigned looks = 0;
    (void)context;
    while (!atomic_load(&ends)) {
        looks = look() ? 0 : looks + 1;
        if (looks <= LOOKS) {
            dpk_pause();
            continue;
        }
        const bool soon = looks <= LOOKS + SHORT_ONES;
        looks -= !soon; /* it stays at the long pauses */
        nanosleep(&(struct timespec){.tv_nsec = soon ? SHORT_PAUSE : LONG_PAUSE}, NULL);
    }
    return NULL;
}

bool devx_watch(struct devx_pair *p)
{
    pthread_mutex_lock(&life);
    bool good = true;
    if (LIST_EMPTY(&pairs)) {
        atomic_store(&ends, false);
        good = dpk_pthread_start(&thread, run, NULL) == 0;
    }
    if (good) {
        pthread_mutex_lock(&lock);
        LIST_INSERT_HEAD(&pairs, p, watched);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_unlock(&life);
    return good;
}

void devx_unwatch(struct devx_pair *p)
{
    pthread_mutex_lock(&life);
    pthread_mutex_lock(&lock);
    LIST_REMOVE(p, watched);
    const bool last = LIST_EMPTY(&pairs);
    pthread_mutex_unlock(&lock);
    if (last) {
        atomic_store(&ends, true);
        pthread_join(thread, NULL);
    }
    pthread_mutex_unlock(&life);
}
