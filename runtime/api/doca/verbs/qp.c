/* Queue pairs: those of the CPU use libibverbs, those of the DPA are in dpa_qp.c, those of a GPU in
 * gpu_qp.c. */
#include <errno.h>

#include "gpu_queues.h"
#include "verbs.h"

static void qp_left(void *object)
{
    struct qp *q = object;
    verbs_source_remove(&q->source);
    if (q->ib)
        dpk_emulated_11.destroy_qp(q->ib);
    verbs_dpa_qp_free(q->dpa);
    verbs_gpu_qp_free(q->gpu);
    q->ib = NULL;
    q->dpa = NULL;
    q->gpu = NULL;
    verbs_unuse(q->srq);
    verbs_unuse(q->receive_cq);
    verbs_unuse(q->send_cq);
    verbs_unuse(q->pd);
    verbs_unuse(q->context);
}

static void qp_release(void *object)
{
    free(object);
}
const struct dpk_kind verbs_qp_kind = {.left = qp_left, .release = qp_release};

/* Makes uses of its parts. Returns false if a part is missing, or belongs to another device. */
static bool use_parts(struct qp *q, struct context *c, const struct qp_init_attr *a)
{
    dpk_object_use(q->context = c);
    q->pd = verbs_use(a->pd, &verbs_pd_kind);
    q->send_cq = verbs_use(a->send_cq, &verbs_cq_kind);
    q->receive_cq = verbs_use(a->receive_cq, &verbs_cq_kind);
    q->srq = verbs_use(a->srq, &verbs_srq_kind);
    return q->pd && q->pd->ib && q->pd->ib->context == c->ib && (q->send_cq || !a->send_cq) &&
           (q->receive_cq || !a->receive_cq) && (q->srq || !a->srq) &&
           (!q->srq || !!q->srq->dpa == !!a->external_datapath_en);
}

/* Returns true if kernels of a GPU use a queue pair with an external data path: its completion queues are there. */
static bool is_of_gpu(const struct qp *q)
{
    return (q->send_cq && q->send_cq->gpu) || (q->receive_cq && q->receive_cq->gpu);
}

static doca_error_t gpu_qp_new(struct qp *q, const struct qp_init_attr *a)
{
    const struct cq *send = q->send_cq, *receive = q->receive_cq;
    if ((send && !send->gpu) || (receive && !receive->gpu) || a->send_dpa_completion ||
        a->receive_dpa_completion)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "one completion queue of the queue pair is on a GPU, and another "
                                "one is not");
    if ((send && send->context != q->context) || (receive && receive->context != q->context))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a completion queue of the queue pair is of another context");
    const doca_error_t result = verbs_gpu_qp_new(q->pd->ib, a, send ? send->gpu : NULL,
                                                 receive ? receive->gpu : NULL, &q->gpu);
    if (result == DOCA_SUCCESS) {
        const struct gpu_qp_facts f = verbs_gpu_qp_facts(q->gpu);
        q->made.sq_wr = f.sends;
        q->made.rq_wr = f.receives;
    }
    return result;
}

static doca_error_t external_qp_new(struct qp *q, const struct qp_init_attr *a)
{
    return is_of_gpu(q) ? gpu_qp_new(q, a)
                        : verbs_dpa_qp_new(q->pd->ib, a, q->srq ? q->srq->dpa : NULL, &q->dpa);
}

static doca_error_t cpu_qp_new(struct qp *q, const struct qp_init_attr *a)
{
    const struct cq *send = q->send_cq ? q->send_cq : q->receive_cq,
                    *receive = q->receive_cq ? q->receive_cq : q->send_cq;
    if (!send || !send->ib || !receive->ib || a->dpa)
        return dpk_doca_because(
            DOCA_ERROR_INVALID_VALUE,
            "a queue pair of the CPU has a completion queue, and no DPA context");
    struct ibv_qp_init_attr init = {.qp_context = a->qp_context,
                                    .send_cq = send->ib,
                                    .recv_cq = receive->ib,
                                    .srq = q->srq ? q->srq->ib : NULL,
                                    .cap = {.max_send_wr = a->sq_wr,
                                            .max_recv_wr = a->rq_wr,
                                            .max_send_sge = a->send_max_sges,
                                            .max_recv_sge = a->receive_max_sges,
                                            .max_inline_data = a->max_inline_data},
                                    .qp_type = a->qp_type == DOCA_VERBS_QP_TYPE_UC ? IBV_QPT_UC
                                                                                   : IBV_QPT_RC,
                                    .sq_sig_all = a->sq_sig_all};
    q->ib = dpk_emulated_11.create_qp(q->pd->ib, &init);
    if (!q->ib)
        return verbs_error_of(errno);
    q->made.sq_wr = init.cap.max_send_wr;
    q->made.rq_wr = init.cap.max_recv_wr;
    verbs_source_add(q->context, &q->source, q->ib, &q->object);
    return DOCA_SUCCESS;
}

