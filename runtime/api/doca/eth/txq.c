/* Send queues: settings, start and stop. */
#include "eth.h"

#define HEADERS_MAX     256u
#define HEADERS_DEFAULT 74u
#define MSS_DEFAULT     1500u
#define METADATA_MAX    1u
#define LARGE_MAX       (256u << 10) /* bytes of data of a large packet */

static void txq_release(void *object)
{
    struct txq *q = object;
    eth_txq_events_end(q);
    eth_rings_free(&q->rings);
    dpk_dev_ctx_release(q);
}
const struct dpk_kind eth_txq_kind = {
    .left = dpk_dev_ctx_left, .release = txq_release, .is_ctx = true};

/* Returns the 64-byte blocks of a WQE: control, Ethernet segment, headers except the two bytes in
 * it, and data. */
uint32_t eth_txq_blocks(uint32_t list_max, uint16_t headers_max)
{
    const uint32_t headers = headers_max > 2 ? headers_max - 2u : 0;
    const uint32_t segments = 2 + (headers + ETH_SEGMENT - 1) / ETH_SEGMENT + list_max;
    return (segments * ETH_SEGMENT + DPK_WQEBB - 1) / DPK_WQEBB;
}

/* ---- Capabilities of devices ---- */

doca_error_t doca_eth_txq_cap_get_max_burst_size(const struct doca_devinfo *devinfo,
                                                 uint32_t max_send_buf_list_len,
                                                 uint16_t max_lso_header_size,
                                                 uint32_t *max_burst_size)
{
    const bool good = max_burst_size && max_send_buf_list_len <= ETH_LIST_MAX &&
                      max_lso_header_size <= HEADERS_MAX;
    doca_error_t result =
        dpk_devinfo_answer(devinfo, good ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
    if (result == DOCA_SUCCESS)
        *max_burst_size =
            ETH_DEPTH_MAX / eth_txq_blocks(max_send_buf_list_len, max_lso_header_size);
    return dpk_doca_end(devinfo, __func__, result);
}

ETH_CAP(doca_eth_txq_cap_get_max_send_buf_list_len, uint32_t, ETH_LIST_MAX)
ETH_CAP(doca_eth_txq_cap_get_max_lso_header_size, uint16_t, HEADERS_MAX)
ETH_CAP(doca_eth_txq_cap_get_max_lso_msg_size, uint32_t, LARGE_MAX)
ETH_CAP(doca_eth_txq_cap_get_max_metadata_num, uint8_t, METADATA_MAX)

doca_error_t doca_eth_txq_cap_get_wait_on_time_offload_supported(
    const struct doca_devinfo *devinfo, enum doca_eth_wait_on_time_type *wait_on_time_mode)
{
    doca_error_t result =
        dpk_devinfo_answer(devinfo, wait_on_time_mode ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
    if (result == DOCA_SUCCESS)
        *wait_on_time_mode = DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE;
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t doca_eth_txq_cap_is_l3_chksum_offload_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_SUCCESS));
}

doca_error_t doca_eth_txq_cap_is_l4_chksum_offload_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_SUCCESS));
}

doca_error_t doca_eth_txq_cap_is_type_supported(const struct doca_devinfo *devinfo,
                                                enum doca_eth_txq_type type,
                                                enum doca_eth_txq_data_path_type data_path_type)
{
    if (type != DOCA_ETH_TXQ_TYPE_REGULAR || (data_path_type != DOCA_ETH_TXQ_DATA_PATH_TYPE_CPU &&
                                              data_path_type != DOCA_ETH_TXQ_DATA_PATH_TYPE_GPU))
        return dpk_doca_end(devinfo, __func__, DOCA_ERROR_INVALID_VALUE);
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_SUCCESS));
}

/* ---- Life ---- */

