/* DOCA RDMA: the public side of contexts and connections. */
#include <doca_rdma.h>

#include "doca/rdma/rdma.h"

#define PERMISSIONS                                                                                \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                              \
     DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

/* ---- What devices can do ---- */

doca_error_t doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
                                                       enum doca_rdma_transport_type transport_type)
{
    doca_error_t result = dpk_devinfo_answer(devinfo, DOCA_SUCCESS);
    if (result == DOCA_SUCCESS && transport_type != DOCA_RDMA_TRANSPORT_TYPE_RC)
        result = DOCA_ERROR_NOT_SUPPORTED;
    return result;
}

static doca_error_t get_maximum(const struct doca_devinfo *devinfo, uint32_t *out)
{
    doca_error_t result =
        out ? dpk_devinfo_answer(devinfo, DOCA_SUCCESS) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *out = DPK_RDMA_QUEUE_MAX;
    return result;
}

doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_send_queue_size)
{
    return get_maximum(devinfo, max_send_queue_size);
}

doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_recv_queue_size)
{
    return get_maximum(devinfo, max_recv_queue_size);
}

/* ---- Contexts ---- */

doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
    if (rdma)
        *rdma = NULL;
    struct dpk_dev *d = rdma ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    if (!d)
        return DOCA_ERROR_INVALID_VALUE;
    struct dpk_rdma *r = dpk_rdma_new(d);
    if (r)
        *rdma = r->ctx.object.handle;
    dpk_object_drop(d);
    return r ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_rdma_destroy(struct doca_rdma *rdma)
{
    return dpk_rdma_destroy(rdma);
}

struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma)
{
    return dpk_ctx_of(rdma, &dpk_rdma_kind);
}

/* The context, locked; whether it can be changed now is in *result. */
static struct dpk_rdma *begin_change(const struct doca_rdma *rdma, doca_error_t *result)
{
    struct dpk_rdma *r = dpk_object_lock(rdma, &dpk_rdma_kind);
    *result = r ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (!r)
        return NULL;
    if (r->rc)
        *result = DOCA_ERROR_BAD_STATE;
    return r;
}

/* Sets the number at `offset` of a context. */
static doca_error_t set_number(struct doca_rdma *rdma, size_t offset, uint32_t value, bool good)
{
    doca_error_t result;
    struct dpk_rdma *r = begin_change(rdma, &result);
    if (r && !good)
        result = DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *(uint32_t *)(void *)((char *)r + offset) = value;
    return dpk_object_unlock(r, result);
}

static doca_error_t get_number(const struct doca_rdma *rdma, size_t offset, uint32_t *out)
{
    struct dpk_rdma *r = out ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    if (!r)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&r->ctx.object.lock);
    *out = *(uint32_t *)(void *)((char *)r + offset);
    return dpk_object_unlock(r, DOCA_SUCCESS);
}

doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions)
{
    return set_number(rdma, offsetof(struct dpk_rdma, permissions), permissions,
                      (permissions & ~(uint32_t)PERMISSIONS) == 0);
}

doca_error_t doca_rdma_get_permissions(const struct doca_rdma *rdma, uint32_t *permissions)
{
    return get_number(rdma, offsetof(struct dpk_rdma, permissions), permissions);
}

doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size)
{
    return set_number(rdma, offsetof(struct dpk_rdma, sends), send_queue_size,
                      send_queue_size > 0 && send_queue_size <= DPK_RDMA_QUEUE_MAX);
}

doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size)
{
    return set_number(rdma, offsetof(struct dpk_rdma, receives), recv_queue_size,
                      recv_queue_size <= DPK_RDMA_QUEUE_MAX);
}

doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *size)
{
    return get_number(rdma, offsetof(struct dpk_rdma, sends), size);
}

doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *size)
{
    return get_number(rdma, offsetof(struct dpk_rdma, receives), size);
}

doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma, uint16_t max_num_connections)
{
    return set_number(rdma, offsetof(struct dpk_rdma, connections_max), max_num_connections,
                      max_num_connections > 0 && max_num_connections <= DPK_RDMA_CONNECTIONS_MAX);
}

/* What changes nothing here, if it is `good`. */
static doca_error_t accept_setting(struct doca_rdma *rdma, bool good)
{
    doca_error_t result;
    struct dpk_rdma *r = begin_change(rdma, &result);
    if (result == DOCA_SUCCESS && !good)
        result = DOCA_ERROR_NOT_SUPPORTED;
    return dpk_object_unlock(r, result);
}

doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled)
{
    (void)grh_enabled;
    return accept_setting(rdma, true);
}

doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
{
    (void)gid_index;
    return accept_setting(rdma, true);
}

doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type transport_type)
{
    return accept_setting(rdma, transport_type == DOCA_RDMA_TRANSPORT_TYPE_RC);
}

doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
                                             struct doca_dpa_completion *dpa_comp)
{
    doca_error_t result;
    struct dpk_dpa_completion *before = NULL;
    struct dpk_dpa_completion *queue = dpk_object_pin(dpa_comp, &dpk_completion_kind);
    struct dpk_rdma *r = begin_change(rdma, &result);
    if (!queue)
        result = DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS) {
        before = r->queue;
        r->queue = queue;
    } else {
        before = queue;
    }
    result = dpk_object_unlock(r, result);
    dpk_object_drop(before);
    return result;
}

doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma)
{
    struct dpk_rdma *r = dpa_rdma ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    if (!r)
        return DOCA_ERROR_INVALID_VALUE;
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    pthread_mutex_lock(&r->ctx.object.lock);
    if (r->end && dpk_rdma_dpa(r) && dpk_dpa_enter(dpk_rdma_dpa(r), r->run)) {
        *dpa_rdma = (uintptr_t)r->ctx.object.handle;
        dpk_dpa_leave(dpk_rdma_dpa(r));
        result = DOCA_SUCCESS;
    }
    return dpk_object_unlock(r, result);
}
