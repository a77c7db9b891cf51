/* Attributes of Ethernet queues, and the functions of programs on the queues. */
#include "eth_queues.h"

/* ---- Both kinds ---- */

static uint32_t number_of(const void *handle, const struct dpk_kind *kind)
{
    struct eth_queue *q = dpk_object_lock(handle, kind);
    const uint32_t number = q && q->queue ? dpk_queue_number(q->queue) : 0;
    dpk_object_unlock(q, DOCA_SUCCESS);
    return number;
}

static doca_error_t handle_of(const void *queue, const struct dpk_kind *kind,
                              const struct doca_dpa *dpa, uint64_t *handle)
{
    struct eth_queue *q = handle ? dpk_object_lock(queue, kind) : NULL;
    return dpk_object_unlock(q, q ? verbs_dpa_handle(&q->object, q->memory.base, dpa, handle)
                                  : DOCA_SUCCESS);
}

/* The address is NULL: the ring is DPA memory. */
static doca_error_t ring_of(const void *queue, const struct dpk_kind *kind, void **address,
                            uint32_t *entries, uint32_t *size)
{
    struct eth_queue *q = address && entries && size ? dpk_object_lock(queue, kind) : NULL;
    if (q) {
        *address = NULL;
        *entries = 1u << q->log_depth;
        *size = 1u << q->log_size;
    }
    return dpk_object_unlock(q, DOCA_SUCCESS);
}

/* ---- Send queues ---- */

LIFE(doca_verbs_eth_sq_init_attr_create, doca_verbs_eth_sq_init_attr_destroy, eth_sq_init_attr)
OBJECT_FIELD(doca_verbs_eth_sq_init_attr_set_pd, doca_verbs_eth_sq_init_attr_get_pd,
             eth_sq_init_attr, struct doca_verbs_pd *, pd, verbs_pd_kind)
OBJECT_FIELD(doca_verbs_eth_sq_init_attr_set_cq, doca_verbs_eth_sq_init_attr_get_cq,
             eth_sq_init_attr, struct doca_verbs_cq *, cq, verbs_cq_kind)
OBJECT_FIELD(doca_verbs_eth_sq_init_attr_set_dpa, doca_verbs_eth_sq_init_attr_get_dpa,
             eth_sq_init_attr, struct doca_dpa *, dpa, dpk_dpa_kind)
OBJECT_FIELD(doca_verbs_eth_sq_init_attr_set_dpa_completion,
             doca_verbs_eth_sq_init_attr_get_dpa_completion, eth_sq_init_attr,
             struct doca_dpa_completion *, dpa_completion, dpk_completion_kind)
PLACE_FIELD(doca_verbs_eth_sq_init_attr_set_external_umem,
            doca_verbs_eth_sq_init_attr_get_external_umem, eth_sq_init_attr, external_umem)
PLACE_FIELD(doca_verbs_eth_sq_init_attr_set_external_dbr_umem,
            doca_verbs_eth_sq_init_attr_get_external_dbr_umem, eth_sq_init_attr, external_dbr_umem)
FIELD(doca_verbs_eth_sq_init_attr_set_user_data, doca_verbs_eth_sq_init_attr_get_user_data,
      eth_sq_init_attr, union doca_data, user_data)
FIELD(doca_verbs_eth_sq_init_attr_set_user_index, doca_verbs_eth_sq_init_attr_get_user_index,
      eth_sq_init_attr, uint32_t, user_index)
FIELD(doca_verbs_eth_sq_init_attr_set_wr_num, doca_verbs_eth_sq_init_attr_get_wr_num,
      eth_sq_init_attr, uint32_t, wr_num)
FIELD(doca_verbs_eth_sq_init_attr_set_max_sges, doca_verbs_eth_sq_init_attr_get_max_sges,
      eth_sq_init_attr, uint32_t, max_sges)
FIELD(doca_verbs_eth_sq_init_attr_set_queue_id, doca_verbs_eth_sq_init_attr_get_queue_id,
      eth_sq_init_attr, uint16_t, queue_id)
FIELD(doca_verbs_eth_sq_init_attr_set_external_datapath_en,
      doca_verbs_eth_sq_init_attr_get_external_datapath_en, eth_sq_init_attr, uint8_t,
      external_datapath_en)
