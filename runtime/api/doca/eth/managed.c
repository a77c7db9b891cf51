/* Queues that manage their buffers: a pool of buffers, and events of received frames. */
#include <doca_buf_pool.h>

#include "eth.h"

static void event_release(void *object)
{
    free(object);
}
const struct dpk_kind eth_receive_event_kind = {.release = event_release};
const struct dpk_kind eth_receive_batch_kind = {.release = event_release};

/* ---- Buffers ---- */

static uint64_t slot_size(const struct rxq *q)
{
    return eth_slot_size(q->headroom, q->packet, q->tailroom);
}

/* Posts a buffer of the pool. Returns false if no buffer is free, or the ring is full. */
static bool post(struct rxq *q)
{
    const size_t slot = q->rings.posted & ((1u << q->rings.log_depth) - 1);
    struct dpk_memory_access at;
    struct doca_buf *buf = NULL;
    unsigned count = 0;
    void *head = NULL;
    if (q->posted[slot] || dpk_doca_inner(doca_buf_pool_buf_alloc(q->pool, &buf)) != DOCA_SUCCESS)
        return false;
    if (dpk_doca_inner(doca_buf_get_head(buf, &head)) != DOCA_SUCCESS ||
        dpk_doca_inner(doca_buf_set_data(buf, (uint8_t *)head + q->headroom, 0)) != DOCA_SUCCESS ||
        dpk_buf_list_places(buf, true, q->base.dev->domain, &at, 1, &count) != DOCA_SUCCESS ||
        count == 0) {
        (void)dpk_doca_inner(doca_buf_dec_refcount(buf, NULL));
        return false;
    }
    at.size -= q->tailroom;
    eth_write_pointer(eth_entry(&q->rings, q->rings.posted), &at);
    q->posted[slot] = buf;
    q->rings.posted++;
    return true;
}

static void fill(struct rxq *q)
{
    while (post(q))
        continue;
    if (q->rings.released == q->rings.posted)
        return;
    eth_rings_release(&q->rings);
    dpk_queues_kick(q->rings.nic, q->rings.cq);
}

static void pool_free(struct rxq *q)
{
    (void)dpk_doca_inner(doca_buf_pool_destroy(q->pool));
    q->pool = NULL;
}

doca_error_t eth_rxq_pool_open(struct rxq *q)
{
    const uint64_t size = slot_size(q);
    const size_t room = q->mmap_len > DPK_WQEBB ? q->mmap_len - DPK_WQEBB : 0;
    doca_error_t result =
        room < size
            ? dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                               "the %u bytes of doca_eth_rxq_set_pkt_buf have no room for a frame "
                               "of %llu bytes",
                               q->mmap_len, (unsigned long long)size)
            : dpk_doca_inner(doca_buf_pool_create(room / size, size, q->mmap, &q->pool));
    if (result != DOCA_SUCCESS)
        return result;
    dpk_buf_pool_set_stretch(q->pool, q->mmap_offset, q->mmap_len);
    (void)dpk_doca_inner(doca_buf_pool_set_element_alignment(q->pool, DPK_WQEBB));
    result = dpk_doca_inner(doca_buf_pool_start(q->pool));
    if (result == DOCA_SUCCESS) {
        fill(q);
        if (q->rings.posted == 0) /* the device must not write to the memory */
            result = dpk_doca_because(DOCA_ERROR_NOT_PERMITTED,
                                      "the device may not write to the map of the queue");
        if (result != DOCA_SUCCESS)
            (void)dpk_doca_inner(doca_buf_pool_stop(q->pool));
    }
    if (result != DOCA_SUCCESS)
        pool_free(q);
    return result;
}

/* Returns all posted buffers of a queue to its pool, and stops receiving. */
static void drain(struct rxq *q)
{
    if (q->drained)
        return;
    dpk_queue_fail(q->rings.queue);
    for (size_t i = 0; i < (size_t)1 << q->rings.log_depth; i++) {
        if (q->posted[i])
            (void)dpk_doca_inner(doca_buf_dec_refcount(q->posted[i], NULL));
        q->posted[i] = NULL;
    }
    q->drained = true;
}

