/* Completion queues and queue pairs whose rings kernels of a GPU use: queues of the port in memory of the
 * program. Private to verbs. */
#ifndef DPK_API_DOCA_VERBS_GPU_QUEUES_H
#define DPK_API_DOCA_VERBS_GPU_QUEUES_H

#include "api/doca/memory/memory.h"
#include "api/nic/nic.h"
#include "verbs.h"

#define GPU_RECEIVE 16u /* bytes of a receive */
#define GPU_RECORD  8u  /* bytes of a doorbell record */

/* A ring or a record. */
struct gpu_memory {
    struct dpk_nic_memory ops; /* first */
    struct dpk_umem_place place;
    uint64_t size;
};
/* Returns false if the memory does not have the range. */
bool verbs_gpu_memory_find(struct gpu_memory *m, const struct doca_umem *umem, uint64_t offset,
                           uint64_t size);
/* Returns the logarithm of the least power of two that is not below a number. */
unsigned verbs_gpu_log2(uint32_t least);
/* Returns the DOCA error of the port, with its reason. */
doca_error_t verbs_gpu_error(const struct dpk_error *err);

/* What kernels have of a queue: addresses as the program named them. */
struct gpu_cq_facts {
    uint32_t number, entries;
    uint64_t ring, record;
};
struct gpu_qp_facts {
    uint32_t number, sends, receives;         /* works; 0: none */
    uint64_t send_ring, receive_ring, record; /* the record: receives, then sends, 4 bytes each */
    void *uar;                                /* the doorbell register */
};

struct gpu_cq {
    struct dpk_nic_listener listener; /* first */
    struct gpu_memory memory;         /* of the ring, and the record after it */
    unsigned log_depth;
    struct dpk_queue *queue;
};
/* Makes a queue of `entries`, rounded up to a power of two, at `offset` of memory that also has room for 8 bytes
 * more, the doorbell record. Errors: INVALID_VALUE, DRIVER without a port, NO_MEMORY. */
doca_error_t verbs_gpu_cq_new(struct ibv_context *context, uint32_t entries, bool overruns,
                              const struct doca_umem *umem, uint64_t offset, struct gpu_cq **out);
/* NULL is ignored, as in verbs_gpu_qp_free. */
void verbs_gpu_cq_free(struct gpu_cq *q);
struct gpu_cq_facts verbs_gpu_cq_facts(const struct gpu_cq *q);

struct gpu_qp;
/* Makes a queue pair, whose completion queues are in `send` and `receive`, or NULL. Errors: as of
 * doca_verbs_qp_create. */
doca_error_t verbs_gpu_qp_new(struct ibv_pd *pd, const struct qp_init_attr *a,
                              const struct gpu_cq *send, const struct gpu_cq *receive,
                              struct gpu_qp **out);
void verbs_gpu_qp_free(struct gpu_qp *q);
doca_error_t verbs_gpu_qp_modify(struct gpu_qp *q, const struct ibv_qp_attr *a, int mask);
struct gpu_qp_facts verbs_gpu_qp_facts(const struct gpu_qp *q);

#endif