FIELD(doca_verbs_eth_sq_init_attr_set_ts_source_type,
      doca_verbs_eth_sq_init_attr_get_ts_source_type, eth_sq_init_attr, uint8_t, ts_source_type)
FIELD(doca_verbs_eth_sq_init_attr_set_flush_in_error_en,
      doca_verbs_eth_sq_init_attr_get_flush_in_error_en, eth_sq_init_attr, uint8_t,
      flush_in_error_en)

GETTER(doca_verbs_eth_sq_init_attr_get_state, eth_sq_init_attr, enum doca_verbs_eth_sq_state, state)
FIELD(doca_verbs_eth_sq_init_attr_set_sig_all, doca_verbs_eth_sq_init_attr_get_sig_all,
      eth_sq_init_attr, int, sig_all)
FIELD(doca_verbs_eth_sq_init_attr_set_max_inline_data,
      doca_verbs_eth_sq_init_attr_get_max_inline_data, eth_sq_init_attr, uint32_t, max_inline_data)
FIELD(doca_verbs_eth_sq_init_attr_set_allow_multi_pkt_send_wqe,
      doca_verbs_eth_sq_init_attr_get_allow_multi_pkt_send_wqe, eth_sq_init_attr, uint8_t,
      allow_multi_pkt_send_wqe)
FIELD(doca_verbs_eth_sq_init_attr_set_plane_index, doca_verbs_eth_sq_init_attr_get_plane_index,
      eth_sq_init_attr, uint8_t, plane_index)
UAR_FIELD(doca_verbs_eth_sq_init_attr_set_external_uar,
          doca_verbs_eth_sq_init_attr_get_external_uar, eth_sq_init_attr, external_uar)
doca_error_t doca_verbs_eth_sq_create(struct doca_verbs_context *context,
                                      struct doca_verbs_eth_sq_init_attr *attr,
                                      struct doca_verbs_eth_sq **queue)
{
    void *handle = NULL;
    struct context *c = queue ? dpk_object_pin(context, &verbs_context_kind) : NULL;
    struct eth_sq_init_attr *a = c ? dpk_object_lock(attr, &verbs_eth_sq_init_attr_kind) : NULL;
    struct eth_wish wish = {.made.sq = a};
    if (a)
        COMMON_WISH(wish, a);
    if (a) {
        wish.sends = true;
        wish.external_uar = a->external_uar;
        wish.all_signaled = a->sig_all;
    }
    const doca_error_t result =
        dpk_object_unlock(a, a ? verbs_eth_new(c, &wish, &handle) : DOCA_SUCCESS);
    dpk_object_drop(c);
    if (queue)
        *queue = handle;
    return dpk_doca_end(context, __func__, result);
}

doca_error_t doca_verbs_eth_sq_destroy(struct doca_verbs_eth_sq *queue)
{
    return dpk_doca_destroy(queue, &verbs_eth_sq_kind, __func__);
}