/* Returns the number of buffers that the program has. */
static uint32_t taken(const struct rxq *q)
{
    uint32_t all = 0, free_ones = 0, posted = 0;
    (void)dpk_doca_inner(doca_buf_pool_get_num_elements(q->pool, &all));
    (void)dpk_doca_inner(doca_buf_pool_get_num_free_elements(q->pool, &free_ones));
    for (size_t i = 0; i < (size_t)1 << q->rings.log_depth; i++)
        posted += q->posted[i] != NULL;
    return all - free_ones - posted;
}

doca_error_t eth_rxq_pool_close(struct rxq *q)
{
    if (taken(q) > 0)
        return DOCA_ERROR_IN_USE;
    drain(q);
    (void)dpk_doca_inner(doca_buf_pool_stop(q->pool));
    pool_free(q);
    return DOCA_SUCCESS;
}

/* ---- Events ---- */

/* Takes the next frame into place `i` of the event. Returns NULL if there is no frame, or it
 * failed. */
static struct doca_buf *take(struct rxq *q, unsigned i, bool *failed)
{
    struct eth_completion c;
    struct receive_event *e = q->event;
    if (!eth_rings_poll(&q->rings, &c))
        return NULL;
    struct doca_buf **at = &q->posted[c.index & ((1u << q->rings.log_depth) - 1)], *buf = *at;
    *at = NULL;
    *failed = c.failed;
    if (c.failed) {
        (void)dpk_doca_inner(doca_buf_dec_refcount(buf, NULL));
        return NULL;
    }
    dpk_buf_list_grow(buf, c.size);
    e->l3_ok[i] = c.l3_ok;
    e->l4_ok[i] = c.l4_ok;
    e->metadata[i] = c.metadata;
    e->tag[i] = c.tag;
    e->hash[i] = c.hash;
    e->time[i] = c.time;
    return buf;
}

/* Takes at most the frames that fit into an event. *bufs has room for the frame of an event that is
 * not a batch, and receives the list of a batch, which ends with NULL. Returns 0 if there are too
 * few frames, or memory is exhausted: the frames then stay in the ring. */
static unsigned gather(struct rxq *q, struct doca_buf ***bufs, bool *failed)
{
    const unsigned most = q->batch_came ? q->batch_max : 1,
                   least = q->batch_came ? q->batch_min : 1;
    unsigned count = 0;
    if (!eth_rings_have(&q->rings, least) ||
        (q->batch_came && !(*bufs = calloc(most + 1, sizeof **bufs))))
        return 0;
    while (count < most && !*failed && ((*bufs)[count] = take(q, count, failed)))
        count++;
    return count;
}

/* The program frees the list of a batch. */
static void tell_frames(struct rxq *q, struct doca_buf **bufs, unsigned count)
{
    struct receive_event *e = q->event;
    e->count = count;
    e->status = DOCA_SUCCESS;
    if (q->batch_came)
        q->batch_came(e->object.handle, (uint16_t)count, q->event_data, DOCA_SUCCESS, bufs);
    else
        q->came(e->object.handle, bufs[0], q->event_data);
}

static void tell_failure(struct rxq *q)
{
    struct receive_event *e = q->event;
    e->count = 0;
    e->status = DOCA_ERROR_IO_FAILED;
    if (q->batch_came)
        q->batch_failed(e->object.handle, 0, q->event_data, e->status, NULL);
    else
        q->failed(e->object.handle, NULL, q->event_data);
}

bool eth_rxq_progress_managed(struct rxq *q, bool stops)
{
    struct doca_buf *frame = NULL, **bufs = &frame;
    bool failed = false;
    unsigned count = 0;
    pthread_mutex_lock(&q->base.ctx.object.lock);
    if (q->rings.queue && !stops && !q->drained) {
        fill(q);
        count = gather(q, &bufs, &failed);
    }
    pthread_mutex_unlock(&q->base.ctx.object.lock);
    if (count > 0)
        tell_frames(q, bufs, count);
    else if (bufs != &frame)
        free(bufs);
    if (failed)
        tell_failure(q);
    q->event->count = 0;
    q->event->status = DOCA_ERROR_BAD_STATE;
    return count > 0 || failed;
}

