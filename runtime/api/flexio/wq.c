/* Receive and send queues, and queue pairs. */
#include "queue.h"

struct flexio_rq {
    struct flexio_queue queue; /* first in each of these types: it is freed as a flexio_queue */
    struct mlx5dv_devx_obj tir;
};
struct flexio_rmp {
    struct flexio_queue queue;
};
struct flexio_sq {
    struct flexio_queue queue;
};
struct flexio_qp {
    struct flexio_queue queue;
};

#define STRIDE_DEFAULT 4

/* Returns the memory domain of a protection domain, or NULL if it belongs to another device. */
static struct dpk_memory_domain *domain_of(const char *call, const struct flexio_process *p,
                                           struct ibv_pd *pd)
{
    struct ibv_pd *domain = pd ? pd : p->pd;
    if (domain->context == p->context)
        return dpk_verbs_domain(domain);
    libflexio_failed_because("%s: the protection domain is of another device", call);
    return NULL;
}

static struct dpk_queue *cq_of(const char *call, struct flexio_process *p, uint32_t number)
{
    struct flexio_queue *cq = libflexio_queue_of_process(p, number, DPK_CQ);
    if (!cq)
        libflexio_failed_because("%s: the process has no completion queue 0x%x", call, number);
    return cq ? cq->q : NULL;
}

/* Makes a queue of a type with `size` bytes, which starts with struct flexio_queue. Returns NULL on
 * failure. */
static void *create(const char *call, struct flexio_process *process, struct ibv_context *ibv_ctx,
                    const struct flexio_wq_attr *attr, enum dpk_queue_kind kind, uint32_t cq_num,
                    size_t size)
{
    if (!libflexio_queue_prepare(call, process, ibv_ctx, attr->uar_id))
        return NULL;
    if (kind != DPK_RMP && !dpk_nic_wired(process->context)) {
        libflexio_failed_because("%s: the device's port has no wire", call);
        return NULL;
    }
    struct dpk_memory_domain *domain = domain_of(call, process, attr->pd);
    struct dpk_queue *cq = kind == DPK_RMP ? NULL : cq_of(call, process, cq_num);
    if (!domain || (!cq && kind != DPK_RMP))
        return NULL;
    struct flexio_queue *q = calloc(1, size);
    if (!q) {
        libflexio_failed_because("%s: out of memory", call);
        return NULL;
    }
    q->process = process;
    const struct dpk_queue_options options = {
        .kind = kind,
        .log_depth = attr->log_wq_depth,
        .log_stride = attr->log_wq_stride ? attr->log_wq_stride : STRIDE_DEFAULT,
        .linked = kind == DPK_RMP && attr->rq.wq_type == FLEXIO_WQ_TYPE_LINKED_LIST,
        .multi_sends = kind == DPK_SQ && attr->sq.allow_multi_pkt_send_wqe,
        .ring = libflexio_queue_place(&q->ring, process, &attr->wq_ring_qmem),
        .record = libflexio_queue_place(&q->record, process, &attr->wq_dbr_qmem),
        .send_cq = kind == DPK_SQ ? cq : NULL,
        .receive_cq = kind == DPK_RQ ? cq : NULL,
        .user_index = attr->user_index,
        .domain = domain,
        .user = process};
    return libflexio_queue_add(call, q, attr->uar_id, &options) == FLEXIO_STATUS_SUCCESS ? q : NULL;
}

static flexio_status status_of(const void *object)
{
    return object ? FLEXIO_STATUS_SUCCESS : FLEXIO_STATUS_FAILED;
}

/* ---- Receive queues ---- */

flexio_status flexio_rq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               uint32_t cq_num, const struct flexio_wq_attr *fattr,
                               struct flexio_rq **out)
{
    static const char call[] = "flexio_rq_create";
    if (out)
        *out = NULL;
    if (!process || !fattr || !out)
        return libflexio_failed_because("%s: no process or attributes, or nowhere to put the queue",
                                        call);
    *out = create(call, process, ibv_ctx, fattr, DPK_RQ, cq_num, sizeof **out);
    if (*out)
        (*out)->tir =
            (struct mlx5dv_devx_obj){.context = process->context, .receiver = (*out)->queue.q};
    return status_of(*out);
}

