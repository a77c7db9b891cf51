/* Connections of the connection manager: listeners, callers, and messages of peers. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "rdma.h"

#define CALLERS_MAX 64u /* callers that have not sent a request; the next one drops the oldest */
#define LOOKS       16u /* only each 16th poll checks the sockets, which takes a system call */

struct dpk_rdma_socket {
    STAILQ_ENTRY(dpk_rdma_socket) link;
    int fd;
    uint16_t port; /* of a listener */
};

void dpk_rdma_cm_init(struct dpk_rdma *r)
{
    STAILQ_INIT(&r->cm.listeners);
    STAILQ_INIT(&r->cm.callers);
    atomic_init(&r->cm.epoll, -1);
}

/* ---- Sockets: with the lock ---- */

static bool watch(struct dpk_rdma_cm *cm, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (atomic_load(&cm->epoll) < 0)
        atomic_store(&cm->epoll, epoll_create1(EPOLL_CLOEXEC));
    return epoll_ctl(atomic_load(&cm->epoll), EPOLL_CTL_ADD, fd, &event) == 0;
}

static void close_connection(struct dpk_rdma_connection *c)
{
    if (c->socket >= 0)
        close(c->socket);
    c->socket = -1;
}

static void socket_free(struct dpk_rdma_socket *s)
{
    close(s->fd);
    free(s);
}

static void remove_caller(struct dpk_rdma_cm *cm, struct dpk_rdma_socket *s)
{
    STAILQ_REMOVE(&cm->callers, s, dpk_rdma_socket, link);
    cm->callers_count--;
}

void dpk_rdma_cm_close(struct dpk_rdma *r, bool release)
{
    struct dpk_rdma_socket *s;
    for (uint32_t i = 0; i < r->count; i++) {
        close_connection(r->connections[i]);
        if (r->connections[i]->state != DPK_RDMA_BY_DETAILS)
            r->connections[i]->state = DPK_RDMA_ENDED;
        r->connections[i]->failing = false;
    }
    atomic_store(&r->cm.failing, 0);
    while ((s = STAILQ_FIRST(&r->cm.listeners))) {
        STAILQ_REMOVE_HEAD(&r->cm.listeners, link);
        socket_free(s);
    }
    while ((s = STAILQ_FIRST(&r->cm.callers))) {
        remove_caller(&r->cm, s);
        socket_free(s);
    }
    if (release && atomic_load(&r->cm.epoll) >= 0)
        close(atomic_load(&r->cm.epoll));
}

/* ---- Messages ---- */

static struct dpk_rdma_peer peer_of(const struct dpk_cm_message *m)
{
    struct dpk_rdma_peer peer = {.queue_pair = m->queue_pair};
    memcpy(peer.gid, m->gid, sizeof peer.gid);
    return peer;
}

/* Names this side in a message to another machine, whose connection manager compares the name with the address
 * that the network shows. `own`: the address of the fabric. */
static void introduce(struct dpk_cm_message *m, const uint8_t own[16])
{
    memcpy(m->from.ip, own, sizeof m->from.ip);
    memcpy(m->gid, own, sizeof m->gid);
}

/* ---- Events: with the lock ---- */

static bool event_of(const struct dpk_rdma_connection *c, dpk_rdma_told told,
                     struct dpk_rdma_event *out)
{
    *out = (struct dpk_rdma_event){.told = told,
                                   .connection = c->object.handle,
                                   .connection_user_data = c->user_data,
                                   .ctx_user_data = c->rdma->ctx.user_data};
    return true;
}

/* Ends a connection and destroys its queue pair, so that posted work fails. */
static void end(struct dpk_rdma_connection *c)
{
    close_connection(c);
    c->state = DPK_RDMA_ENDED;
    dpk_rdma_drop_pair(c);
}

static bool fail(struct dpk_rdma_connection *c, struct dpk_rdma_event *out)
{
    end(c);
    return event_of(c, c->rdma->cm.callbacks.failed, out);
}

