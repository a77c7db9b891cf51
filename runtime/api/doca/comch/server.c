/* Servers: DPU programs with connections to clients on the host. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "private.h"

/* ---- Connections ---- */

/* Call this and the next three functions with the lock. */
static bool watch(const struct endpoint *e, int fd, void *what)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = what};
    return epoll_ctl(atomic_load(&e->events), EPOLL_CTL_ADD, fd, &event) == 0;
}

static doca_error_t server_stop(struct dpk_ctx *ctx)
{
    struct endpoint *e = (struct endpoint *)ctx;
    comch_endpoint_hang_up(e);
    dpk_comch_close(e->server);
    e->server = NULL;
    const int events = atomic_exchange(&e->events, -1);
    if (events >= 0)
        close(events);
    return DOCA_SUCCESS;
}

static doca_error_t server_start(struct dpk_ctx *ctx)
{
    struct endpoint *e = (struct endpoint *)ctx;
    struct dpk_error err = {0};
    if (!ctx->pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the comch server has no progress engine");
    if (dpk_comch_listen(e->folder, e->name, &e->server, &err) != DPK_OK)
        return dpk_doca_error_of(&err);
    atomic_store(&e->events, epoll_create1(EPOLL_CLOEXEC));
    if (atomic_load(&e->events) >= 0 && watch(e, dpk_comch_server_fd(e->server), NULL))
        return DOCA_SUCCESS;
    const int error = errno;
    server_stop(ctx);
    return dpk_doca_because(DOCA_ERROR_OPERATING_SYSTEM, "comch \"%s\": epoll: %s", e->name,
                            strerror(error));
}

static void add(struct endpoint *e, int fd)
{
    struct connection *c =
        e->connection_count < CLIENTS_MAX
            ? comch_connection_new(fd, e->base.dev, e->base.ctx.object.handle, true)
            : NULL;
    if (e->connection_count >= CLIENTS_MAX)
        close(fd);
    if (!c)
        return;
    if (!watch(e, fd, c->object.handle)) {
        dpk_object_destroy(c->object.handle, &comch_connection_kind);
        dpk_object_drop(c);
        return;
    }
    c->next = e->connections;
    e->connections = c;
    e->connection_count++;
}

/* Accepts a client that connects. */
static void accept_client(struct endpoint *e)
{
    pthread_mutex_lock(&e->base.ctx.object.lock);
    const int fd = e->server ? dpk_comch_accept(e->server) : -1;
    if (fd >= 0)
        add(e, fd);
    pthread_mutex_unlock(&e->base.ctx.object.lock);
}

/* Returns the next connection with a word. The kernel reports sockets in turn. */
static struct connection *server_next(struct endpoint *e)
{
    struct epoll_event event;
    if (epoll_wait(atomic_load(&e->events), &event, 1, 0) != 1)
        return NULL;
    if (event.data.ptr)
        return dpk_object_pin(event.data.ptr, &comch_connection_kind);
    accept_client(e);
    return NULL;
}

static bool server_greeted(struct endpoint *e, struct connection *c, const struct dpk_comch_word *w)
{
    uint32_t version;
    if (w->kind != DPK_COMCH_HELLO || w->value == 0 ||
        w->size - sizeof version != strlen(e->name) ||
        memcmp(w->bytes + sizeof version, e->name, strlen(e->name)) != 0)
        return false;
    memcpy(&version, w->bytes, sizeof version);
    if (comch_endpoint_greet(e, c->fd, DPK_COMCH_WELCOME) != DPK_COMCH_SAID ||
        version != DPK_COMCH_VERSION)
        return false;
    c->max_size = w->value < e->max_msg_size ? w->value : e->max_msg_size;
    c->open = true;
    if (e->on_connected)
        e->on_connected(e->base.ctx.object.handle, c->object.handle, 1);
    return true;
}

/* Removes a connection from the list and ends its handle. */
static void let_go(struct endpoint *e, struct connection *c)
{
    pthread_mutex_lock(&e->base.ctx.object.lock);
    const unsigned count = e->connection_count;
    comch_endpoint_forget(e, c);
    const bool listed = count != e->connection_count;
    pthread_mutex_unlock(&e->base.ctx.object.lock);
    if (listed) {
        dpk_object_destroy(c->object.handle, &comch_connection_kind);
        dpk_object_drop(c);
    }
}

static void server_lost(struct endpoint *e, struct connection *c)
{
    if (c->open && e->on_disconnected)
        e->on_disconnected(e->base.ctx.object.handle, c->object.handle, 1);
    let_go(e, c);
}

static const struct endpoint_ops ops = {.ctx = {.start = server_start,
                                                .stop = server_stop,
                                                .progress = comch_endpoint_progress,
                                                .is_ready = comch_endpoint_is_ready},
                                        .next = server_next,
                                        .greeted = server_greeted,
                                        .lost = server_lost};

static const struct dpk_kind server_kind = {
    .left = dpk_dev_ctx_left, .release = dpk_dev_ctx_release, .is_ctx = true};

/* ---- The public side ---- */

doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
    struct dpk_device_info card;
    const doca_error_t result = dpk_devinfo_ask(devinfo, &card);
    return dpk_doca_end(devinfo, __func__,
                        result != DOCA_SUCCESS                   ? result
                        : card.pair && card.side == DPK_SIDE_DPU ? DOCA_SUCCESS
                                                                 : DOCA_ERROR_NOT_SUPPORTED);
}

