/* WQEs of send queues, and tasks that send a frame, or a large packet as several frames (LSO). */
#include "eth.h"

enum { WQE_LARGE_SEND = 0x0e, WQE_SEND = 0x0a };
enum { COMPLETE_ALWAYS = 2 << 2, CHECKSUM_L3 = 0x40, CHECKSUM_L4 = 0x80 };
enum { CONTROL = 16, ETHERNET = 16, INLINE_AT = 14, WQE_SEGMENTS_MAX = 63 };

struct send_task {
    struct dpk_task task;
    struct doca_buf *pkt;
    struct doca_gather_list *headers; /* of a large packet */
    uint32_t metadata;
    uint16_t mss, flags;
};

static struct txq *txq_of(struct dpk_ctx *ctx)
{
    return (struct txq *)ctx;
}

/* ---- WQEs ---- */

/* Writes the Ethernet segment with its headers. Returns its size in segments, or 0 if the headers
 * do not fit. */
static unsigned write_ethernet(const struct txq *q, const struct send_frame *frame, uint8_t *at)
{
    size_t size = 0;
    const struct doca_gather_list *headers = frame->headers;
    memset(at, 0, ETHERNET);
    at[4] = (uint8_t)((q->l3 ? CHECKSUM_L3 : 0) | (q->l4 ? CHECKSUM_L4 : 0));
    dpk_store_be32(at + 8, frame->metadata);
    if (!headers)
        return 1;
    dpk_store_be16(at + 6, frame->mss);
    for (; headers; headers = headers->next) {
        if (!headers->addr || headers->len == 0 || headers->len > q->headers_max - size)
            return 0;
        memcpy(at + INLINE_AT + size, headers->addr, headers->len);
        size += headers->len;
    }
    dpk_store_be16(at + 12, (uint16_t)size);
    const size_t end = INLINE_AT + (size < 2 ? 2 : size), over = end % ETH_SEGMENT;
    if (over)
        memset(at + end, 0, ETH_SEGMENT - over);
    return size < 2 ? 0 : (unsigned)((end + ETH_SEGMENT - 1) / ETH_SEGMENT);
}

static void write_control(const struct txq *q, bool cut, unsigned segments, uint8_t *at)
{
    memset(at, 0, CONTROL);
    dpk_store_be32(at, (uint32_t)q->rings.posted << 8 | (cut ? WQE_LARGE_SEND : WQE_SEND));
    dpk_store_be32(at + 4, dpk_queue_number(q->rings.queue) << 8 | segments);
    at[11] = COMPLETE_ALWAYS;
}

/* Copies a WQE to the ring, which may wrap. */
static void put(struct txq *q, const uint8_t *wqe, unsigned blocks, struct send_item item)
{
    q->in_flight[q->rings.posted & ((1u << q->rings.log_depth) - 1)] = item;
    for (unsigned i = 0; i < blocks; i++)
        memcpy(eth_entry(&q->rings, (uint16_t)(q->rings.posted + i)), wqe + i * DPK_WQEBB,
               DPK_WQEBB);
    q->rings.posted = (uint16_t)(q->rings.posted + blocks);
}

doca_error_t eth_txq_post(struct txq *q, const struct send_frame *frame, struct send_item item)
{
    struct dpk_memory_access places[ETH_LIST_MAX];
    uint8_t wqe[(WQE_SEGMENTS_MAX + 1) * ETH_SEGMENT];
    unsigned count = 0;
    if (frame->flags != 0)
        return DOCA_ERROR_NOT_SUPPORTED;
    doca_error_t result =
        dpk_buf_list_places(frame->pkt, false, q->base.dev->domain, places, q->list_max, &count);
    if (result != DOCA_SUCCESS)
        return result;
    const unsigned ethernet = write_ethernet(q, frame, wqe + CONTROL);
    unsigned segments = 1 + ethernet;
    if (ethernet == 0 || count == 0 || segments + count > WQE_SEGMENTS_MAX)
        return DOCA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if (places[i].size >= UINT32_C(1) << 31)
            return DOCA_ERROR_INVALID_VALUE;
        eth_write_pointer(wqe + segments++ * ETH_SEGMENT, &places[i]);
    }
    const unsigned blocks = (segments * ETH_SEGMENT + DPK_WQEBB - 1) / DPK_WQEBB;
    if (blocks > (1u << q->rings.log_depth) - (uint16_t)(q->rings.posted - q->done))
        return DOCA_ERROR_AGAIN;
    write_control(q, frame->headers != NULL, segments, wqe);
    item.blocks = (uint16_t)blocks;
    put(q, wqe, blocks, item);
    return DOCA_SUCCESS;
}

