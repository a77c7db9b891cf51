/*
 * doca_gpunetio_dev_rdma_verbs_onesided: puts of kernels (doca_gpunetio_rdma_verbs_def.h).
 *
 *     doca_gpu_dev_rdma_verbs_put(qp, remote, local, size, &ticket);     // doca_gpu_dev_verbs_put
 */
#ifndef DOCA_GPUNETIO_DEV_RDMA_VERBS_ONESIDED_CUH
#define DOCA_GPUNETIO_DEV_RDMA_VERBS_ONESIDED_CUH

#include "doca_gpunetio_dev_rdma_verbs_qp.cuh"
#include "doca_gpunetio_dev_verbs_onesided.cuh"

/* Puts `size` bytes, in the scope of a thread or a warp. */
template <enum doca_gpu_dev_rdma_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_RDMA_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_rdma_verbs_nic_handler nic_handler = DOCA_GPUNETIO_RDMA_VERBS_NIC_HANDLER_GPU_SM,
          enum doca_gpu_dev_rdma_verbs_exec_scope exec_scope = DOCA_GPUNETIO_RDMA_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void
doca_gpu_dev_rdma_verbs_put(struct doca_gpu_dev_rdma_verbs_qp *qp,
                            struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr,
                            size_t size, doca_gpu_dev_verbs_ticket_t *out_ticket)
{
    static_assert(exec_scope != DOCA_GPUNETIO_RDMA_VERBS_EXEC_SCOPE_BLOCK, "a block has no puts");
    doca_gpu_dev_verbs_put<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
                           DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
                           (enum doca_gpu_dev_verbs_exec_scope)exec_scope>(qp->of, raddr, laddr, size,
                                                                          out_ticket);
}

#endif