/* Checks that a representor belongs to the device's card. */
static doca_error_t check_rep(const struct dpk_device_info *card, const struct doca_dev_rep *rep)
{
    struct dpk_device_info function;
    const doca_error_t result = dpk_dev_rep_ask(rep, &function);
    return result == DOCA_SUCCESS && strcmp(function.path, card->path) != 0
               ? DOCA_ERROR_INVALID_VALUE
               : result;
}

doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                      const char *name, struct doca_comch_server **comch_server)
{
    struct dpk_device_info card;
    if (comch_server)
        *comch_server = NULL;
    if (!name || !comch_server)
        return dpk_doca_no_object(__func__);
    doca_error_t result = dpk_devinfo_ask(doca_dev_as_devinfo(dev), &card);
    if (result != DOCA_SUCCESS)
        return comch_no_device(__func__, result);
    if (!card.pair || card.side != DPK_SIDE_DPU) {
        return dpk_doca_refuse_call(
            NULL, DOCA_ERROR_NOT_SUPPORTED, __func__,
            "comch server \"%s\": servers are for programs of the DPU (DPAKIT_SIDE=dpu)", name);
    }
    if ((result = check_rep(&card, repr)) != DOCA_SUCCESS)
        return dpk_doca_refuse_call(NULL, result, __func__,
                                    "comch server \"%s\": it needs a representor of its device",
                                    name);
    *comch_server = comch_endpoint_new(dev, &card, name, &server_kind, &ops, &result);
    struct endpoint *e = dpk_object_lock(*comch_server, &server_kind);
    if (e)
        e->rep = repr;
    dpk_object_unlock(e, DOCA_SUCCESS);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server)
{
    return dpk_doca_destroy(comch_server, &server_kind, __func__);
}

struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server)
{
    return dpk_ctx_of(comch_server, &server_kind);
}

doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
                                                uint32_t size)
{
    return comch_endpoint_set(__func__, comch_server, &server_kind,
                              offsetof(struct endpoint, max_msg_size), size, DPK_COMCH_MESSAGE_MAX);
}

doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
                                                uint32_t *size)
{
    return comch_endpoint_get(__func__, comch_server, &server_kind,
                              offsetof(struct endpoint, max_msg_size), size);
}

doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
                                                   uint32_t size)
{
    return comch_endpoint_set(__func__, comch_server, &server_kind,
                              offsetof(struct endpoint, recv_queue_size), size, RECV_QUEUE_MAX);
}

doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
                                                   uint32_t *size)
{
    return comch_endpoint_get(__func__, comch_server, &server_kind,
                              offsetof(struct endpoint, recv_queue_size), size);
}

doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
                                          struct doca_dev **dev)
{
    return comch_endpoint_get_device(__func__, comch_server, &server_kind, dev);
}

doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
                                              struct doca_dev_rep **rep)
{
    struct endpoint *e = rep ? dpk_object_lock(comch_server, &server_kind) : NULL;
    if (e)
        *rep = e->rep;
    return e ? dpk_object_unlock(e, DOCA_SUCCESS) : dpk_doca_no_object(__func__);
}

doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
                                          struct doca_comch_connection *connection)
{
    struct endpoint *e = dpk_object_pin(comch_server, &server_kind);
    struct connection *c = dpk_object_pin(connection, &comch_connection_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (e && c && c->endpoint == comch_server) {
        comch_connection_break(c);
        let_go(e, c);
        result = DOCA_SUCCESS;
    } else if (e && c) {
        dpk_doca_refuse_call(e, result, __func__,
                             "comch \"%s\": the connection is of another client or server",
                             e->name);
    } else {
        dpk_doca_no_object(__func__);
    }
    dpk_object_drop(c);
    dpk_object_drop(e);
    return result;
}

doca_error_t doca_comch_server_task_send_set_conf(
    struct doca_comch_server *comch_server, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
    return comch_endpoint_send_conf(__func__, comch_server, &server_kind, task_completion_cb,
                                    task_error_cb, num_send_tasks);
}

doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task)
{
    return comch_endpoint_send_new(__func__, comch_server, &server_kind, peer, msg, len, task);
}

doca_error_t dpk_comch_server_on_message_2_5(const char *call, struct doca_comch_server *server,
                                             dpk_comch_message_2_5 cb)
{
    return comch_endpoint_on_message_2_5(call, server, &server_kind, cb);
}

doca_error_t doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
                                                       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
    return comch_endpoint_on_message(__func__, comch_server, &server_kind, recv_event_cb);
}

doca_error_t doca_comch_server_event_connection_status_changed_register(
    struct doca_comch_server *comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb)
{
    doca_error_t result;
    if (!connect_event_cb || !disconnect_event_cb)
        return dpk_doca_no_object(__func__);
    struct endpoint *e = comch_endpoint_begin_change(__func__, comch_server, &server_kind, &result);
    if (!e)
        return result;
    e->on_connected = connect_event_cb;
    e->on_disconnected = disconnect_event_cb;
    return dpk_object_unlock(e, DOCA_SUCCESS);
}

doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
    return comch_endpoint_on_consumer(__func__, comch_server, &server_kind, new_consumer_event_cb,
                                      expired_consumer_event_cb);
}
