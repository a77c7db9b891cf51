/*
 * doca_gpunetio_dev_rdma_verbs_cq: completions of queue pairs, for kernels, by indexes of 24 bits
 * (doca_gpunetio_rdma_verbs_def.h).
 *
 *     doca_gpu_dev_rdma_verbs_poll_cq_at<DOCA_GPUNETIO_RDMA_VERBS_RESOURCE_SHARING_MODE_GPU,
 *                                        DOCA_GPUNETIO_RDMA_VERBS_QP_SQ>(qp->cq_sq, index);
 */
#ifndef DOCA_GPUNETIO_DEV_RDMA_VERBS_CQ_CUH
#define DOCA_GPUNETIO_DEV_RDMA_VERBS_CQ_CUH

#include "doca_gpunetio_dev_verbs_cq.cuh"
#include "doca_gpunetio_rdma_verbs_def.h"

#define doca_gpu_dev_rdma_verbs_cqe_idx_inc_mask  doca_gpu_dev_verbs_cqe_idx_inc_mask
#define doca_gpu_dev_rdma_verbs_get_lane_id       doca_gpu_dev_verbs_get_lane_id
#define doca_gpu_dev_rdma_verbs_query_globaltimer doca_gpu_dev_verbs_query_globaltimer

/* Waits for the completion of an index, of which 24 bits count. Returns 0, also if it was consumed before; -EIO if the
 * operation has failed. */
template <enum doca_gpu_dev_rdma_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_RDMA_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_rdma_verbs_qp_type qp_type = DOCA_GPUNETIO_RDMA_VERBS_QP_SQ>
static __device__ __forceinline__ int
doca_gpu_dev_rdma_verbs_poll_cq_at(struct doca_gpu_dev_rdma_verbs_cq *cq, uint64_t cons_index)
{
    const uint64_t consumed = DOCA_GPUNETIO_VOLATILE(cq->of->cqe_ci);
    const uint64_t ahead = (cons_index - consumed) & DOCA_GPUNETIO_VERBS_CQE_CI_MASK;
    const bool is_past = ahead > DOCA_GPUNETIO_VERBS_CQE_CI_MASK / 2 && consumed > 0;
    const int result = doca_gpu_dev_verbs_poll_cq_at(cq->of, is_past ? consumed - 1 : consumed + ahead);
    DOCA_GPUNETIO_VOLATILE(cq->cqe_ci) =
        (uint32_t)DOCA_GPUNETIO_VOLATILE(cq->of->cqe_ci) & DOCA_GPUNETIO_VERBS_CQE_CI_MASK;
    return result;
}

#endif
