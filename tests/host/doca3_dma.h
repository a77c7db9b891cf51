/* DMA contexts and copies, for the files that test them. */
#ifndef DOCA3_DMA_H
#define DOCA3_DMA_H

#include <doca_dma.h>

#include "doca3_world.h"

/* Results of callbacks. */
static unsigned completed, failed;
static uint64_t last_task_data, last_ctx_data;
static doca_error_t last_status;

static inline void note(struct doca_dma_task_memcpy *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    last_task_data = task_data.u64;
    last_ctx_data = ctx_data.u64;
    last_status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
}

static inline void on_completed(struct doca_dma_task_memcpy *task, union doca_data task_data,
                                union doca_data ctx_data)
{
    completed++;
    note(task, task_data, ctx_data);
}

static inline void on_failed(struct doca_dma_task_memcpy *task, union doca_data task_data,
                             union doca_data ctx_data)
{
    failed++;
    note(task, task_data, ctx_data);
}

struct engine {
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_buf_inventory *inventory;
};

static inline struct engine engine_new(void)
{
    struct engine e = {0};
    CHECK(doca_pe_create(&e.pe) == OK && doca_dma_create(dev, &e.dma) == OK);
    e.ctx = doca_dma_as_ctx(e.dma);
    CHECK(doca_ctx_set_user_data(e.ctx, (union doca_data){.u64 = 77}) == OK);
    CHECK(doca_ctx_start(e.ctx) == DOCA_ERROR_BAD_CONFIG); /* no copies, no engine */
    CHECK(doca_dma_task_memcpy_set_conf(e.dma, on_completed, on_failed, 2) == OK);
    CHECK(doca_ctx_start(e.ctx) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_pe_connect_ctx(e.pe, e.ctx) == OK && doca_ctx_start(e.ctx) == OK);
    CHECK(doca_dma_task_memcpy_set_conf(e.dma, on_completed, on_failed, 2) == BAD_STATE);
    CHECK(doca_buf_inventory_create(16, &e.inventory) == OK);
    CHECK(doca_buf_inventory_start(e.inventory) == OK);
    return e;
}

static inline void engine_destroy(struct engine *e)
{
    CHECK(doca_ctx_stop(e->ctx) == OK && doca_dma_destroy(e->dma) == OK);
    CHECK(doca_pe_destroy(e->pe) == OK && doca_buf_inventory_destroy(e->inventory) == OK);
}

static inline struct doca_mmap *map_of(void *address, size_t size, uint32_t permissions)
{
    struct doca_mmap *m = NULL;
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_set_permissions(m, permissions) == OK);
    CHECK(doca_mmap_set_memrange(m, address, size) == OK && doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_start(m) == OK);
    return m;
}

static inline struct doca_buf *buf_of(struct engine *e, struct doca_mmap *m, void *address,
                                      size_t size, size_t data)
{
    struct doca_buf *b = NULL;
    CHECK(doca_buf_inventory_buf_get_by_addr(e->inventory, m, address, size, &b) == OK);
    CHECK(doca_buf_set_data(b, address, data) == OK);
    return b;
}

static inline size_t data_of(const struct doca_buf *b)
{
    size_t n = 0;
    CHECK(doca_buf_get_data_len(b, &n) == OK);
    return n;
}

static inline struct doca_task *task_new(struct engine *e, struct doca_buf *from,
                                         struct doca_buf *to, uint64_t data)
{
    struct doca_dma_task_memcpy *t = NULL;
    CHECK(doca_dma_task_memcpy_alloc_init(e->dma, from, to, (union doca_data){.u64 = data}, &t) ==
          OK);
    return doca_dma_task_memcpy_as_task(t);
}

static inline enum doca_ctx_states state_of(const struct engine *e)
{
    enum doca_ctx_states state;
    CHECK(doca_ctx_get_state(e->ctx, &state) == OK);
    return state;
}

/* Makes a copy and returns its result. A failed copy stops the context, which is started again. */
static inline doca_error_t copy(struct engine *e, struct doca_buf *from, struct doca_buf *to)
{
    struct doca_task *t = task_new(e, from, to, 5);
    unsigned before = completed + failed;
    CHECK(doca_task_submit(t) == OK && doca_pe_progress(e->pe) == 1);
    CHECK(completed + failed == before + 1 && doca_pe_progress(e->pe) == 0);
    CHECK(last_task_data == 5 && last_ctx_data == 77 && doca_task_get_status(t) == last_status);
    doca_task_free(t);
    CHECK(doca_task_get_status(t) == INVALID);
    if (last_status == OK) {
        CHECK(state_of(e) == DOCA_CTX_STATE_RUNNING);
    } else {
        CHECK(state_of(e) == DOCA_CTX_STATE_STOPPING && doca_pe_progress(e->pe) == 1);
        CHECK(state_of(e) == DOCA_CTX_STATE_IDLE && doca_ctx_start(e->ctx) == OK);
    }
    return last_status;
}

#define WRITABLE DOCA_ACCESS_FLAG_LOCAL_READ_WRITE

#endif
