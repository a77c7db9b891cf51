/* Threads of the NIC for queues of kernels. */
#include "api/doca/core/gpu.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOKS 64u /* times that the thread looks for a ring before it sleeps */

struct dpk_gpu_server {
    pthread_t thread;
    struct doca_gpu_bell *bell;
    void (*serve)(void *context, const atomic_bool *ends);
    void *context;
    atomic_bool ends;
};

static void futex(uint32_t *word, int operation, uint32_t value)
{
    syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static uint32_t rings_of(const struct dpk_gpu_server *s)
{
    return __atomic_load_n(&s->bell->rings, __ATOMIC_SEQ_CST);
}

void dpk_gpu_ring(struct doca_gpu_bell *bell)
{
    __atomic_add_fetch(&bell->rings, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&bell->asleep, __ATOMIC_SEQ_CST))
        futex(&bell->rings, FUTEX_WAKE, INT_MAX);
}

/* Waits until the number of rings differs from `known`, or the thread must end. */
static void await_ring(struct dpk_gpu_server *s, uint32_t known)
{
    for (unsigned i = 0; i < LOOKS && rings_of(s) == known; i++)
        dpk_pause();
    while (rings_of(s) == known && !atomic_load(&s->ends)) {
        __atomic_store_n(&s->bell->asleep, 1, __ATOMIC_SEQ_CST);
        if (!atomic_load(&s->ends))
            futex(&s->bell->rings, FUTEX_WAIT, known);
        __atomic_store_n(&s->bell->asleep, 0, __ATOMIC_SEQ_CST);
    }
}

static void *run(void *context)
{
    struct dpk_gpu_server *s = context;
    uint32_t known = 0;
    while (!atomic_load(&s->ends)) {
        await_ring(s, known);
        known = rings_of(s);
        if (!atomic_load(&s->ends))
            s->serve(s->context, &s->ends);
    }
    return NULL;
}

struct dpk_gpu_server *dpk_gpu_server_start(struct doca_gpu_bell *bell,
                                            void (*serve)(void *context, const atomic_bool *ends),
                                            void *context)
{
    struct dpk_gpu_server *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->bell = bell;
    s->serve = serve;
    s->context = context;
    if (dpk_pthread_start(&s->thread, run, s) == 0)
        return s;
    free(s);
    return NULL;
}

void dpk_gpu_server_end(struct dpk_gpu_server *server)
{
    if (!server)
        return;
    atomic_store(&server->ends, true);
    dpk_gpu_ring(server->bell);
    pthread_join(server->thread, NULL);
    free(server);
}
