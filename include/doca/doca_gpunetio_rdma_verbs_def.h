/*
 * doca_gpunetio_rdma_verbs_def: queue pairs of kernels as the samples gpunetio_rdma_verbs_* of DOCA 3.2 use them; no
 * known release has this header. A completion queue is exported alone, before its queue pair, and indexes have 16 and 24
 * bits. All of it rests on doca_gpu_verbs_export_qp.
 *
 *     doca_gpu_rdma_verbs_export_cq(gpu, cq_sq, &of_cpu, &cq_sq_of_kernels);
 *     doca_gpu_rdma_verbs_export_qp(gpu, dev, qp, 0, rings, cq_sq_of_kernels, cq_rq_of_kernels, &qp_of_cpu,
 *                                   &qp_of_kernels);
 */
#ifndef DOCA_GPUNETIO_RDMA_VERBS_DEF_H
#define DOCA_GPUNETIO_RDMA_VERBS_DEF_H

#include "doca_gpunetio.h"
#include "doca_rdma_verbs.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_GPUNETIO_RDMA_VERBS_WARP_SIZE             DOCA_GPUNETIO_VERBS_WARP_SIZE
#define DOCA_GPUNETIO_RDMA_VERBS_WQE_PI_MASK           DOCA_GPUNETIO_VERBS_WQE_PI_MASK
#define DOCA_GPUNETIO_RDMA_VERBS_MLX5_CQE_OPCODE_SHIFT DOCA_GPUNETIO_VERBS_MLX5_CQE_OPCODE_SHIFT

#define doca_gpu_dev_rdma_verbs_addr           doca_gpu_dev_verbs_addr
#define doca_gpu_dev_rdma_verbs_ticket_t       doca_gpu_dev_verbs_ticket_t
#define doca_gpu_dev_rdma_verbs_wqe            doca_gpu_dev_verbs_wqe
#define doca_gpu_dev_rdma_verbs_wqe_ctrl_flags doca_gpu_dev_verbs_wqe_ctrl_flags

/* Which threads call a function: each on its own, or all of a warp. No function has the scope of a block. */
enum doca_gpu_dev_rdma_verbs_exec_scope {
    DOCA_GPUNETIO_RDMA_VERBS_EXEC_SCOPE_THREAD = 0,
    DOCA_GPUNETIO_RDMA_VERBS_EXEC_SCOPE_WARP,
    DOCA_GPUNETIO_RDMA_VERBS_EXEC_SCOPE_BLOCK,
};
/* Who rings the doorbell. The choice of doca_gpu_rdma_verbs_export_qp counts. */
enum doca_gpu_dev_rdma_verbs_nic_handler {
    DOCA_GPUNETIO_RDMA_VERBS_NIC_HANDLER_CPU_PROXY = 0,
    DOCA_GPUNETIO_RDMA_VERBS_NIC_HANDLER_GPU_SM,
};
/* Which threads use a queue: one, or all. All may always do so. */
enum doca_gpu_dev_rdma_verbs_resource_sharing_mode {
    DOCA_GPUNETIO_RDMA_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE = 0,
    DOCA_GPUNETIO_RDMA_VERBS_RESOURCE_SHARING_MODE_GPU,
};
enum doca_gpu_dev_rdma_verbs_qp_type {
    DOCA_GPUNETIO_RDMA_VERBS_QP_SQ = 0,
    DOCA_GPUNETIO_RDMA_VERBS_QP_RQ,
};

/* A completion queue of kernels. */
struct doca_gpu_dev_rdma_verbs_cq {
    uint32_t cqe_ci;                  /* completions that were consumed, 24 bits */
    struct doca_verbs_cq *of_cpu;     /* which was exported */
    struct doca_gpu_dev_verbs_cq *of; /* NULL until its queue pair is exported */
};
/* A queue pair of kernels. */
struct doca_gpu_dev_rdma_verbs_qp {
    uint32_t sq_wqe_pi; /* the next index to submit, 16 bits */
    uint32_t sq_num, rq_num;
    struct doca_gpu_dev_rdma_verbs_cq *cq_sq, *cq_rq;
    struct doca_gpu_dev_verbs_qp *of;
};

/* What programs have of both. */
struct doca_gpu_rdma_verbs_cq;
struct doca_gpu_rdma_verbs_qp;

