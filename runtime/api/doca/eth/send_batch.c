/* Batches: tasks that send many frames. */
#include "eth.h"

#define BATCH_MAX(number) (16u << (number))

struct batch {
    struct dpk_task_batch base;
    uint16_t left; /* frames in flight */
    bool cuts;
    struct doca_buf **pkts;
    struct doca_gather_list **headers;
    union doca_data *data;
    uint32_t *metadata;
    uint16_t *mss, *flags;
    doca_error_t *status;
};

static struct send_frame frame_at(const struct batch *b, uint16_t i)
{
    return (struct send_frame){.pkt = b->pkts[i],
                               .headers = b->cuts ? b->headers[i] : NULL,
                               .metadata = b->metadata[i],
                               .mss = b->mss[i],
                               .flags = b->flags[i]};
}

/* Posts all frames, or no frame. Call this with the lock. */
static doca_error_t batch_take(struct dpk_task *task, bool flush)
{
    struct batch *b = (struct batch *)task;
    struct txq *q = (struct txq *)task->ctx;
    const uint16_t before = q->rings.posted;
    doca_error_t result = DOCA_SUCCESS;
    for (uint16_t i = 0; i < b->base.count && result == DOCA_SUCCESS; i++) {
        const struct send_frame frame = frame_at(b, i);
        result = b->cuts && (!frame.headers || frame.mss == 0)
                     ? DOCA_ERROR_INVALID_VALUE
                     : eth_txq_post(q, &frame, (struct send_item){.task = task, .place = i});
    }
    if (result != DOCA_SUCCESS) {
        q->rings.posted = before;
        return result;
    }
    b->left = b->base.count;
    if (flush)
        eth_txq_flush(task->ctx);
    return DOCA_SUCCESS;
}

bool eth_batch_ended(struct dpk_task *task, uint16_t place, doca_error_t *status)
{
    struct batch *b = (struct batch *)task;
    b->status[place] = *status;
    if (--b->left > 0)
        return false;
    *status = DOCA_SUCCESS;
    for (uint16_t i = 0; i < b->base.count && *status == DOCA_SUCCESS; i++)
        *status = b->status[i];
    return true;
}

static void batch_release(struct dpk_task *task)
{
    struct batch *b = (struct batch *)task;
    free(b->pkts);
    free(b->headers);
    free(b->data);
    free(b->metadata);
    free(b->mss);
    free(b->flags);
    free(b->status);
}

static void send_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                      union doca_data ctx_data);
static void large_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                       union doca_data ctx_data);

static const struct dpk_task_type send_type = {.kind = &dpk_task_batch_kind,
                                               .size = sizeof(struct batch),
                                               .take = batch_take,
                                               .release = batch_release,
                                               .tell = send_tell};
static const struct dpk_task_type large_type = {.kind = &dpk_task_batch_kind,
                                                .size = sizeof(struct batch),
                                                .take = batch_take,
                                                .release = batch_release,
                                                .tell = large_tell};

bool eth_is_batch(const struct dpk_task *task)
{
    return task->pool->type == &send_type || task->pool->type == &large_type;
}

static void send_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    struct batch *b = (struct batch *)dpk_task_pin(task, &send_type);
    if (b)
        ((doca_eth_txq_task_batch_send_completion_cb_t)callback)(
            task, b->base.count, ctx_data, task_data, b->data, b->pkts, b->status);
    dpk_object_drop(b);
}

static void large_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct batch *b = (struct batch *)dpk_task_pin(task, &large_type);
    if (b)
        ((doca_eth_txq_task_batch_lso_send_completion_cb_t)callback)(
            task, b->base.count, ctx_data, task_data, b->data, b->pkts, b->headers, b->status);
    dpk_object_drop(b);
}

/* ---- The program's side ---- */

/* A kind of batches: offsets of its settings in struct txq, and its type. */
struct sort {
    size_t pool, most;
    const struct dpk_task_type *type;
};
static const struct sort sends = {offsetof(struct txq, batches), offsetof(struct txq, batch_max),
                                  &send_type};
static const struct sort large_sends = {offsetof(struct txq, large_batches),
                                        offsetof(struct txq, large_batch_max), &large_type};

