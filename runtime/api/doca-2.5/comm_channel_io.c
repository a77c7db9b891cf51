/* Endpoints of doca_comm_channel: messages, descriptors to wait for, what is known of peers. */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api/doca/comch/comch.h"
#include "comm_channel.h"

#define STEPS_MAX 64 /* pieces of work in a call of the program */

/* ---- Peers ---- */

static void peer_release(void *object)
{
    dpk_object_drop(((struct generation_peer *)object)->ep);
    free(object);
}

const struct dpk_kind generation_peer_kind = {.release = peer_release};

struct generation_peer *generation_peer_new(struct generation_ep *e,
                                            struct doca_comch_connection *connection)
{
    struct generation_peer *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    dpk_object_hold(p->ep = e);
    p->connection = connection;
    if (!dpk_object_enter(p, &generation_peer_kind))
        return NULL;
    p->next = e->peers;
    return e->peers = p;
}

/* Takes the first message out of the queue. */
static void drop_first(struct generation_ep *e)
{
    struct generation_message *m = e->first;
    if (!(e->first = m->next))
        e->last = NULL;
    e->queued--;
    dpk_object_drop(m->from);
    free(m);
    if (e->held && e->queued < e->receive_max) {
        e->held = false;
        dpk_comch_hold(e->ctx, false);
    }
}

static void drop_messages(struct generation_ep *e, const struct generation_peer *from)
{
    for (unsigned left = e->queued; left > 0; left--) {
        struct generation_message *m = e->first;
        if (m->from == from) {
            drop_first(e);
        } else if (m->next) { /* to the end: the order of the others stays */
            e->first = m->next;
            m->next = NULL;
            e->last = e->last->next = m;
        }
    }
}

void generation_peer_end(struct generation_peer *p)
{
    struct generation_peer **at = &p->ep->peers;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    drop_messages(p->ep, p);
    dpk_object_destroy(p->object.handle, &generation_peer_kind);
}

void generation_peer_count(struct generation_peer *p)
{
    if (!p->connection)
        return;
    doca_comch_connection_update_info(p->connection);
    for (unsigned i = DOCA_COMCH_COUNTER_SENT_MESSAGES; i <= DOCA_COMCH_COUNTER_RECV_BYTES; i++)
        doca_comch_connection_get_counter(p->connection, (enum doca_comch_counter)i,
                                          &p->counters[i]);
}

/* Returns the peer, pinned, with its endpoint's lock; or NULL. */
static struct generation_peer *lock_peer(const struct doca_comm_channel_addr_t *peer_addr)
{
    struct generation_peer *p = dpk_object_pin(peer_addr, &generation_peer_kind);
    if (p)
        pthread_mutex_lock(&p->ep->object.lock);
    return p;
}

static doca_error_t unlock_peer(struct generation_peer *p, doca_error_t result)
{
    pthread_mutex_unlock(&p->ep->object.lock);
    dpk_object_drop(p);
    return result;
}

doca_error_t doca_comm_channel_peer_addr_set_user_data(struct doca_comm_channel_addr_t *peer_addr,
                                                       uint64_t user_context)
{
    struct generation_peer *p = lock_peer(peer_addr);
    if (!p)
        return dpk_doca_no_object(__func__);
    p->user_data = user_context;
    return unlock_peer(p, DOCA_SUCCESS);
}

doca_error_t doca_comm_channel_peer_addr_get_user_data(struct doca_comm_channel_addr_t *peer_addr,
                                                       uint64_t *user_data)
{
    struct generation_peer *p = user_data ? lock_peer(peer_addr) : NULL;
    if (!p)
        return dpk_doca_no_object(__func__);
    *user_data = p->user_data;
    return unlock_peer(p, DOCA_SUCCESS);
}

doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr)
{
    struct generation_peer *p = lock_peer(peer_addr);
    if (!p)
        return dpk_doca_no_object(__func__);
    generation_ep_step(p->ep);
    generation_peer_count(p);
    p->shown_in_flight = p->in_flight;
    return unlock_peer(p, p->failed       ? DOCA_ERROR_CONNECTION_ABORTED
                          : p->connection ? DOCA_SUCCESS
                                          : DOCA_ERROR_CONNECTION_INPROGRESS);
}