flexio_status flexio_rq_destroy(struct flexio_rq *rq)
{
    return libflexio_queue_remove("flexio_rq_destroy", rq ? &rq->queue : NULL);
}

uint32_t flexio_rq_get_wq_num(struct flexio_rq *rq)
{
    return libflexio_queue_number(rq ? &rq->queue : NULL);
}

flexio_status flexio_rq_set_err_state(struct flexio_rq *rq)
{
    if (!rq)
        return libflexio_failed_because("flexio_rq_set_err_state: no queue");
    dpk_queue_fail(rq->queue.q);
    return FLEXIO_STATUS_SUCCESS;
}

struct mlx5dv_devx_obj *flexio_rq_get_tir(struct flexio_rq *rq)
{
    return rq ? &rq->tir : NULL;
}

flexio_status flexio_rmp_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                                const struct flexio_wq_attr *fattr, struct flexio_rmp **out)
{
    static const char call[] = "flexio_rmp_create";
    if (out)
        *out = NULL;
    if (!process || !fattr || !out)
        return libflexio_failed_because("%s: no process or attributes, or nowhere to put the queue",
                                        call);
    *out = create(call, process, ibv_ctx, fattr, DPK_RMP, 0, sizeof **out);
    return status_of(*out);
}

flexio_status flexio_rmp_destroy(struct flexio_rmp *rmp)
{
    return libflexio_queue_remove("flexio_rmp_destroy", rmp ? &rmp->queue : NULL);
}

uint32_t flexio_rmp_get_wq_num(struct flexio_rmp *rmp)
{
    return libflexio_queue_number(rmp ? &rmp->queue : NULL);
}

/* ---- Send queues ---- */

flexio_status flexio_sq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               uint32_t cq_num, const struct flexio_wq_attr *fattr,
                               struct flexio_sq **out)
{
    static const char call[] = "flexio_sq_create";
    if (out)
        *out = NULL;
    if (!process || !fattr || !out)
        return libflexio_failed_because("%s: no process or attributes, or nowhere to put the queue",
                                        call);
    *out = create(call, process, ibv_ctx, fattr, DPK_SQ, cq_num, sizeof **out);
    return status_of(*out);
}

flexio_status flexio_sq_destroy(struct flexio_sq *sq)
{
    return libflexio_queue_remove("flexio_sq_destroy", sq ? &sq->queue : NULL);
}

struct flexio_queue *libflexio_queue_of_sq(struct flexio_sq *sq)
{
    return &sq->queue;
}

uint32_t flexio_sq_get_wq_num(struct flexio_sq *sq)
{
    return libflexio_queue_number(sq ? &sq->queue : NULL);
}

/* ---- Queue pairs ---- */

/* Returns the rights of peers. */
static unsigned permits(int access)
{
    return dpk_verbs_rights(access) &
           (DPK_MEMORY_REMOTE_READ | DPK_MEMORY_REMOTE_WRITE | DPK_MEMORY_REMOTE_ATOMIC);
}

/* Sets the source of a queue pair's receives. */
static bool receives_of(const char *call, struct flexio_process *p,
                        const struct flexio_qp_attr *attr, struct dpk_queue_options *o)
{
    struct flexio_queue *rmp = NULL;
    switch (attr->rq_type) {
    case FLEXIO_QP_QPC_RQ_TYPE_REGULAR:
        o->log_receives = (unsigned)attr->log_rq_depth;
        break;
    case FLEXIO_QP_QPC_RQ_TYPE_SRQ_RMP_XRC_SRQ_XRQ:
        rmp = libflexio_queue_of_process(p, attr->rmpqn, DPK_RMP);
        if (!rmp) {
            libflexio_failed_because("%s: the process has no RMP 0x%x", call, attr->rmpqn);
            return false;
        }
        o->receives = rmp->q;
        break;
    case FLEXIO_QP_QPC_RQ_TYPE_ZERO_SIZE_RQ:
        o->no_receives = true;
        return true;
    default:
        libflexio_failed_because("%s: no such type of receive queue", call);
        return false;
    }
    return (o->receive_cq = cq_of(call, p, attr->rq_cqn)) != NULL;
}

