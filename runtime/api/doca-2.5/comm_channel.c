/* Endpoints of doca_comm_channel: properties, connections, peers. */
#include <stdlib.h>

#include "api/doca/comch/comch.h"
#include "bus/comch/comch.h"
#include "comm_channel.h"

#define QUEUE_MAX     8192u
#define QUEUE_DEFAULT 1024u

/* ---- Life ---- */

/* Ends what listens or is connected. Call this with the lock. */
static void hang_up(struct generation_ep *e)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    for (struct generation_peer *p = e->peers; p; p = p->next)
        p->connection = NULL; /* the stop ends it */
    if (e->ctx)
        doca_ctx_stop(e->ctx);
    while (e->ctx && doca_ctx_get_state(e->ctx, &state) == DOCA_SUCCESS &&
           state != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(e->pe); /* waiting sends fail now */
    while (e->peers)
        generation_peer_end(e->peers);
    if (e->client)
        doca_comch_client_destroy(e->client);
    if (e->server)
        doca_comch_server_destroy(e->server);
    if (e->pe)
        doca_pe_destroy(e->pe);
    e->ctx = NULL;
    e->client = NULL;
    e->server = NULL;
    e->pe = NULL;
    e->held = false;
}

static void ep_left(void *object)
{
    struct generation_ep *e = object;
    pthread_mutex_lock(&e->object.lock);
    hang_up(e);
    pthread_mutex_unlock(&e->object.lock);
}

static void ep_release(void *object)
{
    struct generation_ep *e = object;
    generation_ep_close_channels(e);
    free(e->list);
    free(e);
}

const struct dpk_kind generation_ep_kind = {.left = ep_left, .release = ep_release};

doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep)
{
    if (!ep)
        return dpk_doca_no_object(__func__);
    struct generation_ep *e = calloc(1, sizeof *e);
    if (e) {
        e->message_max = DPK_COMCH_MESSAGE_MAX;
        e->send_max = e->receive_max = QUEUE_DEFAULT;
        for (size_t i = 0; i < EVENTS; i++)
            e->channels[i].handle = e->channels[i].signal = -1;
    }
    *ep = e ? dpk_object_enter(e, &generation_ep_kind) : NULL;
    return *ep ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep)
{
    if (dpk_object_destroy(local_ep, &generation_ep_kind) == DOCA_SUCCESS)
        return DOCA_SUCCESS;
    return dpk_doca_refuse_call(NULL, DOCA_ERROR_NOT_CONNECTED, __func__,
                                "the argument is not an endpoint, or was destroyed");
}

/* ---- Capabilities ---- */

doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len)
{
    if (!max_service_name_len)
        return dpk_doca_no_object(__func__);
    *max_service_name_len = DPK_COMCH_NAME_MAX + 1;
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo,
                                                    uint32_t *max_message_size)
{
    return doca_comch_cap_get_max_msg_size(devinfo, max_message_size);
}

doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
                                                       uint32_t *max_send_queue_size)
{
    return doca_comch_cap_get_max_send_tasks(devinfo, max_send_queue_size);
}

doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
                                                       uint32_t *max_recv_queue_size)
{
    return doca_comch_cap_get_max_recv_queue_size(devinfo, max_recv_queue_size);
}

doca_error_t doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
                                                               uint32_t *max_num_connections)
{
    if (!max_num_connections)
        return dpk_doca_no_object(__func__);
    const doca_error_t result = doca_comch_cap_server_is_supported(devinfo);
    return result == DOCA_SUCCESS ? doca_comch_cap_get_max_clients(devinfo, max_num_connections)
                                  : result;
}

/* ---- Properties ---- */

/* Returns the endpoint, locked, if it neither listens nor is connected. */
static struct generation_ep *begin_change(const char *call, struct doca_comm_channel_ep_t *ep,
                                          doca_error_t *result)
{
    struct generation_ep *e = dpk_object_lock(ep, &generation_ep_kind);
    if (e && !e->pe)
        return e;
    *result = dpk_doca_unlock(e, call, DOCA_ERROR_BAD_STATE, "the endpoint is in use");
    return NULL;
}

doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep,
                                             struct doca_dev *device)
{
    doca_error_t result = DOCA_SUCCESS;
    if (!doca_dev_as_devinfo(device))
        return dpk_doca_no_object(__func__);
    struct generation_ep *e = begin_change(__func__, ep, &result);
    if (!e)
        return result;
    e->dev = device;
    return dpk_object_unlock(e, DOCA_SUCCESS);
}

doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_dev_rep *device_rep)
{
    doca_error_t result = DOCA_SUCCESS;
    struct dpk_device_info function;
    if (dpk_dev_rep_ask(device_rep, &function) != DOCA_SUCCESS)
        return dpk_doca_no_object(__func__);
    struct generation_ep *e = begin_change(__func__, ep, &result);
    if (!e)
        return result;
    e->rep = device_rep;
    return dpk_object_unlock(e, DOCA_SUCCESS);
}

