/* Endpoints: properties, sends and received words that clients and servers have in common. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

static const struct endpoint_ops *e_ops(const struct endpoint *e)
{
    return (const struct endpoint_ops *)e->base.ctx.ops;
}

/* ---- Life ---- */

void *comch_endpoint_new(const struct doca_dev *dev, const struct dpk_device_info *card,
                         const char *name, const struct dpk_kind *kind,
                         const struct endpoint_ops *ops, doca_error_t *result)
{
    const size_t length = strnlen(name, DPK_COMCH_NAME_MAX + 1);
    if (length == 0 || length > DPK_COMCH_NAME_MAX) {
        *result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                   "the name of the server does not have 1 to %u bytes",
                                   DPK_COMCH_NAME_MAX);
        return NULL;
    }
    void *handle = dpk_dev_ctx_new(dev, kind, &ops->ctx, sizeof(struct endpoint), result);
    struct endpoint *e = dpk_object_lock(handle, kind);
    if (!e)
        return NULL;
    memcpy(e->name, name, length);
    snprintf(e->folder, sizeof e->folder, "%s", card->path);
    e->max_msg_size = DPK_COMCH_MESSAGE_MAX;
    e->recv_queue_size = RECV_QUEUE_MAX;
    atomic_init(&e->events, -1);
    dpk_object_unlock(e, DOCA_SUCCESS);
    return handle;
}

doca_error_t comch_no_device(const char *call, doca_error_t result)
{
    return dpk_doca_refuse_call(NULL, result, call, "the device is NULL, was closed, or is gone");
}

/* ---- Properties ---- */

struct endpoint *comch_endpoint_begin_change(const char *call, void *handle,
                                             const struct dpk_kind *kind, doca_error_t *result)
{
    struct endpoint *e = dpk_object_lock(handle, kind);
    *result = DOCA_SUCCESS;
    if (e && atomic_load(&e->base.ctx.state) == DOCA_CTX_STATE_IDLE)
        return e;
    *result = dpk_doca_unlock(e, call, DOCA_ERROR_BAD_STATE, "the context is %s, and must be idle",
                              e ? dpk_ctx_state_name(&e->base.ctx) : "");
    return NULL;
}

doca_error_t comch_endpoint_set(const char *call, void *handle, const struct dpk_kind *kind,
                                size_t member, uint32_t value, uint32_t most)
{
    doca_error_t result;
    if (value == 0 || value > most)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                    "%u is not within 1 to %u", value, most);
    struct endpoint *e = comch_endpoint_begin_change(call, handle, kind, &result);
    if (!e)
        return result;
    memcpy((uint8_t *)e + member, &value, sizeof value);
    return dpk_object_unlock(e, DOCA_SUCCESS);
}

doca_error_t comch_endpoint_get(const char *call, const void *handle, const struct dpk_kind *kind,
                                size_t member, uint32_t *value)
{
    struct endpoint *e = value ? dpk_object_lock(handle, kind) : NULL;
    if (e)
        memcpy(value, (const uint8_t *)e + member, sizeof *value);
    return e ? dpk_object_unlock(e, DOCA_SUCCESS) : dpk_doca_no_object(call);
}

doca_error_t comch_endpoint_get_device(const char *call, const void *handle,
                                       const struct dpk_kind *kind, struct doca_dev **dev)
{
    struct endpoint *e = dev ? dpk_object_lock(handle, kind) : NULL;
    if (e)
        *dev = e->base.dev->object.handle;
    return e ? dpk_object_unlock(e, DOCA_SUCCESS) : dpk_doca_no_object(call);
}

/* Sets one of the two callbacks of messages. */
static doca_error_t on_message(const char *call, void *handle, const struct dpk_kind *kind,
                               doca_comch_event_msg_recv_cb_t cb, dpk_comch_message_2_5 cb_2_5)
{
    doca_error_t result;
    if (!cb && !cb_2_5)
        return dpk_doca_no_object(call);
    struct endpoint *e = comch_endpoint_begin_change(call, handle, kind, &result);
    if (!e)
        return result;
    e->on_message = cb;
    e->on_message_2_5 = cb_2_5;
    return dpk_object_unlock(e, DOCA_SUCCESS);
}