/* Returns true for attributes that only cards have: other doorbell records of a GPU, and numbers of umems and
 * UARs. */
static bool needs_card(const struct qp_init_attr *a)
{
    return a->cqe_inline != DOCA_VERBS_QP_SCATTER_TO_CQE_NONE ||
           a->send_dbr_mode != DOCA_VERBS_QP_SEND_DBR_MODE_DBR_VALID || a->dbr_umem_id ||
           a->dbr_umem_offset || a->wq_umem_id || a->wq_umem_offset || a->uar_id || a->pdn;
}

static doca_error_t qp_new(struct context *c, const struct qp_init_attr *a,
                           struct doca_verbs_qp **out)
{
    struct qp *q = calloc(1, sizeof *q);
    if (!q)
        return DOCA_ERROR_NO_MEMORY;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    verbs_attr_copy(&q->made, a, sizeof *a);
    const bool known = a->qp_type == DOCA_VERBS_QP_TYPE_RC ||
                       (a->qp_type == DOCA_VERBS_QP_TYPE_UC && !a->external_datapath_en);
    if (!use_parts(q, c, a))
        dpk_doca_because(result, "the protection domain, a completion queue or the shared receive "
                                 "queue is missing, or does not fit");
    else
        result = !known || needs_card(a)
                     ? dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                        "the attributes have a transport, or properties of a GPU's "
                                        "data path, that are not emulated")
                 : a->external_datapath_en ? external_qp_new(q, a)
                                           : cpu_qp_new(q, a);
    if (result != DOCA_SUCCESS) {
        qp_left(q);
        free(q);
        return result;
    }
    *out = dpk_object_enter(q, &verbs_qp_kind);
    return *out ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_verbs_qp_create(struct doca_verbs_context *context,
                                  struct doca_verbs_qp_init_attr *attr, struct doca_verbs_qp **qp)
{
    if (qp)
        *qp = NULL;
    struct context *c = qp ? dpk_object_pin(context, &verbs_context_kind) : NULL;
    struct qp_init_attr *a = c ? dpk_object_lock(attr, &verbs_qp_init_attr_kind) : NULL;
    const doca_error_t result = dpk_object_unlock(a, a ? qp_new(c, a, qp) : DOCA_SUCCESS);
    dpk_object_drop(c);
    return dpk_doca_end(context, __func__, result);
}

doca_error_t doca_verbs_qp_destroy(struct doca_verbs_qp *qp)
{
    return dpk_doca_destroy(qp, &verbs_qp_kind, __func__);
}

uint32_t doca_verbs_qp_get_qpn(const struct doca_verbs_qp *qp)
{
    struct qp *q = dpk_object_pin(qp, &verbs_qp_kind);
    const uint32_t number = !q       ? 0
                            : q->ib  ? q->ib->qp_num
                            : q->dpa ? verbs_dpa_qp_number(q->dpa)
                            : q->gpu ? verbs_gpu_qp_facts(q->gpu).number
                                     : 0;
    dpk_object_drop(q);
    return number;
}

doca_error_t doca_verbs_qp_get_dpa_handle(struct doca_verbs_qp *qp, struct doca_dpa *dpa,
                                          doca_dpa_dev_verbs_qp_t *qp_handle)
{
    struct qp *q = qp_handle ? dpk_object_lock(qp, &verbs_qp_kind) : NULL;
    return dpk_doca_end(
        qp, __func__,
        dpk_object_unlock(q, q && q->dpa ? verbs_dpa_qp_handle(q->dpa, dpa, qp_handle)
                                         : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                                            "the queue pair is not of the DPA")));
}

/* ---- Rings: only those of a GPU are the program's ---- */

/* Gets what kernels have of a queue pair. Returns false for one that no GPU uses. */
static bool describe(const struct doca_verbs_qp *qp, struct gpu_qp_facts *out)
{
    struct qp *q = dpk_object_pin(qp, &verbs_qp_kind);
    const bool good = q && q->gpu;
    *out = good ? verbs_gpu_qp_facts(q->gpu) : (struct gpu_qp_facts){0};
    dpk_object_drop(q);
    return good;
}

void doca_verbs_qp_get_wq(const struct doca_verbs_qp *qp, void **sq, uint32_t *sq_num, void **rq,
                          uint32_t *rq_num, uint32_t *rwqe_size)
{
    struct gpu_qp_facts f;
    if (!sq || !sq_num || !rq || !rq_num || !rwqe_size)
        return;
    describe(qp, &f);
    *sq = f.sends ? dpk_pointer(f.send_ring) : NULL;
    *rq = f.receives ? dpk_pointer(f.receive_ring) : NULL;
    *sq_num = f.sends;
    *rq_num = f.receives;
    *rwqe_size = f.receives ? GPU_RECEIVE : 0;
}