static bool qp_options(const char *call, struct flexio_process *p,
                       const struct flexio_qp_attr *attr, struct dpk_queue_options *o)
{
    *o = (struct dpk_queue_options){.kind = DPK_QP,
                                    .log_depth = attr->no_sq ? 0 : (unsigned)attr->log_sq_depth,
                                    .no_sends = attr->no_sq != 0,
                                    .user_index = attr->user_index,
                                    .permits = permits(attr->qp_access_mask),
                                    .domain = domain_of(call, p, attr->pd),
                                    .user = p};
    if (!o->domain || !receives_of(call, p, attr, o))
        return false;
    return o->no_sends || (o->send_cq = cq_of(call, p, attr->sq_cqn)) != NULL;
}

flexio_status flexio_qp_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               struct flexio_qp_attr *qp_fattr, struct flexio_qp **qp)
{
    static const char call[] = "flexio_qp_create";
    struct dpk_queue_options options;
    if (qp)
        *qp = NULL;
    if (!process || !qp_fattr || !qp)
        return libflexio_failed_because("%s: no process or attributes, or nowhere to put the queue",
                                        call);
    if (qp_fattr->transport_type != FLEXIO_QPC_ST_RC)
        return libflexio_failed_because("%s: only reliable connections exist", call);
    if (!libflexio_queue_prepare(call, process, ibv_ctx, qp_fattr->uar_id) ||
        !qp_options(call, process, qp_fattr, &options))
        return FLEXIO_STATUS_FAILED;
    struct flexio_qp *q = calloc(1, sizeof *q);
    if (!q)
        return libflexio_failed_because("%s: out of memory", call);
    q->queue.process = process;
    options.ring = libflexio_queue_place(&q->queue.ring, process, &qp_fattr->qp_wq_buff_qmem);
    options.record = libflexio_queue_place(&q->queue.record, process, &qp_fattr->qp_wq_dbr_qmem);
    flexio_status status = libflexio_queue_add(call, &q->queue, qp_fattr->uar_id, &options);
    if (status == FLEXIO_STATUS_SUCCESS)
        *qp = q;
    return status;
}

flexio_status flexio_qp_modify(struct flexio_qp *qp, struct flexio_qp_attr *fattr,
                               struct flexio_qp_attr_opt_param_mask *mask)
{
    struct dpk_error err = {0};
    if (!qp || !fattr)
        return libflexio_failed_because("flexio_qp_modify: no queue pair or attributes");
    const bool far = dpk_verbs_is_far(qp->queue.process->context, &fattr->rgid_or_rip);
    const struct dpk_qp_change change = {.state = (enum dpk_qp_state)fattr->next_state,
                                         .remote = fattr->remote_qp_num,
                                         .remote_ip = far ? fattr->rgid_or_rip.raw : NULL,
                                         .changes_permits = mask && mask->qp_access_mask,
                                         .permits = permits(fattr->qp_access_mask)};
    if (dpk_qp_modify(qp->queue.q, &change, &err) != DPK_OK)
        return libflexio_failed("flexio_qp_modify", &err);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_qp_destroy(struct flexio_qp *qp)
{
    return libflexio_queue_remove("flexio_qp_destroy", qp ? &qp->queue : NULL);
}

uint32_t flexio_qp_get_qp_num(struct flexio_qp *qp)
{
    return libflexio_queue_number(qp ? &qp->queue : NULL);
}

enum flexio_qp_state flexio_qp_state_get(struct flexio_qp *qp)
{
    return qp ? (enum flexio_qp_state)dpk_qp_state(qp->queue.q) : FLEXIO_QP_STATE_ERR;
}
