/* The transport between processes: a queue pair has a channel for its requests, and a channel for
 * those of its peer. A queue pair with datagrams has a channel for each target, and for each
 * sender. */
#include <errno.h>

#include "gateway.h"

#define TARGETS_MAX 64 /* channels for datagrams that a queue pair keeps */

/* ---- Channels of queue pairs ---- */

enum dpk_status pairs_gateway_attach(struct dpk_rc_qp *qp, int fd, struct dpk_error *err)
{
    struct channel *c = pairs_channel_new(qp->end->rc, fd);
    if (!c)
        return dpk_fail_nomem(err);
    if (!pairs_channel_greet(c, qp)) {
        const bool gone = errno == EPIPE || errno == ECONNRESET;
        enum dpk_status status =
            gone ? dpk_fail(err, DPK_ERR_NOT_FOUND, "the peer's process has just ended")
                 : dpk_fail_errno(err, "no memory to share with the peer");
        pairs_channel_close(c);
        return status;
    }
    c->role = REQUESTS;
    c->qp = qp;
    c->target = qp->peer.number;
    qp->requests = c;
    return DPK_OK;
}

void pairs_gateway_settle(struct dpk_rc_qp *qp)
{
    if (qp->answers)
        pairs_fabric_settle(qp);
    if (!qp->responses || dpk_uuid_is_zero(&qp->peer.process) ||
        pairs_address_means(&qp->peer, &qp->responses->claim))
        return;
    pairs_channel_close(qp->responses);
    qp->responses = NULL;
}

void pairs_gateway_hear_out(struct dpk_rc_qp *qp)
{
    if (qp->asks || qp->answers)
        pairs_fabrics_run(qp->end->rc);
    if (qp->responses)
        pairs_channel_serve(qp->responses);
    if (qp->requests) /* the line before may have closed it */
        pairs_channel_serve(qp->requests);
}

static void forget_both(const struct dpk_rc_qp *qp)
{
    if (qp->requests)
        pairs_channel_close(qp->requests);
    if (qp->responses)
        pairs_channel_close(qp->responses);
}

static void forget_all(const struct dpk_rc_qp *qp)
{
    struct gateway *s = qp->end->rc->gateway;
    struct channel *next;
    for (struct channel *c = s ? TAILQ_FIRST(&s->channels) : NULL; c; c = next) {
        next = TAILQ_NEXT(c, link);
        if (c->qp == qp)
            pairs_channel_close(c);
    }
}

struct channel *pairs_gateway_channel_to(struct dpk_rc_qp *qp, uint32_t number)
{
    struct gateway *s = qp->end->rc->gateway;
    struct channel *first = NULL, *c;
    unsigned count = 0;
    if (!s)
        return NULL;
    TAILQ_FOREACH(c, &s->channels, link)
    if (c->qp == qp && c->role == REQUESTS) {
        if (c->target == number)
            return c;
        first = first ? first : c;
        count++;
    }
    if (count >= TARGETS_MAX)
        pairs_channel_close(first);
    return NULL;
}

void pairs_gateway_forget(struct dpk_rc_qp *qp)
{
    if (qp_has_datagrams(qp))
        forget_all(qp);
    else if (qp->requests || qp->responses)
        forget_both(qp);
    qp->requests = qp->responses = NULL;
    if (qp->asks || qp->answers)
        pairs_fabric_forget(qp);
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
    (void)payload; /* the ring already contains it */
    pairs_channel_send(qp->requests, r);
    return SENT;
}

static void shared_resume(struct dpk_rc_qp *qp)
{
    struct channel *c = qp->responses;
    if (!c || !c->held)
        return;
    c->held = false;
    pairs_channel_serve(c);
}

static void shared_close(struct dpk_rc_qp *qp)
{
    struct channel *ours[2] = {qp->requests, qp->responses};
    if (qp_has_datagrams(qp))
        return pairs_gateway_forget(qp);
    qp->requests = qp->responses = NULL;
    /* Both channels send BYE before one of them is closed. */
    for (int i = 0; i < 2; i++)
        if (ours[i])
            pairs_channel_say_bye(ours[i]);
    for (int i = 0; i < 2; i++)
        if (ours[i])
            pairs_channel_close(ours[i]);
}

const struct transport pairs_transport_shared = {.room = shared_room,
                                                 .send = shared_send,
                                                 .resume = shared_resume,
                                                 .close = shared_close,
                                                 .is_shared = true};