static doca_error_t set_conf(struct doca_eth_txq *eth_txq, const struct sort *sort,
                             enum doca_task_batch_max_tasks_number max_tasks_number,
                             uint16_t num_task_batches, dpk_task_callback completed,
                             dpk_task_callback failed)
{
    if (!completed || !failed || num_task_batches == 0 ||
        (unsigned)max_tasks_number > DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a callback is NULL, or a number of tasks or batches is 0 or too "
                                "large");
    struct txq *q = dpk_object_pin(eth_txq, &eth_txq_kind);
    doca_error_t result =
        q ? dpk_task_pool_set(&q->base.ctx, (struct dpk_task_pool *)((char *)q + sort->pool),
                              sort->type, completed, failed, num_task_batches)
          : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *(uint16_t *)((char *)q + sort->most) = (uint16_t)BATCH_MAX(max_tasks_number);
    dpk_object_drop(q);
    return result;
}

/* Allocates the arrays of a batch. Returns false if there is no memory. */
static bool prepare(struct batch *b, uint16_t count, bool cuts, uint16_t mss)
{
    b->base.count = count;
    b->cuts = cuts;
    b->pkts = calloc(count, sizeof *b->pkts);
    b->headers = calloc(count, sizeof *b->headers);
    b->data = calloc(count, sizeof *b->data);
    b->metadata = calloc(count, sizeof *b->metadata);
    b->mss = calloc(count, sizeof *b->mss);
    b->flags = calloc(count, sizeof *b->flags);
    b->status = calloc(count, sizeof *b->status);
    for (uint16_t i = 0; b->mss && i < count; i++)
        b->mss[i] = mss;
    return b->pkts && b->headers && b->data && b->metadata && b->mss && b->flags && b->status;
}

/* Makes a batch, pinned. */
static struct batch *allocate(struct doca_eth_txq *eth_txq, const struct sort *sort, uint16_t count,
                              union doca_data user_data, doca_error_t *result)
{
    struct batch *b = NULL;
    struct txq *q = dpk_object_pin(eth_txq, &eth_txq_kind);
    *result = DOCA_ERROR_INVALID_VALUE;
    if (q && count > 0 && !dpk_ctx_is_running(&q->base.ctx))
        *result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue is %s, and must be running",
                                   dpk_ctx_state_name(&q->base.ctx));
    else if (q && count > 0 && count <= *(uint16_t *)((char *)q + sort->most))
        b = (struct batch *)dpk_task_new(
            &q->base.ctx, (struct dpk_task_pool *)((char *)q + sort->pool), user_data, result);
    if (b && !prepare(b, count, sort == &large_sends, q->mss)) {
        dpk_task_free(&b->base.task);
        dpk_object_drop(b);
        b = NULL;
        *result = DOCA_ERROR_NO_MEMORY;
    }
    dpk_object_drop(q);
    return b;
}

doca_error_t doca_eth_txq_task_batch_send_set_conf(
    struct doca_eth_txq *eth_txq, enum doca_task_batch_max_tasks_number max_tasks_number,
    uint16_t num_task_batches, doca_eth_txq_task_batch_send_completion_cb_t success_task_batch_cb,
    doca_eth_txq_task_batch_send_completion_cb_t error_task_batch_cb)
{
    return dpk_doca_end(eth_txq, __func__,
                        set_conf(eth_txq, &sends, max_tasks_number, num_task_batches,
                                 (dpk_task_callback)success_task_batch_cb,
                                 (dpk_task_callback)error_task_batch_cb));
}

doca_error_t doca_eth_txq_task_batch_lso_send_set_conf(
    struct doca_eth_txq *eth_txq, enum doca_task_batch_max_tasks_number max_tasks_number,
    uint16_t num_task_batches,
    doca_eth_txq_task_batch_lso_send_completion_cb_t success_task_batch_cb,
    doca_eth_txq_task_batch_lso_send_completion_cb_t error_task_batch_cb)
{
    return dpk_doca_end(eth_txq, __func__,
                        set_conf(eth_txq, &large_sends, max_tasks_number, num_task_batches,
                                 (dpk_task_callback)success_task_batch_cb,
                                 (dpk_task_callback)error_task_batch_cb));
}

doca_error_t doca_eth_txq_task_batch_send_allocate(struct doca_eth_txq *eth_txq, uint16_t tasks_num,
                                                   union doca_data task_batch_user_data,
                                                   struct doca_buf ***pkt_array,
                                                   union doca_data **task_user_data_array,
                                                   struct doca_task_batch **task_batch)
{
    doca_error_t result;
    if (!pkt_array || !task_user_data_array || !task_batch)
        return dpk_doca_end(eth_txq, __func__, DOCA_ERROR_INVALID_VALUE);
    struct batch *b = allocate(eth_txq, &sends, tasks_num, task_batch_user_data, &result);
    *pkt_array = b ? b->pkts : NULL;
    *task_user_data_array = b ? b->data : NULL;
    *task_batch = b ? b->base.task.object.handle : NULL;
    dpk_object_drop(b);
    return dpk_doca_end(eth_txq, __func__, result);
}

