/* Tasks of receive queues. */
#include "eth.h"

static struct rxq *rxq_of(struct dpk_ctx *ctx)
{
    return (struct rxq *)ctx;
}

/* ---- Posting ---- */

/* Writes the ring entry of a receive. Its unused segments are empty. */
static void write_entry(const struct rxq *q, const struct dpk_memory_access *places, unsigned count)
{
    uint8_t *entry = eth_entry(&q->rings, q->rings.posted);
    memset(entry, 0, (size_t)1 << q->rings.log_size);
    for (unsigned i = 0; i < count; i++)
        eth_write_pointer(entry + i * ETH_SEGMENT, &places[i]);
}

static doca_error_t receive_take(struct dpk_task *task, bool flush)
{
    struct receive_task *t = (struct receive_task *)task;
    struct rxq *q = rxq_of(task->ctx);
    struct dpk_memory_access places[ETH_LIST_MAX];
    unsigned count = 0;
    const size_t slot = q->rings.posted & ((1u << q->rings.log_depth) - 1);
    doca_error_t result =
        dpk_buf_list_places(t->pkt, true, q->base.dev->domain, places, q->list_max, &count);
    if (result == DOCA_SUCCESS && count == 0)
        result = DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS && q->in_flight[slot])
        result = DOCA_ERROR_AGAIN;
    if (result != DOCA_SUCCESS)
        return result;
    t->has_come = false;
    write_entry(q, places, count);
    q->in_flight[slot] = t;
    q->rings.posted++;
    (void)flush; /* each receive is flushed: updating the doorbell record is cheap */
    eth_rings_release(&q->rings);
    dpk_queues_kick(q->rings.nic, q->rings.cq);
    return DOCA_SUCCESS;
}

/* ---- Ending ---- */

static bool end_next(struct rxq *q)
{
    struct eth_completion c;
    struct receive_task *t = NULL;
    pthread_mutex_lock(&q->base.ctx.object.lock);
    if (eth_rings_poll(&q->rings, &c)) {
        struct receive_task **at = &q->in_flight[c.index & ((1u << q->rings.log_depth) - 1)];
        t = *at;
        *at = NULL;
    }
    pthread_mutex_unlock(&q->base.ctx.object.lock);
    if (!t)
        return false;
    t->came = c;
    t->has_come = !c.failed;
    if (t->has_come)
        dpk_buf_list_grow(t->pkt, c.size);
    dpk_task_end(&t->task, !c.failed   ? DOCA_SUCCESS
                           : c.flushed ? DOCA_ERROR_BAD_STATE
                                       : DOCA_ERROR_IO_FAILED);
    return true;
}

bool eth_rxq_progress(struct dpk_ctx *ctx)
{
    struct rxq *q = rxq_of(ctx);
    const bool stops = atomic_load(&ctx->state) == DOCA_CTX_STATE_STOPPING;
    if (q->handle)
        return false; /* kernels take completions */
    if (q->type == DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL)
        return eth_rxq_progress_managed(q, stops);
    /* The port flushes posted receives of a queue in the error state. */
    if (stops && atomic_load(&ctx->submitted) > 0)
        dpk_queue_fail(q->rings.queue);
    return end_next(q);
}

bool eth_rxq_is_ready(const struct dpk_ctx *ctx)
{
    const struct rxq *q = (const struct rxq *)ctx;
    const bool batches = q->batch_came != NULL && q->type == DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL;
    return !q->handle && q->rings.cq && eth_rings_have(&q->rings, batches ? q->batch_min : 1);
}

static void receive_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                         union doca_data ctx_data)
{
    ((doca_eth_rxq_task_recv_completion_cb_t)callback)(task, task_data, ctx_data);
}

static const struct dpk_task_type type = {
    .size = sizeof(struct receive_task), .take = receive_take, .tell = receive_tell};

/* ---- The program's side ---- */