/* ---- The program's side ---- */

/* Replaces the event of an idle queue, which is locked. */
static doca_error_t set_event(struct rxq *q, const struct dpk_kind *kind)
{
    struct receive_event *e = calloc(1, sizeof *e);
    void *handle = e ? dpk_object_enter(e, kind) : NULL;
    if (!handle)
        return DOCA_ERROR_NO_MEMORY;
    e->ctx = &q->base.ctx;
    e->status = DOCA_ERROR_BAD_STATE;
    if (q->event) {
        dpk_object_destroy(q->event->object.handle, q->event->object.kind);
        dpk_object_drop(q->event);
    }
    q->event = dpk_object_pin(handle, kind);
    return DOCA_SUCCESS;
}

static struct rxq *lock_idle(struct doca_eth_rxq *eth_rxq, const struct dpk_kind *kind,
                             doca_error_t *result)
{
    struct rxq *q = dpk_object_lock(eth_rxq, &eth_rxq_kind);
    if (!q)
        *result = DOCA_ERROR_INVALID_VALUE;
    else if (atomic_load(&q->base.ctx.state) != DOCA_CTX_STATE_IDLE)
        *result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue is %s, and must be idle",
                                   dpk_ctx_state_name(&q->base.ctx));
    else
        *result = set_event(q, kind);
    return q;
}

