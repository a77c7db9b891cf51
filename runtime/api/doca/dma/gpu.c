/* Copies of kernels: kernels write them to a queue, and a thread of the NIC makes them. */
#include <endian.h>
#include <inttypes.h>

#include "dma.h"

#define DEPTH 1024u

struct dma_shared {
    struct doca_gpu_dma handle; /* first */
    struct doca_gpu_bell bell __attribute__((aligned(64)));
    struct doca_gpu_dma_copy copies[DEPTH];
};

/* Finds the memory of one side of a copy. */
static doca_error_t find(const struct dma *d, uint32_t key, bool write, uint64_t address,
                         uint64_t size, struct dpk_memory_access *out)
{
    char why[DPK_MMAP_WHY_MAX];
    out->address = address;
    out->size = size;
    const doca_error_t result = dpk_mmap_access(be32toh(key), write, d->base.dev->domain, out, why);
    return result == DOCA_SUCCESS
               ? result
               : dpk_doca_because(result, "the %s buffer at 0x%" PRIx64 ": %s",
                                  write ? "destination" : "source", address, why);
}

static doca_error_t copy(const struct dma *d, const struct doca_gpu_dma_copy *c)
{
    struct dpk_memory_access from, to;
    char why[DPK_MEMORY_REASON_MAX];
    doca_error_t result = dma_judge_size(d->base.dev, c->size <= dpk_dev_dma_max(d->base.dev));
    if (result == DOCA_SUCCESS && c->size == 0)
        result = dpk_doca_because(DOCA_ERROR_IO_FAILED, "a copy of 0 bytes");
    if (result == DOCA_SUCCESS)
        result = find(d, c->from_key, false, c->from, c->size, &from);
    if (result == DOCA_SUCCESS)
        result = find(d, c->to_key, true, c->to, c->size, &to);
    if (result != DOCA_SUCCESS || dpk_memory_copy(&to, &from))
        return result;
    return dpk_doca_because(DOCA_ERROR_IO_FAILED,
                            "copy of %" PRIu64 " bytes from 0x%" PRIx64 " to 0x%" PRIx64 ": %s",
                            c->size, c->from, c->to, dpk_memory_explain_copy(&to, &from, why));
}

/* Makes all copies that are committed. A failed one is the last. */
static void serve_all(struct dma *d)
{
    uint32_t index;
    while (dpk_gpu_queue_take(&d->queue, &index)) {
        const struct doca_gpu_dma_copy c = d->shared->copies[index];
        if (!dpk_gpu_queue_has_failed(&d->queue)) {
            dpk_doca_forget_reason();
            if (dpk_doca_tell_reason(d, "doca_gpu_dev_dma_memcpy", copy(d, &c)) != DOCA_SUCCESS)
                dpk_gpu_queue_fail(&d->queue);
        }
        dpk_gpu_queue_give(&d->queue);
    }
}

static void serve(void *context, const atomic_bool *ends)
{
    (void)ends; /* the end of the context waits for what was committed */
    serve_all(context);
}

doca_error_t dma_gpu_start(struct dma *d)
{
    struct dpk_gpu *g = dma_gpu(d);
    doca_error_t result =
        (d->shared = g->ops->alloc(sizeof *d->shared)) ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    if (result == DOCA_SUCCESS)
        result = dpk_gpu_queue_open(&d->queue, g, &d->shared->handle.ring, &d->shared->bell, DEPTH);
    if (result == DOCA_SUCCESS) {
        d->shared->handle.copies = d->shared->copies;
        d->server = dpk_gpu_server_start(&d->shared->bell, serve, d);
        result = d->server ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    }
    if (result != DOCA_SUCCESS)
        dma_gpu_stop(d);
    return result;
}

void dma_gpu_stop(struct dma *d)
{
    if (!d->shared)
        return;
    dpk_gpu_server_end(d->server);
    if (d->server)
        serve_all(d);
    dpk_gpu_queue_close(&d->queue);
    dma_gpu(d)->ops->free(d->shared);
    d->server = NULL;
    d->shared = NULL;
}

struct doca_gpu_dma *dma_gpu_handle(const struct dma *d)
{
    return d->shared ? &d->shared->handle : NULL;
}
