/* A channel between two processes: frames in shared memory, and a socket. On the socket the
 * processes greet and wake each other, and notice when the other has ended. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gateway.h"
#include "receives.h"

/* The first message has the addresses of the sender and of the receiver, and passes the memory. */
#define HELLO_SIZE ((size_t)2 * DPK_RC_ADDRESS_SIZE)
#define FRAME_MAX  (FRAME_SIZE + SEGMENT + OFFER_SIZE)

_Static_assert(FRAME_MAX <= RING_SIZE / 2, "a frame that waits for room fits when half is free");

/* The messages after it have one byte. */
enum {
    WAKE,  /* look at the rings, of both channels of the queue pair */
    BYE,   /* the sender closed its queue pair on purpose */
    ABSENT /* no queue pair of this process has the number */
};

/* ---- Life ---- */

struct channel *pairs_channel_new(struct dpk_rc *rc, int fd)
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

void pairs_channel_end_offers(struct channel *c)
{
    if (c->rings.map)
        ring_leave(&c->rings.in, RING_READER);
}

void pairs_channel_close(struct channel *c)
{
    /* A child of fork() may have the socket open, too. So closing it is not enough for the peer to
     * notice, nor for epoll to forget it. */
    epoll_ctl(c->rc->gateway->epoll, EPOLL_CTL_DEL, c->fd, NULL);
    pairs_channel_end_offers(c);
    shutdown(c->fd, SHUT_RDWR);
    close(c->fd);
    c->fd = -1;
    c->qp = NULL;
    c->rc->gateway->closings++;
    c->rc->gateway->next = NULL;
    if (c->rc->gateway->owes == c)
        c->rc->gateway->owes = NULL;
    pairs_channel_wait_forget(c);
    TAILQ_REMOVE(&c->rc->gateway->channels, c, link);
    TAILQ_INSERT_TAIL(&c->rc->gateway->closed, c, link);
    pairs_gateway_wake(c->rc->gateway);
}

void pairs_channel_free(struct channel *c)
{
    pairs_direct_free(c);
    rings_free(&c->rings);
    free(c);
}

/* ---- Waking the peer ---- */

/* When the socket is full, the peer has other messages that wake it. A broken socket is reported as
 * the next event. */
