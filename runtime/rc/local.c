/* Queue pairs of one process: a request is a function call. */
#include "transport.h"

static enum sent local_room(struct dpk_rc_qp *qp, uint32_t size, uint8_t **payload)
{
    (void)size;
    *payload = qp->end->nic->part;
    return SENT;
}

static enum sent local_send(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *payload)
{
    struct response out;
    uint8_t *answer = qp->end->nic->answer;
    struct dpk_rc_qp *peer = qp->local;
    if (!peer || peer->state == QP_FAILED || (peer->state == QP_READY && peer->local != qp))
        return SENT_NEVER;
    if (responder_run(peer, r, payload, &out, answer) == ANSWER_LATER)
        return SENT_LATER;
    if (out.good)
        requester_response(qp, &out, answer);
    else
        qp_fail(peer, true); /* which takes this one with it */
    return SENT;
}

static void local_resume(struct dpk_rc_qp *qp)
{
    if (qp->local)
        requester_resume(qp->local);
}

static void local_close(struct dpk_rc_qp *qp)
{
    struct dpk_rc_qp *peer = qp->local;
    qp->local = NULL;
    if (peer && peer->local == qp) {
        peer->local = NULL;
        qp_fail(peer, false);
    }
}

const struct transport transport_local = {local_room, local_send, local_resume, local_close};