static doca_error_t txq_start(struct dpk_ctx *ctx)
{
    struct txq *q = (struct txq *)ctx;
    const bool cuts = q->large_sends.max > 0 || q->large_batches.max > 0;
    if (eth_gpu(&q->base))
        return eth_gpu_txq_start(q);
    if (!ctx->pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the send queue has no progress engine");
    if (!cuts && q->sends.max == 0 && q->batches.max == 0)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "the send queue has no tasks "
                                "(doca_eth_txq_task_send_set_conf and others)");
    const uint32_t blocks = eth_txq_blocks(q->list_max, cuts ? q->headers_max : 0);
    if (q->burst > ETH_DEPTH_MAX / blocks)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a burst of %u frames of %u blocks exceeds the ring of %u blocks",
                                q->burst, blocks, ETH_DEPTH_MAX);
    doca_error_t result = eth_rings_open(&q->rings, &q->base, DPK_SQ, q->burst * blocks, 6);
    if (result != DOCA_SUCCESS)
        return result;
    q->done = 0;
    q->in_flight = calloc(1u << q->rings.log_depth, sizeof *q->in_flight);
    if (!q->in_flight)
        eth_rings_close(&q->rings);
    return q->in_flight ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t txq_stop(struct dpk_ctx *ctx)
{
    struct txq *q = (struct txq *)ctx;
    eth_gpu_txq_stop(q);
    eth_rings_close(&q->rings);
    free(q->in_flight);
    q->in_flight = NULL;
    q->has_id = false;
    return DOCA_SUCCESS;
}

static const struct dpk_ctx_ops ops = {.start = txq_start,
                                       .stop = txq_stop,
                                       .progress = eth_txq_progress,
                                       .is_ready = eth_txq_is_ready,
                                       .notifies = true,
                                       .flush = eth_txq_flush,
                                       .has_gpu = true,
                                       .ends_by_errors = true};

static bool is_burst(uint32_t max_burst_size)
{
    return max_burst_size > 0 && max_burst_size <= ETH_DEPTH_MAX;
}

doca_error_t doca_eth_txq_create(struct doca_dev *dev, uint32_t max_burst_size,
                                 struct doca_eth_txq **eth_txq)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (eth_txq)
        *eth_txq = NULL;
    if (!is_burst(max_burst_size))
        eth_outside(max_burst_size, 1, ETH_DEPTH_MAX);
    if (!eth_txq || !is_burst(max_burst_size))
        return dpk_doca_end(dev, __func__, result);
    *eth_txq = dpk_dev_ctx_new(dev, &eth_txq_kind, &ops, sizeof(struct txq), &result);
    struct txq *q = dpk_object_pin(*eth_txq, &eth_txq_kind);
    if (q) {
        q->burst = max_burst_size;
        q->list_max = 1;
        q->mss = MSS_DEFAULT;
        q->headers_max = HEADERS_DEFAULT;
    }
    dpk_object_drop(q);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_eth_txq_destroy(struct doca_eth_txq *eth_txq)
{
    return dpk_doca_destroy(eth_txq, &eth_txq_kind, __func__);
}

struct doca_ctx *doca_eth_txq_as_doca_ctx(struct doca_eth_txq *eth_txq)
{
    return dpk_ctx_of(eth_txq, &eth_txq_kind);
}

/* ---- Settings ---- */

/* Returns the queue, locked. *result is a success if `good` and the queue is idle. */
static struct txq *begin_change(struct doca_eth_txq *eth_txq, bool good, doca_error_t *result)
{
    struct txq *q = dpk_object_lock(eth_txq, &eth_txq_kind);
    const bool idle = q && atomic_load(&q->base.ctx.state) == DOCA_CTX_STATE_IDLE;
    *result = !q || !good ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
    if (q && !good)
        dpk_doca_because(*result, "the value is outside of what the setting takes");
    else if (q && !idle)
        *result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue is %s, and must be idle",
                                   dpk_ctx_state_name(&q->base.ctx));
    return q;
}

#define SETTER(setter, type, value, good, member)                                                  \
    doca_error_t setter(struct doca_eth_txq *eth_txq, type value)                                  \
    {                                                                                              \
        doca_error_t result;                                                                       \
        struct txq *q = begin_change(eth_txq, (good), &result);                                    \
        if (result == DOCA_SUCCESS)                                                                \
            q->member = value;                                                                     \
        return dpk_doca_end(eth_txq, __func__, dpk_object_unlock(q, result));                      \
    }
SETTER(doca_eth_txq_set_max_burst_size, uint32_t, max_burst_size, is_burst(max_burst_size), burst)
SETTER(doca_eth_txq_set_max_send_buf_list_len, uint32_t, max_send_buf_list_len,
       max_send_buf_list_len > 0 && max_send_buf_list_len <= ETH_LIST_MAX, list_max)
