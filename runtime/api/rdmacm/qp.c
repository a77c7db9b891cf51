/* Queue pairs of identifiers, and their completion queues and shared receive queues. */
#include <errno.h>
#include <string.h>

#include "rdmacm.h"

#define ACK_TIMEOUT 14 /* 4.096 us * 2^14 = 67 ms */
#define RIGHTS                                                                                     \
    (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |                   \
     IBV_ACCESS_REMOTE_ATOMIC)

/* Attributes of a datagram queue pair, which do not depend on peers. */
static int datagram_attributes(const struct id *id, enum ibv_qp_state state, struct ibv_qp_attr *a,
                               int *mask)
{
    *a = (struct ibv_qp_attr){.qp_state = state};
    *mask = IBV_QP_STATE;
    if (state == IBV_QPS_INIT) {
        a->port_num = id->seen.port_num;
        a->qkey = RDMA_UDP_QKEY;
        *mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
    } else if (state == IBV_QPS_RTS) {
        *mask |= IBV_QP_SQ_PSN;
    } else if (state != IBV_QPS_RTR) {
        return rdmacm_cm_failed(EINVAL);
    }
    return 0;
}

uint8_t rdmacm_id_gid_index(const struct id *id)
{
    uint8_t gid[16];
    const struct device *d = rdmacm_device_of(id->seen.verbs);
    return d ? rdmacm_device_gid(d, &id->local, gid) : 0;
}

static int attributes(const struct id *id, struct ibv_qp_attr *a, int *mask)
{
    if (id_is_ud(id))
        return datagram_attributes(id, a->qp_state, a, mask);
    const enum ibv_qp_state state = a->qp_state;
    *a = (struct ibv_qp_attr){.qp_state = state};
    *mask = IBV_QP_STATE;
    switch ((int)state) {
    case IBV_QPS_INIT:
        a->port_num = id->seen.port_num;
        a->qp_access_flags = RIGHTS;
        *mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
        return 0;
    case IBV_QPS_RTR:
        a->path_mtu = IBV_MTU_4096;
        a->dest_qp_num = id->theirs.queue_pair;
        a->rq_psn = id->theirs.psn;
        a->max_dest_rd_atomic = id->mine.responder_resources;
        a->ah_attr = (struct ibv_ah_attr){.is_global = 1, .port_num = id->seen.port_num};
        a->ah_attr.grh.hop_limit = 1;
        a->ah_attr.grh.sgid_index = rdmacm_id_gid_index(id);
        memcpy(a->ah_attr.grh.dgid.raw, id->theirs.gid, sizeof id->theirs.gid);
        *mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
        break;
    case IBV_QPS_RTS:
        a->timeout = ACK_TIMEOUT;
        a->retry_cnt = id->mine.kind == DPK_CM_REQ ? id->mine.retries : id->theirs.retries;
        a->rnr_retry = id->theirs.rnr_retries;
        a->sq_psn = id->mine.psn;
        a->max_rd_atomic = id->mine.initiator_depth;
        *mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                 IBV_QP_MAX_QP_RD_ATOMIC;
        break;
    default:
        return rdmacm_cm_failed(EINVAL);
    }
    return id->theirs.kind ? 0 : rdmacm_cm_failed(EINVAL); /* nobody has said who the peer is */
}

int rdmacm_cm_init_qp_attr(struct rdma_cm_id *seen, struct ibv_qp_attr *attr, int *mask)
{
    return seen && attr && mask ? attributes(id_of(seen), attr, mask) : rdmacm_cm_failed(EINVAL);
}

static bool modify(const struct id *id, struct ibv_qp *qp, enum ibv_qp_state to)
{
    struct ibv_qp_attr a = {.qp_state = to};
    int mask, why = attributes(id, &a, &mask) == 0 ? ibv_modify_qp(qp, &a, mask) : errno;
    errno = why;
    return why == 0;
}

bool rdmacm_cm_qp_connect(struct id *id)
{
    return id_is_ud(id) ||
           (modify(id, id->seen.qp, IBV_QPS_RTR) && modify(id, id->seen.qp, IBV_QPS_RTS));
}

void rdmacm_cm_qp_fail(struct id *id)
{
    struct ibv_qp_attr a = {.qp_state = IBV_QPS_ERR};
    if (id->seen.qp)
        ibv_modify_qp(id->seen.qp, &a, IBV_QP_STATE);
}

/* ---- Creation ---- */

/* Makes a queue for `entries` completions, and a channel for its events. */
static struct ibv_cq *new_cq(struct id *id, uint32_t entries, struct ibv_comp_channel **channel)
{
    if (!(*channel = ibv_create_comp_channel(id->seen.verbs)))
        return NULL;
    struct ibv_cq *cq = ibv_create_cq(id->seen.verbs, (int)entries + 1, id, *channel, 0);
    if (cq)
        return cq;
    ibv_destroy_comp_channel(*channel);
    *channel = NULL;
    return NULL;
}

static void free_cq(struct ibv_cq **cq, struct ibv_comp_channel **channel)
{
    if (*cq)
        ibv_destroy_cq(*cq);
    if (*channel)
        ibv_destroy_comp_channel(*channel);
    *cq = NULL;
    *channel = NULL;
}