void eth_txq_flush(struct dpk_ctx *ctx)
{
    struct eth_rings *r = &txq_of(ctx)->rings;
    if (!r->queue || r->released == r->posted)
        return;
    r->released = r->posted;
    dpk_queue_ring(r->queue, r->posted);
}

static doca_error_t send_take(struct dpk_task *task, bool flush)
{
    const struct send_task *t = (struct send_task *)task;
    struct txq *q = txq_of(task->ctx);
    const bool cuts = task->pool == &q->large_sends;
    if (cuts && !t->headers)
        return DOCA_ERROR_INVALID_VALUE;
    const struct send_frame frame = {.pkt = t->pkt,
                                     .headers = cuts ? t->headers : NULL,
                                     .metadata = t->metadata,
                                     .mss = t->mss,
                                     .flags = t->flags};
    const doca_error_t result = eth_txq_post(q, &frame, (struct send_item){.task = task});
    if (result == DOCA_SUCCESS && flush)
        eth_txq_flush(task->ctx);
    return result;
}

/* ---- Completions ---- */

/* Takes the next completion. Returns false if there is none. */
static bool take(struct txq *q, struct send_item *item, doca_error_t *status)
{
    struct eth_completion c;
    pthread_mutex_lock(&q->base.ctx.object.lock);
    const bool there = eth_rings_poll(&q->rings, &c);
    if (there) {
        struct send_item *at = &q->in_flight[c.index & ((1u << q->rings.log_depth) - 1)];
        *item = *at;
        *at = (struct send_item){0};
        q->done = (uint16_t)(c.index + item->blocks);
        *status = !c.failed   ? DOCA_SUCCESS
                  : c.flushed ? DOCA_ERROR_BAD_STATE
                              : DOCA_ERROR_IO_FAILED;
    }
    pthread_mutex_unlock(&q->base.ctx.object.lock);
    return there && item->task;
}

/* Returns the next ended task, or NULL. */
static struct dpk_task *end_next(struct txq *q, doca_error_t *status)
{
    struct send_item item;
    while (take(q, &item, status))
        if (!eth_is_batch(item.task) || eth_batch_ended(item.task, item.place, status))
            return item.task;
    return NULL;
}

bool eth_txq_progress(struct dpk_ctx *ctx)
{
    struct txq *q = txq_of(ctx);
    doca_error_t status = DOCA_SUCCESS;
    if (eth_gpu(&q->base))
        return eth_txq_progress_events(q);
    if (atomic_load(&ctx->state) == DOCA_CTX_STATE_STOPPING) {
        pthread_mutex_lock(&ctx->object.lock);
        eth_txq_flush(ctx);
        pthread_mutex_unlock(&ctx->object.lock);
    }
    struct dpk_task *t = end_next(q, &status);
    if (t)
        dpk_task_end(t, status);
    return t != NULL;
}

bool eth_txq_is_ready(const struct dpk_ctx *ctx)
{
    const struct txq *q = (const struct txq *)ctx;
    return (!eth_gpu(&q->base) || eth_txq_reports(q)) && q->rings.cq &&
           eth_rings_have(&q->rings, 1);
}

/* ---- Tasks of both types ---- */

static void send_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    ((doca_eth_txq_task_send_completion_cb_t)callback)(task, task_data, ctx_data);
}

static void large_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    ((doca_eth_txq_task_lso_send_completion_cb_t)callback)(task, task_data, ctx_data);
}

static const struct dpk_task_type send_type = {
    .size = sizeof(struct send_task), .take = send_take, .tell = send_tell};
static const struct dpk_task_type large_type = {
    .size = sizeof(struct send_task), .take = send_take, .tell = large_tell};

/* `pool`: offset of the pool in struct txq. */
static doca_error_t set_conf(struct doca_eth_txq *eth_txq, size_t pool,
                             const struct dpk_task_type *type, dpk_task_callback completed,
                             dpk_task_callback failed, uint32_t count)
{
    if (!completed || !failed || count == 0)
        return DOCA_ERROR_INVALID_VALUE;
    struct txq *q = dpk_object_pin(eth_txq, &eth_txq_kind);
    doca_error_t result =
        q ? dpk_task_pool_set(&q->base.ctx, (struct dpk_task_pool *)((char *)q + pool), type,
                              completed, failed, count)
          : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(q);
    return result;
}

