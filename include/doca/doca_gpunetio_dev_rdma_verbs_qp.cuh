/*
 * doca_gpunetio_dev_rdma_verbs_qp: kernels that write WQEs by indexes of 16 bits (doca_gpunetio_rdma_verbs_def.h).
 * The functions are those of doca_gpunetio_dev_verbs_qp.cuh without reservations: the program chooses the indexes, and
 * one thread submits.
 *
 *     uint32_t i = doca_gpu_dev_rdma_verbs_wqe_idx_inc_mask(qp->sq_wqe_pi, threadIdx.x);
 *     doca_gpu_dev_rdma_verbs_wqe_prepare_nop(qp, doca_gpu_dev_rdma_verbs_get_wqe_ptr(qp, i), i, flags);
 *     doca_gpu_dev_rdma_verbs_submit_inc(qp, blockDim.x);             // after a barrier, by one thread
 */
#ifndef DOCA_GPUNETIO_DEV_RDMA_VERBS_QP_CUH
#define DOCA_GPUNETIO_DEV_RDMA_VERBS_QP_CUH

#include "doca_gpunetio_dev_rdma_verbs_cq.cuh"
#include "doca_gpunetio_dev_verbs_qp.cuh"

/* Adds to an index of 16 bits. */
static __device__ __forceinline__ uint32_t doca_gpu_dev_rdma_verbs_wqe_idx_inc_mask(uint32_t wqe_idx,
                                                                                    uint32_t increment)
{
    return (wqe_idx + increment) & DOCA_GPUNETIO_RDMA_VERBS_WQE_PI_MASK;
}

/* Returns the place of an index in the ring of sends. */
static __device__ __forceinline__ struct doca_gpu_dev_verbs_wqe *
doca_gpu_dev_rdma_verbs_get_wqe_ptr(struct doca_gpu_dev_rdma_verbs_qp *qp, uint32_t wqe_idx)
{
    return doca_gpu_dev_verbs_get_wqe_ptr(qp->of, (uint16_t)wqe_idx);
}

/* Write WQEs, as their namesakes. */
static __device__ __forceinline__ void doca_gpu_dev_rdma_verbs_wqe_prepare_write(
    struct doca_gpu_dev_rdma_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr,
    const uint16_t wqe_idx, const uint32_t opcode,
    enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint32_t immediate,
    const uint64_t raddr, const uint32_t rkey, const uint64_t laddr0, const uint32_t lkey0,
    const uint32_t bytes0)
{
    doca_gpu_dev_verbs_wqe_prepare_write(qp->of, wqe_ptr, wqe_idx, opcode, ctrl_flags, immediate,
                                         raddr, rkey, laddr0, lkey0, bytes0);
}
static __device__ __forceinline__ void doca_gpu_dev_rdma_verbs_wqe_prepare_write_inl(
    struct doca_gpu_dev_rdma_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr,
    const uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags,
    const uint64_t raddr, const uint32_t rkey, const uint64_t laddr, const uint32_t bytes)
{
    doca_gpu_dev_verbs_wqe_prepare_write_inl(qp->of, wqe_ptr, wqe_idx, ctrl_flags, raddr, rkey, laddr,
                                             bytes);
}
static __device__ __forceinline__ void doca_gpu_dev_rdma_verbs_wqe_prepare_send(
    struct doca_gpu_dev_rdma_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr,
    const uint16_t wqe_idx, const uint32_t opcode,
    enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint32_t immediate,
    const uint64_t laddr0, const uint32_t lkey0, const uint32_t bytes0)
{
    doca_gpu_dev_verbs_wqe_prepare_send(qp->of, wqe_ptr, wqe_idx, opcode, ctrl_flags, immediate,
                                        laddr0, lkey0, bytes0);
}
static __device__ __forceinline__ void
doca_gpu_dev_rdma_verbs_wqe_prepare_nop(struct doca_gpu_dev_rdma_verbs_qp *qp,
                                        struct doca_gpu_dev_verbs_wqe *wqe_ptr,
                                        const uint16_t wqe_idx,
                                        enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags)
{
    doca_gpu_dev_verbs_wqe_prepare_nop(qp->of, wqe_ptr, wqe_idx, ctrl_flags);
}

/* Submits the next `count` sends, or receives, that are written. */
template <enum doca_gpu_dev_rdma_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_RDMA_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_rdma_verbs_nic_handler nic_handler = DOCA_GPUNETIO_RDMA_VERBS_NIC_HANDLER_GPU_SM,
          enum doca_gpu_dev_rdma_verbs_qp_type qp_type = DOCA_GPUNETIO_RDMA_VERBS_QP_SQ>
static __device__ __forceinline__ void
doca_gpu_dev_rdma_verbs_submit_inc(struct doca_gpu_dev_rdma_verbs_qp *qp, uint32_t count)
{
    if (qp_type == DOCA_GPUNETIO_RDMA_VERBS_QP_RQ) {
        doca_gpu_dev_verbs_submit_recv(qp->of, DOCA_GPUNETIO_VOLATILE(qp->of->rq_wqe_pi) + count);
        return;
    }
    const uint64_t end = DOCA_GPUNETIO_VOLATILE(qp->of->sq_wqe_pi) + count;
    DOCA_GPUNETIO_VOLATILE(qp->sq_wqe_pi) = (uint32_t)end & DOCA_GPUNETIO_RDMA_VERBS_WQE_PI_MASK;
    doca_gpu_dev_verbs_submit(qp->of, end);
}

/* Submits all sends, or receives, before an index. */
template <enum doca_gpu_dev_rdma_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_RDMA_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_rdma_verbs_nic_handler nic_handler = DOCA_GPUNETIO_RDMA_VERBS_NIC_HANDLER_GPU_SM,
          enum doca_gpu_dev_rdma_verbs_qp_type qp_type = DOCA_GPUNETIO_RDMA_VERBS_QP_SQ>
static __device__ __forceinline__ void
doca_gpu_dev_rdma_verbs_submit(struct doca_gpu_dev_rdma_verbs_qp *qp, uint32_t prod_index)
{
    const uint64_t begin = qp_type == DOCA_GPUNETIO_RDMA_VERBS_QP_RQ
                               ? DOCA_GPUNETIO_VOLATILE(qp->of->rq_wqe_pi)
                               : DOCA_GPUNETIO_VOLATILE(qp->of->sq_wqe_pi);
    doca_gpu_dev_rdma_verbs_submit_inc<sharing, nic_handler, qp_type>(
        qp, (uint32_t)(prod_index - begin) & DOCA_GPUNETIO_RDMA_VERBS_WQE_PI_MASK);
}

#endif
