/* The world's DMA context, with a task while it runs; DOCA 3.x only. */
#include "matrix_world.h"

static void on_end(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task;
    (void)task_data;
    (void)ctx_data;
}

void make_dma(struct world *w, struct doca_dev *dev)
{
    struct doca_dma *dma = NULL;
    CHECK(doca_pe_create(&w->dma_pe) == OK && doca_dma_create(dev, &dma) == OK);
    CHECK(doca_dma_task_memcpy_set_conf(dma, on_end, on_end, 2) == OK); /* one is the row's */
    CHECK(doca_pe_connect_ctx(w->dma_pe, doca_dma_as_ctx(dma)) == OK);
    w->objects[DMA] = dma;
}

void start_dma(struct world *w)
{
    CHECK(doca_ctx_start(doca_dma_as_ctx(w->objects[DMA])) == OK);
    CHECK(doca_dma_task_memcpy_alloc_init(w->objects[DMA], w->objects[BUF], w->objects[BUF],
                                          (union doca_data){0},
                                          (struct doca_dma_task_memcpy **)&w->objects[TASK]) == OK);
}

void stop_dma(struct world *w)
{
    struct doca_ctx *ctx = doca_dma_as_ctx(w->objects[DMA]);
    doca_task_free(w->objects[TASK]);
    while (doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS)
        CHECK(doca_pe_progress(w->dma_pe) == 1);
}

void destroy_dma(struct world *w)
{
    stop_dma(w);
    doca_dma_destroy(w->objects[DMA]); /* the row may have done so */
    CHECK(doca_pe_destroy(w->dma_pe) == OK);
}
