/* States of a queue pair: required and optional attributes of each transition, according to the
 * InfiniBand architecture (volume 1, 11.2.5.2). */
#include <errno.h>
#include <stdio.h>

#include "ah.h"
#include "gids.h"
#include "qp.h"

#define PATH (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)
#define INIT (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define RTR                                                                                        \
    (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |   \
     IBV_QP_MIN_RNR_TIMER)
#define RTS                                                                                        \
    (IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)

static const struct transition {
    bool is_there;
    int needs, allows;
} reliable[IBV_QPS_ERR + 1][IBV_QPS_ERR + 1] = {
    [IBV_QPS_RESET] = {[IBV_QPS_INIT] = {true, INIT, 0}},
    [IBV_QPS_INIT] = {[IBV_QPS_INIT] = {true, 0, INIT},
                      [IBV_QPS_RTR] = {true, RTR, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | PATH}},
    [IBV_QPS_RTR] = {[IBV_QPS_RTS] = {true, RTS,
                                      IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS |
                                          IBV_QP_MIN_RNR_TIMER | PATH}},
    [IBV_QPS_RTS] = {[IBV_QPS_RTS] = {true, 0,
                                      IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS |
                                          IBV_QP_MIN_RNR_TIMER | PATH},
                     [IBV_QPS_SQD] = {true, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY}},
    [IBV_QPS_SQD] =
        {[IBV_QPS_SQD] = {true, 0,
                          INIT | (RTR & ~(IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)) |
                              (RTS & ~IBV_QP_SQ_PSN) | PATH},
         [IBV_QPS_RTS] = {true, 0,
                          IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | PATH}},
};

