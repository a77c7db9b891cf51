/* Posts works and receives, and changes settings of ends at once. */
#include "gateway.h"
#include "receives.h"

void dpk_rc_qp_kick(struct dpk_rc_qp *qp)
{
    dpk_rc_lock(qp->end->rc);
    if (qp->state == QP_FAILED)
        pairs_works_flush(qp, DPK_RC_FLUSHED);
    else
        pairs_requester_kick(qp);
    dpk_rc_unlock(qp->end->rc);
}

bool dpk_rc_post(struct dpk_rc_qp *qp, const struct dpk_rc_work *work)
{
    dpk_rc_lock(qp->end->rc);
    bool room = qp->posted - qp->done < qp->ring_size;
    if (room) {
        qp->ring[qp->posted++ % qp->ring_size] = *work;
        dpk_rc_qp_kick(qp);
    }
    dpk_rc_unlock(qp->end->rc);
    return room;
}

/* Carries out the stalled requests of peers, in order of arrival, as long as there are receives. */
void dpk_rc_end_resume(struct dpk_rc_end *end)
{
    struct dpk_rc_qp *qp;
    unsigned count = 0;
    dpk_rc_lock(end->rc);
    TAILQ_FOREACH(qp, &end->stalled, in_stalled)
    count++;
    /* A request that finds no receive stalls again, at the end of the queue. */
    while (count-- > 0 && (end->options.ops->receive || end->taken != end->posted) &&
           (qp = TAILQ_FIRST(&end->stalled))) {
        TAILQ_REMOVE(&end->stalled, qp, in_stalled);
        qp->stall = NOT_STALLED;
        qp->transport->resume(qp);
    }
    dpk_rc_unlock(end->rc);
}

bool dpk_rc_post_receive(struct dpk_rc_end *end, const struct dpk_rc_receive *receive)
{
    dpk_rc_lock(end->rc);
    bool room = end->posted - end->taken < end->options.receives;
    if (room) {
        struct dpk_rc_receive *posted = &end->ring[end->posted % end->options.receives];
        *posted = *receive;
        posted->index = end->posted++;
        if (end->dropped)
            pairs_receives_drop(end, 0);
        else
            dpk_rc_end_resume(end);
    }
    dpk_rc_unlock(end->rc);
    return room;
}

void dpk_rc_end_permit(struct dpk_rc_end *end, unsigned permissions)
{
    dpk_rc_lock(end->rc);
    struct dpk_rc_qp *qp;
    end->options.permissions = permissions;
    TAILQ_FOREACH(qp, &end->qps, in_end)
    if (qp->responses)
        pairs_channel_end_offers(qp->responses);
    dpk_rc_unlock(end->rc);
}

void dpk_rc_end_set_qkey(struct dpk_rc_end *end, uint32_t qkey)
{
    dpk_rc_lock(end->rc);
    end->qkey = qkey;
    dpk_rc_unlock(end->rc);
}

bool dpk_rc_qp_is_idle(struct dpk_rc_qp *qp)
{
    dpk_rc_lock(qp->end->rc);
    bool idle = qp->posted == qp->done;
    dpk_rc_unlock(qp->end->rc);
    return idle;
}