static doca_error_t get_counter(const char *call, const struct doca_comm_channel_addr_t *peer_addr,
                                enum doca_comch_counter counter, uint64_t *value)
{
    struct generation_peer *p = value ? lock_peer(peer_addr) : NULL;
    if (!p)
        return dpk_doca_no_object(call);
    *value = p->counters[counter];
    return unlock_peer(p, DOCA_SUCCESS);
}

doca_error_t
doca_comm_channel_peer_addr_get_send_messages(const struct doca_comm_channel_addr_t *peer_addr,
                                              uint64_t *send_messages)
{
    return get_counter(__func__, peer_addr, DOCA_COMCH_COUNTER_SENT_MESSAGES, send_messages);
}

doca_error_t
doca_comm_channel_peer_addr_get_send_bytes(const struct doca_comm_channel_addr_t *peer_addr,
                                           uint64_t *send_bytes)
{
    return get_counter(__func__, peer_addr, DOCA_COMCH_COUNTER_SENT_BYTES, send_bytes);
}

doca_error_t
doca_comm_channel_peer_addr_get_recv_messages(const struct doca_comm_channel_addr_t *peer_addr,
                                              uint64_t *recv_messages)
{
    return get_counter(__func__, peer_addr, DOCA_COMCH_COUNTER_RECV_MESSAGES, recv_messages);
}

doca_error_t
doca_comm_channel_peer_addr_get_recv_bytes(const struct doca_comm_channel_addr_t *peer_addr,
                                           uint64_t *recv_bytes)
{
    return get_counter(__func__, peer_addr, DOCA_COMCH_COUNTER_RECV_BYTES, recv_bytes);
}

doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_in_flight_messages)
{
    struct generation_peer *p = send_in_flight_messages ? lock_peer(peer_addr) : NULL;
    if (!p)
        return dpk_doca_no_object(__func__);
    *send_in_flight_messages = p->shown_in_flight;
    return unlock_peer(p, DOCA_SUCCESS);
}

/* ---- Descriptors ---- */

static bool watch(int handle, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    return fd >= 0 && epoll_ctl(handle, EPOLL_CTL_ADD, fd, &event) == 0;
}

static int engine_handle(const struct generation_ep *e)
{
    doca_notification_handle_t handle = -1;
    return doca_pe_get_notification_handle(e->pe, &handle) == DOCA_SUCCESS ? handle : -1;
}

static void close_channel(struct generation_channel *c)
{
    if (c->handle >= 0)
        close(c->handle);
    if (c->signal >= 0)
        close(c->signal);
    *c = (struct generation_channel){.handle = -1, .signal = -1};
}

void generation_ep_close_channels(struct generation_ep *e)
{
    for (size_t i = 0; i < EVENTS; i++)
        close_channel(&e->channels[i]);
}

void generation_ep_watch(struct generation_ep *e)
{
    for (size_t i = 0; i < EVENTS; i++)
        if (e->channels[i].handle >= 0)
            watch(e->channels[i].handle, engine_handle(e));
}

/* Gets the descriptor; the first call makes it. */
static doca_error_t get_channel(struct generation_ep *e, enum generation_event event, int *handle)
{
    struct generation_channel *c = &e->channels[event];
    if (!handle)
        return DOCA_SUCCESS;
    if (c->handle < 0) {
        c->handle = epoll_create1(EPOLL_CLOEXEC);
        c->signal = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (c->handle < 0 || !watch(c->handle, c->signal) || !watch(c->handle, engine_handle(e)))
            close_channel(c);
    }
    *handle = c->handle;
    return c->handle >= 0 ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM;
}

void generation_ep_signal(struct generation_ep *e, enum generation_event event)
{
    struct generation_channel *c = &e->channels[event];
    if (c->armed && c->signal >= 0)
        eventfd_write(c->signal, 1);
    c->armed = false;
}

