/* Shared receive queues of DOCA RDMA. DOCA 2.6 to 2.8 have them, and headers of that version declare
 * them. */
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  6
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "2.6.0"
#include <doca_rdma.h>

#include "api/doca/rdma/rdma.h"

/* ---- Capabilities ---- */

doca_error_t doca_rdma_srq_cap_get_max_shared_recv_queue_size(const struct doca_devinfo *devinfo,
                                                              uint32_t *max_shared_recv_queue_size)
{
    return doca_rdma_cap_get_max_recv_queue_size(devinfo, max_shared_recv_queue_size);
}

doca_error_t
doca_rdma_srq_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_dst_buf_list_len)
{
    return doca_rdma_cap_task_receive_get_max_dst_buf_list_len(devinfo, DOCA_RDMA_TRANSPORT_TYPE_RC,
                                                               max_dst_buf_list_len);
}

/* ---- Queues ---- */

doca_error_t doca_rdma_srq_create(struct doca_dev *dev, struct doca_rdma_srq **srq)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (srq)
        *srq = dpk_rdma_srq_new(dev, &result);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_rdma_srq_destroy(struct doca_rdma_srq *srq)
{
    return dpk_doca_destroy(srq, &dpk_rdma_srq_kind, __func__);
}

struct doca_ctx *doca_rdma_srq_as_ctx(struct doca_rdma_srq *srq)
{
    return dpk_ctx_of(srq, &dpk_rdma_srq_kind);
}

/* The settings of a queue. */
static uint32_t *size_of(struct dpk_rdma_srq *s)
{
    return &s->size;
}

static uint32_t *type_of(struct dpk_rdma_srq *s)
{
    return &s->type;
}

static uint32_t *list_of(struct dpk_rdma_srq *s)
{
    return &s->list;
}

static doca_error_t set(const struct doca_rdma_srq *srq,
                        uint32_t *(*setting)(struct dpk_rdma_srq *), uint32_t value, bool good)
{
    doca_error_t result = DOCA_SUCCESS;
    struct dpk_rdma_srq *s = dpk_object_lock(srq, &dpk_rdma_srq_kind);
    if (!s)
        return DOCA_ERROR_INVALID_VALUE;
    if (s->rc)
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue is %s, and must be idle",
                                  dpk_ctx_state_name(&s->base.ctx));
    else if (!good)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the value %u is outside of what the setting takes", value);
    else
        *setting(s) = value;
    return dpk_object_unlock(s, result);
}

static doca_error_t get(const struct doca_rdma_srq *srq,
                        uint32_t *(*setting)(struct dpk_rdma_srq *), uint32_t *out)
{
    struct dpk_rdma_srq *s = out ? dpk_object_lock(srq, &dpk_rdma_srq_kind) : NULL;
    if (s)
        *out = *setting(s);
    return dpk_object_unlock(s, DOCA_SUCCESS);
}

doca_error_t doca_rdma_srq_set_shared_recv_queue_size(struct doca_rdma_srq *srq,
                                                      uint32_t shared_recv_queue_size)
{
    return dpk_doca_end(
        srq, __func__,
        set(srq, size_of, shared_recv_queue_size,
            shared_recv_queue_size > 0 && shared_recv_queue_size <= DPK_RDMA_QUEUE_MAX));
}

doca_error_t doca_rdma_srq_get_shared_recv_queue_size(const struct doca_rdma_srq *srq,
                                                      uint32_t *shared_recv_queue_size)
{
    return dpk_doca_end(srq, __func__, get(srq, size_of, shared_recv_queue_size));
}

doca_error_t doca_rdma_srq_set_type(struct doca_rdma_srq *srq, enum doca_rdma_srq_type srq_type)
{
    return dpk_doca_end(
        srq, __func__,
        set(srq, type_of, (uint32_t)srq_type, (uint32_t)srq_type <= DOCA_RDMA_SRQ_TYPE_CYCLIC));
}

doca_error_t doca_rdma_srq_get_type(struct doca_rdma_srq *srq, enum doca_rdma_srq_type *srq_type)
{
    uint32_t type = 0;
    const doca_error_t result = get(srq, type_of, srq_type ? &type : NULL);
    if (result == DOCA_SUCCESS)
        *srq_type = (enum doca_rdma_srq_type)type;
    return dpk_doca_end(srq, __func__, result);
}

doca_error_t doca_rdma_srq_task_receive_set_dst_buf_list_len(struct doca_rdma_srq *srq,
                                                             uint32_t dst_buf_list_len)
{
    return dpk_doca_end(srq, __func__,
                        set(srq, list_of, dst_buf_list_len,
                            dst_buf_list_len > 0 && dst_buf_list_len <= DPK_RDMA_LIST_MAX));
}

doca_error_t doca_rdma_srq_task_receive_get_dst_buf_list_len(const struct doca_rdma_srq *srq,
                                                             uint32_t *dst_buf_list_len)
{
    return dpk_doca_end(srq, __func__, get(srq, list_of, dst_buf_list_len));
}

doca_error_t doca_rdma_srq_get_dpa_handle(const struct doca_rdma_srq *srq,
                                          doca_dpa_dev_rdma_srq_t *dpa_srq)
{
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    struct dpk_rdma_srq *s = dpa_srq ? dpk_object_lock(srq, &dpk_rdma_srq_kind) : NULL;
    if (s && s->rc && dpk_dpa_enter(s->base.ctx.datapath, s->run)) {
        *dpa_srq = (doca_dpa_dev_rdma_srq_t)(uintptr_t)s->base.ctx.object.handle;
        dpk_dpa_leave(s->base.ctx.datapath);
        result = DOCA_SUCCESS;
    } else if (s) {
        dpk_doca_because(result, "the queue, or its DPA context, is not running");
    }
    return dpk_doca_end(srq, __func__, dpk_object_unlock(s, result));
}

/* ---- RDMA contexts ---- */

/* Gives a started queue to a new context. */
static doca_error_t give_queue(struct dpk_rdma *r, const struct doca_rdma_srq *srq)
{
    doca_error_t result = DOCA_SUCCESS;
    struct dpk_rdma_srq *s = dpk_object_lock(srq, &dpk_rdma_srq_kind);
    if (!s || s->base.dev->domain != r->dev->domain)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the shared receive queue is NULL, was destroyed, or is of "
                                  "another device");
    else if (!s->rc)
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the shared receive queue is not started");
    else
        dpk_object_use(r->srq = s);
    dpk_object_unlock(s, result);
    return result;
}

doca_error_t doca_rdma_create_with_srq(struct doca_dev *dev, struct doca_rdma_srq *srq,
                                       struct doca_rdma **rdma)
{
    doca_error_t result = doca_rdma_create(dev, rdma);
    struct dpk_rdma *r = result == DOCA_SUCCESS ? dpk_object_pin(*rdma, &dpk_rdma_kind) : NULL;
    if (r && (result = give_queue(r, srq)) != DOCA_SUCCESS) {
        dpk_rdma_destroy(*rdma);
        *rdma = NULL;
    }
    dpk_object_drop(r);
    return dpk_doca_end(dev, __func__, result);
}