static bool establish(struct dpk_rdma_connection *c, struct dpk_rdma_event *out)
{
    c->state = DPK_RDMA_ESTABLISHED;
    return event_of(c, c->rdma->cm.callbacks.established, out);
}

bool dpk_rdma_cm_heard(struct dpk_rdma *r, uint32_t connection, struct dpk_rdma_event *out)
{
    return connection < r->count && r->connections[connection]->state == DPK_RDMA_ACCEPTED &&
           !r->connections[connection]->bridged && establish(r->connections[connection], out);
}

/* Handles the peer's acceptance. */
static bool accepted(struct dpk_rdma_connection *c, const struct dpk_cm_message *m,
                     struct dpk_rdma_event *out)
{
    const struct dpk_cm_message ready = {.kind = DPK_CM_RTU};
    const struct dpk_rdma_peer peer = peer_of(m);
    if (!c->qp || dpk_rdma_connect_to(c, &peer) != DOCA_SUCCESS || !dpk_cm_send(c->socket, &ready))
        return fail(c, out);
    return establish(c, out);
}

static bool leave(struct dpk_rdma_connection *c, struct dpk_rdma_event *out)
{
    close_connection(c);
    c->state = DPK_RDMA_LEFT;
    return event_of(c, c->rdma->cm.callbacks.disconnected, out);
}

/* Handles a message of a connection's peer. Kind 0: the peer has gone. */
static bool hear(struct dpk_rdma_connection *c, const struct dpk_cm_message *m,
                 struct dpk_rdma_event *out)
{
    if (c->state == DPK_RDMA_ESTABLISHED) {
        if (m->kind == 0 && c->qp)
            dpk_rc_qp_lose(c->qp); /* first, so that receives fail, too */
        return m->kind == DPK_CM_RTU ? false : leave(c, out);
    }
    if (c->state == DPK_RDMA_CALLING && m->kind == DPK_CM_REP)
        return accepted(c, m, out);
    if (c->state == DPK_RDMA_ACCEPTED && m->kind == DPK_CM_RTU)
        return establish(c, out);
    return fail(c, out);
}

/* Returns the address that a caller used, or NULL if there is no memory. */
static struct dpk_rdma_addr *addr_of(const struct dpk_cm_address *at)
{
    struct dpk_rdma_addr a = {.at = *at};
    return dpk_rdma_addr_describe(&a) ? dpk_rdma_addr_copy(&a) : NULL;
}

/* Handles a caller's request for a connection. */
static bool asked(struct dpk_rdma *r, struct dpk_rdma_socket *s, const struct dpk_cm_message *m,
                  struct dpk_rdma_event *out)
{
    const struct dpk_cm_message no = {.kind = DPK_CM_REJ, .reason = DPK_CM_REJECTED};
    struct dpk_rdma_connection *c = NULL;
    const bool asks = m->kind == DPK_CM_REQ && !m->from.datagrams;
    remove_caller(&r->cm, s);
    if (!asks || dpk_rdma_connection_add(r, &c) != DOCA_SUCCESS) {
        if (asks)
            dpk_cm_send(s->fd, &no);
        socket_free(s);
        return false;
    }
    c->state = DPK_RDMA_ASKED;
    c->socket = s->fd;
    c->peer = peer_of(m);
    c->addr = addr_of(&m->to);
    free(s);
    event_of(c, NULL, out);
    out->request = r->cm.callbacks.request;
    return true;
}

static void take_caller(struct dpk_rdma *r, int listener)
{
    const int fd = dpk_cm_accept(listener);
    struct dpk_rdma_socket *s = fd >= 0 ? calloc(1, sizeof *s) : NULL;
    if (s && r->cm.callers_count == CALLERS_MAX) {
        struct dpk_rdma_socket *oldest = STAILQ_FIRST(&r->cm.callers);
        remove_caller(&r->cm, oldest);
        socket_free(oldest);
    }
    if (!s || !watch(&r->cm, fd)) {
        if (fd >= 0)
            close(fd);
        free(s);
        return;
    }
    s->fd = fd;
    STAILQ_INSERT_TAIL(&r->cm.callers, s, link);
    r->cm.callers_count++;
}