static void free_cqs(struct id *id)
{
    free_cq(&id->seen.send_cq, &id->seen.send_cq_channel);
    if (!id->seen.srq)
        free_cq(&id->seen.recv_cq, &id->seen.recv_cq_channel);
}

/* Makes completion queues of the identifier in place of missing ones of the program. */
static bool need_cqs(struct id *id, struct ibv_qp_init_attr_ex *a)
{
    if (!a->send_cq) {
        if (!id->seen.send_cq &&
            !(id->seen.send_cq = new_cq(id, a->cap.max_send_wr, &id->seen.send_cq_channel)))
            return false;
        a->send_cq = id->seen.send_cq;
    }
    if (!a->recv_cq) {
        if (!id->seen.recv_cq &&
            !(id->seen.recv_cq = new_cq(id, a->cap.max_recv_wr, &id->seen.recv_cq_channel)))
            return false;
        a->recv_cq = id->seen.recv_cq;
    }
    return true;
}

/* A datagram queue pair is ready to send at once. */
static bool prepare(const struct id *id, struct ibv_qp *qp)
{
    return modify(id, qp, IBV_QPS_INIT) &&
           (!id_is_ud(id) || (modify(id, qp, IBV_QPS_RTR) && modify(id, qp, IBV_QPS_RTS)));
}

int rdmacm_cm_create_qp_ex(struct rdma_cm_id *seen, struct ibv_qp_init_attr_ex *a)
{
    struct id *id = id_of(seen);
    struct device *d = id && a ? rdmacm_device_of(id->seen.verbs) : NULL;
    if (!d || id->seen.qp || a->qp_type != (id_is_ud(id) ? IBV_QPT_UD : IBV_QPT_RC))
        return rdmacm_cm_failed(EINVAL);
    if (!(a->comp_mask & IBV_QP_INIT_ATTR_PD)) {
        a->comp_mask |= IBV_QP_INIT_ATTR_PD;
        a->pd = id->seen.pd ? id->seen.pd : rdmacm_device_pd(d);
    }
    if (!a->pd || a->pd->context != id->seen.verbs)
        return rdmacm_cm_failed(EINVAL);
    if (!a->srq)
        a->srq = id->seen.srq;
    struct ibv_qp *qp = need_cqs(id, a) ? ibv_create_qp_ex(id->seen.verbs, a) : NULL;
    if (!qp || !prepare(id, qp)) {
        int why = errno;
        if (qp)
            ibv_destroy_qp(qp);
        free_cqs(id);
        return rdmacm_cm_failed(why);
    }
    id->seen.pd = a->pd;
    id->seen.qp = qp;
    return 0;
}

int rdmacm_cm_create_qp(struct rdma_cm_id *seen, struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
    if (!attr)
        return rdmacm_cm_failed(EINVAL);
    struct ibv_qp_init_attr_ex a = {.qp_context = attr->qp_context,
                                    .send_cq = attr->send_cq,
                                    .recv_cq = attr->recv_cq,
                                    .srq = attr->srq,
                                    .cap = attr->cap,
                                    .qp_type = attr->qp_type,
                                    .sq_sig_all = attr->sq_sig_all};
    if (pd) {
        a.comp_mask = IBV_QP_INIT_ATTR_PD;
        a.pd = pd;
    }
    int done = rdmacm_cm_create_qp_ex(seen, &a);
    if (done == 0)
        attr->cap = a.cap;
    return done;
}

void rdmacm_cm_destroy_qp(struct rdma_cm_id *seen)
{
    struct id *id = id_of(seen);
    if (!id || !id->seen.qp)
        return;
    struct ibv_qp *qp = id->seen.qp;
    rdmacm_cm_lock(); /* a reply of the peer may be connecting it */
    id->seen.qp = NULL;
    rdmacm_cm_unlock();
    ibv_destroy_qp(qp);
    free_cqs(id);
}

int rdmacm_cm_create_srq(struct rdma_cm_id *seen, struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
    struct id *id = id_of(seen);
    struct device *d = id && attr ? rdmacm_device_of(id->seen.verbs) : NULL;
    if (!d || id->seen.srq)
        return rdmacm_cm_failed(EINVAL);
    if (!pd && !(pd = rdmacm_device_pd(d)))
        return -1;
    if (!id->seen.recv_cq &&
        !(id->seen.recv_cq = new_cq(id, attr->attr.max_wr, &id->seen.recv_cq_channel)))
        return -1;
    if (!(id->seen.srq = ibv_create_srq(pd, attr))) {
        int why = errno;
        free_cqs(id);
        return rdmacm_cm_failed(why);
    }
    id->seen.pd = pd;
    return 0;
}

void rdmacm_cm_destroy_srq(struct rdma_cm_id *seen)
{
    struct id *id = id_of(seen);
    if (!id || !id->seen.srq)
        return;
    ibv_destroy_srq(id->seen.srq);
    id->seen.srq = NULL;
    if (!id->seen.qp)
        free_cqs(id);
}