doca_error_t doca_eth_rxq_task_recv_set_conf(
    struct doca_eth_rxq *eth_rxq, doca_eth_rxq_task_recv_completion_cb_t task_completion_cb,
    doca_eth_rxq_task_recv_completion_cb_t task_error_cb, uint32_t task_recv_num)
{
    if (!task_completion_cb || !task_error_cb || task_recv_num == 0)
        return dpk_doca_end(eth_rxq, __func__, DOCA_ERROR_INVALID_VALUE);
    struct rxq *q = dpk_object_pin(eth_rxq, &eth_rxq_kind);
    doca_error_t result =
        q ? dpk_task_pool_set(&q->base.ctx, &q->tasks, &type, (dpk_task_callback)task_completion_cb,
                              (dpk_task_callback)task_error_cb, task_recv_num)
          : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(q);
    return dpk_doca_end(eth_rxq, __func__, result);
}

doca_error_t doca_eth_rxq_task_recv_allocate_init(struct doca_eth_rxq *eth_rxq,
                                                  struct doca_buf *pkt, union doca_data user_data,
                                                  struct doca_eth_rxq_task_recv **task_recv)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct receive_task *t = NULL;
    if (task_recv)
        *task_recv = NULL;
    struct rxq *q = dpk_object_pin(eth_rxq, &eth_rxq_kind);
    if (q && task_recv && dpk_is_buf(pkt))
        t = (struct receive_task *)dpk_task_new(&q->base.ctx, &q->tasks, user_data, &result);
    if (t) {
        t->pkt = pkt;
        *task_recv = t->task.object.handle;
    }
    dpk_object_drop(t);
    dpk_object_drop(q);
    return dpk_doca_end(eth_rxq, __func__, result);
}

struct doca_task *doca_eth_rxq_task_recv_as_doca_task(struct doca_eth_rxq_task_recv *task_recv)
{
    return dpk_task_handle(task_recv, &type);
}

void doca_eth_rxq_task_recv_set_pkt(struct doca_eth_rxq_task_recv *task_recv, struct doca_buf *pkt)
{
    struct receive_task *t = (struct receive_task *)dpk_task_pin(task_recv, &type);
    if (t && dpk_task_begin_change(&t->task)) {
        t->pkt = pkt;
        dpk_task_end_change(&t->task);
    }
    dpk_object_drop(t);
}

doca_error_t doca_eth_rxq_task_recv_get_pkt(const struct doca_eth_rxq_task_recv *task_recv,
                                            struct doca_buf **pkt)
{
    struct receive_task *t = pkt ? (struct receive_task *)dpk_task_pin(task_recv, &type) : NULL;
    if (t)
        *pkt = t->pkt;
    dpk_object_drop(t);
    return dpk_doca_end(task_recv, __func__, t ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
}

/* Getters of properties of a received frame, if the queue was configured to report them
 * (`told`). */
#define TELLS(getter, type_out, told, value)                                                       \
    doca_error_t getter(const struct doca_eth_rxq_task_recv *task_recv, type_out *out)             \
    {                                                                                              \
        struct receive_task *t =                                                                   \
            out ? (struct receive_task *)dpk_task_pin(task_recv, &type) : NULL;                    \
        doca_error_t result = DOCA_ERROR_INVALID_VALUE;                                            \
        if (t && dpk_task_begin_change(&t->task)) {                                                \
            const struct rxq *q = rxq_of(t->task.ctx);                                             \
            result = t->has_come && (told) ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;                  \
            if (result == DOCA_SUCCESS)                                                            \
                *out = (value);                                                                    \
            else                                                                                   \
                dpk_doca_because(result, "no frame came, or the queue does not report this");      \
            (void)q;                                                                               \
            dpk_task_end_change(&t->task);                                                         \
        } else if (t) {                                                                            \
            result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the task is submitted");              \
        }                                                                                          \
        dpk_object_drop(t);                                                                        \
        return dpk_doca_end(task_recv, __func__, result);                                          \
    }

TELLS(doca_eth_rxq_task_recv_get_l3_ok, uint8_t, true, t->came.l3_ok)
TELLS(doca_eth_rxq_task_recv_get_l4_ok, uint8_t, true, t->came.l4_ok)
TELLS(doca_eth_rxq_task_recv_get_metadata_array, const uint32_t *, q->metadata_num > 0,
      &t->came.metadata)
TELLS(doca_eth_rxq_task_recv_get_flow_tag, uint32_t, q->tells_tag, t->came.tag)
TELLS(doca_eth_rxq_task_recv_get_rx_hash, uint32_t, q->tells_hash, t->came.hash)
TELLS(doca_eth_rxq_task_recv_get_timestamp, uint64_t, q->tells_time, t->came.time)