/* ---- Receiving ---- */

/* Handles a readable socket. */
static bool look_at(struct dpk_rdma *r, int fd, struct dpk_rdma_event *out)
{
    struct dpk_cm_message m = {0};
    struct dpk_rdma_socket *s;
    STAILQ_FOREACH(s, &r->cm.listeners, link)
    if (s->fd == fd)
        return take_caller(r, fd), false;
    const enum dpk_cm_heard heard = dpk_cm_receive(fd, &m);
    if (heard == DPK_CM_NOTHING)
        return false;
    if (heard == DPK_CM_GONE)
        m = (struct dpk_cm_message){0};
    STAILQ_FOREACH(s, &r->cm.callers, link)
    if (s->fd == fd)
        return asked(r, s, &m, out);
    for (uint32_t i = 0; i < r->count; i++)
        if (r->connections[i]->socket == fd)
            return hear(r->connections[i], &m, out);
    return false;
}

static bool next_failing(struct dpk_rdma *r, struct dpk_rdma_event *out)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->connections[i]->failing) {
            r->connections[i]->failing = false;
            atomic_fetch_sub(&r->cm.failing, 1);
            return fail(r->connections[i], out);
        }
    return false;
}

bool dpk_rdma_cm_next(struct dpk_rdma *r, struct dpk_rdma_event *out)
{
    struct epoll_event event;
    const int epoll = atomic_load(&r->cm.epoll);
    if (!r->end)
        return false;
    if (atomic_load(&r->cm.failing) > 0 && next_failing(r, out))
        return true;
    return epoll >= 0 && ++r->cm.looks % LOOKS == 0 && epoll_wait(epoll, &event, 1, 0) == 1 &&
           look_at(r, event.data.fd, out);
}

bool dpk_rdma_cm_is_ready(const struct dpk_rdma *r)
{
    struct pollfd p = {.fd = atomic_load(&r->cm.epoll), .events = POLLIN};
    return atomic_load(&r->cm.failing) > 0 || (p.fd >= 0 && poll(&p, 1, 0) == 1);
}

/* ---- Calls of programs ---- */

/* Checks that the context can listen and call now. Call this with the lock. */
static doca_error_t check(const struct dpk_rdma *r)
{
    if (!r->cm.callbacks.request)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context has no callbacks "
                                                      "(doca_rdma_set_connection_state_callbacks)");
    return r->end ? DOCA_SUCCESS
                  : dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context is %s, and must be running",
                                     dpk_ctx_state_name(&r->ctx));
}

static doca_error_t listen_at(struct dpk_rdma *r, uint16_t port)
{
    struct dpk_error err = {0};
    struct dpk_cm_address at = {.port = port};
    struct dpk_rdma_socket *s = calloc(1, sizeof *s);
    if (!s)
        return DOCA_ERROR_NO_MEMORY;
    s->port = port;
    enum dpk_status status = dpk_cm_open(&at, &s->fd, &err);
    if (status != DPK_OK) {
        free(s);
        return dpk_doca_because(status == DPK_ERR_EXISTS ? DOCA_ERROR_IN_USE
                                                         : dpk_doca_error(status),
                                "%s", err.message);
    }
    if (!watch(&r->cm, s->fd)) {
        socket_free(s);
        return dpk_doca_because(DOCA_ERROR_OPERATING_SYSTEM, "epoll: %s", strerror(errno));
    }
    STAILQ_INSERT_TAIL(&r->cm.listeners, s, link);
    return DOCA_SUCCESS;
}

