/* Doorbells in memory: kernels write them as they like, and a thread of the NIC finds what they wrote. */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "api/doca/core/gpu.h"

/* The functions of device headers ring the bell. Other device code only writes to memory, so the thread looks
 * there again after a pause: a short pause while kernels run. */
#define LOOKS   64u       /* times that the thread looks before it sleeps */
#define PAUSE   50000L    /* ns while kernels run */
#define NO_WORK 10000000L /* ns while no kernel runs */

static pthread_mutex_t life = PTHREAD_MUTEX_INITIALIZER; /* of the thread; taken first */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static LIST_HEAD(, dpk_gpu_doorbell) doorbells = LIST_HEAD_INITIALIZER(doorbells);
static struct doca_gpu_bell bell __attribute__((aligned(64)));
static pthread_t thread;
static atomic_bool ends;

struct doca_gpu_bell *dpk_gpu_doorbells(void)
{
    return &bell;
}

/* Returns true if a doorbell was rung. */
static bool look(void)
{
    struct dpk_gpu_doorbell *d;
    bool rung = false;
    pthread_mutex_lock(&lock);
    LIST_FOREACH(d, &doorbells, link)
    rung = d->look(d->context) || rung;
    pthread_mutex_unlock(&lock);
    return rung;
}

static void pause_for_ring(uint32_t known)
{
    const struct timespec most = {.tv_nsec = dpk_gpu_runs() ? PAUSE : NO_WORK};
    __atomic_store_n(&bell.asleep, 1, __ATOMIC_SEQ_CST);
    if (!atomic_load(&ends))
        syscall(SYS_futex, &bell.rings, FUTEX_WAIT, known, &most, NULL, 0);
    __atomic_store_n(&bell.asleep, 0, __ATOMIC_SEQ_CST);
}

static void *run(void *context)
{
    unsigned looks = 0;
    (void)context;
    while (!atomic_load(&ends)) {
        const uint32_t known = __atomic_load_n(&bell.rings, __ATOMIC_SEQ_CST);
        looks = look() ? 0 : looks + 1;
        if (looks < LOOKS)
            dpk_pause();
        else
            pause_for_ring(known);
    }
    return NULL;
}

bool dpk_gpu_doorbell_add(struct dpk_gpu_doorbell *d)
{
    pthread_mutex_lock(&life);
    bool good = true;
    if (LIST_EMPTY(&doorbells)) {
        atomic_store(&ends, false);
        good = dpk_pthread_start(&thread, run, NULL) == 0;
    }
    if (good) {
        pthread_mutex_lock(&lock);
        LIST_INSERT_HEAD(&doorbells, d, link);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_unlock(&life);
    return good;
}

void dpk_gpu_doorbell_remove(struct dpk_gpu_doorbell *d)
{
    pthread_mutex_lock(&life);
    pthread_mutex_lock(&lock);
    LIST_REMOVE(d, link);
    d->look(d->context);
    const bool last = LIST_EMPTY(&doorbells);
    pthread_mutex_unlock(&lock);
    if (last) {
        atomic_store(&ends, true);
        dpk_gpu_ring(&bell);
        pthread_join(thread, NULL);
    }
    pthread_mutex_unlock(&life);
}
