/* Receive queues: settings, start and stop. */
#include "eth.h"

#define BURST_MAX    ETH_GPU_MAX /* fewer on the CPU (ring.c) */
#define METADATA_MAX 1u          /* register B of flow steering */

static void rxq_release(void *object)
{
    struct rxq *q = object;
    dpk_object_drop(q->event);
    eth_rings_free(&q->rings);
    dpk_dev_ctx_release(q);
}

static void rxq_left(void *object)
{
    struct rxq *q = object;
    dpk_dev_ctx_left(q);
    if (q->event)
        dpk_object_destroy(q->event->object.handle, q->event->object.kind);
}
const struct dpk_kind eth_rxq_kind = {.left = rxq_left, .release = rxq_release, .is_ctx = true};

/* ---- Capabilities of devices ---- */

ETH_CAP(doca_eth_rxq_cap_get_max_burst_size, uint32_t, ETH_DEPTH_MAX)
ETH_CAP(doca_eth_rxq_cap_get_max_packet_size, uint32_t, DPK_FRAME_MAX)
ETH_CAP(doca_eth_rxq_cap_get_max_recv_buf_list_len, uint32_t, ETH_LIST_MAX)
ETH_CAP(doca_eth_rxq_cap_get_max_metadata_num, uint8_t, METADATA_MAX)
ETH_CAP(doca_eth_rxq_cap_get_max_packet_headroom, uint16_t, UINT16_MAX)
ETH_CAP(doca_eth_rxq_cap_get_max_packet_tailroom, uint16_t, UINT16_MAX)

static bool is_type(enum doca_eth_rxq_type type)
{
    return type == DOCA_ETH_RXQ_TYPE_REGULAR || type == DOCA_ETH_RXQ_TYPE_CYCLIC ||
           type == DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL;
}

doca_error_t doca_eth_rxq_cap_is_type_supported(const struct doca_devinfo *devinfo,
                                                enum doca_eth_rxq_type type,
                                                enum doca_eth_rxq_data_path_type data_path_type)
{
    if (!is_type(type) || (data_path_type != DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU &&
                           data_path_type != DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU))
        return dpk_doca_end(devinfo, __func__, DOCA_ERROR_INVALID_VALUE);
    const bool can =
        (type == DOCA_ETH_RXQ_TYPE_CYCLIC) == (data_path_type == DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU);
    return dpk_doca_end(devinfo, __func__,
                        dpk_devinfo_answer(devinfo, can ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED));
}

/* ---- Life ---- */

static bool is_managed(const struct rxq *q)
{
    return q->type == DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL;
}

static void close_all(struct rxq *q)
{
    eth_rings_close(&q->rings);
    free(q->in_flight);
    free(q->posted);
    q->in_flight = NULL;
    q->posted = NULL;
}

/* Returns log2 of the bytes of a ring entry. */
static unsigned log_entry(const struct rxq *q)
{
    unsigned log = 4;
    while (ETH_SEGMENT * q->list_max > 1u << log)
        log++;
    return log;
}

static doca_error_t rxq_start(struct dpk_ctx *ctx)
{
    struct rxq *q = (struct rxq *)ctx;
    if (eth_gpu(&q->base))
        return eth_gpu_rxq_start(q);
    if (q->type == DOCA_ETH_RXQ_TYPE_CYCLIC)
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "a cyclic receive queue has its data path on a GPU "
                                "(doca_ctx_set_datapath_on_gpu)");
    if (!ctx->pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the receive queue has no progress engine");
    if (is_managed(q) ? !q->event || !q->mmap : q->tasks.max == 0)
        return dpk_doca_because(
            DOCA_ERROR_BAD_CONFIG,
            "the receive queue has no tasks (doca_eth_rxq_task_recv_set_conf), or "
            "as "
            "a managed one no events or no memory (doca_eth_rxq_set_pkt_buf)");
    doca_error_t result =
        eth_rings_open(&q->rings, &q->base, DPK_RQ, q->burst, is_managed(q) ? 4 : log_entry(q));
    if (result != DOCA_SUCCESS)
        return result;
    q->drained = false;
    q->in_flight = calloc(1u << q->rings.log_depth, sizeof *q->in_flight);
    q->posted = calloc(1u << q->rings.log_depth, sizeof *q->posted);
    result = !q->in_flight || !q->posted ? DOCA_ERROR_NO_MEMORY
             : is_managed(q)             ? eth_rxq_pool_open(q)
                                         : DOCA_SUCCESS;
    if (result != DOCA_SUCCESS)
        close_all(q);
    return result;
}