/* Lets other machines call a listener, if the device has a fabric. */
static void listen_far(struct dpk_rdma *r, uint16_t port)
{
    struct dpk_error err = {0};
    struct dpk_cm_address at = {.port = port};
    struct dpk_rdma_socket *s = dpk_rdma_find_fabric(r, at.ip) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return;
    s->port = port;
    if (dpk_cm_listen_far(&at, 0, &s->fd, &err) != DPK_OK) {
        dpk_doca_log(DOCA_LOG_LEVEL_WARNING,
                     "doca_rdma_start_listen_to_port: other machines cannot call: %s", err.message);
        free(s);
    } else if (!watch(&r->cm, s->fd)) {
        socket_free(s);
    } else {
        STAILQ_INSERT_TAIL(&r->cm.listeners, s, link);
    }
}

doca_error_t dpk_rdma_listen(struct dpk_rdma *r, uint16_t port)
{
    pthread_mutex_lock(&r->ctx.object.lock);
    doca_error_t result = check(r);
    if (result == DOCA_SUCCESS)
        result = listen_at(r, port);
    if (result == DOCA_SUCCESS)
        listen_far(r, port);
    pthread_mutex_unlock(&r->ctx.object.lock);
    return result;
}

/* Returns a listener at a port, or NULL. There is another one for other machines. */
static struct dpk_rdma_socket *listener_at(const struct dpk_rdma *r, uint16_t port)
{
    struct dpk_rdma_socket *s;
    STAILQ_FOREACH(s, &r->cm.listeners, link)
    if (s->port == port)
        return s;
    return NULL;
}

doca_error_t dpk_rdma_stop_listening(struct dpk_rdma *r, uint16_t port)
{
    struct dpk_rdma_socket *s;
    bool any = false;
    pthread_mutex_lock(&r->ctx.object.lock);
    for (; (s = listener_at(r, port)); any = true) {
        STAILQ_REMOVE(&r->cm.listeners, s, dpk_rdma_socket, link);
        socket_free(s);
    }
    pthread_mutex_unlock(&r->ctx.object.lock);
    return any ? DOCA_SUCCESS
               : dpk_doca_because(DOCA_ERROR_NOT_FOUND, "the context does not listen on port %u",
                                  port);
}

/* Sends a request through a socket, which then belongs to the connection. `from`: the address of the fabric if
 * the peer is on another machine, else NULL. Call this with the lock. */
static bool ask(struct dpk_rdma *r, struct dpk_rdma_connection *c, int fd,
                const struct dpk_cm_address *to, const uint8_t *from)
{
    c->socket = fd;
    struct dpk_cm_message request = {.kind = DPK_CM_REQ,
                                     .to = *to,
                                     .queue_pair = dpk_rc_qp_number(c->qp),
                                     .rnr_retries = DPK_RC_RNR_FOREVER};
    if (from) {
        introduce(&request, from);
        dpk_rc_qp_expose(c->qp); /* before the peer connects to it */
    }
    return watch(&r->cm, fd) && dpk_cm_send(fd, &request);
}

/* Marks the failure of a connection for doca_pe_progress to report. Call this with the lock. */
static void fail_later(struct dpk_rdma *r, struct dpk_rdma_connection *c)
{
    c->failing = true;
    atomic_fetch_add(&r->cm.failing, 1);
    dpk_ctx_notify(&r->ctx);
}