doca_error_t comch_endpoint_on_message(const char *call, void *handle, const struct dpk_kind *kind,
                                       doca_comch_event_msg_recv_cb_t cb)
{
    return on_message(call, handle, kind, cb, NULL);
}

doca_error_t comch_endpoint_on_message_2_5(const char *call, void *handle,
                                           const struct dpk_kind *kind, dpk_comch_message_2_5 cb)
{
    return on_message(call, handle, kind, NULL, cb);
}

doca_error_t comch_endpoint_on_consumer(const char *call, void *handle, const struct dpk_kind *kind,
                                        doca_comch_event_consumer_cb_t added,
                                        doca_comch_event_consumer_cb_t expired)
{
    doca_error_t result;
    if (!added || !expired)
        return dpk_doca_no_object(call);
    struct endpoint *e = comch_endpoint_begin_change(call, handle, kind, &result);
    if (!e)
        return result;
    e->on_consumer = added;
    e->on_expired = expired;
    return dpk_object_unlock(e, DOCA_SUCCESS);
}

/* ---- Sends ---- */

struct send {
    struct entry entry;
    struct connection *to; /* a reference */
    const void *msg;
    uint32_t len;
};

/* Call these four functions with the lock. */
static void ended(struct endpoint *e, struct entry *s, doca_error_t status)
{
    comch_queue_put_ended(&e->ended, s, status);
    atomic_fetch_add(&e->ended_count, 1);
}

static doca_error_t lost(const struct endpoint *e)
{
    return dpk_doca_because(DOCA_ERROR_CONNECTION_RESET,
                            "comch \"%s\": the peer is gone, and the message was not sent",
                            e->name);
}

/* Returns false if the socket is full. */
static bool try_send(struct endpoint *e, struct send *s)
{
    const enum dpk_comch_said said =
        atomic_load(&s->to->broken)
            ? DPK_COMCH_GONE
            : dpk_comch_say(s->to->fd, DPK_COMCH_MESSAGE, 0, s->msg, s->len);
    if (said == DPK_COMCH_FULL)
        return false;
    if (said == DPK_COMCH_SAID)
        comch_connection_count(s->to, true, s->len);
    ended(e, &s->entry, said == DPK_COMCH_SAID ? DOCA_SUCCESS : lost(e));
    return true;
}

static doca_error_t send_take(struct dpk_task *task, bool flush)
{
    (void)flush; /* nothing is held back to be flushed */
    struct endpoint *e = (struct endpoint *)task->ctx;
    struct send *s = (struct send *)task;
    if (atomic_load(&s->to->broken))
        return dpk_doca_because(DOCA_ERROR_NOT_CONNECTED, "comch \"%s\": the connection has ended",
                                e->name);
    if (s->to->waiting.first || !try_send(e, s)) {
        comch_queue_put(&s->to->waiting, &s->entry);
        atomic_fetch_add(&e->waiting_count, 1);
    }
    return DOCA_SUCCESS;
}

static doca_error_t stopped(const struct endpoint *e)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                            "comch \"%s\": the context was stopped before the message was sent",
                            e->name);
}

/* Tries the waiting sends of a connection again, or ends them. */
static void retry(struct endpoint *e, struct connection *c, bool gives_up)
{
    for (struct entry *s, *next; (s = c->waiting.first); c->waiting.first = next) {
        next = s->next;
        if (gives_up)
            ended(e, s, atomic_load(&c->broken) ? lost(e) : stopped(e));
        else if (!try_send(e, (struct send *)s))
            return;
        atomic_fetch_sub(&e->waiting_count, 1);
    }
    c->waiting.last = NULL;
}

static void send_release(struct dpk_task *task)
{
    dpk_object_drop(((struct send *)task)->to);
    free(((struct send *)task)->entry.why);
}

static void send_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    ((doca_comch_task_send_completion_cb_t)callback)(task, task_data, ctx_data);
}

static const struct dpk_task_type send_type = {
    .size = sizeof(struct send), .take = send_take, .release = send_release, .tell = send_tell};

