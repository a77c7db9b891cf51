/* Consumers: receive messages of the peer's producers into posted buffers. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

#define LOOKS 256u /* polls without a message between two checks of the peer */

struct receive {
    struct entry entry;
    struct doca_buf *buf; /* NULL: takes only immediate data */
    uint32_t producer;
    uint8_t imm_len;
    _Alignas(8) uint8_t imm[DPK_PIPE_IMM_MAX]; /* programs store structures in it */
};

/* ---- Start and stop ---- */

static void replace_rings(struct consumer *n, struct rings rings)
{
    pthread_mutex_lock(&n->rings_lock);
    rings_free(&n->rings);
    n->rings = rings;
    pthread_mutex_unlock(&n->rings_lock);
}

/* Call these two functions with the lock. */
static void leave(struct consumer *n)
{
    if (n->announced && n->c->fd < 0)
        comch_connection_expire_remote(n->c, n->id);
    if (n->entered)
        comch_connection_leave(n->c, &n->c->consumers);
    if (n->uses_completion)
        dpk_object_unuse(n->completion);
    n->entered = n->announced = n->uses_completion = false;
    if (n->memory >= 0)
        close(n->memory);
    n->memory = -1;
}

static doca_error_t check_tasks(const struct consumer *n)
{
    if (n->base.ctx.datapath)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "the consumers of this message queue are on the CPU");
    if (!n->base.ctx.pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the comch consumer has no progress engine");
    if (n->receives.max == 0)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "no receives were configured, as by "
                                "doca_comch_consumer_task_post_recv_set_conf");
    return DOCA_SUCCESS;
}

static doca_error_t no_rings(int error)
{
    return dpk_doca_because(DOCA_ERROR_NO_MEMORY, "no shared memory for the consumer: %s",
                            strerror(error));
}

/* Gets a number and rings. */
static doca_error_t enter(struct consumer *n)
{
    struct rings rings = {0};
    const doca_error_t result = comch_connection_enter(n->c, &n->c->consumers, &n->id);
    if (result != DOCA_SUCCESS)
        return result;
    n->entered = true;
    n->got = n->looked = 0;
    n->status = DOCA_SUCCESS;
    n->memory = dpk_pipe_new(&rings);
    const int error = errno;
    replace_rings(n, rings);
    return n->memory >= 0 ? DOCA_SUCCESS : no_rings(error);
}

/* Announces the consumer to producers of this process, if it is of a message queue. */
static doca_error_t announce_here(struct consumer *n)
{
    const struct dpk_comch_word w = {.kind = DPK_COMCH_CONSUMER,
                                     .value = n->id,
                                     .bytes = (const uint8_t *)&n->imm_len,
                                     .size = sizeof n->imm_len,
                                     .memory = fcntl(n->memory, F_DUPFD_CLOEXEC, 0)};
    if (w.memory < 0)
        return no_rings(errno);
    n->announced = comch_connection_add_remote(n->c, &w, n->c->consumer_dpa ? n : NULL);
    return n->announced ? DOCA_SUCCESS : no_rings(ENOMEM);
}

static doca_error_t consumer_start(struct dpk_ctx *ctx)
{
    struct consumer *n = (struct consumer *)ctx;
    doca_error_t result = n->c->consumer_dpa ? comch_dpa_consumer_check(n) : check_tasks(n);
    if (result != DOCA_SUCCESS)
        return result;
    result = enter(n);
    if (result == DOCA_SUCCESS && n->c->fd >= 0)
        return DOCA_ERROR_IN_PROGRESS;
    if (result == DOCA_SUCCESS)
        result = announce_here(n);
    if (result != DOCA_SUCCESS)
        leave(n);
    return result;
}

/* Informs the peer before the consumer ends. IN_PROGRESS: the socket is full. */
static doca_error_t consumer_stop(struct dpk_ctx *ctx)
{
    struct consumer *n = (struct consumer *)ctx;
    if (n->announced && n->c->fd >= 0 && !atomic_load(&n->c->broken) &&
        dpk_comch_say(n->c->fd, DPK_COMCH_EXPIRED, n->id, NULL, 0) == DPK_COMCH_FULL)
        return DOCA_ERROR_IN_PROGRESS;
    leave(n);
    return DOCA_SUCCESS;
}

static bool announce(struct consumer *n)
{
    switch (atomic_load(&n->c->broken)
                ? DPK_COMCH_GONE
                : dpk_comch_say_memory(n->c->fd, n->id, n->imm_len, n->memory)) {
    case DPK_COMCH_SAID:
        n->announced = true;
        return dpk_ctx_begin_run(&n->base.ctx);
    case DPK_COMCH_FULL:
        return false;
    default:
        dpk_ctx_begin_stop(&n->base.ctx);
        return true;
    }
}

