/* One socket of two processes: frames in, frames out, and what they mean. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gateway.h"

#define IN_SIZE   (FRAME_SIZE + SEGMENT)
#define OUT_MAX   ((size_t)1 << 20) /* bytes that a peer may leave unread before it is not served */
#define READS_MAX 16                /* at one event, then others have their turn */

/* ---- Life ------------------------------------------------------------------------------------ */

struct channel *channel_new(struct dpk_nic *nic, int fd)
{
    struct channel *c = calloc(1, sizeof *c);
    uint8_t *in = malloc(IN_SIZE);
    if (c && in) {
        *c = (struct channel){.nic = nic, .fd = fd, .in = in, .interest = EPOLLIN};
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
        if (epoll_ctl(nic->gateway->epoll, EPOLL_CTL_ADD, fd, &e) == 0) {
            TAILQ_INSERT_TAIL(&nic->gateway->channels, c, link);
            return c;
        }
    }
    free(in);
    free(c);
    close(fd);
    return NULL;
}

void channel_close(struct channel *c)
{
    close(c->fd);
    c->fd = -1;
    c->qp = NULL;
    TAILQ_REMOVE(&c->nic->gateway->channels, c, link);
    TAILQ_INSERT_TAIL(&c->nic->gateway->closed, c, link);
}

void channel_free(struct channel *c)
{
    dpk_buf_free(&c->out);
    free(c->in);
    free(c);
}

