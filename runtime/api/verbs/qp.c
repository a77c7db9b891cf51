/* Queue pairs of the host: creation, receives, completions, destruction. */
#include "qp.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ah.h"
#include "cq.h"
#include "srq.h"

_Static_assert(sizeof(void *) >= sizeof(uint64_t), "rc keeps a wr_id as a pointer");

/* ---- Completions ---- */

/* Returns the receives of a queue pair, or of its shared receive queue. */
static struct receives *receives_of(struct qp *qp)
{
    struct srq *srq = (struct srq *)qp->ib.qp_base.srq;
    return srq ? &srq->receives : &qp->receives;
}

/* Completes a receive. */
static bool complete_receive(struct qp *qp, const struct ibv_wc *wc, bool solicited)
{
    const struct cq_places place = {&receives_of(qp)->freed, 1};
    return verbs_cq_complete(qp->ib.qp_base.recv_cq, wc, place, solicited);
}

static bool received(struct qp *qp, const struct dpk_rc_completion *c)
{
    struct ibv_wc wc = verbs_wc_of(qp, (uintptr_t)c->user, c->status);
    const bool failed = c->event == DPK_RC_RECEIVE_FAILED;
    verbs_qp_tell(qp, "receive: ", c->status, c->why);
    wc.opcode = c->event == DPK_RC_WRITTEN_IMMEDIATE ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
    if (!failed) {
        wc.byte_len = (uint32_t)c->bytes;
        wc.src_qp = qp_is_ud(qp) ? c->source : qp->attr.dest_qp_num;
        wc.sl = qp_is_ud(qp) ? c->level : 0;
        wc.wc_flags =
            (c->event == DPK_RC_RECEIVED ? 0 : IBV_WC_WITH_IMM) | (qp_is_ud(qp) ? IBV_WC_GRH : 0);
        wc.imm_data = htobe32(c->immediate);
    }
    return complete_receive(qp, &wc, failed || c->solicited);
}

static bool completed(void *context, const struct dpk_rc_completion *c)
{
    const bool sent = c->event == DPK_RC_DONE || c->event == DPK_RC_FAILED;
    return sent ? verbs_send_done(context, c) : received(context, c);
}

/* ---- Receives ---- */

static enum dpk_rc_taken next_receive(void *context, struct dpk_rc_receive *out)
{
    struct qp *qp = context;
    struct srq *srq = (struct srq *)qp->ib.qp_base.srq;
    if (srq && qp->state == IBV_QPS_ERR)
        return DPK_RC_NEVER;
    if (srq ? verbs_srq_take(srq, &qp->receive, qp->pieces)
            : verbs_receives_take(&qp->receives, &qp->receive, qp->pieces)) {
        *out = (struct dpk_rc_receive){.pieces = qp->pieces,
                                       .count = qp->receive.count,
                                       .user = (void *)(uintptr_t)qp->receive.wr_id};
        return DPK_RC_TAKEN;
    }
    if (srq && !qp->waits) {
        qp->waits = true;
        TAILQ_INSERT_TAIL(&srq->waiting, qp, in_srq);
    }
    return DPK_RC_NONE;
}

/* Flushes a receive that is posted in the error state. Returns 0 or an errno. */
static int flush(struct qp *qp, uint64_t wr_id)
{
    struct ibv_wc wc = verbs_wc_of(qp, wr_id, DPK_RC_FLUSHED);
    if (verbs_receives_are_full(&qp->receives))
        return ENOMEM;
    wc.opcode = IBV_WC_RECV;
    qp->receives.posted++;
    qp->receives.taken++;
    complete_receive(qp, &wc, true);
    return 0;
}

static int post_receive(struct qp *qp, const struct ibv_recv_wr *wr)
{
    if (qp->ib.qp_base.srq || qp->state == IBV_QPS_RESET)
        return EINVAL;
    return qp->state == IBV_QPS_ERR ? flush(qp, wr->wr_id) : verbs_receives_post(&qp->receives, wr);
}

int verbs_qp_post_recv(struct ibv_qp *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
    struct qp *qp = (struct qp *)ib;
    int why = EINVAL;
    if (qp->generation == verbs_qp_generation()) {
        dpk_rc_lock(qp->rc);
        for (why = 0; wr; wr = wr->next)
            if ((why = post_receive(qp, wr)))
                break;
        dpk_rc_end_resume(qp->end);
        dpk_rc_unlock(qp->rc);
    }
    if (why)
        *bad_wr = wr;
    return why;
}

/* ---- Errors ---- */

static void failed(void *context, enum dpk_rc_status refused, const struct dpk_rc_why *why)
{
    struct qp *qp = context;
    verbs_qp_tell(qp, "it refused its peer's ", refused, why);
    qp->state = IBV_QPS_ERR;
    if (refused == DPK_RC_REMOTE_ACCESS)
        verbs_qp_raise(qp, IBV_EVENT_QP_ACCESS_ERR);
    else if (refused == DPK_RC_REMOTE_INVALID)
        verbs_qp_raise(qp, IBV_EVENT_QP_REQ_ERR);
    else if (refused != DPK_RC_OK)
        verbs_qp_raise(qp, IBV_EVENT_QP_FATAL);
    if (qp->ib.qp_base.srq)
        verbs_qp_raise(qp, IBV_EVENT_QP_LAST_WQE_REACHED);
}

