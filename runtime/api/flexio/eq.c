/* Event queues, in DPA memory of their process. */
#include <libflexio/flexio_eq.h>

#include "queue.h"

struct flexio_eq {
    struct flexio_queue queue; /* first: it is freed as a flexio_queue */
    flexio_uintptr_t ring;
};

static flexio_status eq_new(const char *call, struct flexio_process *process,
                            const struct flexio_eq_attr *attr, flexio_uintptr_t ring,
                            struct flexio_eq **out)
{
    struct flexio_eq *eq = calloc(1, sizeof *eq);
    struct flexio_hw_eq *shown = calloc(1, sizeof *shown);
    if (!eq || !shown) {
        free(eq);
        free(shown);
        return libflexio_failed_because("%s: out of memory", call);
    }
    const struct flexio_qmem memory = {.daddr = ring};
    eq->queue.process = process;
    eq->queue.shown = shown;
    eq->ring = ring;
    const struct dpk_queue_options options = {
        .kind = DPK_EQ,
        .log_depth = attr->log_eq_ring_depth,
        .ring = libflexio_queue_place(&eq->queue.ring, process, &memory),
        .user = &eq->queue};
    if (libflexio_queue_add(call, &eq->queue, attr->uar_id, &options) != FLEXIO_STATUS_SUCCESS)
        return FLEXIO_STATUS_FAILED;
    *shown = (struct flexio_hw_eq){.eq_num = libflexio_queue_number(&eq->queue),
                                   .log_eq_ring_depth = attr->log_eq_ring_depth,
                                   .eq_ring_addr = ring};
    *out = eq;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_eq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               struct flexio_eq_attr *attr, struct flexio_eq **eq)
{
    static const char call[] = "flexio_eq_create";
    if (eq)
        *eq = NULL;
    if (!process || !attr || !eq)
        return libflexio_failed_because("%s: no process or attributes, or nowhere to put the queue",
                                        call);
    const unsigned log_depth = attr->log_eq_ring_depth;
    if (log_depth > FLEXIO_EQ_LOG_DEPTH_MAX)
        return libflexio_failed_because("%s: a queue of 2^%u events, not at most 2^%u", call,
                                        log_depth, FLEXIO_EQ_LOG_DEPTH_MAX);
    if (!libflexio_queue_prepare(call, process, ibv_ctx, attr->uar_id))
        return FLEXIO_STATUS_FAILED;
    flexio_uintptr_t ring = 0;
    const size_t size = (size_t)DPK_EQE << log_depth;
    flexio_status status = flexio_buf_dev_alloc(process, size, &ring);
    /* Sets owner bits to 1, which means that no entry is valid yet. */
    if (status == FLEXIO_STATUS_SUCCESS)
        status = flexio_buf_dev_memset(process, 0xff, size, ring);
    if (status == FLEXIO_STATUS_SUCCESS)
        status = eq_new(call, process, attr, ring, eq);
    if (status != FLEXIO_STATUS_SUCCESS)
        flexio_buf_dev_free(process, ring);
    return status;
}

flexio_status flexio_eq_destroy(struct flexio_eq *eq)
{
    if (!eq)
        return FLEXIO_STATUS_SUCCESS;
    struct flexio_process *process = eq->queue.process;
    const flexio_uintptr_t ring = eq->ring;
    flexio_status status = libflexio_queue_remove("flexio_eq_destroy", &eq->queue);
    return status == FLEXIO_STATUS_SUCCESS ? flexio_buf_dev_free(process, ring) : status;
}

struct flexio_hw_eq *flexio_eq_get_hw_eq(struct flexio_eq *eq)
{
    return eq ? eq->queue.shown : NULL;
}
