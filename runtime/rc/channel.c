/* One channel of two processes: frames in memory that both have, and a socket by which they say
 * hello, wake each other and notice that the other is gone. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gateway.h"

/* Who speaks and to whom; the memory comes with it. */
#define HELLO_SIZE ((size_t)2 * DPK_RC_ADDRESS_SIZE)
#define FRAME_MAX  (FRAME_SIZE + SEGMENT)

_Static_assert(FRAME_MAX <= RING_SIZE / 2, "what waits for room gets it when half is free");

/* Messages after that, a byte each. */
enum { KNOCK, BYE /* this end goes on purpose */, ABSENT /* nobody has that number */ };

/* What comes with a message: one descriptor. */
union control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

/* ---- Life ---- */

struct channel *channel_new(struct dpk_rc *rc, int fd)
{
    struct channel *c = calloc(1, sizeof *c);
    if (c) {
        *c = (struct channel){.rc = rc, .fd = fd, .interest = EPOLLIN};
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
        if (epoll_ctl(rc->gateway->epoll, EPOLL_CTL_ADD, fd, &e) == 0) {
            TAILQ_INSERT_TAIL(&rc->gateway->channels, c, link);
            return c;
        }
    }
    free(c);
    close(fd);
    return NULL;
}

void channel_close(struct channel *c)
{
    /* A child of fork() may have it too: the peer is to notice, and the thread to hear no more. */
    epoll_ctl(c->rc->gateway->epoll, EPOLL_CTL_DEL, c->fd, NULL);
    shutdown(c->fd, SHUT_RDWR);
    close(c->fd);
    c->fd = -1;
    c->qp = NULL;
    TAILQ_REMOVE(&c->rc->gateway->channels, c, link);
    TAILQ_INSERT_TAIL(&c->rc->gateway->closed, c, link);
    gateway_wake(c->rc->gateway);
}

void channel_free(struct channel *c)
{
    rings_free(&c->rings);
    free(c);
}

/* ---- Knocking ---- */

/* If there is no room for it, the peer has messages to wake up by. A socket that does not work any
 * more shows at the next event. */