/* ---- Creation ---- */

static const struct dpk_rc_ops ops = {
    .complete = completed, .next = verbs_send_next, .receive = next_receive, .failed = failed};

#define AT_ONCE 64u /* concurrent work requests of rc */

static enum dpk_rc_service service_of(enum ibv_qp_type type)
{
    return type == IBV_QPT_UD   ? DPK_RC_DATAGRAM
           : type == IBV_QPT_UC ? DPK_RC_UNRELIABLE
                                : DPK_RC_RELIABLE;
}

/* Returns the operations of struct ibv_qp_ex for a type of queue pairs. */
static uint64_t operations_of(enum ibv_qp_type type)
{
    const uint64_t sends = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
    const uint64_t writes = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
    const uint64_t reads = IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
                           IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
    return sends | (type == IBV_QPT_UD ? 0 : writes) | (type == IBV_QPT_RC ? reads : 0);
}

/* Returns 0 or an errno. */
static int check(const struct ibv_context *context, const struct ibv_qp_init_attr_ex *a)
{
    const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    const bool known_type =
        a->qp_type == IBV_QPT_RC || a->qp_type == IBV_QPT_UC || a->qp_type == IBV_QPT_UD;
    if (!(a->comp_mask & IBV_QP_INIT_ATTR_PD) || !a->pd || a->pd->context != context ||
        !a->send_cq || !a->recv_cq || a->send_cq->context != context ||
        a->recv_cq->context != context ||
        (a->srq && dpk_verbs_domain(a->srq->pd) != dpk_verbs_domain(a->pd)))
        return EINVAL;
    if (!known_type || a->comp_mask & ~known ||
        (a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
         a->send_ops_flags & ~operations_of(a->qp_type)))
        return EOPNOTSUPP;
    if (a->cap.max_send_wr > QP_WR_MAX || a->cap.max_recv_wr > QP_WR_MAX ||
        a->cap.max_send_sge > QP_SGE_MAX || a->cap.max_recv_sge > QP_SGE_MAX ||
        a->cap.max_inline_data > QP_INLINE_MAX)
        return EINVAL;
    return 0;
}

/* Frees in reverse order of creation. */
static void qp_free(struct qp *qp)
{
    if (qp->end)
        dpk_rc_end_destroy(qp->end);
    verbs_sends_free(&qp->sends);
    verbs_receives_free(&qp->receives);
    free(qp->pieces);
    free(qp);
}

static struct qp *qp_new(struct dpk_rc *rc, const struct ibv_qp_init_attr_ex *a)
{
    struct qp *qp = calloc(1, sizeof *qp);
    const struct srq *srq = (const struct srq *)a->srq;
    if (!qp)
        return NULL;
    const struct dpk_rc_end_options options = {.ops = &ops,
                                               .context = qp,
                                               .domain = dpk_verbs_domain(a->pd),
                                               .sends = AT_ONCE,
                                               .outlives_peers = true,
                                               .service = service_of(a->qp_type)};
    if (!verbs_sends_new(&qp->sends, a->cap.max_send_wr, a->cap.max_send_sge,
                         a->cap.max_inline_data) ||
        !verbs_receives_new(&qp->receives, srq ? 0 : a->cap.max_recv_wr, a->cap.max_recv_sge) ||
        !(qp->pieces = calloc(srq ? srq->receives.sges : qp->receives.sges, sizeof *qp->pieces)) ||
        dpk_rc_end_create(rc, &options, &qp->end, NULL) != DPK_OK ||
        dpk_rc_qp_create(qp->end, 0, &qp->pair, NULL) != DPK_OK) {
        qp_free(qp);
        return NULL;
    }
    qp->rc = rc;
    qp->generation = verbs_qp_generation();
    return qp;
}

/* Returns false if there is no memory. */
static bool use_queues(const struct ibv_qp_init_attr_ex *a, struct dpk_rc *rc)
{
    if (!verbs_cq_use(a->send_cq, rc))
        return false;
    if (verbs_cq_use(a->recv_cq, rc))
        return true;
    verbs_cq_leave(a->send_cq);
    return false;
}

static void list_qp(struct qp *qp)
{
    struct ibv_qp *ib = &qp->ib.qp_base;
    dpk_verbs_use_pd(ib->pd);
    pthread_mutex_lock(&ib->context->mutex);
    LIST_INSERT_HEAD(&context_of(ib->context)->qps, qp, in_context);
    pthread_mutex_unlock(&ib->context->mutex);
    dpk_rc_lock(qp->rc);
    if (ib->srq)
        ((struct srq *)ib->srq)->users++;
    dpk_rc_unlock(qp->rc);
}

