/* The error state of a queue pair. */
#include "receives.h"

static bool has_connection(const struct dpk_rc_end *end)
{
    const struct dpk_rc_qp *qp;
    TAILQ_FOREACH(qp, &end->qps, in_end)
    if (qp->state != QP_FAILED)
        return true;
    return false;
}

void pairs_qp_fail(struct dpk_rc_qp *qp, enum dpk_rc_status status, bool drops_receives)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    if (qp->state == QP_FAILED)
        return;
    qp->state = QP_FAILED;
    const struct dpk_rc_why *why = qp->transport && qp->transport->is_shared ? &qp->why : NULL;
    if (o->ops->failed)
        o->ops->failed(o->context, qp->refused, qp->refused != DPK_RC_OK ? why : NULL);
    pairs_works_flush(qp, status);
    pairs_receive_abort(qp);
    pairs_receives_flush(qp);
    if (qp->transport)
        qp->transport->close(qp);
    if (drops_receives && !has_connection(qp->end)) {
        qp->end->dropped = true;
        pairs_receives_drop(qp->end, qp->connection);
    }
}