doca_error_t doca_comm_channel_ep_get_device(struct doca_comm_channel_ep_t *ep,
                                             struct doca_dev **device)
{
    struct generation_ep *e = device ? dpk_object_lock(ep, &generation_ep_kind) : NULL;
    if (!e)
        return dpk_doca_no_object(__func__);
    *device = e->dev;
    return dpk_object_unlock(e, DOCA_SUCCESS);
}

doca_error_t doca_comm_channel_ep_get_device_rep(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_dev_rep **device_rep)
{
    struct generation_ep *e = device_rep ? dpk_object_lock(ep, &generation_ep_kind) : NULL;
    if (!e)
        return dpk_doca_no_object(__func__);
    *device_rep = e->rep;
    return dpk_object_unlock(e, DOCA_SUCCESS);
}

static doca_error_t set_number(const char *call, struct doca_comm_channel_ep_t *ep, size_t member,
                               uint16_t value, unsigned most)
{
    doca_error_t result = DOCA_SUCCESS;
    if (value == 0 || value > most)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                    "%u is not within 1 to %u", value, most);
    struct generation_ep *e = begin_change(call, ep, &result);
    if (!e)
        return result;
    *(uint16_t *)(void *)((uint8_t *)e + member) = value;
    return dpk_object_unlock(e, DOCA_SUCCESS);
}

static doca_error_t set_queue(const char *call, struct doca_comm_channel_ep_t *ep, size_t member,
                              uint16_t value)
{
    uint16_t power = 1;
    while (power < value && power < QUEUE_MAX)
        power = (uint16_t)(2 * power);
    return set_number(call, ep, member, value > QUEUE_MAX ? value : value ? power : 0, QUEUE_MAX);
}

static doca_error_t get_number(const char *call, struct doca_comm_channel_ep_t *ep, size_t member,
                               uint16_t *value)
{
    struct generation_ep *e = value ? dpk_object_lock(ep, &generation_ep_kind) : NULL;
    if (!e)
        return dpk_doca_no_object(call);
    *value = *(const uint16_t *)(const void *)((const uint8_t *)e + member);
    return dpk_object_unlock(e, DOCA_SUCCESS);
}

#define PLACE(member) offsetof(struct generation_ep, member)

doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep,
                                                   uint16_t max_msg_size)
{
    return set_number(__func__, ep, PLACE(message_max), max_msg_size, DPK_COMCH_MESSAGE_MAX);
}

doca_error_t doca_comm_channel_ep_get_max_msg_size(struct doca_comm_channel_ep_t *ep,
                                                   uint16_t *max_msg_size)
{
    return get_number(__func__, ep, PLACE(message_max), max_msg_size);
}

doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t send_queue_size)
{
    return set_queue(__func__, ep, PLACE(send_max), send_queue_size);
}

doca_error_t doca_comm_channel_ep_get_send_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t *send_queue_size)
{
    return get_number(__func__, ep, PLACE(send_max), send_queue_size);
}

doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t recv_queue_size)
{
    return set_queue(__func__, ep, PLACE(receive_max), recv_queue_size);
}

doca_error_t doca_comm_channel_ep_get_recv_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t *recv_queue_size)
{
    return get_number(__func__, ep, PLACE(receive_max), recv_queue_size);
}

/* ---- Connections: callbacks of doca_comch, in generation_ep_step, with the lock ---- */

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t size,
                       struct doca_comch_connection *connection)
{
    struct generation_peer *p = doca_comch_connection_get_user_data(connection).ptr;
    (void)event;
    if (p)
        generation_ep_receive(p, bytes, size);
}

static void lose(struct generation_peer *p)
{
    struct generation_ep *e = p->ep;
    generation_peer_count(p);
    p->connection = NULL;
    p->failed = true;
    generation_ep_signal(e, ON_SEND);
    generation_ep_signal(e, ON_RECEIVE);
    for (const struct generation_message *m = e->first; m; m = m->next)
        if (m->from == p)
            return; /* the program will get the peer with the message */
    if (!p->shown)
        generation_peer_end(p);
}

static void on_client(struct doca_comch_event_connection_status_changed *event,
                      struct doca_comch_connection *connection, uint8_t success)
{
    union doca_data data = {0};
    (void)event, (void)success;
    doca_ctx_get_user_data(doca_comch_server_as_ctx(doca_comch_server_get_server_ctx(connection)),
                           &data);
    struct generation_ep *e = data.ptr;
    doca_comch_connection_set_user_data(
        connection, (union doca_data){.ptr = generation_peer_new(e, connection)});
    e->changed = true;
    generation_ep_signal(e, ON_SERVICE);
}

static void on_client_gone(struct doca_comch_event_connection_status_changed *event,
                           struct doca_comch_connection *connection, uint8_t success)
{
    struct generation_peer *p = doca_comch_connection_get_user_data(connection).ptr;
    (void)event, (void)success;
    if (!p)
        return;
    p->ep->changed = true;
    generation_ep_signal(p->ep, ON_SERVICE);
    lose(p);
}