struct ibv_qp *verbs_qp_create_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
    int why = context && attr ? check(context, attr) : EINVAL;
    if (!why && attr->cap.max_inline_data < QP_INLINE_MIN)
        attr->cap.max_inline_data = QP_INLINE_MIN;
    struct dpk_rc *rc = why ? NULL : verbs_context_rc(context_of(context));
    struct qp *qp = rc ? qp_new(rc, attr) : NULL;
    if (qp && !use_queues(attr, rc)) {
        qp_free(qp);
        qp = NULL;
    }
    if (!qp) {
        errno = why ? why : ENOMEM;
        return NULL;
    }
    qp->ib.qp_base = (struct ibv_qp){.context = context,
                                     .qp_context = attr->qp_context,
                                     .pd = attr->pd,
                                     .send_cq = attr->send_cq,
                                     .recv_cq = attr->recv_cq,
                                     .srq = attr->srq,
                                     .handle = dpk_rc_qp_number(qp->pair),
                                     .qp_num = dpk_rc_qp_number(qp->pair),
                                     .state = IBV_QPS_RESET,
                                     .qp_type = attr->qp_type};
    pthread_mutex_init(&qp->ib.qp_base.mutex, NULL);
    pthread_cond_init(&qp->ib.qp_base.cond, NULL);
    qp->signals_all = attr->sq_sig_all;
    qp->has_work_requests = attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    verbs_qp_set_work_requests(&qp->ib);
    attr->cap.max_send_wr = qp->sends.size;
    attr->cap.max_send_sge = qp->sends.sges;
    attr->cap.max_recv_wr = qp->receives.size;
    attr->cap.max_recv_sge = attr->srq ? 0 : qp->receives.sges;
    qp->cap = attr->cap;
    list_qp(qp);
    return &qp->ib.qp_base;
}

struct ibv_qp *dpk_verbs_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
    if (!pd || !attr) {
        errno = EINVAL;
        return NULL;
    }
    struct ibv_qp_init_attr_ex all = {.qp_context = attr->qp_context,
                                      .send_cq = attr->send_cq,
                                      .recv_cq = attr->recv_cq,
                                      .srq = attr->srq,
                                      .cap = attr->cap,
                                      .qp_type = attr->qp_type,
                                      .sq_sig_all = attr->sq_sig_all,
                                      .comp_mask = IBV_QP_INIT_ATTR_PD,
                                      .pd = pd};
    struct ibv_qp *qp = verbs_qp_create_ex(pd->context, &all);
    if (qp)
        attr->cap = all.cap;
    return qp;
}

struct ibv_qp_ex *dpk_verbs_qp_to_qp_ex(struct ibv_qp *ib)
{
    struct qp *qp = (struct qp *)ib;
    return qp && qp->has_work_requests ? &qp->ib : NULL;
}

/* ---- Destruction ---- */

void verbs_qp_drop(struct qp *qp)
{
    struct ibv_qp *ib = &qp->ib.qp_base;
    dpk_rc_qp_reset(qp->pair);
    verbs_cq_forget(ib->send_cq, ib->qp_num);
    verbs_cq_forget(ib->recv_cq, ib->qp_num);
    verbs_sends_drop(qp);
    verbs_receives_drop(&qp->receives);
    if (qp->waits)
        TAILQ_REMOVE(&((struct srq *)ib->srq)->waiting, qp, in_srq);
    qp->waits = false;
}

/* Ends the queue pair, but keeps the parts to which programs may have pointers. */
static void qp_end(struct qp *qp)
{
    dpk_rc_lock(qp->rc);
    verbs_qp_drop(qp);
    dpk_rc_unlock(qp->rc);
    dpk_rc_end_destroy(qp->end);
    qp->end = NULL;
}

int dpk_verbs_destroy_qp(struct ibv_qp *ib)
{
    struct qp *qp = (struct qp *)ib;
    if (!qp || qp->generation != verbs_qp_generation())
        return EINVAL;
    struct context *c = context_of(ib->context);
    pthread_mutex_lock(&ib->context->mutex);
    LIST_REMOVE(qp, in_context);
    pthread_mutex_unlock(&ib->context->mutex);
    qp_end(qp);
    const uint32_t taken = verbs_async_forget(&c->async, &qp->async);
    pthread_mutex_lock(&ib->mutex);
    while (ib->events_completed != taken)
        pthread_cond_wait(&ib->cond, &ib->mutex);
    pthread_mutex_unlock(&ib->mutex);
    dpk_rc_lock(qp->rc);
    if (ib->srq)
        ((struct srq *)ib->srq)->users--;
    dpk_rc_unlock(qp->rc);
    verbs_cq_leave(ib->send_cq);
    verbs_cq_leave(ib->recv_cq);
    dpk_verbs_leave_pd(ib->pd);
    pthread_cond_destroy(&ib->cond);
    pthread_mutex_destroy(&ib->mutex);
    qp_free(qp);
    return 0;
}

void verbs_qps_abandon(struct context *c)
{
    struct qp *qp;
    LIST_FOREACH(qp, &c->qps, in_context)
    if (qp->generation == verbs_qp_generation())
        qp_end(qp);
    if (c->rc)
        dpk_rc_leave(c->rc);
}
