/* The NIC's side of queues that kernels write. Their numbers are not trusted: a kernel may write anything. */
#include "api/doca/core/gpu.h"

#include <string.h>

doca_error_t dpk_gpu_queue_open(struct dpk_gpu_queue *q, struct dpk_gpu *gpu,
                                struct doca_gpu_ring *ring, struct doca_gpu_bell *bell,
                                uint32_t depth)
{
    void *written = gpu->ops->alloc(depth * sizeof *ring->written);
    if (!written)
        return DOCA_ERROR_NO_MEMORY;
    *q = (struct dpk_gpu_queue){.gpu = gpu, .ring = ring, .written = written, .depth = depth};
    *ring = (struct doca_gpu_ring){.bell = bell, .written = written, .depth = depth};
    return DOCA_SUCCESS;
}

void dpk_gpu_queue_close(struct dpk_gpu_queue *q)
{
    if (q->gpu)
        q->gpu->ops->free(q->written);
    *q = (struct dpk_gpu_queue){0};
}

bool dpk_gpu_queue_take(struct dpk_gpu_queue *q, uint32_t *index)
{
    const unsigned long long posted = __atomic_load_n(&q->ring->posted, __ATOMIC_ACQUIRE);
    if (posted == q->taken)
        return false;
    if (posted - q->taken > q->depth) { /* no function of kernels posts so much */
        dpk_gpu_queue_fail(q);
        return false;
    }
    *index = (uint32_t)(q->taken++ & (q->depth - 1));
    return true;
}

void dpk_gpu_queue_give(struct dpk_gpu_queue *q)
{
    __atomic_add_fetch(&q->ring->done, 1, __ATOMIC_RELEASE);
}

void dpk_gpu_queue_fail(struct dpk_gpu_queue *q)
{
    __atomic_store_n(&q->ring->failed, 1, __ATOMIC_RELEASE);
}

bool dpk_gpu_queue_has_failed(const struct dpk_gpu_queue *q)
{
    return __atomic_load_n(&q->ring->failed, __ATOMIC_ACQUIRE) != 0;
}
