/* Completions of the works that are posted on a queue pair. */
#include "works.h"

bool pairs_work_complete(struct dpk_rc_qp *qp, uint32_t index, enum dpk_rc_status status)
{
    const struct dpk_rc_work *w = work_at(qp, index);
    const bool told = status != DPK_RC_OK && status != DPK_RC_FLUSHED;
    if (told)
        pairs_why_describe(&qp->why, w, work_size(w));
    return pairs_qp_complete(
        qp, (struct dpk_rc_completion){.event = status == DPK_RC_OK ? DPK_RC_DONE : DPK_RC_FAILED,
                                       .index = index,
                                       .status = status,
                                       .bytes = status == DPK_RC_OK ? work_size(w) : 0,
                                       .user = w->user,
                                       .why = told ? &qp->why : NULL});
}

void pairs_works_flush(struct dpk_rc_qp *qp, enum dpk_rc_status status)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    for (;; status = DPK_RC_FLUSHED) {
        if (qp->done == qp->posted && o->ops->next &&
            o->ops->next(o->context, work_at(qp, qp->posted)))
            qp->posted++;
        if (qp->done == qp->posted)
            break;
        pairs_work_complete(qp, qp->done, status);
        qp->done++;
    }
    qp->next = (struct work_position){.work = qp->posted};
    qp->unanswered = 0;
}
