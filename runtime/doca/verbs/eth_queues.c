/* Queues of Ethernet of the DPA, which emulated devices do not have: what they shall be like can be said. */
#include "doca/dpa/dpa.h"
#include "doca/memory/memory.h"
#include "verbs.h"

static doca_error_t cannot(const char *call)
{
    dpk_doca_log(DOCA_LOG_LEVEL_ERROR,
                 "%s: queues of Ethernet of the DPA are not emulated in DOCA Verbs; DPA code has "
                 "them by FlexIO, programs of the CPU by DOCA Ethernet",
                 call);
    return DOCA_ERROR_NOT_SUPPORTED;
}

/* What both kinds of queues are made of. */
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

/* A queue that is not there: what a function returns of it. */
#define NO_QUEUE(result, function, arguments, ...)                                                 \
    result function arguments                                                                      \
    {                                                                                              \
        (void)queue;                                                                               \
        return __VA_ARGS__;                                                                        \
    }

/* doca_verbs_eth_QUEUE_init_attr and doca_verbs_eth_QUEUE. */
#define ETH_QUEUE(kind)                                                                            \
    LIFE(eth_##kind##_init_attr)                                                                   \
    OBJECT_FIELD(eth_##kind##_init_attr, struct doca_verbs_pd *, pd, pd_kind)                      \
    OBJECT_FIELD(eth_##kind##_init_attr, struct doca_verbs_cq *, cq, cq_kind)                      \
    OBJECT_FIELD(eth_##kind##_init_attr, struct doca_dpa *, dpa, dpk_dpa_kind)                     \
    OBJECT_FIELD(eth_##kind##_init_attr, struct doca_dpa_completion *, dpa_completion,             \
                 dpk_completion_kind)                                                              \
    PLACE_FIELD(eth_##kind##_init_attr, external_umem)                                             \
    PLACE_FIELD(eth_##kind##_init_attr, external_dbr_umem)                                         \
    FIELD(eth_##kind##_init_attr, union doca_data, user_data)                                      \
    FIELD(eth_##kind##_init_attr, uint32_t, user_index)                                            \
    FIELD(eth_##kind##_init_attr, uint32_t, wr_num)                                                \
    FIELD(eth_##kind##_init_attr, uint32_t, max_sges)                                              \
    FIELD(eth_##kind##_init_attr, uint16_t, queue_id)                                              \
    FIELD(eth_##kind##_init_attr, uint8_t, external_datapath_en)                                   \
    FIELD(eth_##kind##_init_attr, uint8_t, ts_source_type)                                         \
    FIELD(eth_##kind##_init_attr, uint8_t, flush_in_error_en)                                      \
                                                                                                   \
    enum doca_verbs_eth_##kind##_state doca_verbs_eth_##kind##_init_attr_get_state(                \
        const struct doca_verbs_eth_##kind##_init_attr *attr)                                      \
    {                                                                                              \
        (void)attr;                                                                                \
        return 0; /* RST: none was queried */                                                      \
    }                                                                                              \
    doca_error_t doca_verbs_eth_##kind##_create(struct doca_verbs_context *context,                \
                                                struct doca_verbs_eth_##kind##_init_attr *attr,    \
                                                struct doca_verbs_eth_##kind **queue)              \
    {                                                                                              \
        if (queue)                                                                                 \
            *queue = NULL;                                                                         \
        return queue && context && attr && is_a(context, &context_kind) &&                         \
                       is_a(attr, &eth_##kind##_init_attr_kind)                                    \
                   ? cannot(__func__)                                                              \
                   : DOCA_ERROR_INVALID_VALUE;                                                     \
    }                                                                                              \
    NO_QUEUE(doca_error_t, doca_verbs_eth_##kind##_destroy,                                        \
             (struct doca_verbs_eth_##kind * queue), DOCA_ERROR_INVALID_VALUE)                     \
    NO_QUEUE(                                                                                      \
        doca_error_t, doca_verbs_eth_##kind##_query,                                               \
        (struct doca_verbs_eth_##kind * queue, struct doca_verbs_eth_##kind##_init_attr * attr),   \
        (void)attr, DOCA_ERROR_INVALID_VALUE)                                                      \
    NO_QUEUE(doca_error_t, doca_verbs_eth_##kind##_recover_from_error,                             \
             (struct doca_verbs_eth_##kind * queue), DOCA_ERROR_INVALID_VALUE)                     \
    NO_QUEUE(uint32_t, doca_verbs_eth_##kind##_get_##kind##_hw_number,                             \
             (const struct doca_verbs_eth_##kind *queue), 0)                                       \
    NO_QUEUE(void *, doca_verbs_eth_##kind##_get_dbr_addr,                                         \
             (const struct doca_verbs_eth_##kind *queue), NULL)                                    \
    NO_QUEUE(doca_error_t, doca_verbs_eth_##kind##_get_dpa_handle,                                 \
             (struct doca_verbs_eth_##kind * queue, struct doca_dpa * dpa,                         \
              doca_dpa_dev_verbs_eth_##kind##_t * handle),                                         \
             (void)dpa, (void)handle, DOCA_ERROR_INVALID_VALUE)

/* ---- Send queues ---- */

ETH_QUEUE(sq)
FIELD(eth_sq_init_attr, int, sig_all)
FIELD(eth_sq_init_attr, uint32_t, max_inline_data)
FIELD(eth_sq_init_attr, uint8_t, allow_multi_pkt_send_wqe)
FIELD(eth_sq_init_attr, uint8_t, plane_index)
UAR_FIELD(eth_sq_init_attr, external_uar)
NO_QUEUE(void *, doca_verbs_eth_sq_get_uar_addr, (const struct doca_verbs_eth_sq *queue), NULL)
NO_QUEUE(doca_error_t, doca_verbs_eth_sq_get_wq,
         (const struct doca_verbs_eth_sq *queue, void **address, uint32_t *entries), (void)address,
         (void)entries, DOCA_ERROR_INVALID_VALUE)

/* ---- Receive queues ---- */

ETH_QUEUE(rq)
OBJECT_FIELD(eth_rq_init_attr, struct doca_verbs_srq *, srq, srq_kind)
NO_QUEUE(doca_error_t, doca_verbs_eth_rq_get_wq,
         (const struct doca_verbs_eth_rq *queue, void **address, uint32_t *entries, uint32_t *size),
         (void)address, (void)entries, (void)size, DOCA_ERROR_INVALID_VALUE)