doca_error_t comch_endpoint_send_conf(const char *call, void *handle, const struct dpk_kind *kind,
                                      doca_comch_task_send_completion_cb_t completed,
                                      doca_comch_task_send_completion_cb_t failed, uint32_t count)
{
    if (count == 0 || count > SEND_TASKS_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                    "%u tasks are not within 1 to %u", count, SEND_TASKS_MAX);
    struct endpoint *e = completed && failed ? dpk_object_pin(handle, kind) : NULL;
    if (!e)
        return dpk_doca_no_object(call);
    const doca_error_t result =
        dpk_task_pool_set(&e->base.ctx, &e->sends, &send_type, (dpk_task_callback)completed,
                          (dpk_task_callback)failed, count);
    dpk_doca_end(e->base.ctx.object.handle, call, result);
    dpk_object_drop(e);
    return result;
}

/* Checks a send on pinned objects. */
static doca_error_t send_check(const char *call, struct endpoint *e, const struct connection *c,
                               uint32_t len)
{
    if (c->endpoint != e->base.ctx.object.handle)
        return dpk_doca_refuse_call(e, DOCA_ERROR_INVALID_VALUE, call,
                                    "comch \"%s\": the connection is of another client or server",
                                    e->name);
    if (len == 0 || len > c->max_size)
        return dpk_doca_refuse_call(
            e, DOCA_ERROR_INVALID_VALUE, call,
            "comch \"%s\": a message of %u bytes; the two sides agreed on 1 to "
            "%u",
            e->name, len, c->max_size);
    if (e->sends.max == 0)
        return dpk_doca_refuse_call(e, DOCA_ERROR_BAD_STATE, call,
                                    "comch \"%s\": no sends were configured, as by "
                                    "doca_comch_client_task_send_set_conf",
                                    e->name);
    return DOCA_SUCCESS;
}

/* Makes a task, pinned, for pinned objects. */
static struct send *send_new(struct endpoint *e, struct connection *c, const void *msg,
                             uint32_t len, doca_error_t *result)
{
    struct send *s =
        (struct send *)dpk_task_new(&e->base.ctx, &e->sends, (union doca_data){0}, result);
    if (s) {
        dpk_object_hold(s->to = c);
        s->msg = msg;
        s->len = len;
    }
    return s;
}

doca_error_t comch_endpoint_send_new(const char *call, void *handle, const struct dpk_kind *kind,
                                     struct doca_comch_connection *peer, const void *msg,
                                     uint32_t len, struct doca_comch_task_send **task)
{
    if (task)
        *task = NULL;
    struct endpoint *e = dpk_object_pin(handle, kind);
    struct connection *c = dpk_object_pin(peer, &comch_connection_kind);
    struct send *s = NULL;
    doca_error_t result =
        e && c && msg && task ? send_check(call, e, c, len) : dpk_doca_no_object(call);
    if (result == DOCA_SUCCESS) {
        s = send_new(e, c, msg, len, &result);
        dpk_doca_end(e->base.ctx.object.handle, call, result);
    }
    if (s)
        *task = s->entry.task.object.handle;
    dpk_object_drop(s);
    dpk_object_drop(c);
    dpk_object_drop(e);
    return result;
}

struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task)
{
    return dpk_task_handle(task, &send_type);
}

/* ---- Received words ---- */

enum dpk_comch_said comch_endpoint_greet(struct endpoint *e, int fd, enum dpk_comch_kind kind)
{
    uint8_t bytes[sizeof(uint32_t) + DPK_COMCH_NAME_MAX];
    const uint32_t version = DPK_COMCH_VERSION;
    const size_t name = kind == DPK_COMCH_HELLO ? strlen(e->name) : 0;
    memcpy(bytes, &version, sizeof version);
    memcpy(bytes + sizeof version, e->name, name);
    return dpk_comch_say(fd, kind, e->max_msg_size, bytes, sizeof version + name);
}

/* Calls the program's callback. Events have no objects of their own: programs get the endpoint's
 * handle. */
static bool tell(struct endpoint *e, struct connection *c, const struct dpk_comch_word *w)
{
    void *event = e->base.ctx.object.handle, *handle = c->object.handle;
    switch (w->kind) {
    case DPK_COMCH_MESSAGE:
        if (w->size == 0 || w->size > c->max_size)
            return false;
        comch_connection_count(c, false, w->size);
        if (e->on_message)
            e->on_message(event, (uint8_t *)w->bytes, w->size, handle);
        if (e->on_message_2_5)
            e->on_message_2_5(event, (uint8_t *)w->bytes, w->size, handle);
        return true;
    case DPK_COMCH_CONSUMER:
        if (!comch_connection_add_remote(c, w, NULL))
            return false;
        if (e->on_consumer)
            e->on_consumer(event, handle, w->value);
        return true;
    case DPK_COMCH_EXPIRED:
        if (!comch_connection_expire_remote(c, w->value))
            return false;
        if (e->on_expired)
            e->on_expired(event, handle, w->value);
        return true;
    default:
        return false;
    }
}

