/* Ethernet queues of the DPA. Emulated devices do not have them, but their attributes can be
 * set. */
#include "api/doca/dpa/dpa.h"
#include "api/doca/memory/memory.h"
#include "verbs.h"

static doca_error_t cannot(const char *call)
{
    dpk_doca_log(DOCA_LOG_LEVEL_ERROR,
                 "%s: queues of Ethernet of the DPA are not emulated in DOCA Verbs; DPA code has "
                 "them by FlexIO, programs of the CPU by DOCA Ethernet",
                 call);
    return DOCA_ERROR_NOT_SUPPORTED;
}

/* Members of both types. */
#define COMMON_MEMBERS                                                                             \
    struct dpk_object object;                                                                      \
    struct doca_verbs_pd *pd;                                                                      \
    struct doca_verbs_cq *cq;                                                                      \
    struct doca_dpa *dpa;                                                                          \
    struct doca_dpa_completion *dpa_completion;                                                    \
    struct doca_umem *external_umem, *external_dbr_umem;                                           \
    uint64_t external_umem_offset, external_dbr_umem_offset;                                       \
    union doca_data user_data;                                                                     \
    uint32_t wr_num, max_sges, user_index;                                                         \
    uint16_t queue_id;                                                                             \
    uint8_t external_datapath_en, ts_source_type, flush_in_error_en;

struct eth_sq_init_attr {
    COMMON_MEMBERS
    struct doca_uar *external_uar;
    int sig_all;
    uint32_t max_inline_data;
    uint8_t allow_multi_pkt_send_wqe, plane_index;
};

struct eth_rq_init_attr {
    COMMON_MEMBERS
    struct doca_verbs_srq *srq;
};

/* Functions of a queue, which cannot exist. */
#define NO_QUEUE(result, function, arguments, ...)                                                 \
    result function arguments                                                                      \
    {                                                                                              \
        (void)queue;                                                                               \
        return __VA_ARGS__;                                                                        \
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

enum doca_verbs_eth_sq_state
doca_verbs_eth_sq_init_attr_get_state(const struct doca_verbs_eth_sq_init_attr *attr)
{
    (void)attr;
    return 0; /* RST: no queue was queried */
}
doca_error_t doca_verbs_eth_sq_create(struct doca_verbs_context *context,
                                      struct doca_verbs_eth_sq_init_attr *attr,
                                      struct doca_verbs_eth_sq **queue)
{
    if (queue)
        *queue = NULL;
    return queue && context && attr && verbs_is_a(context, &verbs_context_kind) &&
                   verbs_is_a(attr, &verbs_eth_sq_init_attr_kind)
               ? cannot(__func__)
               : DOCA_ERROR_INVALID_VALUE;
}
NO_QUEUE(doca_error_t, doca_verbs_eth_sq_destroy, (struct doca_verbs_eth_sq * queue),
         DOCA_ERROR_INVALID_VALUE)
NO_QUEUE(doca_error_t, doca_verbs_eth_sq_query,
         (struct doca_verbs_eth_sq * queue, struct doca_verbs_eth_sq_init_attr *attr), (void)attr,
         DOCA_ERROR_INVALID_VALUE)
NO_QUEUE(doca_error_t, doca_verbs_eth_sq_recover_from_error, (struct doca_verbs_eth_sq * queue),
         DOCA_ERROR_INVALID_VALUE)
NO_QUEUE(uint32_t, doca_verbs_eth_sq_get_sq_hw_number, (const struct doca_verbs_eth_sq *queue), 0)
NO_QUEUE(void *, doca_verbs_eth_sq_get_dbr_addr, (const struct doca_verbs_eth_sq *queue), NULL)
NO_QUEUE(doca_error_t, doca_verbs_eth_sq_get_dpa_handle,
         (struct doca_verbs_eth_sq * queue, struct doca_dpa *dpa,
          doca_dpa_dev_verbs_eth_sq_t *handle),
         (void)dpa, (void)handle, DOCA_ERROR_INVALID_VALUE)
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
NO_QUEUE(void *, doca_verbs_eth_sq_get_uar_addr, (const struct doca_verbs_eth_sq *queue), NULL)
NO_QUEUE(doca_error_t, doca_verbs_eth_sq_get_wq,
         (const struct doca_verbs_eth_sq *queue, void **address, uint32_t *entries), (void)address,
         (void)entries, DOCA_ERROR_INVALID_VALUE)

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

enum doca_verbs_eth_rq_state
doca_verbs_eth_rq_init_attr_get_state(const struct doca_verbs_eth_rq_init_attr *attr)
{
    (void)attr;
    return 0; /* RST: no queue was queried */
}
doca_error_t doca_verbs_eth_rq_create(struct doca_verbs_context *context,
                                      struct doca_verbs_eth_rq_init_attr *attr,
                                      struct doca_verbs_eth_rq **queue)
{
    if (queue)
        *queue = NULL;
    return queue && context && attr && verbs_is_a(context, &verbs_context_kind) &&
                   verbs_is_a(attr, &verbs_eth_rq_init_attr_kind)
               ? cannot(__func__)
               : DOCA_ERROR_INVALID_VALUE;
}
NO_QUEUE(doca_error_t, doca_verbs_eth_rq_destroy, (struct doca_verbs_eth_rq * queue),
         DOCA_ERROR_INVALID_VALUE)
NO_QUEUE(doca_error_t, doca_verbs_eth_rq_query,
         (struct doca_verbs_eth_rq * queue, struct doca_verbs_eth_rq_init_attr *attr), (void)attr,
         DOCA_ERROR_INVALID_VALUE)
NO_QUEUE(doca_error_t, doca_verbs_eth_rq_recover_from_error, (struct doca_verbs_eth_rq * queue),
         DOCA_ERROR_INVALID_VALUE)
NO_QUEUE(uint32_t, doca_verbs_eth_rq_get_rq_hw_number, (const struct doca_verbs_eth_rq *queue), 0)
NO_QUEUE(void *, doca_verbs_eth_rq_get_dbr_addr, (const struct doca_verbs_eth_rq *queue), NULL)
NO_QUEUE(doca_error_t, doca_verbs_eth_rq_get_dpa_handle,
         (struct doca_verbs_eth_rq * queue, struct doca_dpa *dpa,
          doca_dpa_dev_verbs_eth_rq_t *handle),
         (void)dpa, (void)handle, DOCA_ERROR_INVALID_VALUE)
OBJECT_FIELD(doca_verbs_eth_rq_init_attr_set_srq, doca_verbs_eth_rq_init_attr_get_srq,
             eth_rq_init_attr, struct doca_verbs_srq *, srq, verbs_srq_kind)
NO_QUEUE(doca_error_t, doca_verbs_eth_rq_get_wq,
         (const struct doca_verbs_eth_rq *queue, void **address, uint32_t *entries, uint32_t *size),
         (void)address, (void)entries, (void)size, DOCA_ERROR_INVALID_VALUE)