/* For queue pairs without acknowledgements: UC and UD. */
#define UC_RTR (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define UC_ANY (IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | PATH)
static const struct transition unreliable[IBV_QPS_ERR + 1][IBV_QPS_ERR + 1] = {
    [IBV_QPS_RESET] = {[IBV_QPS_INIT] = {true, INIT, 0}},
    [IBV_QPS_INIT] = {[IBV_QPS_INIT] = {true, 0, INIT},
                      [IBV_QPS_RTR] = {true, UC_RTR,
                                       IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | PATH}},
    [IBV_QPS_RTR] = {[IBV_QPS_RTS] = {true, IBV_QP_SQ_PSN, UC_ANY}},
    [IBV_QPS_RTS] =
        {[IBV_QPS_RTS] = {true, 0, UC_ANY}, [IBV_QPS_SQD] = {true, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY}},
    [IBV_QPS_SQD] =
        {[IBV_QPS_SQD] = {true, 0, INIT | IBV_QP_AV | PATH}, [IBV_QPS_RTS] = {true, 0, UC_ANY}},
};
#define UD_INIT (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)
static const struct transition datagram[IBV_QPS_ERR + 1][IBV_QPS_ERR + 1] = {
    [IBV_QPS_RESET] = {[IBV_QPS_INIT] = {true, UD_INIT, 0}},
    [IBV_QPS_INIT] = {[IBV_QPS_INIT] = {true, 0, UD_INIT},
                      [IBV_QPS_RTR] = {true, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY}},
    [IBV_QPS_RTR] = {[IBV_QPS_RTS] = {true, IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
    [IBV_QPS_RTS] = {[IBV_QPS_RTS] = {true, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
                     [IBV_QPS_SQD] = {true, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY}},
    [IBV_QPS_SQD] = {[IBV_QPS_SQD] = {true, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
                     [IBV_QPS_RTS] = {true, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
};

static const struct transition *transition_of(enum ibv_qp_type type, enum ibv_qp_state from,
                                              enum ibv_qp_state to)
{
    if ((unsigned)to > IBV_QPS_ERR)
        return NULL;
    return type == IBV_QPT_UD   ? &datagram[from][to]
           : type == IBV_QPT_UC ? &unreliable[from][to]
                                : &reliable[from][to];
}

/* Attributes that emulated devices do not have, although transitions allow them. */
#define MISSING PATH

static int check_values(struct ibv_context *context, enum ibv_qp_type type,
                        const struct ibv_qp_attr *a, int mask)
{
    const unsigned rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                            IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
                            IBV_ACCESS_RELAXED_ORDERING;
    if ((mask & IBV_QP_PORT && a->port_num != 1) ||
        (mask & IBV_QP_PKEY_INDEX && a->pkey_index != 0) ||
        (mask & IBV_QP_ACCESS_FLAGS && a->qp_access_flags & ~rights) ||
        (mask & IBV_QP_PATH_MTU && (a->path_mtu < IBV_MTU_256 || a->path_mtu > IBV_MTU_4096)) ||
        (mask & IBV_QP_DEST_QPN && a->dest_qp_num > 0xffffff) ||
        (mask & IBV_QP_MAX_QP_RD_ATOMIC && a->max_rd_atomic > QP_READS_MAX) ||
        (mask & IBV_QP_MAX_DEST_RD_ATOMIC && a->max_dest_rd_atomic > QP_READS_MAX) ||
        (mask & IBV_QP_MIN_RNR_TIMER && a->min_rnr_timer > 31) ||
        (mask & IBV_QP_TIMEOUT && a->timeout > 31) ||
        (mask & IBV_QP_RETRY_CNT && a->retry_cnt > 7) ||
        (mask & IBV_QP_RNR_RETRY && a->rnr_retry > 7))
        return EINVAL;
    return mask & IBV_QP_AV ? verbs_path_check(context, type, &a->ah_attr) : 0;
}

int dpk_verbs_check_change(struct ibv_context *context, enum ibv_qp_type type,
                           enum ibv_qp_state from, const struct ibv_qp_attr *a, int mask)
{
    const enum ibv_qp_state to = mask & IBV_QP_STATE ? a->qp_state : from;
    mask &= ~IBV_QP_STATE;
    if (mask & IBV_QP_CUR_STATE && a->cur_qp_state != from)
        return EINVAL;
    if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
        return mask & ~IBV_QP_CUR_STATE ? EINVAL : 0;
    const struct transition *t = transition_of(type, from, to);
    if (!t || !t->is_there || (mask & t->needs) != t->needs || mask & ~(t->needs | t->allows))
        return EINVAL;
    return mask & MISSING ? EOPNOTSUPP : check_values(context, type, a, mask);
}

void dpk_verbs_keep_change(struct ibv_qp_attr *to, const struct ibv_qp_attr *a, int mask)
{
#define KEEP(bit, member)                                                                          \
    if (mask & IBV_QP_##bit)                                                                       \
        to->member = a->member;
    KEEP(EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify)
    KEEP(ACCESS_FLAGS, qp_access_flags)
    KEEP(PKEY_INDEX, pkey_index)
    KEEP(QKEY, qkey)
    KEEP(PORT, port_num)
    KEEP(AV, ah_attr)
    KEEP(PATH_MTU, path_mtu)
    KEEP(TIMEOUT, timeout)
    KEEP(RETRY_CNT, retry_cnt)
    KEEP(RNR_RETRY, rnr_retry)
    KEEP(RQ_PSN, rq_psn)
    KEEP(MAX_QP_RD_ATOMIC, max_rd_atomic)
    KEEP(MIN_RNR_TIMER, min_rnr_timer)
    KEEP(SQ_PSN, sq_psn)
    KEEP(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic)
    KEEP(DEST_QPN, dest_qp_num)
#undef KEEP
}

static unsigned permits(const struct qp *qp)
{
    return dpk_verbs_rights((int)qp->attr.qp_access_flags) &
           (DPK_MEMORY_REMOTE_READ | DPK_MEMORY_REMOTE_WRITE | DPK_MEMORY_REMOTE_ATOMIC);
}

/* Receiver-not-ready timers of the architecture (volume 1, 9.7.5.2.8), in units of 10 us. */
static uint32_t rnr_ms(uint8_t timer)
{
    static const uint16_t timers[32] = {0xffff, 1,    2,    3,     4,     6,     8,     12,
                                        16,     24,   32,   48,    64,    96,    128,   192,
                                        256,    384,  512,  768,   1024,  1536,  2048,  3072,
                                        4096,   6144, 8192, 12288, 16384, 24576, 32768, 49152};
    return timers[timer & 31] / 100u + 1;
}

/* 4.096 us * 2^timeout for each try (volume 1, 9.7.6.1.3). */
static uint64_t retry_ms(const struct ibv_qp_attr *a)
{
    return a->timeout == 0 ? UINT64_MAX
                           : ((UINT64_C(4096) << a->timeout) * (a->retry_cnt + 1u)) / 1000000 + 1;
}

void dpk_verbs_set_patience(struct dpk_rc_qp *pair, const struct ibv_qp_attr *a)
{
    const struct dpk_rc_patience patience = {
        .retry_ms = retry_ms(a), .rnr_retries = a->rnr_retry, .rnr_ms = rnr_ms(a->min_rnr_timer)};
    dpk_rc_qp_set_patience(pair, &patience);
}

/* Enters a state. Call this with the lock. */
static void enter(struct qp *qp, enum ibv_qp_state to)
{
    enum ibv_qp_state *state = &qp->state;
    switch (to) {
    case IBV_QPS_RESET:
        *state = to;
        verbs_qp_drop(qp);
        qp->attr = (struct ibv_qp_attr){0};
        break;
    case IBV_QPS_ERR:
        if (*state == IBV_QPS_RESET)
            *state = to;
        else
            dpk_rc_qp_fail(qp->pair); /* `failed` sets the state */
        break;
    case IBV_QPS_SQD:
        *state = to;
        if (qp->sends.done == qp->sends.taken && qp->attr.en_sqd_async_notify) {
            qp->attr.en_sqd_async_notify = 0;
            verbs_qp_raise(qp, IBV_EVENT_SQ_DRAINED);
        }
        break;
    default:
        *state = to;
        dpk_rc_qp_kick(qp->pair);
    }
}

enum dpk_status dpk_verbs_connect(struct ibv_context *context, enum ibv_qp_type type,
                                  struct dpk_rc_qp *pair, const struct ibv_qp_attr *a,
                                  struct dpk_error *err)
{
    const union ibv_gid *gid = &a->ah_attr.grh.dgid;
    return type == IBV_QPT_RC && dpk_verbs_is_far(context, gid)
               ? dpk_rc_qp_connect_far(pair, a->dest_qp_num, gid->raw, err)
               : dpk_rc_qp_connect_number(pair, a->dest_qp_num, err);
}

/* Makes the queue pair ready to receive. Returns an errno if it cannot be connected. */
static int begin(struct qp *qp, const struct ibv_qp_attr *attr)
{
    struct ibv_qp *ib = &qp->ib.qp_base;
    struct dpk_error err = {0};
    if (ib->qp_type == IBV_QPT_UD) {
        dpk_rc_qp_open(qp->pair);
        return 0;
    }
    const enum dpk_status status =
        dpk_verbs_connect(ib->context, ib->qp_type, qp->pair, attr, &err);
    if (status != DPK_OK)
        fprintf(stderr, "-W- QP 0x%x is not connected: %s\n", ib->qp_num, err.message);
    return status == DPK_OK ? 0 : status == DPK_ERR_NOT_FOUND ? ETIMEDOUT : ENOMEM;
}

int dpk_verbs_modify_qp(struct ibv_qp *ib, struct ibv_qp_attr *attr, int attr_mask)
{
    struct qp *qp = (struct qp *)ib;
    if (!qp || !attr || qp->generation != verbs_qp_generation())
        return EINVAL;
    dpk_rc_lock(qp->rc);
    const enum ibv_qp_state from = qp->state;
    const enum ibv_qp_state to = attr_mask & IBV_QP_STATE ? attr->qp_state : from;
    int why = dpk_verbs_check_change(ib->context, ib->qp_type, from, attr, attr_mask);
    if (!why) {
        dpk_verbs_keep_change(&qp->attr, attr, attr_mask);
        dpk_rc_end_permit(qp->end, permits(qp));
        dpk_rc_end_set_qkey(qp->end, qp->attr.qkey);
        dpk_verbs_set_patience(qp->pair, &qp->attr);
    }
    dpk_rc_unlock(qp->rc);
    /* The lock is not held, because this may wait for the peer's process. */
    if (!why && from == IBV_QPS_INIT && to == IBV_QPS_RTR)
        why = begin(qp, attr);
    if (why)
        return why;
    if (from == IBV_QPS_RESET && to == IBV_QPS_INIT)
        dpk_rc_qp_expose(qp->pair);
    dpk_rc_lock(qp->rc);
    if (qp->state == from)
        enter(qp, to);
    ib->state = qp->state;
    dpk_rc_unlock(qp->rc);
    return 0;
}

int dpk_verbs_query_qp(struct ibv_qp *ib, struct ibv_qp_attr *attr, int attr_mask,
                       struct ibv_qp_init_attr *init_attr)
{
    struct qp *qp = (struct qp *)ib;
    (void)attr_mask; /* all attributes are set */
    if (!qp || !attr || !init_attr || qp->generation != verbs_qp_generation())
        return EINVAL;
    dpk_rc_lock(qp->rc);
    *attr = qp->attr;
    attr->qp_state = attr->cur_qp_state = ib->state = qp->state;
    attr->path_mig_state = IBV_MIG_MIGRATED;
    attr->sq_draining = qp->state == IBV_QPS_SQD && qp->sends.done != qp->sends.taken;
    attr->cap = qp->cap;
    *init_attr = (struct ibv_qp_init_attr){.qp_context = ib->qp_context,
                                           .send_cq = ib->send_cq,
                                           .recv_cq = ib->recv_cq,
                                           .srq = ib->srq,
                                           .cap = qp->cap,
                                           .qp_type = ib->qp_type,
                                           .sq_sig_all = qp->signals_all};
    dpk_rc_unlock(qp->rc);
    return 0;
}