doca_error_t doca_verbs_eth_sq_query(struct doca_verbs_eth_sq *queue,
                                     struct doca_verbs_eth_sq_init_attr *attr)
{
    struct eth_queue *q = dpk_object_lock(queue, &verbs_eth_sq_kind);
    struct eth_sq_init_attr *a = q ? dpk_object_lock(attr, &verbs_eth_sq_init_attr_kind) : NULL;
    if (a) {
        verbs_attr_copy(a, &q->made.sq, sizeof *a);
        a->state =
            verbs_eth_has_failed(q) ? DOCA_VERBS_ETH_SQ_STATE_ERR : DOCA_VERBS_ETH_SQ_STATE_RDY;
    }
    const doca_error_t result = dpk_object_unlock(a, DOCA_SUCCESS);
    return dpk_doca_end(queue, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_verbs_eth_sq_recover_from_error(struct doca_verbs_eth_sq *queue)
{
    struct eth_queue *q = dpk_object_lock(queue, &verbs_eth_sq_kind);
    return dpk_doca_end(queue, __func__,
                        dpk_object_unlock(q, q ? verbs_eth_recover(q) : DOCA_SUCCESS));
}

uint32_t doca_verbs_eth_sq_get_sq_hw_number(const struct doca_verbs_eth_sq *queue)
{
    return number_of(queue, &verbs_eth_sq_kind);
}

doca_error_t doca_verbs_eth_sq_get_dpa_handle(struct doca_verbs_eth_sq *queue, struct doca_dpa *dpa,
                                              doca_dpa_dev_verbs_eth_sq_t *handle)
{
    return dpk_doca_end(queue, __func__, handle_of(queue, &verbs_eth_sq_kind, dpa, handle));
}

/* Rings are DPA memory, whose address DPA code gets, and its commits ring doorbells. */
void *doca_verbs_eth_sq_get_dbr_addr(const struct doca_verbs_eth_sq *queue)
{
    (void)queue;
    return NULL;
}

void *doca_verbs_eth_sq_get_uar_addr(const struct doca_verbs_eth_sq *queue)
{
    (void)queue;
    return NULL;
}

doca_error_t doca_verbs_eth_sq_get_wq(const struct doca_verbs_eth_sq *queue, void **address,
                                      uint32_t *entries)
{
    uint32_t size;
    return dpk_doca_end(queue, __func__,
                        ring_of(queue, &verbs_eth_sq_kind, address, entries, &size));
}
/* ---- Receive queues ---- */

LIFE(doca_verbs_eth_rq_init_attr_create, doca_verbs_eth_rq_init_attr_destroy, eth_rq_init_attr)
OBJECT_FIELD(doca_verbs_eth_rq_init_attr_set_pd, doca_verbs_eth_rq_init_attr_get_pd,
             eth_rq_init_attr, struct doca_verbs_pd *, pd, verbs_pd_kind)
OBJECT_FIELD(doca_verbs_eth_rq_init_attr_set_cq, doca_verbs_eth_rq_init_attr_get_cq,
             eth_rq_init_attr, struct doca_verbs_cq *, cq, verbs_cq_kind)
OBJECT_FIELD(doca_verbs_eth_rq_init_attr_set_dpa, doca_verbs_eth_rq_init_attr_get_dpa,
             eth_rq_init_attr, struct doca_dpa *, dpa, dpk_dpa_kind)
OBJECT_FIELD(doca_verbs_eth_rq_init_attr_set_dpa_completion,
             doca_verbs_eth_rq_init_attr_get_dpa_completion, eth_rq_init_attr,
             struct doca_dpa_completion *, dpa_completion, dpk_completion_kind)
PLACE_FIELD(doca_verbs_eth_rq_init_attr_set_external_umem,
            doca_verbs_eth_rq_init_attr_get_external_umem, eth_rq_init_attr, external_umem)
PLACE_FIELD(doca_verbs_eth_rq_init_attr_set_external_dbr_umem,
            doca_verbs_eth_rq_init_attr_get_external_dbr_umem, eth_rq_init_attr, external_dbr_umem)
FIELD(doca_verbs_eth_rq_init_attr_set_user_data, doca_verbs_eth_rq_init_attr_get_user_data,
      eth_rq_init_attr, union doca_data, user_data)
FIELD(doca_verbs_eth_rq_init_attr_set_user_index, doca_verbs_eth_rq_init_attr_get_user_index,
      eth_rq_init_attr, uint32_t, user_index)
FIELD(doca_verbs_eth_rq_init_attr_set_wr_num, doca_verbs_eth_rq_init_attr_get_wr_num,
      eth_rq_init_attr, uint32_t, wr_num)
FIELD(doca_verbs_eth_rq_init_attr_set_max_sges, doca_verbs_eth_rq_init_attr_get_max_sges,
      eth_rq_init_attr, uint32_t, max_sges)
FIELD(doca_verbs_eth_rq_init_attr_set_queue_id, doca_verbs_eth_rq_init_attr_get_queue_id,
      eth_rq_init_attr, uint16_t, queue_id)
FIELD(doca_verbs_eth_rq_init_attr_set_external_datapath_en,
      doca_verbs_eth_rq_init_attr_get_external_datapath_en, eth_rq_init_attr, uint8_t,
      external_datapath_en)
FIELD(doca_verbs_eth_rq_init_attr_set_ts_source_type,
      doca_verbs_eth_rq_init_attr_get_ts_source_type, eth_rq_init_attr, uint8_t, ts_source_type)
FIELD(doca_verbs_eth_rq_init_attr_set_flush_in_error_en,
      doca_verbs_eth_rq_init_attr_get_flush_in_error_en, eth_rq_init_attr, uint8_t,
      flush_in_error_en)

GETTER(doca_verbs_eth_rq_init_attr_get_state, eth_rq_init_attr, enum doca_verbs_eth_rq_state, state)
OBJECT_FIELD(doca_verbs_eth_rq_init_attr_set_srq, doca_verbs_eth_rq_init_attr_get_srq,
             eth_rq_init_attr, struct doca_verbs_srq *, srq, verbs_srq_kind)
doca_error_t doca_verbs_eth_rq_create(struct doca_verbs_context *context,
                                      struct doca_verbs_eth_rq_init_attr *attr,
                                      struct doca_verbs_eth_rq **queue)
{
    void *handle = NULL;
    struct context *c = queue ? dpk_object_pin(context, &verbs_context_kind) : NULL;
    struct eth_rq_init_attr *a = c ? dpk_object_lock(attr, &verbs_eth_rq_init_attr_kind) : NULL;
    struct eth_wish wish = {.made.rq = a};
    if (a)
        COMMON_WISH(wish, a);
    if (a)
        wish.shares = a->srq;
    const doca_error_t result =
        dpk_object_unlock(a, a ? verbs_eth_new(c, &wish, &handle) : DOCA_SUCCESS);
    dpk_object_drop(c);
    if (queue)
        *queue = handle;
    return dpk_doca_end(context, __func__, result);
}

doca_error_t doca_verbs_eth_rq_destroy(struct doca_verbs_eth_rq *queue)
{
    return dpk_doca_destroy(queue, &verbs_eth_rq_kind, __func__);
}

doca_error_t doca_verbs_eth_rq_query(struct doca_verbs_eth_rq *queue,
                                     struct doca_verbs_eth_rq_init_attr *attr)
{
    struct eth_queue *q = dpk_object_lock(queue, &verbs_eth_rq_kind);
    struct eth_rq_init_attr *a = q ? dpk_object_lock(attr, &verbs_eth_rq_init_attr_kind) : NULL;
    if (a) {
        verbs_attr_copy(a, &q->made.rq, sizeof *a);
        a->state =
            verbs_eth_has_failed(q) ? DOCA_VERBS_ETH_RQ_STATE_ERR : DOCA_VERBS_ETH_RQ_STATE_RDY;
    }
    const doca_error_t result = dpk_object_unlock(a, DOCA_SUCCESS);
    return dpk_doca_end(queue, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_verbs_eth_rq_recover_from_error(struct doca_verbs_eth_rq *queue)
{
    struct eth_queue *q = dpk_object_lock(queue, &verbs_eth_rq_kind);
    return dpk_doca_end(queue, __func__,
                        dpk_object_unlock(q, q ? verbs_eth_recover(q) : DOCA_SUCCESS));
}

uint32_t doca_verbs_eth_rq_get_rq_hw_number(const struct doca_verbs_eth_rq *queue)
{
    return number_of(queue, &verbs_eth_rq_kind);
}

doca_error_t doca_verbs_eth_rq_get_dpa_handle(struct doca_verbs_eth_rq *queue, struct doca_dpa *dpa,
                                              doca_dpa_dev_verbs_eth_rq_t *handle)
{
    return dpk_doca_end(queue, __func__, handle_of(queue, &verbs_eth_rq_kind, dpa, handle));
}

void *doca_verbs_eth_rq_get_dbr_addr(const struct doca_verbs_eth_rq *queue)
{
    (void)queue;
    return NULL;
}

doca_error_t doca_verbs_eth_rq_get_wq(const struct doca_verbs_eth_rq *queue, void **address,
                                      uint32_t *entries, uint32_t *size)
{
    return dpk_doca_end(queue, __func__,
                        ring_of(queue, &verbs_eth_rq_kind, address, entries, size));
}