doca_error_t doca_eth_txq_task_batch_lso_send_allocate(
    struct doca_eth_txq *eth_txq, uint16_t tasks_num, union doca_data task_batch_user_data,
    struct doca_buf ***pkt_payload_array, struct doca_gather_list ***headers_array,
    union doca_data **task_user_data_array, struct doca_task_batch **task_batch)
{
    doca_error_t result;
    if (!pkt_payload_array || !headers_array || !task_user_data_array || !task_batch)
        return dpk_doca_end(eth_txq, __func__, DOCA_ERROR_INVALID_VALUE);
    struct batch *b = allocate(eth_txq, &large_sends, tasks_num, task_batch_user_data, &result);
    *pkt_payload_array = b ? b->pkts : NULL;
    *headers_array = b ? b->headers : NULL;
    *task_user_data_array = b ? b->data : NULL;
    *task_batch = b ? b->base.task.object.handle : NULL;
    dpk_object_drop(b);
    return dpk_doca_end(eth_txq, __func__, result);
}

/* ---- Adding batches, and arrays of values ---- */

doca_error_t doca_eth_txq_task_batch_send_num_expand(struct doca_eth_txq *eth_txq,
                                                     uint16_t num_task_batches)
{
    return dpk_doca_end(eth_txq, __func__, eth_txq_expand(eth_txq, sends.pool, num_task_batches));
}

doca_error_t doca_eth_txq_task_batch_lso_send_num_expand(struct doca_eth_txq *eth_txq,
                                                         uint16_t num_task_batches)
{
    return dpk_doca_end(eth_txq, __func__,
                        eth_txq_expand(eth_txq, large_sends.pool, num_task_batches));
}

static doca_error_t get_metadata(const struct doca_task_batch *task_batch,
                                 const struct dpk_task_type *type, uint32_t **out)
{
    struct batch *b = out ? (struct batch *)dpk_task_pin(task_batch, type) : NULL;
    const bool has = b && ((const struct txq *)b->base.task.ctx)->metadata_num > 0;
    if (has)
        *out = b->metadata;
    dpk_object_drop(b);
    if (!has && b)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                "the queue has no metadata (doca_eth_txq_set_metadata_num)");
    return has ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

/* Gets the array at an offset in struct batch. */
static doca_error_t get_numbers(const struct doca_task_batch *task_batch,
                                const struct dpk_task_type *type, size_t place, uint16_t **out)
{
    struct batch *b = out ? (struct batch *)dpk_task_pin(task_batch, type) : NULL;
    if (b)
        memcpy(out, (const char *)b + place, sizeof *out);
    dpk_object_drop(b);
    return b ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_eth_txq_task_batch_send_get_metadata_array(struct doca_task_batch *task_batch,
                                                             uint32_t **metadata_array)
{
    return dpk_doca_end(task_batch, __func__, get_metadata(task_batch, &send_type, metadata_array));
}

doca_error_t doca_eth_txq_task_batch_lso_send_get_metadata_array(struct doca_task_batch *task_batch,
                                                                 uint32_t **metadata_array)
{
    return dpk_doca_end(task_batch, __func__,
                        get_metadata(task_batch, &large_type, metadata_array));
}

doca_error_t doca_eth_txq_task_batch_lso_send_get_mss_array(struct doca_task_batch *task_batch,
                                                            uint16_t **mss_array)
{
    return dpk_doca_end(
        task_batch, __func__,
        get_numbers(task_batch, &large_type, offsetof(struct batch, mss), mss_array));
}

doca_error_t doca_eth_txq_task_batch_send_get_ol_flags_array(struct doca_task_batch *task_batch,
                                                             uint16_t **ol_flags_array)
{
    return dpk_doca_end(
        task_batch, __func__,
        get_numbers(task_batch, &send_type, offsetof(struct batch, flags), ol_flags_array));
}

doca_error_t doca_eth_txq_task_batch_lso_send_get_ol_flags_array(struct doca_task_batch *task_batch,
                                                                 uint16_t **ol_flags_array)
{
    return dpk_doca_end(
        task_batch, __func__,
        get_numbers(task_batch, &large_type, offsetof(struct batch, flags), ol_flags_array));
}
