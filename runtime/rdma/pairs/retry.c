/* The gateway's thread retries requests that wait (wait.c), or ends their wait. */
#include "gateway.h"

static bool is_over(const struct dpk_rc *rc, uint64_t since)
{
    return dpk_now_ms() - since >= rc->connect_wait_ms;
}

static bool is_over_for(const struct dpk_rc_qp *qp)
{
    return qp->patience.retry_ms ? dpk_now_ms() - qp->waits_since >= qp->patience.retry_ms
                                 : is_over(qp->end->rc, qp->waits_since);
}

/* Returns whether the oldest request of a queue pair has no peer. */
static bool has_no_peer(const struct dpk_rc_qp *qp)
{
    return qp->state == QP_READY && qp->waits &&
           (qp->transport->is_absent || (qp->local && qp->local->state == QP_NEW));
}

static bool run_qp(struct dpk_rc_qp *qp)
{
    /* The process that the request was sent to may still answer ABSENT, so the time keeps
     * running. */
    if (qp->waits_since == 0 || (qp->transport && qp->transport->is_shared))
        return false;
    if (!has_no_peer(qp)) {
        qp->waits_since = 0;
        return false;
    }
    if (is_over_for(qp)) {
        pairs_why_no_peer(qp);
        pairs_qp_fail(qp, DPK_RC_RETRY_EXCEEDED, false);
    } else if (qp_find_peer(qp)) {
        pairs_requester_resume(qp);
    }
    return qp->state == QP_READY;
}

/* A message of the peer waits for a receive. */
static bool run_stall(struct dpk_rc_qp *qp)
{
    if (qp->stall != STALLED || qp->stalled_since == 0)
        return false;
    if (dpk_now_ms() - qp->stalled_since < qp->stalled_ms)
        return true;
    TAILQ_REMOVE(&qp->end->stalled, qp, in_stalled);
    qp->stall = STALLED_OUT;
    qp->transport->resume(qp);
    return qp->stall == STALLED;
}

/* Continues or ends the wait of another process until a queue pair of this process is connected. */
static bool run_channel(struct channel *c)
{
    if (c->waits_since == 0)
        return false;
    bool waits = c->held && c->qp->state == QP_NEW;
    if (waits && is_over(c->rc, c->waits_since)) {
        pairs_channel_refuse(c);
        return false;
    }
    if (!waits)
        c->waits_since = 0;
    return waits;
}

static void run_kick(struct dpk_rc_qp *qp)
{
    if (!qp->kicked_later)
        return;
    qp->kicked_later = false;
    dpk_rc_qp_kick(qp);
}

bool pairs_waits_run(struct dpk_rc *rc)
{
    bool waits = false;
    for (struct dpk_rc_qp *qp = TAILQ_FIRST(&rc->waiting), *next; qp; qp = next) {
        waits = run_qp(qp) || waits;
        waits = run_stall(qp) || waits;
        run_kick(qp);
        next = TAILQ_NEXT(qp, in_waiting);
        if (qp->waits_since == 0 && qp->stalled_since == 0 && !qp->kicked_later)
            pairs_wait_forget(qp);
    }
    for (struct channel *c = TAILQ_FIRST(&rc->gateway->waiting), *next; c; c = next) {
        next = TAILQ_NEXT(c, in_waiting);
        waits = run_channel(c) || waits;
        if (c->waits_since == 0)
            pairs_channel_wait_forget(c);
    }
    return waits;
}
