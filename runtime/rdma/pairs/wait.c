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

/* The thread looks at a queue pair from now on. False: there is no thread. */
static bool look_at(struct dpk_rc_qp *qp)
{
    struct dpk_rc *rc = qp->end->rc;
    if (!rc->gateway && gateway_start(rc, NULL) != DPK_OK)
        return false;
    if (!qp->waiting)
        TAILQ_INSERT_TAIL(&rc->waiting, qp, in_waiting);
    qp->waiting = true;
    gateway_wake(rc->gateway);
    return true;
}

void wait_begin(struct dpk_rc_qp *qp, uint64_t *since)
{
    if (*since == 0 && look_at(qp))
        *since = now_ms();
}

void wait_forget(struct dpk_rc_qp *qp)
{
    if (qp->waiting)
        TAILQ_REMOVE(&qp->end->rc->waiting, qp, in_waiting);
    qp->waiting = false;
}

void channel_wait_begin(struct channel *c)
{
    struct gateway *s = c->rc->gateway;
    if (!c->waiting)
        TAILQ_INSERT_TAIL(&s->waiting, c, in_waiting);
    c->waiting = true;
    if (c->waits_since == 0) {
        c->waits_since = now_ms();
        gateway_wake(s);
    }
}

void channel_wait_forget(struct channel *c)
{
    if (c->waiting)
        TAILQ_REMOVE(&c->rc->gateway->waiting, c, in_waiting);
    c->waiting = false;
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
        why_no_peer(qp);
        qp_fail(qp, DPK_RC_RETRY_EXCEEDED, false);
    } else if (qp_find_peer(qp)) {
        requester_resume(qp);
    }
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
    if (!qp->kicked_later)
        qp->kicked_later = look_at(qp);
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
    bool waits = false;
    for (struct dpk_rc_qp *qp = TAILQ_FIRST(&rc->waiting), *next; qp; qp = next) {
        waits = run_qp(qp) || waits;
        waits = run_stall(qp) || waits;
        run_kick(qp);
        next = TAILQ_NEXT(qp, in_waiting);
        if (qp->waits_since == 0 && qp->stalled_since == 0 && !qp->kicked_later)
            wait_forget(qp);
    }
    for (struct channel *c = TAILQ_FIRST(&rc->gateway->waiting), *next; c; c = next) {
        next = TAILQ_NEXT(c, in_waiting);
        waits = run_channel(c) || waits;
        if (c->waits_since == 0)
            channel_wait_forget(c);
    }
    return waits;
}
