/* The NIC's thread of a send queue of kernels: it executes what they post. A kernel cannot do this
 * itself, because its stack is small. */
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "eth.h"

#define LOOKS      64u       /* times that the thread looks for sends before it sleeps */
#define EARLY_NS   200000u   /* a timed send is awaited actively from so long before it */
#define SLEEP_NS   10000000u /* longest sleep before a timed send, since the queue may stop */

struct eth_server {
    pthread_t thread;
    struct dpk_queue *queue;
    struct doca_gpu_eth_bell *bell;
    atomic_bool ends;
};

static void futex(uint32_t *word, int operation, uint32_t value)
{
    syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

void eth_server_ring(struct doca_gpu_eth_bell *bell)
{
    __atomic_add_fetch(&bell->rings, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&bell->asleep, __ATOMIC_SEQ_CST))
        futex(&bell->rings, FUTEX_WAKE, INT_MAX);
}

static uint64_t posted_of(const struct eth_server *s)
{
    return __atomic_load_n(&s->bell->posted, __ATOMIC_ACQUIRE);
}

/* Waits until more than `known` sends are posted, or the thread must end. */
static void await_sends(struct eth_server *s, uint64_t known)
{
    for (unsigned i = 0; i < LOOKS && posted_of(s) == known; i++)
        dpk_pause();
    while (posted_of(s) == known && !atomic_load(&s->ends)) {
        const uint32_t rings = __atomic_load_n(&s->bell->rings, __ATOMIC_SEQ_CST);
        __atomic_store_n(&s->bell->asleep, 1, __ATOMIC_SEQ_CST);
        if (posted_of(s) == known && !atomic_load(&s->ends))
            futex(&s->bell->rings, FUTEX_WAIT, rings);
        __atomic_store_n(&s->bell->asleep, 0, __ATOMIC_SEQ_CST);
    }
}

/* Waits for a time of the device's real-time clock, or until the thread must end. */
static void await_time(const struct eth_server *s, uint64_t due)
{
    uint64_t now;
    while ((now = dpk_real_time_ns()) < due && !atomic_load(&s->ends)) {
        const uint64_t left = due - now;
        if (left <= EARLY_NS) {
            dpk_pause();
            continue;
        }
        const uint64_t sleep = left - EARLY_NS < SLEEP_NS ? left - EARLY_NS : SLEEP_NS;
        nanosleep(&(struct timespec){.tv_nsec = (long)sleep}, NULL);
    }
}

static void *serve(void *context)
{
    struct eth_server *s = context;
    uint64_t known = 0;
    while (!atomic_load(&s->ends)) {
        await_sends(s, known);
        const uint64_t posted = posted_of(s);
        uint64_t due;
        dpk_queue_ring(s->queue, (uint16_t)posted);
        while ((due = dpk_queue_due(s->queue)) && !atomic_load(&s->ends)) {
            await_time(s, due);
            dpk_queue_ring(s->queue, (uint16_t)posted);
        }
        known = posted;
        if (!atomic_load(&s->ends))
            __atomic_store_n(&s->bell->done, posted, __ATOMIC_RELEASE);
    }
    return NULL;
}

struct eth_server *eth_server_start(struct dpk_queue *queue, struct doca_gpu_eth_bell *bell)
{
    struct eth_server *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->queue = queue;
    s->bell = bell;
    if (dpk_pthread_start(&s->thread, serve, s) == 0)
        return s;
    free(s);
    return NULL;
}

void eth_server_end(struct eth_server *server)
{
    if (!server)
        return;
    atomic_store(&server->ends, true);
    eth_server_ring(server->bell);
    pthread_join(server->thread, NULL);
    free(server);
}
