/* Completion queues. */
#include "queue.h"

/* Programs pass MLX5_APU_ELEMENT_TYPE_EQ of the device's interface. FlexIO's headers reserve the
 * value. */
#define ELEMENT_TYPE_EQ 1

struct flexio_cq {
    struct flexio_queue queue; /* first: it is freed as a flexio_queue */
    uint16_t max_count, period, mode;
};

static flexio_status check(const char *call, const struct flexio_cq_attr *attr)
{
    switch (attr->element_type) {
    case FLEXIO_CQ_ELEMENT_TYPE_DPA_THREAD:
        if (!attr->thread)
            return libflexio_failed_because("%s: no thread for its events", call);
        break;
    case ELEMENT_TYPE_EQ:
    case FLEXIO_CQ_ELEMENT_TYPE_EXT_EQ:
    case FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ:
        break;
    default:
        return libflexio_failed_because(
            "%s: element type %u needs an emulated PCI device, which is not "
            "there",
            call, attr->element_type);
    }
    if (attr->cqe_comp_type != FLEXIO_CQE_COMP_NONE || attr->cc)
        return libflexio_failed_because("%s: compressed and collapsed completions are not emulated",
                                        call);
    return FLEXIO_STATUS_SUCCESS;
}

static bool has_eq(const struct flexio_cq_attr *attr)
{
    return attr->element_type == ELEMENT_TYPE_EQ ||
           attr->element_type == FLEXIO_CQ_ELEMENT_TYPE_EXT_EQ;
}

static enum dpk_status attach(struct flexio_queue *q, const struct flexio_cq_attr *attr,
                              struct dpk_error *err)
{
    if (attr->element_type != FLEXIO_CQ_ELEMENT_TYPE_DPA_THREAD)
        return DPK_OK;
    enum dpk_status status =
        dpk_trigger_create(q->process->dpa, DPK_TRIGGER_QUEUE, &q->trigger, err);
    if (status == DPK_OK)
        status = dpk_trigger_attach(q->trigger, libflexio_thread_of(attr->thread), err);
    if (status == DPK_OK && !attr->no_arm)
        dpk_trigger_arm(q->trigger, 0);
    return status;
}

flexio_status flexio_cq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               const struct flexio_cq_attr *fattr, struct flexio_cq **cq)
{
    static const char call[] = "flexio_cq_create";
    struct dpk_error err = {0};
    if (cq)
        *cq = NULL;
    if (!process || !fattr || !cq)
        return libflexio_failed_because("%s: no process or attributes, or nowhere to put the queue",
                                        call);
    flexio_status status = check(call, fattr);
    if (status != FLEXIO_STATUS_SUCCESS ||
        !libflexio_queue_prepare(call, process, ibv_ctx, fattr->uar_id))
        return FLEXIO_STATUS_FAILED;
    const struct flexio_queue *eq =
        has_eq(fattr) ? libflexio_queue_of_process(process, fattr->emulated_eqn, DPK_EQ) : NULL;
    if (has_eq(fattr) && !eq)
        return libflexio_failed_because("%s: the process has no event queue 0x%x", call,
                                        fattr->emulated_eqn);
    struct flexio_cq *c = calloc(1, sizeof *c);
    if (!c)
        return libflexio_failed_because("%s: out of memory", call);
    c->max_count = fattr->cq_max_count;
    c->period = fattr->cq_period;
    c->mode = (uint16_t)fattr->cq_period_mode;
    c->queue.process = process;
    c->queue.always_armed = fattr->always_armed != 0;
    if (attach(&c->queue, fattr, &err) != DPK_OK) {
        dpk_trigger_destroy(c->queue.trigger);
        free(c);
        return libflexio_failed(call, &err);
    }
    const struct flexio_qmem record = {.daddr = fattr->cq_dbr_daddr};
    const struct dpk_queue_options options = {
        .kind = DPK_CQ,
        .log_depth = fattr->log_cq_depth,
        .ring = libflexio_queue_place(&c->queue.ring, process, &fattr->cq_ring_qmem),
        .record = libflexio_queue_place(&c->queue.record, process, &record),
        .overrun_ignore = fattr->overrun_ignore != 0,
        .events = eq ? eq->q : NULL,
        .armed = !fattr->no_arm,
        .always_armed = fattr->always_armed != 0,
        .user = &c->queue};
    status = libflexio_queue_add(call, &c->queue, fattr->uar_id, &options);
    if (status == FLEXIO_STATUS_SUCCESS)
        *cq = c;
    return status;
}

flexio_status flexio_cq_destroy(struct flexio_cq *cq)
{
    return libflexio_queue_remove("flexio_cq_destroy", cq ? &cq->queue : NULL);
}

struct flexio_queue *libflexio_queue_of_cq(struct flexio_cq *cq)
{
    return &cq->queue;
}

uint32_t flexio_cq_get_cq_num(struct flexio_cq *cq)
{
    return libflexio_queue_number(cq ? &cq->queue : NULL);
}

flexio_status flexio_cq_query_moderation(struct flexio_cq *cq, uint16_t *max_count,
                                         uint16_t *period, uint16_t *mode)
{
    if (!cq || !max_count || !period || !mode)
        return libflexio_failed_because(
            "flexio_cq_query_moderation: no queue, or nowhere to put it");
    *max_count = cq->max_count;
    *period = cq->period;
    *mode = cq->mode;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_cq_modify_moderation(struct flexio_cq *cq, uint16_t max_count, uint16_t period,
                                          uint16_t mode)
{
    if (!cq || mode > FLEXIO_CQ_PERIOD_MODE_CQE)
        return libflexio_failed_because("flexio_cq_modify_moderation: no queue, or no such mode");
    cq->max_count = max_count;
    cq->period = period;
    cq->mode = mode;
    return FLEXIO_STATUS_SUCCESS;
}
