/* Producers: send to consumers of the peer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

#define LOOKS 32u /* tries without room between two checks of the peer */

struct send {
    struct entry entry;
    const struct doca_buf *buf; /* NULL: no buffer */
    uint32_t consumer;
    uint32_t imm_len;
    uint8_t imm[DPK_PIPE_IMM_MAX];
    struct remote *to;    /* a reference, while it is submitted */
    uint64_t size, done;  /* bytes of data, and bytes that were sent */
    doca_error_t failure; /* why the message must be abandoned */
};

/* ---- Start and stop ---- */

static doca_error_t check_tasks(const struct producer *p)
{
    if (p->base.ctx.datapath)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "the producers of this message queue are on the CPU");
    if (!p->base.ctx.pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the comch producer has no progress engine");
    if (p->sends.max == 0)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "no sends were configured, as by "
                                                       "doca_comch_producer_task_send_set_conf");
    return DOCA_SUCCESS;
}

static doca_error_t producer_start(struct dpk_ctx *ctx)
{
    struct producer *p = (struct producer *)ctx;
    doca_error_t result = p->c->producer_dpa ? comch_dpa_producer_check(p) : check_tasks(p);
    if (result == DOCA_SUCCESS)
        result = comch_connection_enter(p->c, &p->c->producers, &p->id);
    p->entered = result == DOCA_SUCCESS;
    if (p->entered && p->queue)
        dpk_object_use(p->queue);
    return result;
}

static doca_error_t producer_stop(struct dpk_ctx *ctx)
{
    struct producer *p = (struct producer *)ctx;
    if (p->entered)
        comch_connection_leave(p->c, &p->c->producers);
    if (p->entered && p->queue)
        dpk_object_unuse(p->queue);
    p->entered = false;
    return DOCA_SUCCESS;
}

/* ---- Sending ---- */

/* Puts the next part. GOOD: it was put; BAD: the consumer broke the protocol. Call this and the
 * next function with the lock of the remote consumer. */
static enum ring_state put_part(struct producer *p, struct send *s)
{
    enum ring_state state;
    const uint64_t left = s->size - s->done;
    const bool abandons = s->failure != DOCA_SUCCESS;
    struct dpk_pipe_head h = {.producer = p->id};
    if (!abandons)
        h.size = (uint32_t)(left < DPK_PIPE_PART_MAX ? left : DPK_PIPE_PART_MAX);
    if (abandons || h.size == left)
        h.flags = abandons ? DPK_PIPE_LAST | DPK_PIPE_ABANDON : DPK_PIPE_LAST;
    if (h.flags == DPK_PIPE_LAST)
        h.imm_size = (uint8_t)s->imm_len;
    uint8_t *to = dpk_pipe_room(&s->to->rings, &h, &state);
    if (!to)
        return state;
    if (h.size > 0)
        s->failure = dpk_buf_list_read(s->buf, s->done, to, h.size, p->base.dev->domain);
    if (s->failure != DOCA_SUCCESS && !abandons) {
        comch_entry_keep_reason(&s->entry);
        return put_part(p, s); /* puts the abandonment instead of the data */
    }
    dpk_pipe_put(&s->to->rings, &h, s->imm);
    s->done += h.size;
    s->to->writer = h.flags & DPK_PIPE_LAST ? NULL : p;
    return RING_GOOD;
}

/* Sends parts while there is room. Returns IN_PROGRESS if parts are left, else the result. */
static doca_error_t go_on(struct producer *p, struct send *s)
{
    struct remote *r = s->to;
    doca_error_t result = DOCA_ERROR_IN_PROGRESS;
    pthread_mutex_lock(&r->lock);
    enum ring_state state = r->writer && r->writer != p ? RING_WAIT : RING_GOOD;
    while (state == RING_GOOD && (state = put_part(p, s)) == RING_GOOD && r->writer == p)
        ;
    if (r->owner)
        comch_dpa_consumer_arrived(r->owner);
    pthread_mutex_unlock(&r->lock);
    if (state == RING_GOOD)
        result = s->failure;
    else if (state == RING_BAD)
        comch_connection_break(p->c);
    if (atomic_load(&p->c->broken))
        result =
            dpk_doca_because(DOCA_ERROR_CONNECTION_RESET, "send to consumer %u: %s", r->id,
                             state == RING_BAD ? "the peer's memory of the consumer is damaged"
                                               : "the peer is gone, or the connection has ended");
    else if (result == DOCA_ERROR_IN_PROGRESS && atomic_load(&r->gone))
        result = dpk_doca_because(DOCA_ERROR_NOT_CONNECTED,
                                  "send to consumer %u: the consumer was stopped", r->id);
    return result;
}