void *doca_verbs_qp_get_uar_addr(const struct doca_verbs_qp *qp)
{
    struct gpu_qp_facts f;
    return describe(qp, &f) ? f.uar : NULL;
}

void *doca_verbs_qp_get_dbr_addr(const struct doca_verbs_qp *qp)
{
    struct gpu_qp_facts f;
    return describe(qp, &f) ? dpk_pointer(f.record) : NULL;
}

uint32_t doca_verbs_qp_query_ece(struct doca_verbs_qp *qp)
{
    (void)qp;
    return 0;
}

doca_error_t doca_verbs_qp_set_ece(struct doca_verbs_qp *qp, uint32_t ece)
{
    (void)ece;
    return dpk_doca_end(qp, __func__,
                        qp && verbs_is_a(qp, &verbs_qp_kind) ? DOCA_ERROR_NOT_SUPPORTED
                                                             : DOCA_ERROR_INVALID_VALUE);
}

/* ---- Changes ---- */

doca_error_t doca_verbs_qp_modify(struct doca_verbs_qp *qp, struct doca_verbs_qp_attr *attr,
                                  int attr_mask)
{
    struct ibv_qp_attr change;
    int mask = 0;
    struct qp *q = dpk_object_lock(qp, &verbs_qp_kind);
    struct qp_attr *a = q ? dpk_object_lock(attr, &verbs_qp_attr_kind) : NULL;
    doca_error_t result =
        dpk_object_unlock(a, a ? verbs_change_of(a, attr_mask, &change, &mask) : DOCA_SUCCESS);
    if (q && result == DOCA_SUCCESS)
        result = q->ib    ? verbs_error_of(dpk_emulated_11.modify_qp(q->ib, &change, mask))
                 : q->dpa ? verbs_dpa_qp_modify(q->dpa, &change, mask)
                 : q->gpu ? verbs_gpu_qp_modify(q->gpu, &change, mask)
                          : DOCA_ERROR_INVALID_VALUE;
    if (q && a && result == DOCA_ERROR_INVALID_VALUE)
        dpk_doca_because(result,
                         "the attributes of mask 0x%x do not fit the state of the queue pair, or "
                         "one is missing or out of its range",
                         (unsigned)attr_mask);
    return dpk_doca_end(qp, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_verbs_qp_query(struct doca_verbs_qp *qp, struct doca_verbs_qp_attr *attr,
                                 struct doca_verbs_qp_init_attr *init_attr, int *attr_mask)
{
    struct ibv_qp_attr now;
    struct ibv_qp_init_attr init;
    struct qp *q = dpk_object_lock(qp, &verbs_qp_kind);
    struct qp_attr *a = q ? dpk_object_lock(attr, &verbs_qp_attr_kind) : NULL;
    struct qp_init_attr *i = a ? dpk_object_lock(init_attr, &verbs_qp_init_attr_kind) : NULL;
    doca_error_t result =
        q && !i ? DOCA_ERROR_INVALID_VALUE
                : dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                   "a queue pair of the DPA or of a GPU cannot be queried");
    if (i && q->ib)
        result = verbs_error_of(dpk_emulated_11.query_qp(q->ib, &now, 0, &init));
    if (i && result == DOCA_SUCCESS) {
        verbs_change_tell(&now, a);
        verbs_attr_copy(i, &q->made, sizeof *i);
        if (attr_mask)
            *attr_mask = CHANGES_TOLD;
    }
    dpk_object_unlock(i, DOCA_SUCCESS);
    dpk_object_unlock(a, DOCA_SUCCESS);
    return dpk_doca_end(qp, __func__, dpk_object_unlock(q, result));
}

/* ---- The data path of the CPU ---- */

int doca_verbs_bridge_post_send(struct doca_verbs_qp *qp, struct ibv_send_wr *wr,
                                struct ibv_send_wr **bad_wr)
{
    struct ibv_send_wr *bad = wr;
    struct qp *q = wr ? dpk_object_pin(qp, &verbs_qp_kind) : NULL;
    const int why = q && q->ib ? ibv_post_send(q->ib, wr, &bad) : EINVAL;
    dpk_object_drop(q);
    if (why && bad_wr)
        *bad_wr = bad;
    return why;
}

int doca_verbs_bridge_post_recv(struct doca_verbs_qp *qp, struct ibv_recv_wr *wr,
                                struct ibv_recv_wr **bad_wr)
{
    struct ibv_recv_wr *bad = wr;
    struct qp *q = wr ? dpk_object_pin(qp, &verbs_qp_kind) : NULL;
    const int why = q && q->ib ? ibv_post_recv(q->ib, wr, &bad) : EINVAL;
    dpk_object_drop(q);
    if (why && bad_wr)
        *bad_wr = bad;
    return why;
}
