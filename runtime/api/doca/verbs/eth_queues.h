/* Declarations that the attributes of Ethernet queues and the queues share. Private to verbs. */
#ifndef DPK_API_DOCA_VERBS_ETH_QUEUES_H
#define DPK_API_DOCA_VERBS_ETH_QUEUES_H

#include "api/doca/memory/memory.h"
#include "api/nic/nic.h"
#include "dpa_queues.h"

/* Members of both types of attributes. */
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
    enum doca_verbs_eth_sq_state state; /* RST, unless they are of a queue */
    struct doca_uar *external_uar;
    int sig_all;
    uint32_t max_inline_data;
    uint8_t allow_multi_pkt_send_wqe, plane_index;
};

struct eth_rq_init_attr {
    COMMON_MEMBERS
    enum doca_verbs_eth_rq_state state;
    struct doca_verbs_srq *srq;
};

/* What both kinds of queues are made of. */
struct eth_wish {
    union {
        const struct eth_sq_init_attr *sq;
        const struct eth_rq_init_attr *rq;
    } made; /* the attributes, which the queue copies */
    bool sends, all_signaled;
    struct doca_verbs_pd *pd;
    struct doca_verbs_cq *cq;
    struct doca_verbs_srq *shares;
    struct doca_dpa *dpa;
    struct doca_dpa_completion *dpa_completion;
    struct doca_umem *external_umem, *external_dbr_umem;
    uint64_t external_umem_offset, external_dbr_umem_offset;
    struct doca_uar *external_uar;
    uint32_t wr_num, max_sges, user_index;
    uint16_t queue_id;
    uint8_t external_datapath_en, ts_source_type;
};

/* Fills the members of a wish that both types of attributes have. */
#define COMMON_WISH(wish, a)                                                                       \
    do {                                                                                           \
        (wish).pd = (a)->pd;                                                                       \
        (wish).cq = (a)->cq;                                                                       \
        (wish).dpa = (a)->dpa;                                                                     \
        (wish).dpa_completion = (a)->dpa_completion;                                               \
        (wish).external_umem = (a)->external_umem;                                                 \
        (wish).external_dbr_umem = (a)->external_dbr_umem;                                         \
        (wish).external_umem_offset = (a)->external_umem_offset;                                   \
        (wish).external_dbr_umem_offset = (a)->external_dbr_umem_offset;                           \
        (wish).wr_num = (a)->wr_num;                                                               \
        (wish).max_sges = (a)->max_sges;                                                           \
        (wish).user_index = (a)->user_index;                                                       \
        (wish).queue_id = (a)->queue_id;                                                           \
        (wish).external_datapath_en = (a)->external_datapath_en;                                   \
        (wish).ts_source_type = (a)->ts_source_type;                                               \
    } while (0)

/* Memory of a DPA process that the port reads by its ops, while the context runs. */
struct eth_memory {
    struct dpk_nic_memory ops; /* first */
    struct dpk_dpa *base;      /* a reference */
    uint64_t run;
};

/* A completion queue of the port, in memory of this process: its ring, then its record. */
struct eth_completions {
    struct dpk_nic_memory ops; /* first */
    uint8_t *bytes;
    uint32_t consumed;
};

struct eth_queue {
    struct dpk_object object;
    struct dpk_nic_listener listener;
    struct context *context; /* a use, as are the next two */
    struct pd *pd;
    struct dpk_dpa_completion *completion;
    struct dpk_dpa *dpa; /* a reference: the context that knows the id of a receive queue */
    struct dpk_queues *nic;
    struct dpk_queue *cq, *queue; /* NULL: ended */
    struct eth_memory memory;
    struct eth_completions completions;
    uint64_t ring, record, owned; /* addresses in DPA memory; `owned`: 0, or allocated for it */
    unsigned log_depth, log_size; /* log2 of entries, and of bytes of an entry */
    uint32_t segments, user_index;
    bool sends, all_signaled, is_known; /* `is_known`: the context knows its id */
    uint32_t posted;                    /* requests, which wrap, */
    uint16_t blocks;                    /* and entries that a send queue has filled, */
    uint16_t sent;                      /* and those that the port has carried out */
    uint32_t *counts;                   /* of a send queue, by entry: the count of its request */
    _Atomic uint32_t done;              /* receives that have ended */
    union {
        struct eth_sq_init_attr sq;
        struct eth_rq_init_attr rq;
    } made; /* the attributes of its creation; `object` is unused */
};
extern const struct dpk_kind verbs_eth_sq_kind, verbs_eth_rq_kind;

/* Creates a queue; *out is its handle. Stores the reason of a failure. Errors: INVALID_VALUE for attributes
 * that are missing or do not fit together, NOT_SUPPORTED if the queue is not for DPA code, ALREADY_EXIST
 * if the device has a receive queue of that id, NO_MEMORY, BAD_STATE if the DPA context is not started,
 * OPERATING_SYSTEM if the port does not work. */
doca_error_t verbs_eth_new(struct context *c, const struct eth_wish *wish, void **out);
/* These are called with the lock of the queue. */
bool verbs_eth_has_failed(const struct eth_queue *q);
/* Takes a queue out of the error state. Errors: BAD_STATE if it is not in that state. */
doca_error_t verbs_eth_recover(struct eth_queue *q);
/* Writes `size` bytes of the ring from an entry on, around its end. Returns false if the context has
 * stopped. */
bool verbs_eth_store(const struct eth_queue *q, uint32_t entry, const uint8_t *bytes, size_t size);
/* Announces the posted receives to the port. */
void verbs_eth_release(const struct eth_queue *q);

#endif