/* Call the next functions, to send_take, with the lock of the producer. */
static void ended(struct producer *p, struct send *s, doca_error_t status)
{
    comch_remote_drop(s->to);
    s->to = NULL;
    comch_queue_put_ended(&p->ended, &s->entry, status);
    atomic_fetch_add(&p->ended_count, 1);
}

static void retry(struct producer *p, bool stops)
{
    struct send *s = (struct send *)p->waiting.first;
    if (!s)
        return;
    if (stops && s->failure == DOCA_SUCCESS) {
        s->failure = dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                      "send to consumer %u: the producer was stopped after %" PRIu64
                                      " of %" PRIu64 " bytes",
                                      s->consumer, s->done, s->size);
        comch_entry_keep_reason(&s->entry);
    }
    if (++p->looked % LOOKS == 0 && comch_connection_is_lost(p->c))
        comch_connection_break(p->c);
    const doca_error_t result = go_on(p, s);
    if (result == DOCA_ERROR_IN_PROGRESS)
        return;
    comch_queue_take(&p->waiting);
    atomic_fetch_sub(&p->waiting_count, 1);
    ended(p, s, result);
}

static doca_error_t not_connected(void)
{
    return dpk_doca_because(DOCA_ERROR_NOT_CONNECTED,
                            "the connection of the producer has ended, or its peer is gone");
}

static doca_error_t no_consumer(uint32_t id)
{
    return dpk_doca_because(DOCA_ERROR_NOT_FOUND,
                            "send to consumer %u: the peer has no consumer of that number, or has "
                            "stopped it",
                            id);
}

/* Reserves a receive that the consumer has posted. Errors: AGAIN if there is none. */
static doca_error_t reserve(struct producer *p, struct send *s)
{
    uint32_t posted;
    struct remote *r = s->to;
    pthread_mutex_lock(&r->lock);
    const enum ring_state state = dpk_pipe_posted(&r->rings, &posted);
    if (state == RING_GOOD)
        dpk_pipe_use_post(&r->rings);
    pthread_mutex_unlock(&r->lock);
    if (state == RING_GOOD)
        return DOCA_SUCCESS;
    if (state == RING_BAD || (++p->looked % LOOKS == 0 && comch_connection_is_lost(p->c)))
        comch_connection_break(p->c);
    if (atomic_load(&p->c->broken))
        return not_connected();
    return atomic_load(&r->gone) ? no_consumer(s->consumer) : DOCA_ERROR_AGAIN;
}

static doca_error_t check(const struct send *s, uint64_t *size)
{
    uint32_t count = 0;
    doca_error_t result = DOCA_SUCCESS;
    *size = 0;
    if (s->buf)
        result = dpk_buf_list_size(s->buf, size, &count);
    if (result != DOCA_SUCCESS)
        return result;
    if (count > BUF_LIST_LEN_MAX)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "send to consumer %u: a list of %u buffers, more than %u",
                                s->consumer, count, BUF_LIST_LEN_MAX);
    if (*size + s->imm_len == 0)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "send to consumer %u: neither data nor immediate data",
                                s->consumer);
    return DOCA_SUCCESS;
}

/* Checks that the consumer accepts the message, and reserves a receive for it. */
static doca_error_t reach(struct producer *p, struct send *s)
{
    if (!s->to)
        return no_consumer(s->consumer);
    if (s->imm_len > s->to->imm_room)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "send to consumer %u: %u bytes of immediate data, and the consumer "
                                "takes %u (doca_comch_consumer_set_imm_data_len)",
                                s->consumer, s->imm_len, s->to->imm_room);
    if (s->size > 0 && p->c->consumer_dpa)
        return dpk_doca_because(
            DOCA_ERROR_INVALID_VALUE,
            "send to consumer %u: %" PRIu64
            " bytes of data, and consumers on the DPA take immediate data alone",
            s->consumer, s->size);
    return reserve(p, s);
}

static doca_error_t too_large(const struct producer *p, const struct send *s)
{
    return dpk_doca_because(DOCA_ERROR_IO_FAILED,
                            "send to consumer %u: a message of %" PRIu64
                            " bytes, more than the %u of the device "
                            "(doca_comch_producer_cap_get_max_buf_size)",
                            s->consumer, s->size, dpk_dev_dma_max(p->c->dev));
}