SETTER(doca_eth_txq_set_l3_chksum_offload, uint8_t, enable_offload, enable_offload <= 1, l3)
SETTER(doca_eth_txq_set_l4_chksum_offload, uint8_t, enable_offload, enable_offload <= 1, l4)
SETTER(doca_eth_txq_set_mss, uint16_t, mss, mss > 0, mss)
SETTER(doca_eth_txq_set_max_lso_header_size, uint16_t, max_lso_header_size,
       max_lso_header_size > 0 && max_lso_header_size <= HEADERS_MAX, headers_max)

doca_error_t doca_eth_txq_set_metadata_num(struct doca_eth_txq *eth_txq, uint8_t metadata_num)
{
    doca_error_t result;
    struct txq *q = begin_change(eth_txq, true, &result);
    if (result == DOCA_SUCCESS && metadata_num > METADATA_MAX)
        result = dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED, "%u words of metadata, not 0 to %d",
                                  metadata_num, METADATA_MAX);
    if (result == DOCA_SUCCESS)
        q->metadata_num = metadata_num;
    return dpk_doca_end(eth_txq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_txq_set_type(struct doca_eth_txq *eth_txq, enum doca_eth_txq_type type)
{
    doca_error_t result;
    struct txq *q = begin_change(eth_txq, type == DOCA_ETH_TXQ_TYPE_REGULAR, &result);
    return dpk_doca_end(eth_txq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_txq_set_wait_on_time_offload(struct doca_eth_txq *eth_txq)
{
    doca_error_t result;
    struct txq *q = begin_change(eth_txq, true, &result);
    if (result == DOCA_SUCCESS)
        q->timed = true;
    return dpk_doca_end(eth_txq, __func__, dpk_object_unlock(q, result));
}

#define NS_PER_SECOND 1000000000u

doca_error_t doca_eth_txq_calculate_timestamp(struct doca_eth_txq *eth_txq, uint64_t timestamp_ns,
                                              uint64_t *wait_on_time_value)
{
    struct txq *q = wait_on_time_value ? dpk_object_lock(eth_txq, &eth_txq_kind) : NULL;
    doca_error_t result = DOCA_SUCCESS;
    if (q && !q->timed)
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue does not wait for a time "
                                                        "(doca_eth_txq_set_wait_on_time_offload)");
    else if (q && timestamp_ns / NS_PER_SECOND > UINT32_MAX)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the time is after the year 2106");
    else if (q) /* the time of the device's real-time clock, as its WQEs have it */
        *wait_on_time_value = timestamp_ns / NS_PER_SECOND << 32 | timestamp_ns % NS_PER_SECOND;
    return dpk_doca_end(eth_txq, __func__, dpk_object_unlock(q, result));
}

/* ---- Numbers ---- */

doca_error_t doca_eth_txq_apply_queue_id(struct doca_eth_txq *eth_txq, uint16_t queue_id)
{
    /* The id is only stored: rules of doca_flow do not match send queues. */
    struct txq *q = dpk_object_lock(eth_txq, &eth_txq_kind);
    const bool can = q && dpk_ctx_is_running(&q->base.ctx) && !q->has_id;
    if (can) {
        q->has_id = true;
        q->id = queue_id;
    } else if (q) {
        eth_no_id(&q->base.ctx, q->has_id);
    }
    return dpk_doca_end(eth_txq, __func__,
                        dpk_object_unlock(q, can ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE));
}

doca_error_t doca_eth_txq_get_flow_queue_id(struct doca_eth_txq *eth_txq, uint16_t *flow_queue_id)
{
    struct txq *q = flow_queue_id ? dpk_object_lock(eth_txq, &eth_txq_kind) : NULL;
    const bool can = q && q->has_id;
    if (can)
        *flow_queue_id = q->id;
    else if (q)
        dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue has no id (doca_eth_txq_apply_queue_id)");
    return dpk_doca_end(eth_txq, __func__,
                        dpk_object_unlock(q, can ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE));
}

doca_error_t doca_eth_txq_get_hw_queue_num(struct doca_eth_txq *eth_txq, uint32_t *hw_queue_num)
{
    struct txq *q = hw_queue_num ? dpk_object_lock(eth_txq, &eth_txq_kind) : NULL;
    const bool open = q && q->rings.queue;
    if (open)
        *hw_queue_num = dpk_queue_number(q->rings.queue);
    return dpk_doca_end(eth_txq, __func__,
                        dpk_object_unlock(q, open ? DOCA_SUCCESS : eth_not_running()));
}