/* Gives a completion queue to kernels. Errors: INVALID_VALUE for NULL, and of doca_gpu_mem_alloc. */
static inline doca_error_t doca_gpu_rdma_verbs_export_cq(struct doca_gpu *gpu_dev,
                                                         struct doca_verbs_cq *cq,
                                                         struct doca_gpu_rdma_verbs_cq **cq_cpu,
                                                         struct doca_gpu_dev_rdma_verbs_cq **cq_gpu)
{
    void *at = NULL, *same = NULL;
    if (!cq || !cq_cpu || !cq_gpu)
        return DOCA_ERROR_INVALID_VALUE;
    const doca_error_t result =
        doca_gpu_mem_alloc(gpu_dev, sizeof(struct doca_gpu_dev_rdma_verbs_cq), 64,
                           DOCA_GPU_MEM_TYPE_CPU_GPU, &at, &same);
    if (result != DOCA_SUCCESS)
        return result;
    *cq_gpu = (struct doca_gpu_dev_rdma_verbs_cq *)at;
    *cq_cpu = (struct doca_gpu_rdma_verbs_cq *)at;
    (*cq_gpu)->of_cpu = cq;
    return DOCA_SUCCESS;
}
/* No kernel may use the completion queue any more. Errors: of doca_gpu_mem_free. */
static inline doca_error_t doca_gpu_rdma_verbs_unexport_cq(struct doca_gpu *gpu_dev,
                                                           struct doca_gpu_rdma_verbs_cq *cq_cpu)
{
    return doca_gpu_mem_free(gpu_dev, cq_cpu);
}

/* Gives a queue pair with exported completion queues, or NULL, to kernels. `cpu_proxy`: not 0 if a thread of the
 * program passes the doorbell on. Errors: of doca_gpu_verbs_export_qp. */
static inline doca_error_t doca_gpu_rdma_verbs_export_qp(
    struct doca_gpu *gpu_dev, struct doca_dev *dev, struct doca_verbs_qp *qp, uint8_t cpu_proxy,
    void *gpu_qp_umem_dev_ptr, struct doca_gpu_dev_rdma_verbs_cq *cq_sq,
    struct doca_gpu_dev_rdma_verbs_cq *cq_rq, struct doca_gpu_rdma_verbs_qp **qp_cpu,
    struct doca_gpu_dev_rdma_verbs_qp **qp_gpu)
{
    void *at = NULL, *same = NULL;
    struct doca_gpu_verbs_qp *exported = NULL;
    struct doca_gpu_dev_verbs_qp *of = NULL;
    if (!qp_cpu || !qp_gpu)
        return DOCA_ERROR_INVALID_VALUE;
    doca_error_t result = doca_gpu_verbs_export_qp(
        gpu_dev, dev, qp,
        cpu_proxy ? DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY
                  : DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
        gpu_qp_umem_dev_ptr, cq_sq ? cq_sq->of_cpu : NULL, cq_rq ? cq_rq->of_cpu : NULL, &exported);
    if (result == DOCA_SUCCESS)
        result = doca_gpu_mem_alloc(gpu_dev, sizeof(struct doca_gpu_dev_rdma_verbs_qp), 64,
                                    DOCA_GPU_MEM_TYPE_CPU_GPU, &at, &same);
    if (result == DOCA_SUCCESS)
        result = doca_gpu_verbs_get_qp_dev(exported, &of);
    if (result != DOCA_SUCCESS) {
        if (exported)
            doca_gpu_verbs_unexport_qp(gpu_dev, exported);
        return result;
    }
    struct doca_gpu_dev_rdma_verbs_qp *q = (struct doca_gpu_dev_rdma_verbs_qp *)at;
    q->sq_num = q->rq_num = of->sq_num;
    q->cq_sq = cq_sq;
    q->cq_rq = cq_rq;
    q->of = of;
    if (cq_sq)
        cq_sq->of = &of->cq_sq;
    if (cq_rq)
        cq_rq->of = &of->cq_rq;
    of->user = q;
    *qp_gpu = q;
    *qp_cpu = (struct doca_gpu_rdma_verbs_qp *)exported;
    return DOCA_SUCCESS;
}
/* No kernel may use the queue pair any more. Errors: of doca_gpu_verbs_unexport_qp. */
static inline doca_error_t doca_gpu_rdma_verbs_unexport_qp(struct doca_gpu *gpu_dev,
                                                           struct doca_gpu_rdma_verbs_qp *qp_cpu)
{
    struct doca_gpu_verbs_qp *exported = (struct doca_gpu_verbs_qp *)qp_cpu;
    struct doca_gpu_dev_verbs_qp *of = NULL;
    doca_error_t result = doca_gpu_verbs_get_qp_dev(exported, &of);
    void *user = result == DOCA_SUCCESS ? of->user : NULL;
    if (result == DOCA_SUCCESS)
        result = doca_gpu_verbs_unexport_qp(gpu_dev, exported);
    return result == DOCA_SUCCESS ? doca_gpu_mem_free(gpu_dev, user) : result;
}
/* Passes the doorbell of kernels on, as doca_gpu_verbs_cpu_proxy_progress. */
static inline doca_error_t
doca_gpu_rdma_verbs_cpu_proxy_progress(struct doca_gpu_rdma_verbs_qp *qp_cpu)
{
    return doca_gpu_verbs_cpu_proxy_progress((struct doca_gpu_verbs_qp *)qp_cpu);
}

#ifdef __cplusplus
}
#endif

#endif
