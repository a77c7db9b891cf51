/* Requests that wait for a peer which is not connected, or does not exist yet. The transport of a
 * card retransmits such requests; here the thread of the gateway tries again. */
#include <time.h>

#include "gateway.h"

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void wait_begin(struct dpk_rc *rc, uint64_t *since)
{
    if (*since != 0 || (!rc->gateway && gateway_start(rc, NULL) != DPK_OK))
        return;
    *since = now_ms();
    gateway_wake(rc->gateway);
}

static bool is_over(const struct dpk_rc *rc, uint64_t since)
{
    return now_ms() - since >= rc->connect_wait_ms;
}

static bool is_over_for(const struct dpk_rc_qp *qp)
{
    return qp->patience.retry_ms ? now_ms() - qp->waits_since >= qp->patience.retry_ms
                                 : is_over(qp->end->rc, qp->waits_since);
}

/* Whether the oldest request of a queue pair has no peer. */
static bool has_no_peer(const struct dpk_rc_qp *qp)
{
    return qp->state == QP_READY && qp->waits &&
           (qp->transport == &transport_absent || qp->transport == &transport_gone ||
            (qp->transport == &transport_local && qp->local && qp->local->state == QP_NEW));
}

static bool run_qp(struct dpk_rc_qp *qp)
{
    /* The process that the request was sent to may still answer ABSENT, so the time keeps
     * running. */
    if (qp->waits_since == 0 || qp->transport == &transport_shared)
        return false;
    if (!has_no_peer(qp)) {
        qp->waits_since = 0;
        return false;
    }
    if (is_over_for(qp))
        qp_fail(qp, DPK_RC_RETRY_EXCEEDED, false);
    else if (qp->transport == &transport_absent && absent_find(qp))
        requester_resume(qp);
    return qp->state == QP_READY;
}

/* A message of the peer waits for a receive. */
static bool run_stall(struct dpk_rc_qp *qp)
{
    if (!qp->stalled || qp->stalled_since == 0)
        return false;
    if (now_ms() - qp->stalled_since < qp->stalled_ms)
        return true;
    TAILQ_REMOVE(&qp->end->stalled, qp, in_stalled);
    qp->stalled = false;
    qp->stalled_out = true;
    qp->transport->resume(qp);
    return qp->stalled;
}

/* Another process waits until a queue pair of this one is connected. */
static bool run_channel(struct channel *c)
{
    if (c->waits_since == 0)
        return false;
    bool waits = c->held && c->qp->state == QP_NEW;
    if (waits && is_over(c->rc, c->waits_since)) {
        channel_refuse(c);
        return false;
    }
    if (!waits)
        c->waits_since = 0;
    return waits;
}

void dpk_rc_qp_kick_later(struct dpk_rc_qp *qp)
{
    struct dpk_rc *rc = qp->end->rc;
    if (qp->kicked_later || (!rc->gateway && gateway_start(rc, NULL) != DPK_OK))
        return;
    qp->kicked_later = true;
    gateway_wake(rc->gateway);
}

static void run_kick(struct dpk_rc_qp *qp)
{
    if (!qp->kicked_later)
        return;
    qp->kicked_later = false;
    dpk_rc_qp_kick(qp);
}

bool waits_run(struct dpk_rc *rc)
{
    struct dpk_rc_end *end;
    struct dpk_rc_qp *qp;
    struct channel *next;
    bool waits = false;
    TAILQ_FOREACH(end, &rc->ends, link)
    TAILQ_FOREACH(qp, &end->qps, in_end)
    {
        waits = run_qp(qp) || waits;
        waits = run_stall(qp) || waits;
        run_kick(qp);
    }
    for (struct channel *c = TAILQ_FIRST(&rc->gateway->channels); c; c = next) {
        next = TAILQ_NEXT(c, link);
        waits = run_channel(c) || waits;
    }
    return waits;
}
