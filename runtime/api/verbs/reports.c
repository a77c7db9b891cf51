/* Reports of a queue pair: completions, asynchronous events, and failures on stderr. */
#include <stdio.h>

#include "qp.h"

static enum ibv_wc_status status_of(enum dpk_rc_status status)
{
    switch (status) {
    case DPK_RC_OK:
        return IBV_WC_SUCCESS;
    case DPK_RC_LOCAL_LENGTH:
        return IBV_WC_LOC_LEN_ERR;
    case DPK_RC_LOCAL_OPERATION:
        return IBV_WC_LOC_QP_OP_ERR;
    case DPK_RC_LOCAL_PROTECTION:
        return IBV_WC_LOC_PROT_ERR;
    case DPK_RC_FLUSHED:
        return IBV_WC_WR_FLUSH_ERR;
    case DPK_RC_REMOTE_INVALID:
        return IBV_WC_REM_INV_REQ_ERR;
    case DPK_RC_REMOTE_ACCESS:
        return IBV_WC_REM_ACCESS_ERR;
    case DPK_RC_REMOTE_OPERATION:
        return IBV_WC_REM_OP_ERR;
    case DPK_RC_RETRY_EXCEEDED:
        return IBV_WC_RETRY_EXC_ERR;
    case DPK_RC_RNR_EXCEEDED:
        return IBV_WC_RNR_RETRY_EXC_ERR;
    default:
        return IBV_WC_GENERAL_ERR;
    }
}

struct ibv_wc verbs_wc_of(const struct qp *qp, uint64_t wr_id, enum dpk_rc_status status)
{
    return (struct ibv_wc){.wr_id = wr_id,
                           .status = status_of(status),
                           .vendor_err = status,
                           .qp_num = qp->ib.qp_base.qp_num};
}

void verbs_qp_tell(struct qp *qp, const char *what, enum dpk_rc_status status,
                   const struct dpk_rc_why *why)
{
    char reason[DPK_RC_REASON_MAX];
    if (why && dpk_first(&qp->told, dpk_rc_kind(status, why)))
        fprintf(stderr, "-W- QP 0x%x of the host is in the error state: %s%s\n",
                qp->ib.qp_base.qp_num, what, dpk_rc_reason(status, why, reason));
}

void verbs_qp_raise(struct qp *qp, enum ibv_event_type type)
{
    const struct ibv_async_event event = {.element.qp = &qp->ib.qp_base, .event_type = type};
    verbs_async_raise(&context_of(qp->ib.qp_base.context)->async, &qp->async, &event);
}