static doca_error_t rxq_stop(struct dpk_ctx *ctx)
{
    struct rxq *q = (struct rxq *)ctx;
    if (is_managed(q) && eth_rxq_pool_close(q) != DOCA_SUCCESS)
        return dpk_doca_because(DOCA_ERROR_IN_USE, "the program holds buffers of the queue");
    if (q->rings.queue)
        dpk_dev_remove_receiver(q->base.dev, dpk_queue_number(q->rings.queue));
    q->has_id = false;
    eth_gpu_rxq_stop(q);
    close_all(q);
    return DOCA_SUCCESS;
}

static const struct dpk_ctx_ops ops = {.start = rxq_start,
                                       .stop = rxq_stop,
                                       .progress = eth_rxq_progress,
                                       .is_ready = eth_rxq_is_ready,
                                       .notifies = true,
                                       .has_gpu = true,
                                       .ends_by_errors = true};

static bool is_burst(uint32_t max_burst_size)
{
    return max_burst_size > 0 && max_burst_size <= BURST_MAX;
}

static bool is_packet(uint32_t max_packet_size)
{
    return max_packet_size > 0 && max_packet_size <= DPK_FRAME_MAX;
}

doca_error_t doca_eth_rxq_create(struct doca_dev *dev, uint32_t max_burst_size,
                                 uint32_t max_packet_size, struct doca_eth_rxq **eth_rxq)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (eth_rxq)
        *eth_rxq = NULL;
    if (!is_burst(max_burst_size))
        eth_outside(max_burst_size, 1, BURST_MAX);
    else if (!is_packet(max_packet_size))
        eth_outside(max_packet_size, 1, DPK_FRAME_MAX);
    if (!eth_rxq || !is_burst(max_burst_size) || !is_packet(max_packet_size))
        return dpk_doca_end(dev, __func__, result);
    *eth_rxq = dpk_dev_ctx_new(dev, &eth_rxq_kind, &ops, sizeof(struct rxq), &result);
    struct rxq *q = dpk_object_pin(*eth_rxq, &eth_rxq_kind);
    if (q) {
        q->burst = max_burst_size;
        q->packet = max_packet_size;
        q->type = DOCA_ETH_RXQ_TYPE_REGULAR;
        q->list_max = 1;
    }
    dpk_object_drop(q);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_eth_rxq_destroy(struct doca_eth_rxq *eth_rxq)
{
    struct rxq *q = dpk_object_pin(eth_rxq, &eth_rxq_kind);
    doca_error_t result = q ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (q && is_managed(q))
        result = dpk_ctx_stop(&q->base.ctx); /* its buffers do not count as uses */
    dpk_object_drop(q);
    return dpk_doca_end(eth_rxq, __func__,
                        result == DOCA_SUCCESS ? dpk_object_destroy(eth_rxq, &eth_rxq_kind)
                                               : result);
}

struct doca_ctx *doca_eth_rxq_as_doca_ctx(struct doca_eth_rxq *eth_rxq)
{
    return dpk_ctx_of(eth_rxq, &eth_rxq_kind);
}

/* ---- Settings ---- */

/* Returns the queue, locked. *result is BAD_STATE if `good` is a success and the queue is not idle,
 * else `good`. */
static struct rxq *begin_change(struct doca_eth_rxq *eth_rxq, doca_error_t good,
                                doca_error_t *result)
{
    struct rxq *q = dpk_object_lock(eth_rxq, &eth_rxq_kind);
    const bool idle = q && atomic_load(&q->base.ctx.state) == DOCA_CTX_STATE_IDLE;
    *result = !q ? DOCA_ERROR_INVALID_VALUE
              : idle || good == DOCA_ERROR_INVALID_VALUE
                  ? good
                  : dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue is %s, and must be idle",
                                     dpk_ctx_state_name(&q->base.ctx));
    return q;
}

