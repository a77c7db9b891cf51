/* The transport within a process: a request is a function call. */
#include "transport.h"

static enum sent local_room(struct dpk_rc_qp *qp, uint32_t size, uint8_t **payload)
{
    (void)size;
    *payload = qp->end->rc->part;
    return SENT;
}

/* Returns the peer, which may be younger than the connection. Returns NULL if it does not exist, is
 * in the error state, or is connected to another queue pair. */
static struct dpk_rc_qp *find_peer(struct dpk_rc_qp *qp)
{
    if (!qp->local)
        qp->local = pairs_qp_find(qp->end->rc, &qp->peer);
    struct dpk_rc_qp *peer = qp->local;
    if (!peer || peer->state == QP_FAILED || peer->end->options.service != qp->end->options.service)
        return NULL;
    if (qp_has_datagrams(peer))
        return peer;
    qp_find_peer(peer);
    if (peer->state != QP_READY)
        return peer;
    if (!pairs_address_means(&peer->peer, &qp->address))
        return NULL;
    peer->local = qp;
    return peer;
}

static enum sent local_send(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *payload)
{
    struct response out;
    uint8_t *answer = qp->end->rc->answer;
    struct dpk_rc_qp *peer = find_peer(qp);
    if (!peer)
        return SENT_NEVER;
    if (pairs_responder_run(peer, r, payload, &out, answer) == ANSWER_LATER) {
        if (peer->state == QP_NEW)
            pairs_wait_begin(qp, &qp->waits_since);
        return SENT_LATER;
    }
    bool fails = out.status != DPK_RC_OK || out.broken;
    if (fails && !qp_has_datagrams(peer))
        peer->local = qp->local = NULL; /* both queue pairs fail below, each with its own status */
    if (out.status != DPK_RC_OK && response_breaks(&out) && peer != qp)
        pairs_qp_fail(peer, DPK_RC_FLUSHED, true);
    pairs_requester_response(qp, &out, answer);
    if (out.broken)
        pairs_qp_fail(peer, DPK_RC_FLUSHED, true);
    return SENT;
}

static void local_resume(struct dpk_rc_qp *qp)
{
    if (qp->local)
        pairs_requester_resume(qp->local);
}

static void local_close(struct dpk_rc_qp *qp)
{
    struct dpk_rc_qp *peer = qp->local;
    qp->local = NULL;
    if (peer && peer->local == qp) {
        peer->local = NULL;
        pairs_qp_lose_peer(peer, false);
    }
}

const struct transport pairs_transport_local = {
    .room = local_room, .send = local_send, .resume = local_resume, .close = local_close};
