/* DOCA RDMA: the public side of contexts and connections. */
#include <doca_rdma.h>

#include "api/doca/rdma/rdma.h"

/* ---- Capabilities of devices ---- */

doca_error_t doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
                                                       enum doca_rdma_transport_type transport_type)
{
    doca_error_t result = dpk_devinfo_answer(devinfo, DOCA_SUCCESS);
    if (result == DOCA_SUCCESS && transport_type != DOCA_RDMA_TRANSPORT_TYPE_RC)
        result = DOCA_ERROR_NOT_SUPPORTED;
    return dpk_doca_end(devinfo, __func__, result);
}

/* Gets a maximum that is the same for all devices. */
static doca_error_t get_maximum(const struct doca_devinfo *devinfo, uint32_t maximum, uint32_t *out)
{
    doca_error_t result =
        out ? dpk_devinfo_answer(devinfo, DOCA_SUCCESS) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *out = maximum;
    return result;
}

doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_send_queue_size)
{
    return dpk_doca_end(devinfo, __func__,
                        get_maximum(devinfo, DPK_RDMA_QUEUE_MAX, max_send_queue_size));
}

doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_recv_queue_size)
{
    return dpk_doca_end(devinfo, __func__,
                        get_maximum(devinfo, DPK_RDMA_QUEUE_MAX, max_recv_queue_size));
}

doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
                                                     uint32_t *max_send_buf_list_len)
{
    return dpk_doca_end(devinfo, __func__,
                        get_maximum(devinfo, DPK_RDMA_LIST_MAX, max_send_buf_list_len));
}

doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
                                                uint32_t *max_message_size)
{
    return dpk_doca_end(devinfo, __func__,
                        get_maximum(devinfo, DPK_RDMA_MESSAGE_MAX, max_message_size));
}

doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
                                              uint32_t *gid_table_size)
{
    return dpk_doca_end(devinfo, __func__, get_maximum(devinfo, DPK_RDMA_GIDS, gid_table_size));
}

doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo, uint32_t start_index,
                                   uint32_t num_entries, struct doca_rdma_gid *gid_array)
{
    if (!gid_array || num_entries == 0 || start_index >= DPK_RDMA_GIDS ||
        num_entries > DPK_RDMA_GIDS - start_index)
        return dpk_doca_end(devinfo, __func__, DOCA_ERROR_INVALID_VALUE);
    return dpk_doca_end(devinfo, __func__,
                        dpk_devinfo_gids(devinfo, start_index, num_entries, &gid_array->raw));
}

/* ---- Contexts ---- */

doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
    if (rdma)
        *rdma = NULL;
    struct dpk_dev *d = rdma ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    if (!d)
        return dpk_doca_end(dev, __func__, DOCA_ERROR_INVALID_VALUE);
    struct dpk_rdma *r = dpk_rdma_new(d);
    if (r)
        *rdma = r->ctx.object.handle;
    dpk_object_drop(d);
    return dpk_doca_end(dev, __func__, r ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_rdma_destroy(struct doca_rdma *rdma)
{
    return dpk_doca_end(rdma, __func__, dpk_rdma_destroy(rdma));
}

struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma)
{
    return dpk_ctx_of(rdma, &dpk_rdma_kind);
}

doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma)
{
    struct dpk_rdma *r = dpa_rdma ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    if (!r)
        return dpk_doca_end(rdma, __func__, DOCA_ERROR_INVALID_VALUE);
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    pthread_mutex_lock(&r->ctx.object.lock);
    if (r->end && dpk_rdma_dpa(r) && dpk_dpa_enter(dpk_rdma_dpa(r), r->run)) {
        *dpa_rdma = (uintptr_t)r->ctx.object.handle;
        dpk_dpa_leave(dpk_rdma_dpa(r));
        result = DOCA_SUCCESS;
    } else {
        dpk_doca_because(result, "%s",
                         dpk_rdma_dpa(r) ? "the context, or its DPA context, is not running"
                                         : "the data path of the context is not on a DPA "
                                           "(doca_ctx_set_datapath_on_dpa)");
    }
    return dpk_doca_end(rdma, __func__, dpk_object_unlock(r, result));
}

doca_error_t doca_rdma_get_gpu_handle(struct doca_rdma *rdma, struct doca_gpu_dev_rdma **gpu_rdma)
{
    if (gpu_rdma)
        *gpu_rdma = NULL;
    struct dpk_rdma *r = gpu_rdma ? dpk_object_lock(rdma, &dpk_rdma_kind) : NULL;
    if (!r)
        return dpk_doca_no_object(__func__);
    *gpu_rdma = dpk_rdma_gpu_handle(r);
    const doca_error_t result = dpk_gpu_judge_handle(dpk_rdma_gpu(r) != NULL, *gpu_rdma, "context");
    return dpk_doca_end(rdma, __func__, dpk_object_unlock(r, result));
}