static doca_error_t send_take(struct dpk_task *task, bool flush)
{
    (void)flush; /* nothing is held back to be flushed */
    struct producer *p = (struct producer *)task->ctx;
    struct send *s = (struct send *)task;
    doca_error_t result = atomic_load(&p->c->broken) ? not_connected() : check(s, &s->size);
    if (result != DOCA_SUCCESS)
        return result;
    if (s->size > dpk_dev_dma_max(p->c->dev)) { /* like DMA: a card accepts the task and fails it */
        ended(p, s, too_large(p, s));
        return DOCA_SUCCESS;
    }
    s->to = comch_connection_find_remote(p->c, s->consumer);
    result = reach(p, s);
    if (result != DOCA_SUCCESS) {
        comch_remote_drop(s->to);
        s->to = NULL;
        return result;
    }
    s->done = 0;
    s->failure = DOCA_SUCCESS;
    if (!p->waiting.first && (result = go_on(p, s)) != DOCA_ERROR_IN_PROGRESS) {
        ended(p, s, result);
    } else {
        comch_queue_put(&p->waiting, &s->entry);
        atomic_fetch_add(&p->waiting_count, 1);
    }
    return DOCA_SUCCESS;
}

static bool producer_progress(struct dpk_ctx *ctx)
{
    struct producer *p = (struct producer *)ctx;
    if (atomic_load(&p->waiting_count) + atomic_load(&p->ended_count) == 0)
        return false;
    pthread_mutex_lock(&ctx->object.lock);
    retry(p, atomic_load(&ctx->state) == DOCA_CTX_STATE_STOPPING);
    struct entry *e = comch_queue_take(&p->ended);
    if (e)
        atomic_fetch_sub(&p->ended_count, 1);
    pthread_mutex_unlock(&ctx->object.lock);
    if (!e)
        return false;
    if (e->status == DOCA_ERROR_CONNECTION_RESET)
        dpk_ctx_begin_stop(ctx);
    comch_entry_end(e);
    return true;
}

static bool producer_is_ready(const struct dpk_ctx *ctx)
{
    const struct producer *p = (const struct producer *)ctx;
    return atomic_load(&p->waiting_count) + atomic_load(&p->ended_count) > 0;
}

static const struct dpk_ctx_ops ops = {.start = producer_start,
                                       .stop = producer_stop,
                                       .progress = producer_progress,
                                       .is_ready = producer_is_ready},
                                msgq_ops = {.start = producer_start,
                                            .stop = producer_stop,
                                            .progress = producer_progress,
                                            .is_ready = producer_is_ready,
                                            .has_datapath = true};

/* ---- Life ---- */

static void producer_left(void *object)
{
    struct producer *p = object;
    dpk_dev_ctx_left(object);
    dpk_object_end_use(p->msgq);
}

static void producer_release(void *object)
{
    struct producer *p = object;
    dpk_object_drop(p->queue);
    dpk_object_drop(p->c);
    dpk_object_drop(p->msgq);
    dpk_dev_ctx_release(object);
}

const struct dpk_kind comch_producer_kind = {
    .left = producer_left, .release = producer_release, .is_ctx = true};

struct doca_comch_producer *comch_producer_new(struct connection *c, void *msgq,
                                               doca_error_t *result)
{
    struct doca_comch_producer *handle =
        dpk_dev_ctx_new(c->dev->object.handle, &comch_producer_kind, msgq ? &msgq_ops : &ops,
                        sizeof(struct producer), result);
    struct producer *p = dpk_object_lock(handle, &comch_producer_kind);
    if (p) {
        dpk_object_hold(p->c = c);
    }
    if (p && msgq)
        dpk_object_use(p->msgq = msgq);
    dpk_object_unlock(p, DOCA_SUCCESS);
    return handle;
}

doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_comch_producer **producer)
{
    doca_error_t result;
    if (producer)
        *producer = NULL;
    struct connection *c =
        producer ? dpk_object_pin(comch_connection, &comch_connection_kind) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    *producer = comch_producer_new(c, NULL, &result);
    dpk_object_drop(c);
    return result;
}

doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer)
{
    return dpk_doca_destroy(producer, &comch_producer_kind, __func__);
}

struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer)
{
    return dpk_ctx_of(producer, &comch_producer_kind);
}

doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id)
{
    struct producer *p = id ? dpk_object_lock(producer, &comch_producer_kind) : NULL;
    const bool entered = p && p->entered;
    if (entered)
        *id = p->id;
    return dpk_doca_unlock(p, __func__, entered ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the producer is not started, and has no number yet");
}

/* ---- Sends ---- */

static void send_release(struct dpk_task *task)
{
    comch_remote_drop(((struct send *)task)->to);
    free(((struct send *)task)->entry.why);
}

static void send_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    ((doca_comch_producer_task_send_completion_cb_t)callback)(task, task_data, ctx_data);
}

static const struct dpk_task_type send_type = {
    .size = sizeof(struct send), .take = send_take, .release = send_release, .tell = send_tell};