/* Lets the engine's handle report the next work, if a descriptor is armed. */
static void rearm(struct generation_ep *e)
{
    bool watched = false, armed = false;
    for (size_t i = 0; i < EVENTS; i++) {
        watched = watched || e->channels[i].handle >= 0;
        armed = armed || (e->channels[i].handle >= 0 && e->channels[i].armed);
    }
    if (!watched)
        return;
    doca_pe_clear_notification(e->pe, 0);
    if (armed)
        doca_pe_request_notification(e->pe);
}

void generation_ep_step(struct generation_ep *e)
{
    unsigned steps = 0;
    if (!e->pe)
        return;
    while (steps < STEPS_MAX && doca_pe_progress(e->pe))
        steps++;
    if (steps < STEPS_MAX)
        rearm(e);
}

doca_error_t generation_ep_arm(struct generation_ep *e, enum generation_event event)
{
    struct generation_channel *c = &e->channels[event];
    eventfd_t count;
    if (c->signal >= 0)
        (void)eventfd_read(c->signal, &count);
    c->armed = true;
    generation_ep_step(e);
    const bool open = e->peers && !e->peers->failed;
    if (event == ON_RECEIVE ? e->first || (e->client && !open)
        : event == ON_SEND
            ? e->sending < e->send_max && (e->server || !open || e->peers->connection)
            : e->changed)
        generation_ep_signal(e, event);
    return DOCA_SUCCESS;
}

/* Arms a descriptor for a call of the program. */
static doca_error_t arm(const char *call, struct doca_comm_channel_ep_t *local_ep,
                        enum generation_event event)
{
    struct generation_ep *e = dpk_object_lock(local_ep, &generation_ep_kind);
    if (e && !e->pe)
        return dpk_doca_unlock(e, call, DOCA_ERROR_BAD_STATE,
                               "the endpoint neither listens nor is connected");
    return e ? dpk_object_unlock(e, generation_ep_arm(e, event)) : dpk_doca_no_object(call);
}

doca_error_t doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep)
{
    return arm(__func__, local_ep, ON_SEND);
}

doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep)
{
    return arm(__func__, local_ep, ON_RECEIVE);
}

doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *local_ep,
                                                    doca_event_channel_t *send_event_channel,
                                                    doca_event_channel_t *recv_event_channel)
{
    struct generation_ep *e = send_event_channel || recv_event_channel
                                  ? dpk_object_lock(local_ep, &generation_ep_kind)
                                  : NULL;
    if (e && !e->pe)
        return dpk_doca_unlock(e, __func__, DOCA_ERROR_BAD_STATE,
                               "the endpoint neither listens nor is connected");
    if (!e)
        return dpk_doca_no_object(__func__);
    doca_error_t result = get_channel(e, ON_SEND, send_event_channel);
    if (result == DOCA_SUCCESS)
        result = get_channel(e, ON_RECEIVE, recv_event_channel);
    return dpk_doca_unlock(e, __func__, result, "no descriptor is left");
}

/* ---- Messages ---- */

struct outgoing {
    struct generation_peer *to; /* a reference */
    uint8_t bytes[];
};

void generation_ep_sent(struct doca_comch_task_send *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    struct outgoing *o = task_data.ptr;
    struct generation_ep *e = ctx_data.ptr;
    e->sending--;
    o->to->in_flight--;
    generation_ep_signal(e, ON_SEND);
    dpk_object_drop(o->to);
    free(o);
    doca_task_free(doca_comch_task_send_as_task(task));
}

/* Makes the task of a message. */
static doca_error_t new_task(struct generation_ep *e, struct generation_peer *to,
                             const struct outgoing *o, uint32_t size, struct doca_task **task)
{
    struct doca_comch_task_send *send = NULL;
    const doca_error_t result = e->server ? doca_comch_server_task_send_alloc_init(
                                                e->server, to->connection, o->bytes, size, &send)
                                          : doca_comch_client_task_send_alloc_init(
                                                e->client, to->connection, o->bytes, size, &send);
    *task = doca_comch_task_send_as_task(send);
    return result;
}

