/* DOCA RDMA: the settings of contexts. */
#include <doca_rdma.h>

#include "api/doca/rdma/rdma.h"

#define PERMISSIONS                                                                                \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                              \
     DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

#define SERVICE_LEVEL_MAX 15 /* four bits of a packet (InfiniBand, volume 1, 7.8.3) */

/* Returns the context, locked. *result is an error if it cannot be changed now. */
static struct dpk_rdma *begin_change(const struct doca_rdma *rdma, doca_error_t *result)
{
    struct dpk_rdma *r = dpk_object_lock(rdma, &dpk_rdma_kind);
    *result = r ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (!r)
        return NULL;
    if (r->rc)
        *result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context is %s, and must be idle",
                                   dpk_ctx_state_name(&r->ctx));
    return r;
}

/* Sets the number at `offset` of a context. */
static doca_error_t set_number(struct doca_rdma *rdma, size_t offset, uint32_t value, bool good)
{
    doca_error_t result;
    struct dpk_rdma *r = begin_change(rdma, &result);
    if (r && !good)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the value %u (0x%x) is outside of what the setting takes", value,
                                  value);
    if (result == DOCA_SUCCESS)
        *(uint32_t *)(void *)((char *)r + offset) = value;
    return dpk_object_unlock(r, result);
}

static doca_error_t get_number(const struct doca_rdma *rdma, size_t offset, uint32_t *out)
{
    struct dpk_rdma *r = dpk_object_pin(rdma, &dpk_rdma_kind);
    if (!r)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&r->ctx.object.lock);
    *out = *(uint32_t *)(void *)((char *)r + offset);
    return dpk_object_unlock(r, DOCA_SUCCESS);
}

/* Defines a setter and a getter. `good` is an expression that checks `value`. `of` is const if DOCA
 * declares the getter's context const. */
#define SETTING(setter, getter, type, member, of, good)                                            \
    doca_error_t setter(struct doca_rdma *rdma, type value)                                        \
    {                                                                                              \
        return dpk_doca_end(rdma, __func__,                                                        \
                            set_number(rdma, offsetof(struct dpk_rdma, member), value, good));     \
    }                                                                                              \
    READING(getter, type, member, of)
#define READING(getter, type, member, of)                                                          \
    doca_error_t getter(of struct doca_rdma *rdma, type *out)                                      \
    {                                                                                              \
        uint32_t value;                                                                            \
        const doca_error_t result =                                                                \
            out ? get_number(rdma, offsetof(struct dpk_rdma, member), &value)                      \
                : DOCA_ERROR_INVALID_VALUE;                                                        \
        if (result == DOCA_SUCCESS)                                                                \
            *out = (type)value;                                                                    \
        return dpk_doca_end(rdma, __func__, result);                                               \
    }

SETTING(doca_rdma_set_permissions, doca_rdma_get_permissions, uint32_t, permissions, ,
        (value & ~(uint32_t)PERMISSIONS) == 0)
SETTING(doca_rdma_set_send_queue_size, doca_rdma_get_send_queue_size, uint32_t, sends, const,
        value > 0 && value <= DPK_RDMA_QUEUE_MAX)
SETTING(doca_rdma_set_recv_queue_size, doca_rdma_get_recv_queue_size, uint32_t, receives, const,
        value <= DPK_RDMA_QUEUE_MAX)
SETTING(doca_rdma_set_max_num_connections, doca_rdma_get_max_num_connections, uint16_t,
        connections_max, , value > 0 && value <= DPK_RDMA_CONNECTIONS_MAX)
SETTING(doca_rdma_set_rnr_retry_count, doca_rdma_get_rnr_retry_count, uint8_t, rnr_retries, const,
        value <= DPK_RC_RNR_FOREVER)

/* These settings have no effect. Each task accepts lists of the maximum length. */
SETTING(doca_rdma_set_max_send_buf_list_len, doca_rdma_get_max_send_buf_list_len, uint32_t,
        send_list, const, value > 0 && value <= DPK_RDMA_LIST_MAX)
SETTING(doca_rdma_set_mtu, doca_rdma_get_mtu, enum doca_mtu_size, mtu, const,
        value <= DOCA_MTU_SIZE_4K_BYTES)
SETTING(doca_rdma_set_sl, doca_rdma_get_sl, uint32_t, service_level, const,
        value <= SERVICE_LEVEL_MAX)
SETTING(doca_rdma_set_grh_enabled, doca_rdma_get_grh_enabled, uint8_t, grh, const, value <= 1)
SETTING(doca_rdma_set_gid_index, doca_rdma_get_gid_index, uint32_t, gid_index, const,
        value < DPK_RDMA_GIDS)
SETTING(doca_rdma_set_connection_request_timeout, doca_rdma_get_connection_request_timeout,
        uint16_t, call_ms, const, true)
READING(doca_rdma_get_transport_type, enum doca_rdma_transport_type, transport, const)

doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
                                                         uint32_t dst_buf_list_len)
{
    return dpk_doca_end(rdma, __func__,
                        set_number(rdma, offsetof(struct dpk_rdma, receive_list), dst_buf_list_len,
                                   dst_buf_list_len > 0 && dst_buf_list_len <= DPK_RDMA_LIST_MAX));
}

doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
                                                         uint32_t *dst_buf_list_len)
{
    return dpk_doca_end(rdma, __func__,
                        dst_buf_list_len ? get_number(rdma, offsetof(struct dpk_rdma, receive_list),
                                                      dst_buf_list_len)
                                         : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type transport_type)
{
    doca_error_t result;
    struct dpk_rdma *r = begin_change(rdma, &result);
    if (result == DOCA_SUCCESS && transport_type != DOCA_RDMA_TRANSPORT_TYPE_RC)
        result = dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                  "only reliable connections (DOCA_RDMA_TRANSPORT_TYPE_RC) are "
                                  "emulated");
    return dpk_doca_end(rdma, __func__, dpk_object_unlock(r, result));
}

doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
                                             struct doca_dpa_completion *dpa_comp)
{
    doca_error_t result;
    struct dpk_dpa_completion *before = NULL;
    struct dpk_dpa_completion *queue = dpk_object_pin(dpa_comp, &dpk_completion_kind);
    struct dpk_rdma *r = begin_change(rdma, &result);
    if (!queue)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the completion is NULL, was destroyed, or is of another kind");
    if (result == DOCA_SUCCESS) {
        before = r->queue;
        r->queue = queue;
    } else {
        before = queue;
    }
    result = dpk_object_unlock(r, result);
    dpk_object_drop(before);
    return dpk_doca_end(rdma, __func__, result);
}
