/* Attributes of addresses and queue pairs. */
#include <netinet/in.h>
#include <string.h>

#include "api/doca/dpa/dpa.h"
#include "api/doca/memory/memory.h"
#include "verbs.h"

/* ---- Addresses ---- */

static void ah_attr_release(void *object)
{
    free(object);
}
const struct dpk_kind verbs_ah_attr_kind = {.release = ah_attr_release};

doca_error_t doca_verbs_ah_attr_create(struct doca_verbs_context *context,
                                       struct doca_verbs_ah_attr **ah_attr)
{
    if (ah_attr)
        *ah_attr = NULL;
    struct context *c = ah_attr ? dpk_object_pin(context, &verbs_context_kind) : NULL;
    dpk_object_drop(c);
    return dpk_doca_end(
        context, __func__,
        c ? verbs_attr_new(sizeof(struct ah_attr), &verbs_ah_attr_kind, (void **)ah_attr)
          : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_verbs_ah_attr_destroy(struct doca_verbs_ah_attr *ah_attr)
{
    return dpk_doca_destroy(ah_attr, &verbs_ah_attr_kind, __func__);
}
FIELD(doca_verbs_ah_attr_set_gid, doca_verbs_ah_attr_get_gid, ah_attr, struct doca_verbs_gid, gid)
FIELD(doca_verbs_ah_attr_set_addr_type, doca_verbs_ah_attr_get_addr_type, ah_attr,
      enum doca_verbs_addr_type, addr_type)
FIELD(doca_verbs_ah_attr_set_dlid, doca_verbs_ah_attr_get_dlid, ah_attr, uint32_t, dlid)
FIELD(doca_verbs_ah_attr_set_sl, doca_verbs_ah_attr_get_sl, ah_attr, uint8_t, sl)
FIELD(doca_verbs_ah_attr_set_sgid_index, doca_verbs_ah_attr_get_sgid_index, ah_attr, uint8_t,
      sgid_index)
FIELD(doca_verbs_ah_attr_set_static_rate, doca_verbs_ah_attr_get_static_rate, ah_attr, uint8_t,
      static_rate)
FIELD(doca_verbs_ah_attr_set_hop_limit, doca_verbs_ah_attr_get_hop_limit, ah_attr, uint8_t,
      hop_limit)
FIELD(doca_verbs_ah_attr_set_traffic_class, doca_verbs_ah_attr_get_traffic_class, ah_attr, uint8_t,
      traffic_class)

/* ---- New queue pairs ---- */

LIFE(doca_verbs_qp_init_attr_create, doca_verbs_qp_init_attr_destroy, qp_init_attr)
OBJECT_FIELD(doca_verbs_qp_init_attr_set_pd, doca_verbs_qp_init_attr_get_pd, qp_init_attr,
             struct doca_verbs_pd *, pd, verbs_pd_kind)
FIELD(doca_verbs_qp_init_attr_set_qp_type, doca_verbs_qp_init_attr_get_qp_type, qp_init_attr,
      uint32_t, qp_type)
FIELD(doca_verbs_qp_init_attr_set_sq_wr, doca_verbs_qp_init_attr_get_sq_wr, qp_init_attr, uint32_t,
      sq_wr)
FIELD(doca_verbs_qp_init_attr_set_rq_wr, doca_verbs_qp_init_attr_get_rq_wr, qp_init_attr, uint32_t,
      rq_wr)
FIELD(doca_verbs_qp_init_attr_set_send_max_sges, doca_verbs_qp_init_attr_get_send_max_sges,
      qp_init_attr, uint32_t, send_max_sges)
FIELD(doca_verbs_qp_init_attr_set_receive_max_sges, doca_verbs_qp_init_attr_get_receive_max_sges,
      qp_init_attr, uint32_t, receive_max_sges)
FIELD(doca_verbs_qp_init_attr_set_max_inline_data, doca_verbs_qp_init_attr_get_max_inline_data,
      qp_init_attr, uint32_t, max_inline_data)
FIELD(doca_verbs_qp_init_attr_set_sq_sig_all, doca_verbs_qp_init_attr_get_sq_sig_all, qp_init_attr,
      int, sq_sig_all)
FIELD(doca_verbs_qp_init_attr_set_qp_context, doca_verbs_qp_init_attr_get_qp_context, qp_init_attr,
      void *, qp_context)
FIELD(doca_verbs_qp_init_attr_set_user_index, doca_verbs_qp_init_attr_get_user_index, qp_init_attr,
      uint32_t, user_index)
OBJECT_FIELD(doca_verbs_qp_init_attr_set_send_cq, doca_verbs_qp_init_attr_get_send_cq, qp_init_attr,
             struct doca_verbs_cq *, send_cq, verbs_cq_kind)
OBJECT_FIELD(doca_verbs_qp_init_attr_set_receive_cq, doca_verbs_qp_init_attr_get_receive_cq,
             qp_init_attr, struct doca_verbs_cq *, receive_cq, verbs_cq_kind)
OBJECT_FIELD(doca_verbs_qp_init_attr_set_srq, doca_verbs_qp_init_attr_get_srq, qp_init_attr,
             struct doca_verbs_srq *, srq, verbs_srq_kind)
FIELD(doca_verbs_qp_init_attr_set_external_datapath_en,
      doca_verbs_qp_init_attr_get_external_datapath_en, qp_init_attr, uint8_t, external_datapath_en)
OBJECT_FIELD(doca_verbs_qp_init_attr_set_send_dpa_completion,
             doca_verbs_qp_init_attr_get_send_dpa_completion, qp_init_attr,
             struct doca_dpa_completion *, send_dpa_completion, dpk_completion_kind)
OBJECT_FIELD(doca_verbs_qp_init_attr_set_receive_dpa_completion,
             doca_verbs_qp_init_attr_get_receive_dpa_completion, qp_init_attr,
             struct doca_dpa_completion *, receive_dpa_completion, dpk_completion_kind)

bool verbs_is_umem_or_null(const struct doca_umem *umem)
{
    uint32_t id;
    return !umem || dpk_doca_inner(doca_umem_get_id(umem, &id)) == DOCA_SUCCESS;
}

PLACE_FIELD(doca_verbs_qp_init_attr_set_external_umem, doca_verbs_qp_init_attr_get_external_umem,
            qp_init_attr, external_umem)
PLACE_FIELD(doca_verbs_qp_init_attr_set_external_dbr_umem,
            doca_verbs_qp_init_attr_get_external_dbr_umem, qp_init_attr, external_dbr_umem)
UAR_FIELD(doca_verbs_qp_init_attr_set_external_uar, doca_verbs_qp_init_attr_get_external_uar,
          qp_init_attr, external_uar)
OBJECT_FIELD(doca_verbs_qp_init_attr_set_dpa, doca_verbs_qp_init_attr_get_dpa, qp_init_attr,
             struct doca_dpa *, dpa, dpk_dpa_kind)
FIELD(doca_verbs_qp_init_attr_set_core_direct_master,
      doca_verbs_qp_init_attr_get_core_direct_master, qp_init_attr, uint8_t, core_direct_master)
FIELD(doca_verbs_qp_init_attr_set_send_dbr_mode, doca_verbs_qp_init_attr_get_send_dbr_mode,
      qp_init_attr, enum doca_verbs_qp_send_dbr_mode, send_dbr_mode)
FIELD(doca_verbs_qp_init_attr_set_uar_id, doca_verbs_qp_init_attr_get_uar_id, qp_init_attr,
      uint32_t, uar_id)
FIELD(doca_verbs_qp_init_attr_set_pdn, doca_verbs_qp_init_attr_get_pdn, qp_init_attr, uint32_t, pdn)
NUMBERED_PLACE_FIELD(doca_verbs_qp_init_attr_set_dbr_umem, doca_verbs_qp_init_attr_get_dbr_umem_id,
                     doca_verbs_qp_init_attr_get_dbr_umem_offset, qp_init_attr, dbr_umem)
NUMBERED_PLACE_FIELD(doca_verbs_qp_init_attr_set_wq_umem, doca_verbs_qp_init_attr_get_wq_umem_id,
                     doca_verbs_qp_init_attr_get_wq_umem_offset, qp_init_attr, wq_umem)

doca_error_t doca_verbs_qp_init_attr_set_cqe_inline(struct doca_verbs_qp_init_attr *attr,
                                                    enum doca_verbs_qp_scatter_to_cqe value)
{
    struct qp_init_attr *a = dpk_object_lock(attr, &verbs_qp_init_attr_kind);
    if (a)
        a->cqe_inline = value;
    return dpk_doca_end(attr, __func__, dpk_object_unlock(a, DOCA_SUCCESS));
}
uint8_t doca_verbs_qp_init_attr_get_cqe_inline(const struct doca_verbs_qp_init_attr *attr)
{
    struct qp_init_attr *a = dpk_object_lock(attr, &verbs_qp_init_attr_kind);
    const uint8_t value = a ? (uint8_t)a->cqe_inline : 0;
    dpk_object_unlock(a, DOCA_SUCCESS);
    return value;
}

uint32_t doca_verbs_qp_init_attr_get_send_cqn(const struct doca_verbs_qp_init_attr *attr)
{
    return doca_verbs_cq_get_cqn(doca_verbs_qp_init_attr_get_send_cq(attr));
}

uint32_t doca_verbs_qp_init_attr_get_receive_cqn(const struct doca_verbs_qp_init_attr *attr)
{
    return doca_verbs_cq_get_cqn(doca_verbs_qp_init_attr_get_receive_cq(attr));
}

void verbs_attr_copy(void *to, const void *from, size_t size)
{
    const size_t head = sizeof(struct dpk_object);
    memcpy((char *)to + head, (const char *)from + head, size - head);
}

/* ---- Changes of queue pairs ---- */

LIFE(doca_verbs_qp_attr_create, doca_verbs_qp_attr_destroy, qp_attr)
FIELD(doca_verbs_qp_attr_set_next_state, doca_verbs_qp_attr_get_next_state, qp_attr,
      enum doca_verbs_qp_state, next_state)
FIELD(doca_verbs_qp_attr_set_current_state, doca_verbs_qp_attr_get_current_state, qp_attr,
      enum doca_verbs_qp_state, current_state)
FIELD(doca_verbs_qp_attr_set_allow_remote_write, doca_verbs_qp_attr_get_allow_remote_write, qp_attr,
      int, allow_remote_write)
FIELD(doca_verbs_qp_attr_set_allow_remote_read, doca_verbs_qp_attr_get_allow_remote_read, qp_attr,
      int, allow_remote_read)
FIELD(doca_verbs_qp_attr_set_atomic_mode, doca_verbs_qp_attr_get_atomic_mode, qp_attr,
      enum doca_verbs_qp_atomic_mode, atomic_mode)
FIELD(doca_verbs_qp_attr_set_pkey_index, doca_verbs_qp_attr_get_pkey_index, qp_attr, uint16_t,
      pkey_index)
FIELD(doca_verbs_qp_attr_set_port_num, doca_verbs_qp_attr_get_port_num, qp_attr, uint16_t, port_num)
FIELD(doca_verbs_qp_attr_set_path_mtu, doca_verbs_qp_attr_get_path_mtu, qp_attr, enum doca_mtu_size,
      path_mtu)
FIELD(doca_verbs_qp_attr_set_rq_psn, doca_verbs_qp_attr_get_rq_psn, qp_attr, uint32_t, rq_psn)
FIELD(doca_verbs_qp_attr_set_sq_psn, doca_verbs_qp_attr_get_sq_psn, qp_attr, uint32_t, sq_psn)
FIELD(doca_verbs_qp_attr_set_dest_qp_num, doca_verbs_qp_attr_get_dest_qp_num, qp_attr, uint32_t,
      dest_qp_num)
OBJECT_FIELD(doca_verbs_qp_attr_set_ah_attr, doca_verbs_qp_attr_get_ah_attr, qp_attr,
             struct doca_verbs_ah_attr *, ah_attr, verbs_ah_attr_kind)
FIELD(doca_verbs_qp_attr_set_ack_timeout, doca_verbs_qp_attr_get_ack_timeout, qp_attr, uint16_t,
      ack_timeout)
FIELD(doca_verbs_qp_attr_set_retry_cnt, doca_verbs_qp_attr_get_retry_cnt, qp_attr, uint16_t,
      retry_cnt)
FIELD(doca_verbs_qp_attr_set_rnr_retry, doca_verbs_qp_attr_get_rnr_retry, qp_attr, uint16_t,
      rnr_retry)
FIELD(doca_verbs_qp_attr_set_min_rnr_timer, doca_verbs_qp_attr_get_min_rnr_timer, qp_attr, uint16_t,
      min_rnr_timer)
FIELD(doca_verbs_qp_attr_set_max_rd_atomic, doca_verbs_qp_attr_get_max_rd_atomic, qp_attr, uint8_t,
      max_rd_atomic)
FIELD(doca_verbs_qp_attr_set_max_dest_rd_atomic, doca_verbs_qp_attr_get_max_dest_rd_atomic, qp_attr,
      uint8_t, max_dest_rd_atomic)

#define READS 16 /* default number of concurrent reads */

static bool state_of(enum doca_verbs_qp_state state, enum ibv_qp_state *out)
{
    static const enum ibv_qp_state states[] = {[DOCA_VERBS_QP_STATE_RST] = IBV_QPS_RESET,
                                               [DOCA_VERBS_QP_STATE_INIT] = IBV_QPS_INIT,
                                               [DOCA_VERBS_QP_STATE_RTR] = IBV_QPS_RTR,
                                               [DOCA_VERBS_QP_STATE_RTS] = IBV_QPS_RTS,
                                               [DOCA_VERBS_QP_STATE_ERR] = IBV_QPS_ERR};
    if ((size_t)state >= sizeof states / sizeof *states)
        return false;
    *out = states[state];
    return true;
}

static bool address_of(const struct doca_verbs_ah_attr *handle, struct ibv_ah_attr *out)
{
    struct ah_attr *a = dpk_object_lock(handle, &verbs_ah_attr_kind);
    const bool good = a && (a->addr_type == DOCA_VERBS_ADDR_TYPE_IPv4 ||
                            a->addr_type == DOCA_VERBS_ADDR_TYPE_IPv6);
    if (good) {
        *out = (struct ibv_ah_attr){.is_global = 1,
                                    .port_num = 1,
                                    .sl = a->sl,
                                    .static_rate = a->static_rate,
                                    .grh = {.sgid_index = a->sgid_index,
                                            .hop_limit = a->hop_limit,
                                            .traffic_class = a->traffic_class}};
        memcpy(out->grh.dgid.raw, a->gid.raw, sizeof a->gid.raw);
    }
    dpk_object_unlock(a, DOCA_SUCCESS);
    return good;
}

/* libibverbs sets all rights at once, so rights that the mask does not name are cleared. */
#define RIGHTS                                                                                     \
    (DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_WRITE | DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_READ |                \
     DOCA_VERBS_QP_ATTR_ATOMIC_MODE)

static unsigned rights_of(const struct qp_attr *a, int mask)
{
    return (mask & DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_WRITE && a->allow_remote_write
                ? IBV_ACCESS_REMOTE_WRITE
                : 0u) |
           (mask & DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_READ && a->allow_remote_read
                ? IBV_ACCESS_REMOTE_READ
                : 0u) |
           (mask & DOCA_VERBS_QP_ATTR_ATOMIC_MODE && a->atomic_mode ? IBV_ACCESS_REMOTE_ATOMIC
                                                                    : 0u);
}

static const struct {
    int bit, ibv;
} bits[] = {{DOCA_VERBS_QP_ATTR_NEXT_STATE, IBV_QP_STATE},
            {DOCA_VERBS_QP_ATTR_CURRENT_STATE, IBV_QP_CUR_STATE},
            {RIGHTS, IBV_QP_ACCESS_FLAGS},
            {DOCA_VERBS_QP_ATTR_PKEY_INDEX, IBV_QP_PKEY_INDEX},
            {DOCA_VERBS_QP_ATTR_MIN_RNR_TIMER, IBV_QP_MIN_RNR_TIMER},
            {DOCA_VERBS_QP_ATTR_PORT_NUM, IBV_QP_PORT},
            {DOCA_VERBS_QP_ATTR_PATH_MTU, IBV_QP_PATH_MTU},
            {DOCA_VERBS_QP_ATTR_RQ_PSN, IBV_QP_RQ_PSN},
            {DOCA_VERBS_QP_ATTR_SQ_PSN, IBV_QP_SQ_PSN},
            {DOCA_VERBS_QP_ATTR_DEST_QP_NUM, IBV_QP_DEST_QPN},
            {DOCA_VERBS_QP_ATTR_ACK_TIMEOUT, IBV_QP_TIMEOUT},
            {DOCA_VERBS_QP_ATTR_RETRY_CNT, IBV_QP_RETRY_CNT},
            {DOCA_VERBS_QP_ATTR_RNR_RETRY, IBV_QP_RNR_RETRY},
            {DOCA_VERBS_QP_ATTR_AH_ATTR, IBV_QP_AV},
            {DOCA_VERBS_QP_ATTR_MAX_QP_RD_ATOMIC, IBV_QP_MAX_QP_RD_ATOMIC},
            {DOCA_VERBS_QP_ATTR_MAX_DEST_RD_ATOMIC, IBV_QP_MAX_DEST_RD_ATOMIC}};

/* Returns false if the mask has unknown bits. */
static bool mask_of(const struct qp_attr *a, int mask, int *out)
{
    *out = 0;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        if (mask & bits[i].bit)
            *out |= bits[i].ibv;
        mask &= ~bits[i].bit;
    }
    /* These attributes have a default. */
    if (*out & IBV_QP_STATE && a->next_state == DOCA_VERBS_QP_STATE_RTR)
        *out |= IBV_QP_MAX_DEST_RD_ATOMIC;
    if (*out & IBV_QP_STATE && a->next_state == DOCA_VERBS_QP_STATE_RTS)
        *out |= IBV_QP_MAX_QP_RD_ATOMIC;
    return mask == 0;
}

doca_error_t verbs_change_of(const struct qp_attr *a, int mask, struct ibv_qp_attr *out,
                             int *out_mask)
{
    if (mask & DOCA_VERBS_QP_ATTR_CC_GROUP)
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "groups of congestion control are not emulated");
    *out = (struct ibv_qp_attr){
        .qp_access_flags = rights_of(a, mask),
        .pkey_index = a->pkey_index,
        .port_num = (uint8_t)a->port_num,
        .path_mtu = (enum ibv_mtu)(a->path_mtu + IBV_MTU_256),
        .rq_psn = a->rq_psn,
        .sq_psn = a->sq_psn,
        .dest_qp_num = a->dest_qp_num,
        .timeout = (uint8_t)a->ack_timeout,
        .retry_cnt = (uint8_t)a->retry_cnt,
        .rnr_retry = (uint8_t)a->rnr_retry,
        .min_rnr_timer = (uint8_t)a->min_rnr_timer,
        .max_rd_atomic =
            mask & DOCA_VERBS_QP_ATTR_MAX_QP_RD_ATOMIC ? a->max_rd_atomic : (uint8_t)READS,
        .max_dest_rd_atomic =
            mask & DOCA_VERBS_QP_ATTR_MAX_DEST_RD_ATOMIC ? a->max_dest_rd_atomic : (uint8_t)READS};
    const bool good =
        mask_of(a, mask, out_mask) && a->port_num <= UINT8_MAX && a->ack_timeout <= UINT8_MAX &&
        a->retry_cnt <= UINT8_MAX && a->rnr_retry <= UINT8_MAX && a->min_rnr_timer <= UINT8_MAX &&
        (!(*out_mask & IBV_QP_STATE) || state_of(a->next_state, &out->qp_state)) &&
        (!(*out_mask & IBV_QP_CUR_STATE) || state_of(a->current_state, &out->cur_qp_state)) &&
        (!(*out_mask & IBV_QP_AV) || address_of(a->ah_attr, &out->ah_attr));
    return good ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static enum doca_verbs_qp_state told_state(enum ibv_qp_state state)
{
    switch (state) {
    case IBV_QPS_INIT:
        return DOCA_VERBS_QP_STATE_INIT;
    case IBV_QPS_RTR:
        return DOCA_VERBS_QP_STATE_RTR;
    case IBV_QPS_RTS:
        return DOCA_VERBS_QP_STATE_RTS;
    case IBV_QPS_ERR:
        return DOCA_VERBS_QP_STATE_ERR;
    default:
        return DOCA_VERBS_QP_STATE_RST;
    }
}

void verbs_change_tell(const struct ibv_qp_attr *from, struct qp_attr *to)
{
    to->next_state = to->current_state = told_state(from->qp_state);
    to->allow_remote_write = !!(from->qp_access_flags & IBV_ACCESS_REMOTE_WRITE);
    to->allow_remote_read = !!(from->qp_access_flags & IBV_ACCESS_REMOTE_READ);
    to->atomic_mode = from->qp_access_flags & IBV_ACCESS_REMOTE_ATOMIC
                          ? DOCA_VERBS_QP_ATOMIC_MODE_IB_SPEC
                          : DOCA_VERBS_QP_ATOMIC_MODE_NONE;
    to->pkey_index = from->pkey_index;
    to->port_num = from->port_num;
    to->path_mtu = from->path_mtu ? (enum doca_mtu_size)(from->path_mtu - IBV_MTU_256)
                                  : DOCA_MTU_SIZE_256_BYTES;
    to->rq_psn = from->rq_psn;
    to->sq_psn = from->sq_psn;
    to->dest_qp_num = from->dest_qp_num;
    to->ack_timeout = from->timeout;
    to->retry_cnt = from->retry_cnt;
    to->rnr_retry = from->rnr_retry;
    to->min_rnr_timer = from->min_rnr_timer;
    to->max_rd_atomic = from->max_rd_atomic;
    to->max_dest_rd_atomic = from->max_dest_rd_atomic;
}

/* ---- Attributes of libibverbs ---- */

/* Returns false if there is no address to set, or it is not a RoCE address. */
static bool set_address(const struct doca_verbs_ah_attr *handle, const struct ibv_ah_attr *from)
{
    struct ah_attr *a = from->is_global ? dpk_object_lock(handle, &verbs_ah_attr_kind) : NULL;
    if (a) {
        memcpy(a->gid.raw, from->grh.dgid.raw, sizeof a->gid.raw);
        a->addr_type = IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)a->gid.raw)
                           ? DOCA_VERBS_ADDR_TYPE_IPv4
                           : DOCA_VERBS_ADDR_TYPE_IPv6;
        a->sl = from->sl;
        a->static_rate = from->static_rate;
        a->sgid_index = from->grh.sgid_index;
        a->hop_limit = from->grh.hop_limit;
        a->traffic_class = from->grh.traffic_class;
    }
    return dpk_object_unlock(a, DOCA_SUCCESS) == DOCA_SUCCESS;
}