static doca_error_t allocate(struct doca_eth_txq *eth_txq, size_t pool, struct doca_buf *pkt,
                             struct doca_gather_list *headers, union doca_data user_data,
                             void **task)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct send_task *t = NULL;
    struct txq *q = dpk_object_pin(eth_txq, &eth_txq_kind);
    if (q && task && dpk_is_buf(pkt))
        t = (struct send_task *)dpk_task_new(
            &q->base.ctx, (struct dpk_task_pool *)((char *)q + pool), user_data, &result);
    if (task)
        *task = NULL;
    if (t) {
        t->pkt = pkt;
        t->headers = headers;
        t->mss = q->mss;
        *task = t->task.object.handle;
    }
    dpk_object_drop(t);
    dpk_object_drop(q);
    return result;
}

doca_error_t eth_txq_expand(struct doca_eth_txq *eth_txq, size_t pool, uint32_t by)
{
    struct txq *q = dpk_object_pin(eth_txq, &eth_txq_kind);
    const doca_error_t result =
        q ? dpk_task_pool_expand(&q->base.ctx, (struct dpk_task_pool *)((char *)q + pool), by)
          : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(q);
    return result;
}

/* Sets a number at an offset in struct send_task. */
static void set_number(const void *task, const struct dpk_task_type *type, size_t place,
                       uint16_t number)
{
    struct send_task *t = (struct send_task *)dpk_task_pin(task, type);
    if (t && dpk_task_begin_change(&t->task)) {
        memcpy((char *)t + place, &number, sizeof number);
        dpk_task_end_change(&t->task);
    }
    dpk_object_drop(t);
}

static doca_error_t get_metadata(const void *task, const struct dpk_task_type *type,
                                 uint32_t **metadata)
{
    struct send_task *t = metadata ? (struct send_task *)dpk_task_pin(task, type) : NULL;
    const bool has = t && txq_of(t->task.ctx)->metadata_num > 0;
    if (has)
        *metadata = &t->metadata;
    dpk_object_drop(t);
    if (!has && t)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                "the queue has no metadata (doca_eth_txq_set_metadata_num)");
    return has ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static void set_data(const void *task, const struct dpk_task_type *type, struct doca_buf **pkt,
                     struct doca_gather_list **headers)
{
    struct send_task *t = (struct send_task *)dpk_task_pin(task, type);
    if (t && dpk_task_begin_change(&t->task)) {
        t->pkt = pkt ? *pkt : t->pkt;
        t->headers = headers ? *headers : t->headers;
        dpk_task_end_change(&t->task);
    }
    dpk_object_drop(t);
}

