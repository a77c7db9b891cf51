/* Doorbells of queue pairs: a thread looks at their records, which the CPU and kernels of a GPU write. What they
 * write to a UAR says the same, and has no effect. */
#include <endian.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "net/queues/queues.h"
#include "queue.h"

#define SEND_AT 4u /* of the number of sends in a doorbell record */

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

static uint32_t record_word(const struct devx_pair *p, uint64_t at)
{
    uint32_t word = 0;
    p->q.record.ops.load(&p->q.record.ops, p->record_at + at, &word, sizeof word);
    return word;
}

bool devx_look(struct devx_pair *p)
{
    const uint32_t now[2] = {record_word(p, 0), record_word(p, SEND_AT)};
    const bool active = p->state != IBV_QPS_RESET;
    const bool receives = active && now[0] != p->rung[0], sends = active && now[1] != p->rung[1];
    if (active)
        memcpy(p->rung, now, sizeof now);
    if (sends)
        dpk_queue_ring(p->q.queue, (uint16_t)be32toh(now[1]));
    if (receives)
        dpk_queues_kick(p->nic, NULL);
    return receives || sends;
}

/* Looks at the doorbell record. A change of the queue pair may wait for its peer, and must not stop the doorbells of
 * others: the thread looks again after the change. */
static bool look_at(struct devx_pair *p)
{
    if (pthread_mutex_trylock(&p->lock) != 0)
        return false;
    const bool rung = devx_look(p);
    pthread_mutex_unlock(&p->lock);
    return rung;
}

static bool look(void)
{
    struct devx_pair *p;
    bool rung = false;
    pthread_mutex_lock(&lock);
    LIST_FOREACH(p, &pairs, watched)
    rung = look_at(p) || rung;
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
    look_at(p);
    const bool last = LIST_EMPTY(&pairs);
    pthread_mutex_unlock(&lock);
    if (last) {
        atomic_store(&ends, true);
        pthread_join(thread, NULL);
    }
    pthread_mutex_unlock(&life);
}