doca_error_t doca_eth_rxq_set_max_burst_size(struct doca_eth_rxq *eth_rxq, uint32_t max_burst_size)
{
    doca_error_t result;
    struct rxq *q = begin_change(
        eth_rxq,
        is_burst(max_burst_size) ? DOCA_SUCCESS : eth_outside(max_burst_size, 1, BURST_MAX),
        &result);
    if (result == DOCA_SUCCESS)
        q->burst = max_burst_size;
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_rxq_set_max_packet_size(struct doca_eth_rxq *eth_rxq,
                                              uint32_t max_packet_size)
{
    doca_error_t result;
    struct rxq *q = begin_change(
        eth_rxq,
        is_packet(max_packet_size) ? DOCA_SUCCESS : eth_outside(max_packet_size, 1, DPK_FRAME_MAX),
        &result);
    if (result == DOCA_SUCCESS)
        q->packet = max_packet_size;
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_rxq_set_notification_moderation(struct doca_eth_rxq *eth_rxq,
                                                      uint16_t period_usec, uint16_t comp_count)
{
    (void)period_usec;
    (void)comp_count;
    doca_error_t result;
    struct rxq *q = begin_change(eth_rxq, DOCA_ERROR_NOT_SUPPORTED, &result);
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_rxq_set_type(struct doca_eth_rxq *eth_rxq, enum doca_eth_rxq_type type)
{
    doca_error_t result;
    struct rxq *q = begin_change(
        eth_rxq, is_type(type) ? DOCA_SUCCESS : eth_outside((unsigned)type, 0, 2), &result);
    if (result == DOCA_SUCCESS)
        q->type = type;
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_rxq_set_pkt_buf(struct doca_eth_rxq *eth_rxq, struct doca_mmap *mmap,
                                      uint32_t mmap_offset, uint32_t mmap_len)
{
    doca_error_t result;
    struct rxq *q =
        begin_change(eth_rxq,
                     dpk_is_mmap(mmap) && mmap_len > 0
                         ? DOCA_SUCCESS
                         : dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                            "the map is NULL or was destroyed, or the length is 0"),
                     &result);
    if (result == DOCA_SUCCESS) {
        q->mmap = mmap;
        q->mmap_offset = mmap_offset;
        q->mmap_len = mmap_len;
    }
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_rxq_estimate_packet_buf_size(enum doca_eth_rxq_type type, uint32_t rate,
                                                   uint16_t pkt_max_process_time,
                                                   uint32_t max_packet_size,
                                                   uint32_t max_burst_size,
                                                   uint8_t log_max_lro_pkt_sz, uint16_t head_size,
                                                   uint16_t tail_size, uint32_t *buf_size)
{
    (void)log_max_lro_pkt_sz;
    if (!buf_size || !is_type(type) || max_packet_size == 0 || max_packet_size > DPK_FRAME_MAX ||
        max_burst_size == 0 || max_burst_size > BURST_MAX) {
        dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                         "the result is NULL, the type is unknown, the packet size is not 1 to %u, "
                         "or the burst size is not 1 to %u",
                         DPK_FRAME_MAX, BURST_MAX);
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_INVALID_VALUE);
    }
    if (type == DOCA_ETH_RXQ_TYPE_REGULAR) {
        *buf_size = 0;
        return dpk_doca_end(NULL, __func__, DOCA_SUCCESS);
    }
    const uint64_t slot = eth_slot_size(head_size, max_packet_size, tail_size);
    uint64_t slots = max_burst_size, unaligned = 0;
    if (type == DOCA_ETH_RXQ_TYPE_CYCLIC) {
        while ((slots & (slots - 1)) != 0)
            slots += slots & -slots; /* to the next power of two */
    } else {
        /* MB/s times microseconds are bytes. Twice as many, because frames arrive while the program
         * has buffers. */
        const uint64_t kept = 2 * ((uint64_t)rate * pkt_max_process_time / max_packet_size + 1);
        slots = kept > slots ? kept : slots;
        unaligned = DPK_WQEBB; /* the start may be */
    }
    if (slots > (UINT32_MAX - DPK_WQEBB) / slot)
        return dpk_doca_end(NULL, __func__,
                            dpk_doca_because(DOCA_ERROR_TOO_BIG, "the size exceeds 32 bits"));
    *buf_size = (uint32_t)(slots * slot + unaligned);
    return dpk_doca_end(NULL, __func__, DOCA_SUCCESS);
}

doca_error_t doca_eth_rxq_set_max_recv_buf_list_len(struct doca_eth_rxq *eth_rxq,
                                                    uint32_t max_recv_buf_list_len)
{
    doca_error_t result;
    const bool good = max_recv_buf_list_len > 0 && max_recv_buf_list_len <= ETH_LIST_MAX;
    struct rxq *q = begin_change(
        eth_rxq, good ? DOCA_SUCCESS : eth_outside(max_recv_buf_list_len, 1, ETH_LIST_MAX),
        &result);
    if (result == DOCA_SUCCESS)
        q->list_max = max_recv_buf_list_len;
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_rxq_set_metadata_num(struct doca_eth_rxq *eth_rxq, uint8_t metadata_num)
{
    doca_error_t result;
    struct rxq *q = begin_change(eth_rxq,
                                 metadata_num <= METADATA_MAX
                                     ? DOCA_SUCCESS
                                     : dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                                        "%u words of metadata, not 0 to %d",
                                                        metadata_num, METADATA_MAX),
                                 &result);
    if (result == DOCA_SUCCESS)
        q->metadata_num = metadata_num;
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

#define SWITCH(setter, member)                                                                     \
    doca_error_t setter(struct doca_eth_rxq *eth_rxq, uint8_t enable)                              \
    {                                                                                              \
        doca_error_t result;                                                                       \
        struct rxq *q = begin_change(                                                              \
            eth_rxq, enable <= 1 ? DOCA_SUCCESS : eth_outside(enable, 0, 1), &result);             \
        if (result == DOCA_SUCCESS)                                                                \
            q->member = enable;                                                                    \
        return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));                      \
    }
SWITCH(doca_eth_rxq_set_flow_tag, tells_tag)
SWITCH(doca_eth_rxq_set_rx_hash, tells_hash)
SWITCH(doca_eth_rxq_set_timestamp, tells_time)

doca_error_t doca_eth_rxq_set_packet_headroom(struct doca_eth_rxq *eth_rxq, uint16_t headroom)
{
    doca_error_t result;
    struct rxq *q = begin_change(eth_rxq, DOCA_SUCCESS, &result);
    if (result == DOCA_SUCCESS)
        q->headroom = headroom;
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_rxq_set_packet_tailroom(struct doca_eth_rxq *eth_rxq, uint16_t tailroom)
{
    doca_error_t result;
    struct rxq *q = begin_change(eth_rxq, DOCA_SUCCESS, &result);
    if (result == DOCA_SUCCESS)
        q->tailroom = tailroom;
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

/* ---- Numbers ---- */

doca_error_t doca_eth_rxq_apply_queue_id(struct doca_eth_rxq *eth_rxq, uint16_t queue_id)
{
    struct rxq *q = dpk_object_lock(eth_rxq, &eth_rxq_kind);
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    if (q && dpk_ctx_is_running(&q->base.ctx) && !q->has_id)
        result = dpk_dev_add_receiver(q->base.dev, queue_id, dpk_queue_number(q->rings.queue));
    else if (q)
        eth_no_id(&q->base.ctx, q->has_id);
    if (result == DOCA_ERROR_ALREADY_EXIST)
        dpk_doca_because(result, "another queue of the device has the id %u", queue_id);
    if (q && result == DOCA_SUCCESS) {
        q->has_id = true;
        q->id = queue_id;
    }
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_rxq_get_flow_queue_id(struct doca_eth_rxq *eth_rxq, uint16_t *flow_queue_id)
{
    struct rxq *q = flow_queue_id ? dpk_object_lock(eth_rxq, &eth_rxq_kind) : NULL;
    if (q && q->has_id)
        *flow_queue_id = q->id;
    return dpk_doca_end(
        eth_rxq, __func__,
        dpk_object_unlock(q, q && q->has_id ? DOCA_SUCCESS
                                            : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                                               "the queue has no id "
                                                               "(doca_eth_rxq_apply_queue_id)")));
}

doca_error_t doca_eth_rxq_get_hw_queue_num(struct doca_eth_rxq *eth_rxq, uint32_t *hw_queue_num)
{
    struct rxq *q = hw_queue_num ? dpk_object_lock(eth_rxq, &eth_rxq_kind) : NULL;
    const bool open = q && q->rings.queue;
    if (open)
        *hw_queue_num = dpk_queue_number(q->rings.queue);
    return dpk_doca_end(eth_rxq, __func__,
                        dpk_object_unlock(q, open ? DOCA_SUCCESS : eth_not_running()));
}