static doca_error_t get_data(const void *task, const struct dpk_task_type *type,
                             struct doca_buf **pkt, struct doca_gather_list **headers)
{
    struct send_task *t = pkt || headers ? (struct send_task *)dpk_task_pin(task, type) : NULL;
    if (t && pkt)
        *pkt = t->pkt;
    if (t && headers)
        *headers = t->headers;
    dpk_object_drop(t);
    return t ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

/* ---- Frames ---- */

doca_error_t doca_eth_txq_task_send_set_conf(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_send_completion_cb_t task_error_cb, uint32_t task_send_num)
{
    return dpk_doca_end(eth_txq, __func__,
                        set_conf(eth_txq, offsetof(struct txq, sends), &send_type,
                                 (dpk_task_callback)task_completion_cb,
                                 (dpk_task_callback)task_error_cb, task_send_num));
}

doca_error_t doca_eth_txq_task_send_allocate_init(struct doca_eth_txq *eth_txq,
                                                  struct doca_buf *pkt, union doca_data user_data,
                                                  struct doca_eth_txq_task_send **task_send)
{
    return dpk_doca_end(
        eth_txq, __func__,
        allocate(eth_txq, offsetof(struct txq, sends), pkt, NULL, user_data, (void **)task_send));
}

struct doca_task *doca_eth_txq_task_send_as_doca_task(struct doca_eth_txq_task_send *task_send)
{
    return dpk_task_handle(task_send, &send_type);
}

void doca_eth_txq_task_send_set_pkt(struct doca_eth_txq_task_send *task_send, struct doca_buf *pkt)
{
    set_data(task_send, &send_type, &pkt, NULL);
}

doca_error_t doca_eth_txq_task_send_get_pkt(const struct doca_eth_txq_task_send *task_send,
                                            struct doca_buf **pkt)
{
    return dpk_doca_end(task_send, __func__, get_data(task_send, &send_type, pkt, NULL));
}

doca_error_t doca_eth_txq_task_send_num_expand(struct doca_eth_txq *eth_txq, uint32_t task_send_num)
{
    return dpk_doca_end(eth_txq, __func__,
                        eth_txq_expand(eth_txq, offsetof(struct txq, sends), task_send_num));
}

doca_error_t doca_eth_txq_task_send_get_metadata_array(struct doca_eth_txq_task_send *task_send,
                                                       uint32_t **metadata_array)
{
    return dpk_doca_end(task_send, __func__, get_metadata(task_send, &send_type, metadata_array));
}

void doca_eth_txq_task_send_set_ol_flags(struct doca_eth_txq_task_send *task_send,
                                         uint16_t ol_flags)
{
    set_number(task_send, &send_type, offsetof(struct send_task, flags), ol_flags);
}

/* ---- Large packets ---- */

doca_error_t doca_eth_txq_task_lso_send_set_conf(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_lso_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_lso_send_completion_cb_t task_error_cb, uint32_t task_lso_send_num)
{
    return dpk_doca_end(eth_txq, __func__,
                        set_conf(eth_txq, offsetof(struct txq, large_sends), &large_type,
                                 (dpk_task_callback)task_completion_cb,
                                 (dpk_task_callback)task_error_cb, task_lso_send_num));
}

doca_error_t doca_eth_txq_task_lso_send_allocate_init(
    struct doca_eth_txq *eth_txq, struct doca_buf *pkt_payload, struct doca_gather_list *headers,
    union doca_data user_data, struct doca_eth_txq_task_lso_send **task_lso_send)
{
    if (task_lso_send)
        *task_lso_send = NULL;
    return dpk_doca_end(eth_txq, __func__,
                        headers ? allocate(eth_txq, offsetof(struct txq, large_sends), pkt_payload,
                                           headers, user_data, (void **)task_lso_send)
                                : DOCA_ERROR_INVALID_VALUE);
}

struct doca_task *
doca_eth_txq_task_lso_send_as_doca_task(struct doca_eth_txq_task_lso_send *task_lso_send)
{
    return dpk_task_handle(task_lso_send, &large_type);
}

void doca_eth_txq_task_lso_send_set_pkt_payload(struct doca_eth_txq_task_lso_send *task_lso_send,
                                                struct doca_buf *pkt_payload)
{
    set_data(task_lso_send, &large_type, &pkt_payload, NULL);
}

doca_error_t
doca_eth_txq_task_lso_send_get_pkt_payload(const struct doca_eth_txq_task_lso_send *task_lso_send,
                                           struct doca_buf **pkt_payload)
{
    return dpk_doca_end(task_lso_send, __func__,
                        get_data(task_lso_send, &large_type, pkt_payload, NULL));
}

void doca_eth_txq_task_lso_send_set_headers(struct doca_eth_txq_task_lso_send *task_lso_send,
                                            struct doca_gather_list *headers)
{
    set_data(task_lso_send, &large_type, NULL, &headers);
}

doca_error_t
doca_eth_txq_task_lso_send_get_headers(const struct doca_eth_txq_task_lso_send *task_lso_send,
                                       struct doca_gather_list **headers)
{
    return dpk_doca_end(task_lso_send, __func__,
                        get_data(task_lso_send, &large_type, NULL, headers));
}

doca_error_t doca_eth_txq_task_lso_send_num_expand(struct doca_eth_txq *eth_txq,
                                                   uint32_t task_lso_send_num)
{
    return dpk_doca_end(
        eth_txq, __func__,
        eth_txq_expand(eth_txq, offsetof(struct txq, large_sends), task_lso_send_num));
}

doca_error_t
doca_eth_txq_task_lso_send_get_metadata_array(struct doca_eth_txq_task_lso_send *task_lso_send,
                                              uint32_t **metadata_array)
{
    return dpk_doca_end(task_lso_send, __func__,
                        get_metadata(task_lso_send, &large_type, metadata_array));
}

void doca_eth_txq_task_lso_send_set_mss(struct doca_eth_txq_task_lso_send *task_lso_send,
                                        uint16_t mss)
{
    if (mss > 0)
        set_number(task_lso_send, &large_type, offsetof(struct send_task, mss), mss);
}

void doca_eth_txq_task_lso_send_set_ol_flags(struct doca_eth_txq_task_lso_send *task_lso_send,
                                             uint16_t ol_flags)
{
    set_number(task_lso_send, &large_type, offsetof(struct send_task, flags), ol_flags);
}
