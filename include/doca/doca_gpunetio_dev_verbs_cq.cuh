/*
 * doca_gpunetio_dev_verbs_cq: completions of queue pairs, for kernels.
 *
 *     if (doca_gpu_dev_verbs_poll_cq_at(doca_gpu_dev_verbs_qp_get_cq_sq(qp), ticket) != 0)
 *         printf("the operation has failed\n");
 *
 * Any thread may poll, and several threads may poll the same completion. Completions count from 0, modulo nothing:
 * if each WQE asks for a completion, as those of the functions for puts, gets, sends and receives do, the completion
 * of a WQE has the WQE's index.
 */
#ifndef DOCA_GPUNETIO_DEV_VERBS_CQ_CUH
#define DOCA_GPUNETIO_DEV_VERBS_CQ_CUH

#include "doca_gpunetio_dev_verbs_common.cuh"

/* Return the completion queues of sends and of receives. */
static __device__ __forceinline__ struct doca_gpu_dev_verbs_cq *
doca_gpu_dev_verbs_qp_get_cq_sq(struct doca_gpu_dev_verbs_qp *qp)
{
    return &qp->cq_sq;
}
static __device__ __forceinline__ struct doca_gpu_dev_verbs_cq *
doca_gpu_dev_verbs_qp_get_cq_rq(struct doca_gpu_dev_verbs_qp *qp)
{
    return &qp->cq_rq;
}

/* Adds to an index of 24 bits. */
static __device__ __forceinline__ uint32_t doca_gpu_dev_verbs_cqe_idx_inc_mask(uint32_t cqe_idx,
                                                                               uint32_t increment)
{
    return (cqe_idx + increment) & DOCA_GPUNETIO_VERBS_CQE_CI_MASK;
}

/* Tells the NIC that completions before `ci` are consumed. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ uint32_t
doca_gpu_dev_verbs_cq_update_dbrec(struct doca_gpu_dev_verbs_cq *cq, uint32_t ci)
{
    const uint32_t word = doca_gpu_dev_verbs_bswap32(ci & DOCA_GPUNETIO_VERBS_CQE_CI_MASK);
    DOCA_GPUNETIO_VOLATILE(*cq->dbrec) = word;
    return word;
}

enum {
    DOCA_GPUNETIO_VERBS_POLL_BUSY = 16, /* EBUSY: there is no completion yet */
    DOCA_GPUNETIO_VERBS_POLL_FAILED = -5, /* -EIO */
};

/* Looks once for the completion `cons_index`. Returns 0 if the operation has succeeded, or its completion was
 * consumed before; DOCA_GPUNETIO_VERBS_POLL_BUSY without a completion; -EIO if the operation has failed, and for
 * every completion from then on: the queue pair does nothing more. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
static __device__ __forceinline__ int
doca_gpu_dev_verbs_poll_one_cq_at(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index)
{
    if (cons_index < doca_gpu_dev_verbs_atomic_read<uint64_t, sharing>(&cq->cqe_ci))
        return DOCA_GPUNETIO_VOLATILE(cq->failed) ? DOCA_GPUNETIO_VERBS_POLL_FAILED : 0;
    uint8_t *cqe = cq->cqe_daddr + (cons_index & cq->cqe_mask) * DOCA_GPUNETIO_VERBS_CQE_SIZE;
    const uint8_t op_own = DOCA_GPUNETIO_VOLATILE(cqe[DOCA_GPUNETIO_VERBS_CQE_SIZE - 1]);
    const uint8_t opcode = op_own >> DOCA_GPUNETIO_VERBS_MLX5_CQE_OPCODE_SHIFT;
    const bool odd_round = (cons_index & cq->cqe_num) != 0;
    if (opcode == DOCA_GPUNETIO_MLX5_CQE_INVALID ||
        ((op_own & DOCA_GPUNETIO_MLX5_CQE_OWNER_MASK) != 0) != odd_round)
        return DOCA_GPUNETIO_VERBS_POLL_BUSY;
    doca_gpu_dev_verbs_fence_acquire<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>();
    if (opcode == DOCA_GPUNETIO_MLX5_CQE_REQ_ERR || opcode == DOCA_GPUNETIO_MLX5_CQE_RESP_ERR)
        DOCA_GPUNETIO_VOLATILE(cq->failed) = 1;
    const uint64_t before =
        doca_gpu_dev_verbs_atomic_max<uint64_t, sharing>(&cq->cqe_ci, cons_index + 1);
    if (before <= cons_index)
        doca_gpu_dev_verbs_cq_update_dbrec<sharing>(cq, (uint32_t)(cons_index + 1));
    return DOCA_GPUNETIO_VOLATILE(cq->failed) ? DOCA_GPUNETIO_VERBS_POLL_FAILED : 0;
}

/* As doca_gpu_dev_verbs_poll_one_cq_at, and waits for the completion. All completions before it count as consumed,
 * too. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
static __device__ __forceinline__ int
doca_gpu_dev_verbs_poll_cq_at(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index)
{
    int result;
    do
        result = doca_gpu_dev_verbs_poll_one_cq_at<sharing, qp_type>(cq, cons_index);
    while (result == DOCA_GPUNETIO_VERBS_POLL_BUSY);
    return result;
}

/* Waits for the next `count` completions that are not consumed. Returns 0, or -EIO if one of them is an error. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
static __device__ __forceinline__ int doca_gpu_dev_verbs_poll_cq(struct doca_gpu_dev_verbs_cq *cq,
                                                                 uint32_t count)
{
    const uint64_t first = doca_gpu_dev_verbs_atomic_read<uint64_t, sharing>(&cq->cqe_ci);
    int result = 0;
    for (uint32_t i = 0; i < count && result == 0; i++)
        result = doca_gpu_dev_verbs_poll_cq_at<sharing, qp_type>(cq, first + i);
    return result;
}

#endif