doca_error_t doca_comch_producer_task_send_set_conf(
    struct doca_comch_producer *producer,
    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
    if (num_send_tasks == 0 || num_send_tasks > DPK_PIPE_POSTS_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u tasks are not within 1 to %u", num_send_tasks,
                                    DPK_PIPE_POSTS_MAX);
    struct producer *p =
        task_completion_cb && task_error_cb ? dpk_object_pin(producer, &comch_producer_kind) : NULL;
    if (!p)
        return dpk_doca_no_object(__func__);
    const doca_error_t result = dpk_task_pool_set(&p->base.ctx, &p->sends, &send_type,
                                                  (dpk_task_callback)task_completion_cb,
                                                  (dpk_task_callback)task_error_cb, num_send_tasks);
    dpk_doca_end(p->base.ctx.object.handle, __func__, result);
    dpk_object_drop(p);
    return result;
}

static bool is_imm(const uint8_t *imm_data, uint32_t imm_data_len)
{
    return imm_data_len <= DPK_PIPE_IMM_MAX && (imm_data || imm_data_len == 0);
}

static void set_imm(struct send *s, const uint8_t *imm_data, uint32_t imm_data_len)
{
    s->imm_len = imm_data_len;
    if (imm_data_len > 0)
        memcpy(s->imm, imm_data, imm_data_len);
}

doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
                                                      const struct doca_buf *buf, uint8_t *imm_data,
                                                      uint32_t imm_data_len, uint32_t consumer_id,
                                                      struct doca_comch_producer_task_send **task)
{
    doca_error_t result;
    if (task)
        *task = NULL;
    if (!is_imm(imm_data, imm_data_len) || consumer_id == 0)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u bytes of immediate data (at most %u, with an address) to "
                                    "consumer %u (from 1)",
                                    imm_data_len, DPK_PIPE_IMM_MAX, consumer_id);
    struct producer *p =
        task && (!buf || dpk_is_buf(buf)) ? dpk_object_pin(producer, &comch_producer_kind) : NULL;
    if (!p)
        return dpk_doca_no_object(__func__);
    struct send *s =
        (struct send *)dpk_task_new(&p->base.ctx, &p->sends, (union doca_data){0}, &result);
    dpk_doca_end(p->base.ctx.object.handle, __func__, result);
    if (s) {
        s->buf = buf;
        s->consumer = consumer_id;
        set_imm(s, imm_data, imm_data_len);
        *task = s->entry.task.object.handle;
    }
    dpk_object_drop(s);
    dpk_object_drop(p);
    return result;
}

struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
    return dpk_task_handle(task, &send_type);
}

static struct send *pin(const struct doca_comch_producer_task_send *task)
{
    return (struct send *)dpk_task_pin(task, &send_type);
}

/* Returns the task, pinned, if it may be changed; finish with end_change. */
static struct send *begin_change(struct doca_comch_producer_task_send *task)
{
    struct send *s = pin(task);
    if (s && dpk_task_begin_change(&s->entry.task))
        return s;
    dpk_object_drop(s);
    return NULL;
}

static void end_change(struct send *s)
{
    dpk_task_end_change(&s->entry.task);
    dpk_object_drop(s);
}

void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
                                           const struct doca_buf *buf)
{
    struct send *s = !buf || dpk_is_buf(buf) ? begin_change(task) : NULL;
    if (!s)
        return;
    s->buf = buf;
    end_change(s);
}

const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task)
{
    struct send *s = pin(task);
    const struct doca_buf *buf = s ? s->buf : NULL;
    dpk_object_drop(s);
    return buf;
}

void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
                                                uint8_t *imm_data, uint32_t imm_data_len)
{
    struct send *s = is_imm(imm_data, imm_data_len) ? begin_change(task) : NULL;
    if (!s)
        return;
    set_imm(s, imm_data, imm_data_len);
    end_change(s);
}

uint8_t *
doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task)
{
    struct send *s = pin(task);
    uint8_t *imm = s && s->imm_len > 0 ? s->imm : NULL;
    dpk_object_drop(s);
    return imm;
}

uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task)
{
    struct send *s = pin(task);
    const uint32_t len = s ? s->imm_len : 0;
    dpk_object_drop(s);
    return len;
}

void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
                                                   uint32_t consumer_id)
{
    struct send *s = consumer_id != 0 ? begin_change(task) : NULL;
    if (!s)
        return;
    s->consumer = consumer_id;
    end_change(s);
}

uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task)
{
    struct send *s = pin(task);
    const uint32_t id = s ? s->consumer : 0;
    dpk_object_drop(s);
    return id;
}
