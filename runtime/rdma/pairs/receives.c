/* The receives of an end: taking them, and failing them. */
#include "receives.h"

bool pairs_receive_take(struct dpk_rc_end *end, struct dpk_rc_receive *out)
{
    if (end->taken == end->posted)
        return false;
    *out = end->ring[end->taken++ % end->options.receives];
    return true;
}

enum dpk_rc_taken pairs_receive_next(struct dpk_rc_end *end, struct dpk_rc_receive *out)
{
    const struct dpk_rc_end_options *o = &end->options;
    if (o->ops->receive)
        return o->ops->receive(o->context, out);
    return pairs_receive_take(end, out) ? DPK_RC_TAKEN : DPK_RC_NONE;
}

struct dpk_rc_message pairs_receive_message(const struct dpk_rc_receive *r,
                                            struct dpk_rc_piece *one)
{
    if (r->count > 0 || r->pieces)
        return (struct dpk_rc_message){r->pieces, r->count};
    *one = (struct dpk_rc_piece){.memory = r->buffer};
    return (struct dpk_rc_message){one, 1};
}

void pairs_receive_fail(const struct dpk_rc_qp *qp, const struct dpk_rc_receive *receive,
                        enum dpk_rc_status status, const struct dpk_rc_why *why)
{
    pairs_qp_complete(qp, (struct dpk_rc_completion){.event = DPK_RC_RECEIVE_FAILED,
                                                     .index = receive->index,
                                                     .status = status,
                                                     .user = receive->user,
                                                     .why = why});
}

void pairs_receive_keep(struct dpk_rc_qp *qp)
{
    if (qp->receiving == RECEIVING)
        qp->receiving = RECEIVE_KEPT;
}

void pairs_receive_forget(struct dpk_rc_qp *qp)
{
    if (qp->stall == STALLED)
        TAILQ_REMOVE(&qp->end->stalled, qp, in_stalled);
    qp->stall = NOT_STALLED;
    qp->stalled_since = 0;
    if (qp->receiving == RECEIVING)
        qp->receiving = NOT_RECEIVING;
}

void pairs_receive_abort(struct dpk_rc_qp *qp)
{
    const bool receiving = qp->receiving != NOT_RECEIVING;
    pairs_receive_forget(qp);
    qp->receiving = NOT_RECEIVING;
    if (receiving)
        pairs_receive_fail(qp, &qp->receive, DPK_RC_FLUSHED, NULL);
}

void pairs_receives_drop(struct dpk_rc_end *end, uint32_t connection)
{
    struct dpk_rc_receive r;
    const struct dpk_rc_end_options *o = &end->options;
    while (pairs_receive_take(end, &r))
        o->ops->complete(o->context, &(struct dpk_rc_completion){.event = DPK_RC_RECEIVE_FAILED,
                                                                 .connection = connection,
                                                                 .index = r.index,
                                                                 .status = DPK_RC_FLUSHED,
                                                                 .user = r.user});
}

/* Flushes the receives of an owner that has its own receive queue. */
void pairs_receives_flush(const struct dpk_rc_qp *qp)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    struct dpk_rc_receive r;
    if (!o->ops->receive || o->shares_receives)
        return;
    while (o->ops->receive(o->context, &r) == DPK_RC_TAKEN)
        if (!pairs_qp_complete(qp, (struct dpk_rc_completion){.event = DPK_RC_RECEIVE_FAILED,
                                                              .index = r.index,
                                                              .status = DPK_RC_FLUSHED,
                                                              .user = r.user}))
            break;
}