doca_error_t dpk_rdma_call(struct dpk_rdma *r, struct dpk_rdma_addr *to, union doca_data user_data)
{
    int fd = -1;
    uint8_t from[16];
    struct dpk_error err = {0};
    struct dpk_rdma_connection *c = NULL;
    dpk_doca_forget_reason();
    pthread_mutex_lock(&r->ctx.object.lock);
    doca_error_t result = check(r);
    if (result == DOCA_SUCCESS)
        result = dpk_rdma_connection_add(r, &c);
    if (c) {
        dpk_object_hold(c);
        c->addr = dpk_rdma_addr_copy(to);
        c->user_data = user_data;
        c->state = DPK_RDMA_CALLING;
    }
    pthread_mutex_unlock(&r->ctx.object.lock);
    if (!c)
        return result;
    const bool far = dpk_rdma_is_far(r, to->at.ip, from);
    if (dpk_cm_call(&to->at, far ? from : NULL, &fd, &err) != DPK_OK)
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "doca_rdma_connect_to_addr: %s", err.message);
    pthread_mutex_lock(&r->ctx.object.lock);
    if (c->state != DPK_RDMA_CALLING || !c->qp) {
        if (fd >= 0)
            close(fd); /* the context was stopped meanwhile */
    } else if (fd < 0 || !ask(r, c, fd, &to->at, far ? from : NULL)) {
        fail_later(r, c);
    }
    pthread_mutex_unlock(&r->ctx.object.lock);
    dpk_object_drop(c);
    return DOCA_SUCCESS;
}

static doca_error_t not_asked(const struct dpk_rdma_connection *c)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "%s",
                            c->bridged
                                ? "the connection has an identifier of librdmacm "
                                  "(doca_rdma_bridge_accept)"
                                : "no peer asks for the connection, or it was answered already");
}

/* Call this with the lock. */
static doca_error_t answer(struct dpk_rdma_connection *c, const void *data, uint8_t size)
{
    struct dpk_cm_message yes = {
        .kind = DPK_CM_REP, .rnr_retries = DPK_RC_RNR_FOREVER, .private_size = size};
    uint8_t own[16];
    if (c->state != DPK_RDMA_ASKED || c->bridged)
        return not_asked(c);
    if (size > 0)
        memcpy(yes.private_data, data, size);
    yes.queue_pair = dpk_rc_qp_number(c->qp);
    if (dpk_rdma_is_far(c->rdma, c->peer.gid, own))
        introduce(&yes, own);
    if (dpk_rdma_connect_to(c, &c->peer) != DOCA_SUCCESS || !dpk_cm_send(c->socket, &yes))
        return dpk_doca_because(DOCA_ERROR_CONNECTION_ABORTED, "the peer has gone");
    c->state = DPK_RDMA_ACCEPTED;
    return DOCA_SUCCESS;
}

doca_error_t dpk_rdma_accept(struct dpk_rdma_connection *c, const void *data, uint8_t size)
{
    pthread_mutex_lock(&c->rdma->ctx.object.lock);
    const doca_error_t result = answer(c, data, size);
    pthread_mutex_unlock(&c->rdma->ctx.object.lock);
    return result;
}

doca_error_t dpk_rdma_reject(struct dpk_rdma_connection *c)
{
    const struct dpk_cm_message no = {.kind = DPK_CM_REJ, .reason = DPK_CM_REJECTED};
    pthread_mutex_lock(&c->rdma->ctx.object.lock);
    const bool asked = c->state == DPK_RDMA_ASKED;
    if (asked) {
        if (c->socket >= 0)
            dpk_cm_send(c->socket, &no);
        end(c);
    }
    pthread_mutex_unlock(&c->rdma->ctx.object.lock);
    if (asked && c->bridged)
        dpk_rdma_bridge_reject(c);
    return asked ? DOCA_SUCCESS : not_asked(c);
}

doca_error_t dpk_rdma_disconnect(struct dpk_rdma_connection *c)
{
    const struct dpk_cm_message bye = {.kind = DPK_CM_DREQ};
    pthread_mutex_lock(&c->rdma->ctx.object.lock);
    const bool managed = c->state != DPK_RDMA_BY_DETAILS && !c->failing;
    if (managed) {
        if (c->socket >= 0)
            dpk_cm_send(c->socket, &bye);
        end(c);
    }
    pthread_mutex_unlock(&c->rdma->ctx.object.lock);
    if (managed && c->bridged)
        dpk_rdma_bridge_disconnect(c);
    return managed ? DOCA_SUCCESS
                   : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                      "the connection was made by details, or has failed already");
}