static void say(const struct channel *c, uint8_t what)
{
    send(c->fd, &what, sizeof what, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static bool wake_reader(struct channel *c)
{
    const bool wakes = ring_wakes_reader(&c->rings.out);
    if (wakes)
        say(c, WAKE);
    return wakes;
}

void pairs_channels_wake(struct gateway *s)
{
    struct channel *c = s->owes;
    s->owes = NULL;
    if (c)
        wake_reader(c);
}

/* Wakes a peer that waits for a response. If the program is about to go on, the peer is woken after
 * the next request of the program. */
static void wake_reader_soon(struct channel *c)
{
    struct gateway *s = c->rc->gateway;
    if (s->owes != c)
        pairs_channels_wake(s);
    if (s->answers && c->role == RESPONSES)
        s->owes = c;
    else
        wake_reader(c);
}

/* Wakes the peer for a request. The same wake-up serves a response that the peer is owed. */
static void wake_responder(struct channel *c)
{
    struct gateway *s = c->rc->gateway;
    struct channel *answers = c->qp->responses;
    if (wake_reader(c) && answers && s->owes == answers) {
        s->owes = NULL;
        ring_wakes_reader(&answers->rings.out);
    }
}

/* Writes the head of a frame where ring_room found room. Its payload is already there. */
static void put(struct channel *c, const struct frame *f)
{
    pairs_frame_write(f, ring_here(&c->rings.out));
    ring_wrote(&c->rings.out, FRAME_SIZE + f->payload);
}

void pairs_channel_send(struct channel *c, const struct request *r)
{
    if (r->offers)
        memcpy(ring_here(&c->rings.out) + FRAME_SIZE + r->size, c->direct.offer, OFFER_SIZE);
    put(c, &(struct frame){.kind = FRAME_REQUEST, .request = *r, .payload = request_payload(r)});
    pairs_direct_sent(c, r);
    wake_responder(c);
}

void pairs_channel_say_bye(const struct channel *c)
{
    say(c, BYE);
}

/* ---- Frames ---- */

enum taken { TAKEN, LATER, INVALID };

/* Returns the bits of a response about direct copies. Puts an offer after the bytes of the
 * response. */
static unsigned answer_directly(struct channel *c, const struct request *r, const uint8_t *payload,
                                const struct response *answer)
{
    const bool asks = r->opcode <= DPK_RC_READ && r->compare == DIRECT_ASKS;
    uint8_t *after = ring_here(&c->rings.out) + FRAME_SIZE + answer->size;
    if (answer->status != DPK_RC_OK || qp_is_lossy(c->qp))
        return 0;
    if (r->offers)
        return DIRECT_KNOWN |
               (pairs_direct_take(c, payload + r->size) ? DIRECT_TAKEN : DIRECT_REFUSED);
    if (asks && r->opcode == DPK_RC_READ && pairs_direct_offer(c, r->key, after))
        return DIRECT_KNOWN | DIRECT_OFFERS;
    return asks ? DIRECT_KNOWN : 0;
}

static enum taken request(struct channel *c, struct request *r, const uint8_t *payload)
{
    struct frame answer = {.kind = FRAME_RESPONSE};
    struct dpk_rc_qp *qp = c->qp;
    struct ring *out = &c->rings.out;
    struct fetch from;
    if (r->by_reference && !pairs_direct_find(c, r->compare, r->value, r->size, &from))
        return INVALID;
    r->fetch = r->by_reference ? &from : NULL;
    switch (ring_room(out, FRAME_SIZE + (r->opcode == DPK_RC_READ ? r->size + OFFER_SIZE : 0))) {
    case RING_GOOD:
        break;
    case RING_WAIT:
        c->out_full = true;
        return LATER;
    default:
        return INVALID;
    }
    if (pairs_responder_run(qp, r, payload, &answer.response, ring_here(out) + FRAME_SIZE) ==
        ANSWER_LATER) {
        c->held = true;
        if (qp->state == QP_NEW)
            pairs_channel_wait_begin(c);
        return LATER;
    }
    answer.response.direct = answer_directly(c, r, payload, &answer.response);
    answer.payload = response_payload(&answer.response);
    put(c, &answer);
    if (response_breaks(&answer.response))
        pairs_qp_fail(qp, DPK_RC_FLUSHED, true);
    return TAKEN;
}

static enum taken response(struct channel *c, const struct response *r, const uint8_t *payload)
{
    pairs_direct_heard(c, r, payload);
    return pairs_requester_response(c->qp, r, payload) ? TAKEN : INVALID;
}

/* Handles the next frame; `size` bytes can be read. */
static enum taken take(struct channel *c, uint32_t size, uint32_t *used)
{
    struct frame f;
    uint8_t head[FRAME_SIZE];
    struct ring *in = &c->rings.in;
    if (size < sizeof head)
        return INVALID;
    ring_copy(in, head, sizeof head);
    if (!pairs_frame_read(head, &f) || f.payload > size - sizeof head ||
        f.kind != (c->role == RESPONSES ? FRAME_REQUEST : FRAME_RESPONSE))
        return INVALID;
    /* The payload is not copied out: it is only ever copied to its target, never looked at. */
    const uint8_t *payload = ring_here(in) + sizeof head;
    *used = FRAME_SIZE + f.payload;
    return f.kind == FRAME_REQUEST ? request(c, &f.request, payload)
                                   : response(c, &f.response, payload);
}

/* Returns the other channel of the queue pair if the peer has written to it, or NULL. */
static struct channel *other_of(const struct channel *c)
{
    const struct dpk_rc_qp *qp = c->qp;
    struct channel *other = !qp ? NULL : qp->requests == c ? qp->responses : qp->requests;
    uint32_t size;
    return other && !other->held && ring_filled(&other->rings.in, &size) != RING_WAIT ? other
                                                                                      : NULL;
}

/* Handles the frames that are in the ring at the start. Frames that arrive meanwhile wait, as other
 * channels must be served, too. Responses that the peer wrote before its requests are handled
 * first. Returns false if a frame is invalid. */
static bool take_frames(struct channel *c)
{
    uint32_t left, used;
    struct ring *in = &c->rings.in;
    c->out_full = false;
    if (ring_filled(in, &left) == RING_BAD)
        return false;
    struct channel *answers = left > 0 && c->role == RESPONSES ? other_of(c) : NULL;
    if (answers)
        pairs_channel_serve(answers);
    for (; left > 0 && c->fd >= 0 && !c->held; left -= used) {
        enum taken taken = take(c, left, &used);
        if (taken != TAKEN)
            return taken == LATER;
        ring_read(in, used);
        if (ring_wakes_writer(in))
            say(c, WAKE);
    }
    return true;
}

/* A channel with frames to handle asks for EPOLLOUT, which is always reported. */
static void set_interest(struct channel *c)
{
    uint32_t size;
    bool more = !c->held && !c->out_full && ring_filled(&c->rings.in, &size) != RING_WAIT;
    uint32_t want = EPOLLIN | (more ? EPOLLOUT : 0);
    struct epoll_event e = {.events = want, .data.ptr = c};
    if (want != c->interest && epoll_ctl(c->rc->gateway->epoll, EPOLL_CTL_MOD, c->fd, &e) == 0)
        c->interest = want;
}

void pairs_channel_lose(struct dpk_rc_qp *qp, bool requests, bool peer_closed)
{
    if (!qp->end->options.outlives_peers)
        pairs_qp_lose_peer(qp, !peer_closed);
    else if (qp_is_lossy(qp) && !requests) {
        pairs_receive_keep(qp);
        pairs_receive_forget(qp);
    } else if (requests && qp->posted != qp->done)
        pairs_qp_miss_peer(qp, !peer_closed);
    else if (!requests && qp->receiving == RECEIVING)
        pairs_qp_fail(qp, DPK_RC_RETRY_EXCEEDED, !peer_closed);
    else if (!requests)
        pairs_receive_forget(qp);
}

/* Closes the channel: the peer or its process has ended, or it broke the protocol. */
static void lost(struct channel *c)
{
    struct dpk_rc_qp *qp = c->qp;
    bool requests = c->role == REQUESTS;
    /* one of many channels of a queue pair with datagrams, whose loss does not matter */
    const bool spare = qp && qp_has_datagrams(qp) && qp->requests != c;
    /* Responses that the peer sent earlier count, though the event of their channel may come
     * later. */
    if (qp && qp->requests && qp->requests != c)
        take_frames(qp->requests);
    if (c->fd < 0)
        return; /* handling the responses has closed the channel */
    if (qp && qp->requests == c)
        qp->requests = NULL;
    if (qp && qp->responses == c)
        qp->responses = NULL;
    pairs_channel_close(c);
    if (qp && qp->state == QP_READY && !spare)
        pairs_channel_lose(qp, requests, c->peer_closed);
}

void pairs_channel_refuse(struct channel *c)
{
    say(c, BYE);
    lost(c);
}

/* Handles frames and sends requests that can be sent. Returns false if a frame is invalid. */
static bool work(struct channel *c)
{
    if (!take_frames(c))
        return false;
    if (c->fd < 0)
        return true;
    if (c->role == REQUESTS)
        pairs_requester_resume(c->qp);
    if (c->fd < 0)
        return true;
    wake_reader_soon(c);
    set_interest(c);
    return true;
}

void pairs_channel_serve(struct channel *c)
{
    if (!work(c) && c->fd >= 0)
        lost(c);
}

void pairs_channel_poll(struct channel *c, bool polls)
{
    if (!c->rings.map)
        return;
    ring_poll(&c->rings.in, polls);
    if (!polls && c->fd >= 0)
        set_interest(c);
}

/* ---- The socket ---- */

bool pairs_channel_greet(struct channel *c, const struct dpk_rc_qp *qp)
{
    struct dpk_buf addresses = {0};
    int memory = rings_new(&c->rings, RING_SIZE);
    pairs_address_put_near(&qp->address, &addresses);
    pairs_address_put_near(&qp->peer, &addresses);
    bool good = memory >= 0 && !addresses.failed &&
                rings_pass(c->fd, memory, addresses.data, addresses.size);
    pairs_gateway_close(memory);
    dpk_buf_free(&addresses);
    if (good)
        pairs_channel_poll(c, c->rc->gateway->polled);
    return good;
}

/* ECONNRESET is reported once, before messages that the peer sent earlier: it closed its socket
 * with messages unread. */
static bool is_for_later(ssize_t n)
{
    return n < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNRESET);
}

/* A connection that the peer has closed must not block the next one. */
static bool has_hung_up(const struct channel *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) != 0;
}

