/* Queues of Ethernet of the DPA, which emulated devices do not have: what they shall be like can be said. */
#include "doca/dpa/dpa.h"
#include "verbs.h"

static doca_error_t cannot(const char *call)
{
    dpk_doca_log(DOCA_LOG_LEVEL_ERROR,
                 "%s: queues of Ethernet of the DPA are not emulated in DOCA Verbs; DPA code has "
                 "them by FlexIO, programs of the CPU by DOCA Ethernet",
                 call);
    return DOCA_ERROR_NOT_SUPPORTED;
}

/* doca_verbs_eth_QUEUE_init_attr and doca_verbs_eth_QUEUE. */
#define ETH_QUEUE(queue)                                                                           \
    struct eth_##queue##_init_attr {                                                               \
        struct dpk_object object;                                                                  \
        struct doca_verbs_pd *pd;                                                                  \
        struct doca_dpa *dpa;                                                                      \
        struct doca_dpa_completion *dpa_completion;                                                \
        uint32_t wr_num, max_sges;                                                                 \
        uint16_t queue_id;                                                                         \
        uint8_t external_datapath_en, ts_source_type;                                              \
    };                                                                                             \
    LIFE(eth_##queue##_init_attr)                                                                  \
    OBJECT_FIELD(eth_##queue##_init_attr, struct doca_verbs_pd *, pd, pd_kind)                     \
    OBJECT_FIELD(eth_##queue##_init_attr, struct doca_dpa *, dpa, dpk_dpa_kind)                    \
    OBJECT_FIELD(eth_##queue##_init_attr, struct doca_dpa_completion *, dpa_completion,            \
                 dpk_completion_kind)                                                              \
    FIELD(eth_##queue##_init_attr, uint8_t, external_datapath_en)                                  \
    FIELD(eth_##queue##_init_attr, uint16_t, queue_id)                                             \
    FIELD(eth_##queue##_init_attr, uint32_t, wr_num)                                               \
    FIELD(eth_##queue##_init_attr, uint32_t, max_sges)                                             \
    FIELD(eth_##queue##_init_attr, uint8_t, ts_source_type)                                        \
                                                                                                   \
    doca_error_t doca_verbs_eth_##queue##_create(struct doca_verbs_context *context,               \
                                                 struct doca_verbs_eth_##queue##_init_attr *attr,  \
                                                 struct doca_verbs_eth_##queue **eth_##queue)      \
    {                                                                                              \
        if (eth_##queue)                                                                           \
            *eth_##queue = NULL;                                                                   \
        return eth_##queue && context && attr && is_a(context, &context_kind) &&                   \
                       is_a(attr, &eth_##queue##_init_attr_kind)                                   \
                   ? cannot(__func__)                                                              \
                   : DOCA_ERROR_INVALID_VALUE;                                                     \
    }                                                                                              \
    doca_error_t doca_verbs_eth_##queue##_destroy(struct doca_verbs_eth_##queue *eth_##queue)      \
    {                                                                                              \
        (void)eth_##queue;                                                                         \
        return DOCA_ERROR_INVALID_VALUE;                                                           \
    }                                                                                              \
    doca_error_t doca_verbs_eth_##queue##_get_dpa_handle(                                          \
        struct doca_verbs_eth_##queue *eth_##queue, struct doca_dpa *dpa,                          \
        doca_dpa_dev_verbs_eth_##queue##_t *eth_##queue##_handle)                                  \
    {                                                                                              \
        (void)eth_##queue;                                                                         \
        (void)dpa;                                                                                 \
        (void)eth_##queue##_handle;                                                                \
        return DOCA_ERROR_INVALID_VALUE;                                                           \
    }

ETH_QUEUE(sq)
ETH_QUEUE(rq)