/* ---- Receiving ---- */

/* Returns the next receive. `takes`: removes it from the posted receives. */
static struct receive *next_receive(struct consumer *n, bool takes)
{
    pthread_mutex_lock(&n->base.ctx.object.lock);
    struct entry *e = takes ? comch_queue_take(&n->posted) : n->posted.first;
    pthread_mutex_unlock(&n->base.ctx.object.lock);
    return (struct receive *)e;
}

static void end_receive(struct consumer *n, struct receive *r, doca_error_t status)
{
    if (status != DOCA_SUCCESS && n->got > 0)
        dpk_buf_list_shrink(r->buf, n->got);
    n->got = 0;
    n->status = DOCA_SUCCESS;
    r->entry.status = status;
    comch_entry_end(&r->entry);
}

static doca_error_t put_data(struct consumer *n, struct receive *r,
                             const struct dpk_pipe_part *part)
{
    if (part->head.size == 0)
        return DOCA_SUCCESS;
    if (!r->buf)
        return dpk_doca_because(
            DOCA_ERROR_INVALID_VALUE,
            "receive from producer %u: the message has data, and the receive has "
            "no buffer",
            part->head.producer);
    return dpk_buf_list_append(r->buf, part->data, part->head.size, n->base.dev->domain, &n->got);
}

/* Returns the status of a message whose last part has arrived. */
static doca_error_t last_status(const struct consumer *n, const struct dpk_pipe_head *h)
{
    if (h->flags & DPK_PIPE_ABANDON)
        return dpk_doca_because(
            DOCA_ERROR_IO_FAILED,
            "receive from producer %u: the peer gave up the message after %" PRIu64 " bytes",
            h->producer, n->got);
    if (h->imm_size > n->imm_len)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "receive from producer %u: %u bytes of immediate data, and the "
                                "consumer takes %u (doca_comch_consumer_set_imm_data_len)",
                                h->producer, h->imm_size, n->imm_len);
    return n->status;
}

static void take_part(struct consumer *n, struct receive *r, const struct dpk_pipe_part *part)
{
    const struct dpk_pipe_head *h = &part->head;
    if (n->status == DOCA_SUCCESS)
        n->status = put_data(n, r, part);
    comch_entry_keep_reason(&r->entry);
    dpk_pipe_took(&n->rings, part);
    if (!(h->flags & DPK_PIPE_LAST))
        return;
    const doca_error_t status = last_status(n, h);
    comch_entry_keep_reason(&r->entry);
    r->producer = h->producer;
    r->imm_len = status == DOCA_SUCCESS ? h->imm_size : 0;
    memcpy(r->imm, part->imm, r->imm_len);
    next_receive(n, true);
    end_receive(n, r, status);
}

static bool receive_part(struct consumer *n)
{
    struct dpk_pipe_part part;
    const enum ring_state state = dpk_pipe_next(&n->rings, &part);
    struct receive *r = state == RING_GOOD ? next_receive(n, false) : NULL;
    if (r) {
        n->looked = 0;
        take_part(n, r, &part);
        return true;
    }
    if (state == RING_WAIT && !(++n->looked % LOOKS == 0 && comch_connection_is_lost(n->c)) &&
        !atomic_load(&n->c->broken))
        return false;
    if (state != RING_WAIT) { /* no message is allowed without a receive */
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR,
                     "comch consumer: a producer of the peer wrote an invalid message");
        comch_connection_break(n->c);
    }
    dpk_ctx_begin_stop(&n->base.ctx);
    return true;
}

static bool flush(struct consumer *n)
{
    struct receive *r = next_receive(n, true);
    if (!r)
        return false;
    doca_error_t status =
        DOCA_ERROR_BAD_STATE; /* the program stopped the consumer, so the log gets no reason */
    if (comch_connection_is_lost(n->c))
        status = dpk_doca_because(DOCA_ERROR_CONNECTION_RESET,
                                  "receive: the peer is gone, or the connection has ended");
    comch_entry_keep_reason(&r->entry);
    end_receive(n, r, status);
    return true;
}

static bool consumer_progress(struct dpk_ctx *ctx)
{
    struct consumer *n = (struct consumer *)ctx;
    switch (atomic_load(&ctx->state)) {
    case DOCA_CTX_STATE_STARTING:
        return announce(n);
    case DOCA_CTX_STATE_RUNNING:
        return receive_part(n);
    case DOCA_CTX_STATE_STOPPING:
        return flush(n);
    default:
        return false;
    }
}