static void say(const struct channel *c, uint8_t what)
{
    send(c->fd, &what, sizeof what, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void wake_reader(struct channel *c)
{
    if (ring_wakes_reader(&c->rings.out))
        say(c, KNOCK);
}

/* A frame at the place that ring_room found; its payload is there. */
static void put(struct channel *c, const struct frame *f)
{
    frame_write(f, ring_here(&c->rings.out));
    ring_wrote(&c->rings.out, FRAME_SIZE + f->payload);
}

/* ---- Frames ---- */

enum taken { TAKEN, LATER, NONSENSE };

static enum taken request(struct channel *c, const struct request *r, const uint8_t *payload)
{
    struct frame answer = {.kind = FRAME_RESPONSE};
    struct dpk_rc_qp *qp = c->qp;
    struct ring *out = &c->rings.out;
    switch (ring_room(out, FRAME_SIZE + (r->opcode == DPK_RC_READ ? r->size : 0))) {
    case RING_GOOD:
        break;
    case RING_WAIT:
        c->choked = true;
        return LATER;
    default:
        return NONSENSE;
    }
    if (responder_run(qp, r, payload, &answer.response, ring_here(out) + FRAME_SIZE) ==
        ANSWER_LATER) {
        c->held = true;
        if (qp->state == QP_NEW)
            wait_begin(c->rc, &c->waits_since);
        return LATER;
    }
    answer.payload = answer.response.size;
    put(c, &answer);
    if (answer.response.status != DPK_RC_OK || answer.response.broken)
        qp_fail(qp, DPK_RC_FLUSHED, true);
    return TAKEN;
}

static enum taken response(struct channel *c, const struct response *r, const uint8_t *payload)
{
    return requester_response(c->qp, r, payload) ? TAKEN : NONSENSE;
}

/* The next frame, of `size` bytes that are there. */
static enum taken take(struct channel *c, uint32_t size, uint32_t *used)
{
    struct frame f;
    uint8_t head[FRAME_SIZE];
    struct ring *in = &c->rings.in;
    if (size < sizeof head)
        return NONSENSE;
    ring_copy(in, head, sizeof head);
    if (!frame_read(head, &f) || f.payload > size - sizeof head ||
        f.kind != (c->role == RESPONSES ? FRAME_REQUEST : FRAME_RESPONSE))
        return NONSENSE;
    /* The payload stays where it is: nothing but a copy to its place ever looks at it. */
    const uint8_t *payload = ring_here(in) + sizeof head;
    *used = FRAME_SIZE + f.payload;
    return f.kind == FRAME_REQUEST ? request(c, &f.request, payload)
                                   : response(c, &f.response, payload);
}

/* Takes frames, as many as there are at first: others want their turn. False: nonsense. */
static bool take_frames(struct channel *c)
{
    uint32_t left, used;
    struct ring *in = &c->rings.in;
    c->choked = false;
    if (ring_filled(in, &left) == RING_BAD)
        return false;
    for (; left > 0 && c->fd >= 0 && !c->held; left -= used) {
        enum taken taken = take(c, left, &used);
        if (taken != TAKEN)
            return taken == LATER;
        ring_read(in, used);
        if (ring_wakes_writer(in))
            say(c, KNOCK);
    }
    return true;
}

/* As long as there is more, the event is that the socket can be written to, which it always can. */
static void set_interest(struct channel *c)
{
    uint32_t size;
    bool more = !c->held && !c->choked && ring_filled(&c->rings.in, &size) != RING_WAIT;
    uint32_t want = EPOLLIN | (more ? EPOLLOUT : 0);
    struct epoll_event e = {.events = want, .data.ptr = c};
    if (want != c->interest && epoll_ctl(c->rc->gateway->epoll, EPOLL_CTL_MOD, c->fd, &e) == 0)
        c->interest = want;
}

/* A queue pair that outlives its peers may be connected anew already: then this channel is of the
 * connection before, and what goes over the others has nothing to do with it. */
static void lose(struct dpk_rc_qp *qp, bool requests, bool polite)
{
    if (!qp->end->options.outlives_peers)
        qp_lose_peer(qp, !polite);
    else if (requests ? qp->posted != qp->done : qp->receiving)
        qp_fail(qp, DPK_RC_RETRY_EXCEEDED, !polite);
    else if (!requests)
        responder_forget(qp);
}

/* The peer, or its process, is gone, or talks nonsense. */
static void lost(struct channel *c)
{
    struct dpk_rc_qp *qp = c->qp;
    bool requests = c->role == REQUESTS;
    /* What it answered before counts, though that channel may be heard later. */
    if (qp && qp->requests && qp->requests != c)
        take_frames(qp->requests);
    if (c->fd < 0)
        return; /* by what it answered */
    if (qp && qp->requests == c)
        qp->requests = NULL;
    if (qp && qp->responses == c)
        qp->responses = NULL;
    channel_close(c);
    if (qp && qp->state == QP_READY)
        lose(qp, requests, c->polite);
}

void channel_refuse(struct channel *c)
{
    say(c, BYE);
    lost(c);
}

/* Does what can be done now. False: nonsense. */
static bool work(struct channel *c)
{
    if (!take_frames(c))
        return false;
    if (c->fd < 0)
        return true;
    if (c->role == REQUESTS)
        requester_resume(c->qp);
    if (c->fd < 0)
        return true;
    wake_reader(c);
    set_interest(c);
    return true;
}

/* ---- The socket ---- */

bool channel_greet(struct channel *c, const struct dpk_rc_qp *qp)
{
    struct dpk_buf addresses = {0};
    union control control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    int memory = rings_new(&c->rings);
    address_put(&qp->address, &addresses);
    address_put(&qp->peer, &addresses);
    struct iovec bytes = {addresses.data, addresses.size};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    memcpy(CMSG_DATA(&control.head), &memory, sizeof memory);
    bool good = memory >= 0 && !addresses.failed &&
                sendmsg(c->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)addresses.size;
    gateway_close(memory);
    dpk_buf_free(&addresses);
    return good;
}

/* A message and the descriptor that came with it, or -1. The size of a message that is too long is
 * told as one more than there is room. */
static ssize_t hear(int fd, uint8_t *to, size_t room, int *passed)
{
    union control control;
    struct iovec bytes = {to, room};
    /* Not the whole union, which has space for a second one: the system drops what is too much. */
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_LEN(sizeof(int))};
    ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = n < 0 ? NULL : CMSG_FIRSTHDR(&message);
    *passed = -1;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof *passed))
        memcpy(passed, CMSG_DATA(head), sizeof *passed);
    return n > 0 && message.msg_flags & MSG_TRUNC ? n + 1 : n;
}

/* ECONNRESET comes once, ahead of what the peer said before it went without having heard all. */
static bool is_for_later(ssize_t n)
{
    return n < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNRESET);
}

/* The hello of a connection that is over must not stand in the way of the next one. */
static bool has_hung_up(const struct channel *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) != 0;
}