/* The client's connection is complete, or has failed. */
static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states before, enum doca_ctx_states state)
{
    struct generation_ep *e = user_data.ptr;
    (void)ctx, (void)before;
    if (!e->peers)
        return;
    if (state == DOCA_CTX_STATE_RUNNING &&
        doca_comch_client_get_connection(e->client, &e->peers->connection) == DOCA_SUCCESS) {
        doca_comch_connection_set_user_data(e->peers->connection,
                                            (union doca_data){.ptr = e->peers});
        generation_ep_signal(e, ON_SEND);
    } else if (state == DOCA_CTX_STATE_STOPPING || state == DOCA_CTX_STATE_IDLE) {
        lose(e->peers);
    }
}

/* Starts the context of an endpoint that has a new client or server. */
static doca_error_t start(struct generation_ep *e)
{
    doca_error_t result = doca_pe_create(&e->pe);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(e->ctx, (union doca_data){.ptr = e});
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(e->pe, e->ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(e->ctx);
    if (e->pe)
        generation_ep_watch(e);
    return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS
           : result == DOCA_ERROR_NOT_FOUND || result == DOCA_ERROR_ALREADY_EXIST
               ? DOCA_ERROR_CONNECTION_ABORTED
               : result;
}

static doca_error_t listen_as(struct generation_ep *e, const char *name)
{
    doca_error_t result = doca_comch_server_create(e->dev, e->rep, name, &e->server);
    e->ctx = doca_comch_server_as_ctx(e->server);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_set_max_msg_size(e->server, e->message_max);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_task_send_set_conf(e->server, generation_ep_sent,
                                                      generation_ep_sent, e->send_max);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_event_msg_recv_register(e->server, on_message);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_event_connection_status_changed_register(e->server, on_client,
                                                                            on_client_gone);
    return result == DOCA_SUCCESS ? start(e) : result;
}

static doca_error_t connect_to(struct generation_ep *e, const char *name)
{
    doca_error_t result = doca_comch_client_create(e->dev, name, &e->client);
    e->ctx = doca_comch_client_as_ctx(e->client);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_set_max_msg_size(e->client, e->message_max);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_task_send_set_conf(e->client, generation_ep_sent,
                                                      generation_ep_sent, e->send_max);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_event_msg_recv_register(e->client, on_message);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_state_changed_cb(e->ctx, on_state);
    if (result == DOCA_SUCCESS)
        result = start(e);
    struct generation_peer *p = result == DOCA_SUCCESS ? generation_peer_new(e, NULL) : NULL;
    if (p)
        p->shown = true;
    return result == DOCA_SUCCESS && !p ? DOCA_ERROR_NO_MEMORY : result;
}

/* Returns why an endpoint cannot listen or connect, or SUCCESS. */
static doca_error_t check_idle(const struct generation_ep *e, bool has_all, const char **why)
{
    *why = e->pe ? "the endpoint listens or is connected"
                 : "the endpoint has no device, or a service has no representor";
    return e->pe ? DOCA_ERROR_NOT_PERMITTED : has_all ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name)
{
    const char *why;
    struct generation_ep *e = name ? dpk_object_lock(local_ep, &generation_ep_kind) : NULL;
    if (!e)
        return dpk_doca_no_object(__func__);
    doca_error_t result = check_idle(e, e->dev && e->rep, &why);
    if (result != DOCA_SUCCESS)
        return dpk_doca_unlock(e, __func__, result, "%s", why);
    if ((result = listen_as(e, name)) != DOCA_SUCCESS)
        hang_up(e);
    return dpk_object_unlock(e, result);
}

doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
                                          struct doca_comm_channel_addr_t **peer_addr)
{
    const char *why;
    if (peer_addr)
        *peer_addr = NULL;
    struct generation_ep *e =
        name && peer_addr ? dpk_object_lock(local_ep, &generation_ep_kind) : NULL;
    if (!e)
        return dpk_doca_no_object(__func__);
    doca_error_t result = check_idle(e, e->dev != NULL, &why);
    if (result != DOCA_SUCCESS)
        return dpk_doca_unlock(e, __func__, result, "%s", why);
    if ((result = connect_to(e, name)) != DOCA_SUCCESS)
        hang_up(e);
    else
        *peer_addr = e->peers->object.handle;
    return dpk_object_unlock(e, result);
}

doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
                                             struct doca_comm_channel_addr_t *peer_addr)
{
    struct generation_ep *e = dpk_object_lock(local_ep, &generation_ep_kind);
    if (!e)
        return dpk_doca_no_object(__func__);
    struct generation_peer *p = e->peers;
    while (p && p->object.handle != peer_addr)
        p = p->next;
    if (!p)
        return dpk_doca_unlock(e, __func__, DOCA_ERROR_NOT_CONNECTED,
                               "the endpoint does not have this peer");
    if (e->client) {
        hang_up(e);
    } else {
        if (p->connection)
            doca_comch_server_disconnect(e->server, p->connection);
        generation_peer_end(p);
        generation_ep_step(e);
    }
    return dpk_object_unlock(e, DOCA_SUCCESS);
}
