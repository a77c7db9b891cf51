/* Clients: host programs that have a connection to one server. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

/* ---- The connection ---- */

/* Call this with the lock. */
static doca_error_t client_start(struct dpk_ctx *ctx)
{
    struct endpoint *e = (struct endpoint *)ctx;
    struct dpk_error err = {0};
    int fd;
    if (!ctx->pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the comch client has no progress engine");
    const enum dpk_status status = dpk_comch_call(e->folder, e->name, &fd, &err);
    if (status != DPK_OK)
        return dpk_doca_error_of(&err);
    if (comch_endpoint_greet(e, fd, DPK_COMCH_HELLO) != DPK_COMCH_SAID) {
        close(fd);
        return dpk_doca_because(DOCA_ERROR_CONNECTION_ABORTED,
                                "comch \"%s\": the server has hung up", e->name);
    }
    struct connection *c = comch_connection_new(fd, e->base.dev, ctx->object.handle, false);
    if (!c)
        return DOCA_ERROR_NO_MEMORY;
    e->connections = c;
    e->connection_count = 1;
    atomic_store(&e->events, fd);
    return DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t client_stop(struct dpk_ctx *ctx)
{
    struct endpoint *e = (struct endpoint *)ctx;
    atomic_store(&e->events, -1);
    comch_endpoint_hang_up(e);
    return DOCA_SUCCESS;
}

static struct connection *client_next(struct endpoint *e)
{
    pthread_mutex_lock(&e->base.ctx.object.lock);
    struct connection *c = e->connections;
    if (c)
        dpk_object_hold(c);
    pthread_mutex_unlock(&e->base.ctx.object.lock);
    return c;
}

static bool client_greeted(struct endpoint *e, struct connection *c, const struct dpk_comch_word *w)
{
    uint32_t version;
    if (w->kind != DPK_COMCH_WELCOME || w->value == 0)
        return false;
    memcpy(&version, w->bytes, sizeof version);
    if (version != DPK_COMCH_VERSION) {
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR,
                     "comch \"%s\": the server is of another release of dpakit", e->name);
        return false;
    }
    c->max_size = w->value < e->max_msg_size ? w->value : e->max_msg_size;
    c->open = true;
    dpk_ctx_begin_run(&e->base.ctx);
    return true;
}

static void client_lost(struct endpoint *e, struct connection *c)
{
    if (!c->open)
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "comch \"%s\": the server refused the connection",
                     e->name);
    dpk_comch_tidy(e->folder, e->name); /* a killed server leaves its socket */
    dpk_ctx_begin_stop(&e->base.ctx);
}

static const struct endpoint_ops ops = {.ctx = {.start = client_start,
                                                .stop = client_stop,
                                                .progress = comch_endpoint_progress,
                                                .is_ready = comch_endpoint_is_ready},
                                        .next = client_next,
                                        .greeted = client_greeted,
                                        .lost = client_lost};

static const struct dpk_kind client_kind = {
    .left = dpk_dev_ctx_left, .release = dpk_dev_ctx_release, .is_ctx = true};

/* ---- The public side ---- */

doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
    struct dpk_device_info card;
    const doca_error_t result = dpk_devinfo_ask(devinfo, &card);
    return dpk_doca_end(devinfo, __func__,
                        result != DOCA_SUCCESS                    ? result
                        : card.pair && card.side == DPK_SIDE_HOST ? DOCA_SUCCESS
                                                                  : DOCA_ERROR_NOT_SUPPORTED);
}

doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
                                      struct doca_comch_client **comch_client)
{
    struct dpk_device_info card;
    if (comch_client)
        *comch_client = NULL;
    if (!name || !comch_client)
        return dpk_doca_no_object(__func__);
    doca_error_t result = dpk_devinfo_ask(doca_dev_as_devinfo(dev), &card);
    if (result != DOCA_SUCCESS)
        return comch_no_device(__func__, result);
    if (!card.pair || card.side != DPK_SIDE_HOST) {
        return dpk_doca_refuse_call(
            NULL, DOCA_ERROR_NOT_SUPPORTED, __func__, "comch client \"%s\": %s", name,
            card.pair ? "clients are for host programs (DPAKIT_SIDE=host)"
                      : "the device has no DPU's side: dpadev create NAME --pair");
    }
    *comch_client = comch_endpoint_new(dev, &card, name, &client_kind, &ops, &result);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client)
{
    return dpk_doca_destroy(comch_client, &client_kind, __func__);
}

struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client)
{
    return dpk_ctx_of(comch_client, &client_kind);
}

doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
                                                uint32_t size)
{
    return comch_endpoint_set(__func__, comch_client, &client_kind,
                              offsetof(struct endpoint, max_msg_size), size, DPK_COMCH_MESSAGE_MAX);
}

doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
                                                uint32_t *size)
{
    return comch_endpoint_get(__func__, comch_client, &client_kind,
                              offsetof(struct endpoint, max_msg_size), size);
}

doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
                                                   uint32_t size)
{
    return comch_endpoint_set(__func__, comch_client, &client_kind,
                              offsetof(struct endpoint, recv_queue_size), size, RECV_QUEUE_MAX);
}

doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
                                                   uint32_t *size)
{
    return comch_endpoint_get(__func__, comch_client, &client_kind,
                              offsetof(struct endpoint, recv_queue_size), size);
}

doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
                                          struct doca_dev **dev)
{
    return comch_endpoint_get_device(__func__, comch_client, &client_kind, dev);
}

doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
                                              struct doca_comch_connection **connection)
{
    if (connection)
        *connection = NULL;
    struct endpoint *e = connection ? dpk_object_lock(comch_client, &client_kind) : NULL;
    const bool runs = e && dpk_ctx_is_running(&e->base.ctx);
    if (runs)
        *connection = e->connections->object.handle;
    return dpk_doca_unlock(e, __func__, runs ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the client is %s, and has a connection while it is running",
                           e ? dpk_ctx_state_name(&e->base.ctx) : "");
}

doca_error_t doca_comch_client_task_send_set_conf(
    struct doca_comch_client *comch_client, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
    return comch_endpoint_send_conf(__func__, comch_client, &client_kind, task_completion_cb,
                                    task_error_cb, num_send_tasks);
}

doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task)
{
    return comch_endpoint_send_new(__func__, comch_client, &client_kind, peer, msg, len, task);
}

doca_error_t dpk_comch_client_on_message_2_5(const char *call, struct doca_comch_client *client,
                                             dpk_comch_message_2_5 cb)
{
    return comch_endpoint_on_message_2_5(call, client, &client_kind, cb);
}

doca_error_t doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
                                                       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
    return comch_endpoint_on_message(__func__, comch_client, &client_kind, recv_event_cb);
}

doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
    return comch_endpoint_on_consumer(__func__, comch_client, &client_kind, new_consumer_event_cb,
                                      expired_consumer_event_cb);
}