int doca_verbs_bridge_get_qp_attr_mask(int ibv_mask)
{
    int mask = 0;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        mask |= ibv_mask & bits[i].ibv ? bits[i].bit : 0;
    return mask;
}

/* Sets a member that the mask names. */
#define PART(bit, field)                                                                           \
    if (mask & DOCA_VERBS_QP_ATTR_##bit)                                                           \
    a->field = told.field

static void set_parts(struct qp_attr *a, const struct ibv_qp_attr *from, int mask)
{
    struct qp_attr told;
    verbs_change_tell(from, &told);
    told.current_state = told_state(from->cur_qp_state);
    PART(NEXT_STATE, next_state);
    PART(CURRENT_STATE, current_state);
    PART(ALLOW_REMOTE_WRITE, allow_remote_write);
    PART(ALLOW_REMOTE_READ, allow_remote_read);
    PART(ATOMIC_MODE, atomic_mode);
    PART(PKEY_INDEX, pkey_index);
    PART(PORT_NUM, port_num);
    PART(PATH_MTU, path_mtu);
    PART(RQ_PSN, rq_psn);
    PART(SQ_PSN, sq_psn);
    PART(DEST_QP_NUM, dest_qp_num);
    PART(ACK_TIMEOUT, ack_timeout);
    PART(RETRY_CNT, retry_cnt);
    PART(RNR_RETRY, rnr_retry);
    PART(MIN_RNR_TIMER, min_rnr_timer);
    PART(MAX_QP_RD_ATOMIC, max_rd_atomic);
    PART(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
}

/* Returns true if the mask has attributes that DOCA does not have. */
static bool has_others(int ibv_mask)
{
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        ibv_mask &= ~bits[i].ibv;
    return ibv_mask != 0;
}

doca_error_t doca_verbs_bridge_qp_attr_set(struct doca_verbs_qp_attr *attr,
                                           const struct ibv_qp_attr *ibv_attr, int ibv_mask)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct qp_attr *a = ibv_attr ? dpk_object_lock(attr, &verbs_qp_attr_kind) : NULL;
    if (a && has_others(ibv_mask)) {
        dpk_doca_because(result, "the mask 0x%x has attributes that DOCA does not have",
                         (unsigned)ibv_mask);
    } else if (a && ibv_mask & IBV_QP_AV && !set_address(a->ah_attr, &ibv_attr->ah_attr)) {
        dpk_doca_because(result, "the address is not global, or the attributes have no address");
    } else if (a) {
        set_parts(a, ibv_attr, doca_verbs_bridge_get_qp_attr_mask(ibv_mask));
        result = DOCA_SUCCESS;
    }
    return dpk_doca_end(attr, __func__, dpk_object_unlock(a, result));
}

doca_error_t doca_verbs_bridge_qp_attr_get(const struct doca_verbs_qp_attr *attr,
                                           struct ibv_qp_attr *ibv_attr)
{
    struct ibv_qp_attr told;
    int mask;
    struct qp_attr *a = ibv_attr ? dpk_object_lock(attr, &verbs_qp_attr_kind) : NULL;
    const doca_error_t result =
        a ? verbs_change_of(a, a->ah_attr ? CHANGES : CHANGES_TOLD, &told, &mask) : DOCA_SUCCESS;
    if (a && result == DOCA_SUCCESS)
        *ibv_attr = told;
    return dpk_doca_end(attr, __func__, dpk_object_unlock(a, result));
}