static doca_error_t send_copy(struct generation_ep *e, struct generation_peer *to, const void *msg,
                              uint32_t size)
{
    struct doca_task *task = NULL;
    struct outgoing *o = malloc(sizeof *o + size);
    if (!o)
        return DOCA_ERROR_NO_MEMORY;
    memcpy(o->bytes, msg, size);
    doca_error_t result = new_task(e, to, o, size, &task);
    if (result != DOCA_SUCCESS) {
        free(o);
        return result;
    }
    dpk_object_hold(o->to = to);
    doca_task_set_user_data(task, (union doca_data){.ptr = o});
    to->in_flight++;
    e->sending++;
    result = doca_task_try_submit(task);
    if (result != DOCA_SUCCESS) { /* the connection is lost, which the next step finds */
        to->in_flight--;
        e->sending--;
        dpk_object_drop(to);
        free(o);
        doca_task_free(task);
        return DOCA_ERROR_CONNECTION_RESET;
    }
    generation_ep_step(e);
    return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg,
                                         size_t len, int flags,
                                         struct doca_comm_channel_addr_t *peer_addr)
{
    struct generation_ep *e = msg ? dpk_object_lock(local_ep, &generation_ep_kind) : NULL;
    if (!e)
        return dpk_doca_no_object(__func__);
    generation_ep_step(e);
    struct generation_peer *p = e->peers;
    while (p && p->object.handle != peer_addr)
        p = p->next;
    if (!p)
        return dpk_doca_unlock(e, __func__, DOCA_ERROR_NOT_CONNECTED,
                               "the endpoint does not have this peer");
    if (flags != DOCA_CC_MSG_FLAG_NONE)
        return dpk_doca_unlock(e, __func__, DOCA_ERROR_INVALID_VALUE, "there is no flag 0x%x",
                               (unsigned)flags);
    if (len == 0 || len > e->message_max)
        return dpk_doca_unlock(e, __func__, DOCA_ERROR_INVALID_VALUE,
                               "%zu is not within 1 to %u", len, e->message_max);
    if (p->failed)
        return dpk_doca_unlock(e, __func__, DOCA_ERROR_CONNECTION_RESET,
                               "the connection has failed");
    if (!p->connection || e->sending >= e->send_max)
        return dpk_object_unlock(e, DOCA_ERROR_AGAIN);
    return dpk_object_unlock(e, send_copy(e, p, msg, (uint32_t)len));
}

void generation_ep_receive(struct generation_peer *from, const uint8_t *bytes, uint32_t size)
{
    struct generation_ep *e = from->ep;
    struct generation_message *m = malloc(sizeof *m + size);
    if (!m) {
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "a message of %u bytes is lost: no memory", size);
        return;
    }
    *m = (struct generation_message){.from = from, .size = size};
    dpk_object_hold(from);
    memcpy(m->bytes, bytes, size);
    if (e->last)
        e->last->next = m;
    else
        e->first = m;
    e->last = m;
    if (++e->queued >= e->receive_max) {
        e->held = true;
        dpk_comch_hold(e->ctx, true);
    }
    generation_ep_signal(e, ON_RECEIVE);
}

/* Gives the program the first message. Returns false if its buffer is too small. */
static bool take(struct generation_ep *e, void *msg, size_t *len,
                 struct doca_comm_channel_addr_t **peer_addr)
{
    const struct generation_message *m = e->first;
    const bool fits = m->size <= *len;
    *len = m->size;
    if (!fits)
        return false;
    memcpy(msg, m->bytes, m->size);
    m->from->shown = true;
    *peer_addr = m->from->object.handle;
    drop_first(e);
    return true;
}

doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg,
                                           size_t *len, int flags,
                                           struct doca_comm_channel_addr_t **peer_addr)
{
    struct generation_ep *e =
        msg && len && peer_addr ? dpk_object_lock(local_ep, &generation_ep_kind) : NULL;
    if (!e)
        return dpk_doca_no_object(__func__);
    if (flags != DOCA_CC_MSG_FLAG_NONE)
        return dpk_doca_unlock(e, __func__, DOCA_ERROR_INVALID_VALUE, "there is no flag 0x%x",
                               (unsigned)flags);
    if (!e->pe)
        return dpk_doca_unlock(e, __func__, DOCA_ERROR_NOT_CONNECTED,
                               "the endpoint neither listens nor is connected");
    if (!e->first)
        generation_ep_step(e);
    if (!e->first && e->client && e->peers->failed) {
        *peer_addr = e->peers->object.handle;
        return dpk_doca_unlock(e, __func__, DOCA_ERROR_CONNECTION_RESET,
                               "the connection has failed");
    }
    if (!e->first)
        return dpk_object_unlock(e, DOCA_ERROR_AGAIN);
    const bool fits = take(e, msg, len, peer_addr);
    return dpk_doca_unlock(e, __func__, fits ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE,
                           "the buffer is smaller than the message of %zu bytes", *len);
}

/* ---- Services ---- */

/* Returns the endpoint, locked, if it listens. */
static struct generation_ep *
lock_service(const char *call, const struct doca_comm_channel_ep_t *local_ep, doca_error_t *result)
{
    struct generation_ep *e = dpk_object_lock(local_ep, &generation_ep_kind);
    if (e && e->server)
        return e;
    *result =
        dpk_doca_unlock(e, call, e && e->client ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_BAD_STATE,
                        "the endpoint is not a service, or does not listen");
    return NULL;
}

doca_error_t
doca_comm_channel_ep_get_service_event_channel(struct doca_comm_channel_ep_t *local_ep,
                                               doca_event_channel_t *service_event_channel)
{
    doca_error_t result = DOCA_SUCCESS;
    if (!service_event_channel)
        return dpk_doca_no_object(__func__);
    struct generation_ep *e = lock_service(__func__, local_ep, &result);
    if (!e)
        return result;
    result = get_channel(e, ON_SERVICE, service_event_channel);
    return dpk_doca_unlock(e, __func__, result, "no descriptor is left");
}

doca_error_t doca_comm_channel_ep_update_service_state_info(struct doca_comm_channel_ep_t *local_ep)
{
    doca_error_t result = DOCA_SUCCESS;
    uint32_t count = 0;
    struct generation_ep *e = lock_service(__func__, local_ep, &result);
    if (!e)
        return result;
    generation_ep_step(e);
    e->changed = false;
    for (const struct generation_peer *p = e->peers; p; p = p->next)
        count += !p->failed;
    struct doca_comm_channel_addr_t **list = calloc(count + 1, sizeof(*list));
    if (!list)
        return dpk_object_unlock(e, DOCA_ERROR_NO_MEMORY);
    free(e->list);
    e->list = list;
    e->list_length = 0;
    for (struct generation_peer *p = e->peers; p; p = p->next)
        if (!p->failed) {
            p->shown = true;
            list[e->list_length++] = p->object.handle;
        }
    return dpk_object_unlock(e, generation_ep_arm(e, ON_SERVICE));
}

doca_error_t
doca_comm_channel_ep_get_peer_addr_list(const struct doca_comm_channel_ep_t *local_ep,
                                        struct doca_comm_channel_addr_t ***peer_addr_array,
                                        uint32_t *peer_addr_array_len)
{
    doca_error_t result = DOCA_SUCCESS;
    if (!peer_addr_array || !peer_addr_array_len)
        return dpk_doca_no_object(__func__);
    struct generation_ep *e = lock_service(__func__, local_ep, &result);
    if (!e)
        return result;
    *peer_addr_array = e->list;
    *peer_addr_array_len = e->list_length;
    return dpk_object_unlock(e, DOCA_SUCCESS);
}

doca_error_t
doca_comm_channel_ep_get_pending_connections(const struct doca_comm_channel_ep_t *local_ep,
                                             uint32_t *pending_connections)
{
    doca_error_t result = DOCA_SUCCESS;
    struct generation_ep *e =
        pending_connections ? lock_service(__func__, local_ep, &result) : NULL;
    if (!pending_connections)
        return dpk_doca_no_object(__func__);
    if (!e)
        return result;
    *pending_connections = 0; /* the update has completed them */
    return dpk_object_unlock(e, DOCA_SUCCESS);
}
