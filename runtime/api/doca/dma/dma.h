/* dma: contexts of DOCA DMA, whose copies are tasks of the host, or operations of kernels of a GPU. */
#ifndef DPK_API_DOCA_DMA_DMA_H
#define DPK_API_DOCA_DMA_DMA_H

#include <doca_dma.h>

#include "api/doca/memory/memory.h"

struct dma_shared;

struct dma {
    struct dpk_dev_ctx base;
    struct dpk_task_pool copies;
    /* Of a started context whose data path is on a GPU: */
    struct dma_shared *shared; /* in memory of the GPU; NULL: none */
    struct dpk_gpu_queue queue;
    struct dpk_gpu_server *server;
};

/* Returns the GPU of the data path, or NULL. */
static inline struct dpk_gpu *dma_gpu(const struct dma *d)
{
    return d->base.ctx.datapath;
}
/* Returns whether the device copies so many bytes at once, or stores why not. Errors: IO_FAILED. */
doca_error_t dma_judge_size(const struct dpk_dev *dev, bool fits);

/* Start and stop the queue of kernels, with the lock of the context. The stop waits for what was committed.
 * Errors: NO_MEMORY. */
doca_error_t dma_gpu_start(struct dma *d);
void dma_gpu_stop(struct dma *d);
/* Returns the handle for kernels, or NULL. With the lock of the context. */
struct doca_gpu_dma *dma_gpu_handle(const struct dma *d);

#endif