/* Returns whether a queue pair may have the peer that the other side claims to be. */
static bool may_claim(const struct channel *c, const struct dpk_rc_qp *qp)
{
    return !dpk_uuid_equal(&c->claim.process, &c->rc->identity) && qp->state != QP_FAILED &&
           (qp_has_datagrams(qp) || qp->state != QP_READY ||
            pairs_address_means(&qp->peer, &c->claim));
}

static bool hello(struct channel *c, const uint8_t *addresses, int memory)
{
    struct address self;
    if (pairs_address_parse(addresses, DPK_RC_ADDRESS_SIZE, &c->claim, NULL) != DPK_OK ||
        pairs_address_parse(addresses + DPK_RC_ADDRESS_SIZE, DPK_RC_ADDRESS_SIZE, &self, NULL) !=
            DPK_OK)
        return false;
    struct dpk_rc_qp *qp = pairs_qp_find(c->rc, &self);
    if (!qp && self.secret == 0)
        say(c, ABSENT);
    if (qp && !qp_is_lossy(qp) && qp_find_peer(qp))
        pairs_requester_resume(qp);
    bool outlives = qp && qp->end->options.outlives_peers;
    if (outlives && qp->responses && has_hung_up(qp->responses))
        lost(qp->responses);
    if (!qp || qp->responses || (outlives && has_hung_up(c)) || !may_claim(c, qp) ||
        !rings_open(&c->rings, memory, RING_SIZE))
        return false;
    c->role = RESPONSES;
    c->qp = qp;
    if (!qp_has_datagrams(qp))
        qp->responses = c;
    pairs_channel_poll(c, c->rc->gateway->polled);
    return true;
}