/* The peer, or its process, is gone, or talks nonsense. */
static void lost(struct channel *c)
{
    struct dpk_nic_qp *qp = c->qp;
    if (qp && qp->requests == c)
        qp->requests = NULL;
    if (qp && qp->responses == c) {
        qp->responses = NULL;
        qp->early = false;
    }
    channel_close(c);
    if (qp && qp->state == QP_READY)
        qp_fail(qp, !qp->polite);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static bool is_choked(const struct channel *c)
{
    return c->out.size - c->out_done > OUT_MAX;
}

static void set_interest(struct channel *c)
{
    uint32_t want = (c->held || is_choked(c) ? 0 : EPOLLIN) | (c->out.size > 0 ? EPOLLOUT : 0);
    struct epoll_event e = {.events = want, .data.ptr = c};
    if (c->fd >= 0 && want != c->interest &&
        epoll_ctl(c->nic->gateway->epoll, EPOLL_CTL_MOD, c->fd, &e) == 0)
        c->interest = want;
}

/* A socket that does not work any more shows at the next event. */
static void flush_out(struct channel *c)
{
    while (c->out_done < c->out.size) {
        ssize_t n = send(c->fd, c->out.data + c->out_done, c->out.size - c->out_done,
                         MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0)
            break;
        c->out_done += (size_t)n;
    }
    c->out.size = c->out_done = 0;
}

void channel_send(struct channel *c, const struct frame *f, const uint8_t *payload)
{
    uint8_t head[FRAME_SIZE];
    struct iovec parts[2] = {{head, sizeof head}, {(void *)payload, f->payload}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = f->payload ? 2 : 1};
    frame_write(f, head);
    size_t sent = 0;
    if (c->out.size == 0) {
        ssize_t n = sendmsg(c->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        sent = n > 0 ? (size_t)n : 0;
    }
    if (sent < sizeof head)
        dpk_put(&c->out, head + sent, sizeof head - sent);
    size_t skip = sent > sizeof head ? sent - sizeof head : 0;
    if (skip < f->payload)
        dpk_put(&c->out, payload + skip, f->payload - skip);
    if (c->out.failed)
        shutdown(c->fd, SHUT_RDWR); /* out of memory: the peer must not see half of it */
    set_interest(c);
}

void channel_greet(struct channel *c, const struct dpk_nic_qp *qp)
{
    struct dpk_buf addresses = {0};
    address_put(&qp->address, &addresses);
    address_put(&qp->peer, &addresses);
    if (addresses.failed)
        shutdown(c->fd, SHUT_RDWR);
    else
        channel_send(c, &(struct frame){.kind = FRAME_HELLO, .payload = (uint32_t)addresses.size},
                     addresses.data);
    dpk_buf_free(&addresses);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static bool hello(struct channel *c, const uint8_t *payload)
{
    struct address self;
    if (address_parse(payload, DPK_NIC_ADDRESS_SIZE, &c->claim, NULL) != DPK_OK ||
        address_parse(payload + DPK_NIC_ADDRESS_SIZE, DPK_NIC_ADDRESS_SIZE, &self, NULL) != DPK_OK)
        return false;
    struct dpk_nic_qp *qp = qp_find(c->nic, &self);
    if (!qp || qp->responses || qp->state == QP_FAILED ||
        (qp->state == QP_READY && !address_equal(&qp->peer, &c->claim)))
        return false;
    c->role = RESPONSES;
    c->qp = qp;
    qp->responses = c;
    return true;
}

static bool request(struct channel *c, const struct frame *f, const uint8_t *payload)
{
    struct frame answer = {.kind = FRAME_RESPONSE};
    const uint8_t *bytes;
    struct dpk_nic_qp *qp = c->qp;
    if (responder_run(qp, &f->request, payload, &answer.response, &bytes) == ANSWER_LATER) {
        c->held = true;
        return true;
    }
    answer.payload = answer.response.size;
    channel_send(c, &answer, bytes);
    if (!answer.response.good)
        qp_fail(qp, true);
    return true;
}

static bool response(struct channel *c, const struct frame *f, const uint8_t *payload)
{
    struct dpk_nic_qp *qp = c->qp;
    if (!requester_response(qp, &f->response, payload))
        return false;
    requester_kick(qp);
    return true;
}

/* False: nonsense. */
static bool take(struct channel *c, const struct frame *f, const uint8_t *payload)
{
    if (c->role == GREETING)
        return f->kind == FRAME_HELLO && hello(c, payload);
    if (f->kind == FRAME_BYE) {
        c->qp->polite = true;
        return true;
    }
    if (f->kind == FRAME_REQUEST && c->role == RESPONSES)
        return request(c, f, payload);
    return f->kind == FRAME_RESPONSE && c->role == REQUESTS && response(c, f, payload);
}

/* Takes what frames there are. False: nonsense. */
static bool take_frames(struct channel *c)
{
    struct frame f;
    while (c->fd >= 0 && !c->held && !is_choked(c) && c->in_size - c->in_done >= FRAME_SIZE) {
        const uint8_t *at = c->in + c->in_done;
        if (!frame_read(at, &f))
            return false;
        if (c->in_size - c->in_done < FRAME_SIZE + f.payload)
            break;
        if (!take(c, &f, at + FRAME_SIZE))
            return false;
        if (!c->held)
            c->in_done += FRAME_SIZE + f.payload;
    }
    return true;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* Bytes that came; -1: none will come any more, 0: none now. */
static ssize_t receive(struct channel *c)
{
    ssize_t n;
    memmove(c->in, c->in + c->in_done, c->in_size - c->in_done);
    c->in_size -= c->in_done;
    c->in_done = 0;
    do
        n = recv(c->fd, c->in + c->in_size, IN_SIZE - c->in_size, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        c->in_size += (size_t)n;
    return n > 0 ? n : n < 0 && errno == EAGAIN ? 0 : -1;
}

static void readable(struct channel *c)
{
    for (int i = 0; i < READS_MAX && c->fd >= 0 && !c->held && !is_choked(c); i++) {
        ssize_t n = receive(c);
        if (n == 0)
            return;
        if (n < 0 || !take_frames(c)) {
            if (c->fd >= 0)
                lost(c);
            return;
        }
    }
}

void channel_event(struct channel *c, uint32_t events)
{
    if (events & EPOLLOUT) {
        flush_out(c);
        if (!c->held && !take_frames(c) && c->fd >= 0)
            lost(c);
    }
    if (c->fd >= 0 && events & EPOLLIN)
        readable(c);
    else if (c->fd >= 0 && events & (EPOLLHUP | EPOLLERR))
        lost(c); /* what it still wanted has nobody to answer to */
    if (c->fd >= 0)
        set_interest(c);
}

/* ---- The transport --------------------------------------------------------------------------- */

static enum sent socket_send(struct dpk_nic_qp *qp, const struct request *r, const uint8_t *payload)
{
    if (!qp->requests)
        return SENT_NEVER;
    channel_send(qp->requests,
                 &(struct frame){.kind = FRAME_REQUEST,
                                 .request = *r,
                                 .payload = r->opcode <= DPK_NIC_WRITE ? r->size : 0},
                 payload);
    return SENT;
}

static void socket_resume(struct dpk_nic_qp *qp)
{
    struct channel *c = qp->responses;
    if (!c || !c->held)
        return;
    c->held = false;
    if (!take_frames(c) && c->fd >= 0)
        lost(c);
    if (c->fd >= 0)
        set_interest(c);
}

static void say_bye(struct channel *c)
{
    channel_send(c, &(struct frame){.kind = FRAME_BYE}, NULL);
}

static void socket_close(struct dpk_nic_qp *qp)
{
    struct channel *ours[2] = {qp->requests, qp->responses};
    qp->requests = qp->responses = NULL;
    /* Both hear it before either is gone. */
    for (int i = 0; i < 2; i++)
        if (ours[i])
            say_bye(ours[i]);
    for (int i = 0; i < 2; i++)
        if (ours[i])
            channel_close(ours[i]);
}

const struct transport transport_socket = {socket_send, socket_resume, socket_close};