static bool handle_word(struct endpoint *e, struct connection *c, const struct dpk_comch_word *w)
{
    if (c->open)
        return tell(e, c, w);
    const bool good = e_ops(e)->greeted(e, c, w);
    if (w->memory >= 0)
        close(w->memory);
    return good;
}

static bool hear(struct endpoint *e)
{
    struct dpk_comch_word w;
    struct connection *c = e_ops(e)->next(e);
    if (!c)
        return false;
    enum dpk_comch_heard heard =
        atomic_load(&c->broken) ? DPK_COMCH_HUNG_UP : dpk_comch_hear(c->fd, e->room, &w);
    if (heard == DPK_COMCH_HEARD && !handle_word(e, c, &w))
        heard = DPK_COMCH_BROKEN;
    if (heard == DPK_COMCH_BROKEN)
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "comch \"%s\": the peer sent an unknown word", e->name);
    if (heard == DPK_COMCH_BROKEN || heard == DPK_COMCH_HUNG_UP) {
        comch_connection_break(c);
        e_ops(e)->lost(e, c);
    }
    dpk_object_drop(c);
    return heard != DPK_COMCH_NOTHING;
}

/* ---- Progress ---- */

static bool end_send(struct endpoint *e)
{
    const bool stops = atomic_load(&e->base.ctx.state) == DOCA_CTX_STATE_STOPPING;
    if (atomic_load(&e->ended_count) + atomic_load(&e->waiting_count) == 0)
        return false;
    pthread_mutex_lock(&e->base.ctx.object.lock);
    if (atomic_load(&e->waiting_count) > 0)
        for (struct connection *c = e->connections; c; c = c->next)
            retry(e, c, stops);
    struct entry *s = comch_queue_take(&e->ended);
    if (s)
        atomic_fetch_sub(&e->ended_count, 1);
    pthread_mutex_unlock(&e->base.ctx.object.lock);
    if (s)
        comch_entry_end(s);
    return s != NULL;
}

/* Alternates between words of peers and ends of sends, so that neither delays the other. */
bool comch_endpoint_progress(struct dpk_ctx *ctx)
{
    struct endpoint *e = (struct endpoint *)ctx;
    const bool hears =
        atomic_load(&ctx->state) != DOCA_CTX_STATE_STOPPING && !atomic_load(&e->held);
    const bool heard_last = e->heard_last;
    e->heard_last = false;
    if (heard_last && end_send(e))
        return true;
    if (hears && hear(e)) {
        e->heard_last = true;
        return true;
    }
    return !heard_last && end_send(e);
}

bool comch_endpoint_is_ready(const struct dpk_ctx *ctx)
{
    const struct endpoint *e = (const struct endpoint *)ctx;
    struct pollfd p = {.fd = atomic_load(&e->events), .events = POLLIN};
    return atomic_load(&e->ended_count) > 0 ||
           (p.fd >= 0 && !atomic_load(&e->held) && poll(&p, 1, 0) > 0);
}

void dpk_comch_hold(struct doca_ctx *ctx, bool holds)
{
    struct dpk_ctx *c = dpk_object_pin_ctx(ctx);
    if (c && c->ops->progress == comch_endpoint_progress)
        atomic_store(&((struct endpoint *)c)->held, holds);
    dpk_object_drop(c);
}

/* ---- Ends ---- */

void comch_endpoint_forget(struct endpoint *e, struct connection *c)
{
    struct connection **at = &e->connections;
    while (*at && *at != c)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = c->next;
    e->connection_count--;
    retry(e, c, true);
}

void comch_endpoint_hang_up(struct endpoint *e)
{
    for (struct connection *c; (c = e->connections);) {
        comch_connection_break(c);
        comch_endpoint_forget(e, c);
        dpk_object_destroy(c->object.handle, &comch_connection_kind);
        dpk_object_drop(c);
    }
}