doca_error_t doca_eth_rxq_event_managed_recv_register(
    struct doca_eth_rxq *eth_rxq, union doca_data user_data,
    doca_eth_rxq_event_managed_recv_handler_cb_t success_event_cb,
    doca_eth_rxq_event_managed_recv_handler_cb_t error_event_cb)
{
    doca_error_t result;
    if (!success_event_cb || !error_event_cb)
        return dpk_doca_end(eth_rxq, __func__, DOCA_ERROR_INVALID_VALUE);
    struct rxq *q = lock_idle(eth_rxq, &eth_receive_event_kind, &result);
    if (result == DOCA_SUCCESS) {
        q->event_data = user_data;
        q->came = success_event_cb;
        q->failed = error_event_cb;
        q->batch_came = NULL;
    }
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

/* Returns 0 if the number is invalid. */
static unsigned events_of(enum doca_event_batch_events_number number)
{
    return (unsigned)number > DOCA_EVENT_BATCH_EVENTS_NUMBER_128 ? 0 : 1u << number;
}

doca_error_t doca_eth_rxq_event_batch_managed_recv_register(
    struct doca_eth_rxq *eth_rxq, enum doca_event_batch_events_number events_number_max,
    enum doca_event_batch_events_number events_number_min, union doca_data user_data,
    doca_eth_rxq_event_batch_managed_recv_handler_cb_t success_event_batch_cb,
    doca_eth_rxq_event_batch_managed_recv_handler_cb_t error_event_batch_cb)
{
    doca_error_t result;
    const unsigned most = events_of(events_number_max), least = events_of(events_number_min);
    if (!success_event_batch_cb || !error_event_batch_cb || least == 0 || most < least)
        return dpk_doca_end(eth_rxq, __func__, DOCA_ERROR_INVALID_VALUE);
    struct rxq *q = lock_idle(eth_rxq, &eth_receive_batch_kind, &result);
    if (result == DOCA_SUCCESS) {
        q->event_data = user_data;
        q->batch_came = success_event_batch_cb;
        q->batch_failed = error_event_batch_cb;
        q->batch_max = most;
        q->batch_min = least;
    }
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_rxq_event_managed_recv_get_status(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv)
{
    struct receive_event *e = dpk_object_pin(event_managed_recv, &eth_receive_event_kind);
    const doca_error_t result = e ? e->status : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(e);
    return e ? result : dpk_doca_no_object(__func__);
}

/* Getters of properties of an event's frames, if the queue was configured to report them
 * (`told`). */
#define TELLS(kind, of, getter, type_out, told, value)                                             \
    doca_error_t getter(const struct doca_eth_rxq_event_##of *event, type_out *out)                \
    {                                                                                              \
        struct receive_event *e = out ? dpk_object_pin(event, &kind) : NULL;                       \
        doca_error_t result = DOCA_ERROR_INVALID_VALUE;                                            \
        if (e) {                                                                                   \
            const struct rxq *q = (const struct rxq *)e->ctx;                                      \
            result = e->count > 0 && (told) ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;                 \
            if (result == DOCA_SUCCESS)                                                            \
                *out = (value);                                                                    \
            else                                                                                   \
                dpk_doca_because(result, "no frame came, or the queue does not report this");      \
            (void)q;                                                                               \
        }                                                                                          \
        dpk_object_drop(e);                                                                        \
        return dpk_doca_end(event, __func__, result);                                              \
    }
#define OF_FRAME(...) TELLS(eth_receive_event_kind, managed_recv, __VA_ARGS__)
#define OF_BATCH(...) TELLS(eth_receive_batch_kind, batch_managed_recv, __VA_ARGS__)

OF_FRAME(doca_eth_rxq_event_managed_recv_get_l3_ok, uint8_t, true, e->l3_ok[0])
OF_FRAME(doca_eth_rxq_event_managed_recv_get_l4_ok, uint8_t, true, e->l4_ok[0])
OF_FRAME(doca_eth_rxq_event_managed_recv_get_metadata_array, const uint32_t *, q->metadata_num > 0,
         e->metadata)
OF_FRAME(doca_eth_rxq_event_managed_recv_get_flow_tag, uint32_t, q->tells_tag, e->tag[0])
OF_FRAME(doca_eth_rxq_event_managed_recv_get_rx_hash, uint32_t, q->tells_hash, e->hash[0])
OF_FRAME(doca_eth_rxq_event_managed_recv_get_timestamp, uint64_t, q->tells_time, e->time[0])
OF_BATCH(doca_eth_rxq_event_batch_managed_recv_get_l3_ok_array, const uint8_t *, true, e->l3_ok)
OF_BATCH(doca_eth_rxq_event_batch_managed_recv_get_l4_ok_array, const uint8_t *, true, e->l4_ok)
OF_BATCH(doca_eth_rxq_event_batch_managed_recv_get_metadata_array, const uint32_t *,
         q->metadata_num > 0, e->metadata)
OF_BATCH(doca_eth_rxq_event_batch_managed_recv_get_flow_tag_array, const uint32_t *, q->tells_tag,
         e->tag)
OF_BATCH(doca_eth_rxq_event_batch_managed_recv_get_rx_hash_array, const uint32_t *, q->tells_hash,
         e->hash)
OF_BATCH(doca_eth_rxq_event_batch_managed_recv_get_timestamp_array, const uint64_t *, q->tells_time,
         e->time)

static struct doca_ctx *queue_of(const void *event, const struct dpk_kind *kind)
{
    struct receive_event *e = dpk_object_pin(event, kind);
    struct doca_ctx *ctx = e ? e->ctx->object.handle : NULL;
    dpk_object_drop(e);
    return ctx;
}

struct doca_ctx *doca_eth_rxq_event_managed_recv_get_ctx(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv)
{
    return queue_of(event_managed_recv, &eth_receive_event_kind);
}

struct doca_ctx *doca_eth_rxq_event_batch_managed_recv_get_ctx(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv)
{
    return queue_of(event_batch_managed_recv, &eth_receive_batch_kind);
}

void doca_eth_rxq_event_batch_managed_recv_pkt_array_free(struct doca_buf **pkt_array)
{
    for (struct doca_buf **at = pkt_array; at && *at; at++)
        (void)dpk_doca_inner(doca_buf_dec_refcount(*at, NULL));
    free(pkt_array);
}