/* Returns false if the hello is invalid, or if the peer has ended. */
static bool hear_hello(struct channel *c)
{
    int memory;
    uint8_t addresses[HELLO_SIZE];
    ssize_t n = rings_hear(c->fd, addresses, sizeof addresses, &memory);
    bool good = is_for_later(n) ||
                (n == (ssize_t)sizeof addresses && memory >= 0 && hello(c, addresses, memory));
    pairs_gateway_close(memory);
    return good;
}

/* The other process answered ABSENT. Another process may get the number later. */
static void go_absent(struct channel *c)
{
    struct dpk_rc_qp *qp = c->qp;
    qp->requests = NULL;
    pairs_channel_close(c);
    qp->transport = &pairs_transport_absent;
    qp->peer.process = (struct dpk_uuid){{0}};
    pairs_requester_restart(qp);
}

static bool hear_message(struct channel *c)
{
    uint8_t what[2];
    ssize_t n = recv(c->fd, what, sizeof what, MSG_DONTWAIT);
    if (is_for_later(n))
        return true;
    if (n == 1 && what[0] == BYE)
        c->peer_closed = true;
    if (n == 1 && what[0] == ABSENT && c->role == REQUESTS && c->qp->peer.secret == 0) {
        go_absent(c);
        return true;
    }
    return n == 1 && what[0] <= BYE;
}

void pairs_channel_event(struct channel *c, uint32_t events)
{
    struct channel *other;
    bool good = true;
    if (events & ~(uint32_t)EPOLLOUT)
        good = c->role == GREETING ? hear_hello(c) : hear_message(c);
    if (c->fd < 0)
        return;
    /* Frames that arrived before the end of the connection count. */
    if (c->role != GREETING && !work(c))
        good = false;
    if (!good && c->fd >= 0)
        lost(c);
    else if (c->fd >= 0 && (other = other_of(c)))
        pairs_channel_serve(other);
}