static bool consumer_is_ready(const struct dpk_ctx *ctx)
{
    struct consumer *n = (struct consumer *)ctx;
    if (atomic_load(&ctx->state) == DOCA_CTX_STATE_STARTING || comch_connection_is_lost(n->c))
        return true;
    pthread_mutex_lock(&n->rings_lock);
    const bool ready = n->rings.map && dpk_pipe_has_part(&n->rings);
    pthread_mutex_unlock(&n->rings_lock);
    return ready;
}

static const struct dpk_ctx_ops ops = {.start = consumer_start,
                                       .stop = consumer_stop,
                                       .progress = consumer_progress,
                                       .is_ready = consumer_is_ready},
                                msgq_ops = {.start = consumer_start,
                                            .stop = consumer_stop,
                                            .progress = consumer_progress,
                                            .is_ready = consumer_is_ready,
                                            .has_datapath = true};

/* ---- Life ---- */

static void consumer_left(void *object)
{
    struct consumer *n = object;
    dpk_dev_ctx_left(object);
    pthread_mutex_lock(&n->base.ctx.object.lock);
    leave(n); /* if stopping failed */
    pthread_mutex_unlock(&n->base.ctx.object.lock);
    dpk_object_end_use(n->msgq);
}

static void consumer_release(void *object)
{
    struct consumer *n = object;
    rings_free(&n->rings);
    pthread_mutex_destroy(&n->rings_lock);
    dpk_object_drop(n->completion);
    dpk_object_drop(n->c);
    dpk_object_drop(n->msgq);
    dpk_dev_ctx_release(object);
}

const struct dpk_kind comch_consumer_kind = {
    .left = consumer_left, .release = consumer_release, .is_ctx = true};

struct doca_comch_consumer *comch_consumer_new(struct connection *c, void *msgq,
                                               doca_error_t *result)
{
    struct doca_comch_consumer *handle =
        dpk_dev_ctx_new(c->dev->object.handle, &comch_consumer_kind, msgq ? &msgq_ops : &ops,
                        sizeof(struct consumer), result);
    struct consumer *n = dpk_object_lock(handle, &comch_consumer_kind);
    if (!n)
        return NULL;
    pthread_mutex_init(&n->rings_lock, NULL);
    dpk_object_hold(n->c = c);
    n->memory = -1;
    n->receives_max = DPK_PIPE_POSTS_MAX;
    if (msgq) {
        dpk_object_use(n->msgq = msgq);
        n->imm_len = DPK_PIPE_IMM_MAX;
    }
    dpk_object_unlock(n, DOCA_SUCCESS);
    return handle;
}

doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_mmap *buf_mmap,
                                        struct doca_comch_consumer **consumer)
{
    uint32_t key;
    if (consumer)
        *consumer = NULL;
    struct connection *c =
        consumer ? dpk_object_pin(comch_connection, &comch_connection_kind) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    doca_error_t result = dpk_mmap_key(buf_mmap, c->dev->object.handle, &key);
    if (result != DOCA_SUCCESS)
        dpk_doca_refuse_call(c, result, __func__,
                             "the map is invalid, is not started, or is not of the device of the "
                             "connection (doca_mmap_add_dev)");
    if (result == DOCA_SUCCESS)
        *consumer = comch_consumer_new(c, NULL, &result);
    dpk_object_drop(c);
    return result;
}

doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer)
{
    return dpk_doca_destroy(consumer, &comch_consumer_kind, __func__);
}

struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer)
{
    return dpk_ctx_of(consumer, &comch_consumer_kind);
}

/* ---- Properties ---- */

doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
                                                  uint32_t imm_data_len)
{
    if (imm_data_len > DPK_PIPE_IMM_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u bytes of immediate data are more than %u", imm_data_len,
                                    DPK_PIPE_IMM_MAX);
    struct consumer *n = dpk_object_lock(consumer, &comch_consumer_kind);
    const bool idle = n && atomic_load(&n->base.ctx.state) == DOCA_CTX_STATE_IDLE;
    if (idle)
        n->imm_len = imm_data_len;
    return dpk_doca_unlock(n, __func__, idle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the consumer is %s, and must be idle",
                           n ? dpk_ctx_state_name(&n->base.ctx) : "");
}

doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
                                                  uint32_t *imm_data_len)
{
    struct consumer *n = imm_data_len ? dpk_object_lock(consumer, &comch_consumer_kind) : NULL;
    if (n)
        *imm_data_len = n->imm_len;
    return n ? dpk_object_unlock(n, DOCA_SUCCESS) : dpk_doca_no_object(__func__);
}

doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id)
{
    struct consumer *n = id ? dpk_object_lock(consumer, &comch_consumer_kind) : NULL;
    const bool entered = n && n->entered;
    if (entered)
        *id = n->id;
    return dpk_doca_unlock(n, __func__, entered ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the consumer is not started, and has no number yet");
}

/* ---- Receives ---- */

static doca_error_t receive_take(struct dpk_task *task, bool flush)
{
    (void)flush; /* nothing is held back to be flushed */
    struct consumer *n = (struct consumer *)task->ctx;
    if (atomic_load(&n->c->broken))
        return dpk_doca_because(DOCA_ERROR_NOT_CONNECTED,
                                "the connection of the consumer has ended, or its peer is gone");
    comch_queue_put(&n->posted, (struct entry *)task);
    dpk_pipe_post(&n->rings, 1);
    return DOCA_SUCCESS;
}

static void receive_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                         union doca_data ctx_data)
{
    ((doca_comch_consumer_task_post_recv_completion_cb_t)callback)(task, task_data, ctx_data);
}

static const struct dpk_task_type receive_type = {
    .size = sizeof(struct receive), .take = receive_take, .tell = receive_tell};

doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    struct doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks)
{
    if (num_post_recv_tasks == 0 || num_post_recv_tasks > DPK_PIPE_POSTS_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u tasks are not within 1 to %u", num_post_recv_tasks,
                                    DPK_PIPE_POSTS_MAX);
    struct consumer *n =
        task_completion_cb && task_error_cb ? dpk_object_pin(consumer, &comch_consumer_kind) : NULL;
    if (!n)
        return dpk_doca_no_object(__func__);
    const doca_error_t result = dpk_task_pool_set(
        &n->base.ctx, &n->receives, &receive_type, (dpk_task_callback)task_completion_cb,
        (dpk_task_callback)task_error_cb, num_post_recv_tasks);
    dpk_doca_end(n->base.ctx.object.handle, __func__, result);
    dpk_object_drop(n);
    return result;
}

doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
                                              struct doca_buf *buf,
                                              struct doca_comch_consumer_task_post_recv **task)
{
    doca_error_t result;
    if (task)
        *task = NULL;
    struct consumer *n =
        task && (!buf || dpk_is_buf(buf)) ? dpk_object_pin(consumer, &comch_consumer_kind) : NULL;
    if (!n)
        return dpk_doca_no_object(__func__);
    struct receive *r =
        (struct receive *)dpk_task_new(&n->base.ctx, &n->receives, (union doca_data){0}, &result);
    dpk_doca_end(n->base.ctx.object.handle, __func__, result);
    if (r) {
        r->buf = buf;
        *task = r->entry.task.object.handle;
    }
    dpk_object_drop(r);
    dpk_object_drop(n);
    return result;
}

struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task)
{
    return dpk_task_handle(task, &receive_type);
}

static struct receive *pin(const struct doca_comch_consumer_task_post_recv *task)
{
    return (struct receive *)dpk_task_pin(task, &receive_type);
}

void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
                                                struct doca_buf *buf)
{
    struct receive *r = pin(task);
    if (r && (!buf || dpk_is_buf(buf)) && dpk_task_begin_change(&r->entry.task)) {
        r->buf = buf;
        dpk_task_end_change(&r->entry.task);
    }
    dpk_object_drop(r);
}

struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task)
{
    struct receive *r = pin(task);
    struct doca_buf *buf = r ? r->buf : NULL;
    dpk_object_drop(r);
    return buf;
}

uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
    const struct doca_comch_consumer_task_post_recv *task)
{
    struct receive *r = pin(task);
    const uint32_t id = r ? r->producer : 0;
    dpk_object_drop(r);
    return id;
}

/* The data is valid as long as the task. */
const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
    const struct doca_comch_consumer_task_post_recv *task)
{
    struct receive *r = pin(task);
    const uint8_t *imm = r && r->imm_len > 0 ? r->imm : NULL;
    dpk_object_drop(r);
    return imm;
}

uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
    const struct doca_comch_consumer_task_post_recv *task)
{
    struct receive *r = pin(task);
    const uint32_t len = r ? r->imm_len : 0;
    dpk_object_drop(r);
    return len;
}
