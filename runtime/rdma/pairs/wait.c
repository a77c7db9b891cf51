/* Requests that wait for a peer which is not connected, or does not exist yet. The transport of a
 * card retransmits such requests; here the thread of the gateway tries again (retry.c). */
#include "gateway.h"

/* Lets the thread look at a queue pair from now on. Returns false if there is no thread. */
static bool look_at(struct dpk_rc_qp *qp)
{
    struct dpk_rc *rc = qp->end->rc;
    if (!rc->gateway && pairs_gateway_start(rc, NULL) != DPK_OK)
        return false;
    if (!qp->waiting)
        TAILQ_INSERT_TAIL(&rc->waiting, qp, in_waiting);
    qp->waiting = true;
    pairs_gateway_wake(rc->gateway);
    return true;
}

void pairs_wait_begin(struct dpk_rc_qp *qp, uint64_t *since)
{
    if (*since == 0 && look_at(qp))
        *since = dpk_now_ms();
}

void pairs_wait_forget(struct dpk_rc_qp *qp)
{
    if (qp->waiting)
        TAILQ_REMOVE(&qp->end->rc->waiting, qp, in_waiting);
    qp->waiting = false;
}

void pairs_channel_wait_begin(struct channel *c)
{
    struct gateway *s = c->rc->gateway;
    if (!c->waiting)
        TAILQ_INSERT_TAIL(&s->waiting, c, in_waiting);
    c->waiting = true;
    if (c->waits_since == 0) {
        c->waits_since = dpk_now_ms();
        pairs_gateway_wake(s);
    }
}

void pairs_channel_wait_forget(struct channel *c)
{
    if (c->waiting)
        TAILQ_REMOVE(&c->rc->gateway->waiting, c, in_waiting);
    c->waiting = false;
}

void dpk_rc_qp_kick_later(struct dpk_rc_qp *qp)
{
    if (!qp->kicked_later)
        qp->kicked_later = look_at(qp);
}