/* Whether a queue pair can have the peer that the other side says it is. */
static bool may_claim(const struct channel *c, const struct dpk_rc_qp *qp)
{
    return !dpk_uuid_equal(&c->claim.process, &c->rc->identity) && qp->state != QP_FAILED &&
           (qp->state != QP_READY || address_means(&qp->peer, &c->claim));
}

static bool hello(struct channel *c, const uint8_t *addresses, int memory)
{
    struct address self;
    if (address_parse(addresses, DPK_RC_ADDRESS_SIZE, &c->claim, NULL) != DPK_OK ||
        address_parse(addresses + DPK_RC_ADDRESS_SIZE, DPK_RC_ADDRESS_SIZE, &self, NULL) != DPK_OK)
        return false;
    struct dpk_rc_qp *qp = qp_find(c->rc, &self);
    if (!qp && self.secret == 0)
        say(c, ABSENT);
    if (qp && qp->transport == &transport_absent && absent_find(qp))
        requester_resume(qp);
    bool outlives = qp && qp->end->options.outlives_peers;
    if (outlives && qp->responses && has_hung_up(qp->responses))
        lost(qp->responses);
    if (!qp || qp->responses || (outlives && has_hung_up(c)) || !may_claim(c, qp) ||
        !rings_open(&c->rings, memory))
        return false;
    c->role = RESPONSES;
    c->qp = qp;
    qp->responses = c;
    return true;
}

/* False: nonsense, or the peer is gone. */
static bool hear_hello(struct channel *c)
{
    int memory;
    uint8_t addresses[HELLO_SIZE];
    ssize_t n = hear(c->fd, addresses, sizeof addresses, &memory);
    bool good = is_for_later(n) ||
                (n == (ssize_t)sizeof addresses && memory >= 0 && hello(c, addresses, memory));
    gateway_close(memory);
    return good;
}

/* Nobody in that process has the number, which is to be another's. */
static void go_absent(struct channel *c)
{
    struct dpk_rc_qp *qp = c->qp;
    qp->requests = NULL;
    channel_close(c);
    absent_begin(qp);
}

static bool hear_knock(struct channel *c)
{
    uint8_t what[2];
    ssize_t n = recv(c->fd, what, sizeof what, MSG_DONTWAIT);
    if (is_for_later(n))
        return true;
    if (n == 1 && what[0] == BYE)
        c->polite = true;
    if (n == 1 && what[0] == ABSENT && c->role == REQUESTS && c->qp->peer.secret == 0) {
        go_absent(c);
        return true;
    }
    return n == 1 && what[0] <= BYE;
}

void channel_event(struct channel *c, uint32_t events)
{
    bool good = true;
    if (events & ~(uint32_t)EPOLLOUT)
        good = c->role == GREETING ? hear_hello(c) : hear_knock(c);
    if (c->fd < 0)
        return;
    /* What came before the end counts. */
    if (c->role != GREETING && !work(c))
        good = false;
    if (!good && c->fd >= 0)
        lost(c);
}

/* ---- The transport ---- */

static enum sent shared_room(struct dpk_rc_qp *qp, uint32_t size, uint8_t **payload)
{
    struct channel *c = qp->requests;
    enum ring_state state = c ? ring_room(&c->rings.out, FRAME_SIZE + size) : RING_BAD;
    *payload = state == RING_GOOD ? ring_here(&c->rings.out) + FRAME_SIZE : NULL;
    return state == RING_GOOD ? SENT : state == RING_WAIT ? SENT_LATER : SENT_NEVER;
}

static enum sent shared_send(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *payload)
{
    (void)payload; /* it lies where it belongs */
    put(qp->requests, &(struct frame){.kind = FRAME_REQUEST,
                                      .request = *r,
                                      .payload = r->opcode <= DPK_RC_WRITE ? r->size : 0});
    wake_reader(qp->requests);
    return SENT;
}

static void shared_resume(struct dpk_rc_qp *qp)
{
    struct channel *c = qp->responses;
    if (!c || !c->held)
        return;
    c->held = false;
    if (!work(c) && c->fd >= 0)
        lost(c);
}

static void shared_close(struct dpk_rc_qp *qp)
{
    struct channel *ours[2] = {qp->requests, qp->responses};
    qp->requests = qp->responses = NULL;
    /* Both hear it before either is gone. */
    for (int i = 0; i < 2; i++)
        if (ours[i])
            say(ours[i], BYE);
    for (int i = 0; i < 2; i++)
        if (ours[i])
            channel_close(ours[i]);
}

const struct transport transport_shared = {shared_room, shared_send, shared_resume, shared_close};
