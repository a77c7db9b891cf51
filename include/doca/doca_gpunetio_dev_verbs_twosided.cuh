/*
 * doca_gpunetio_dev_verbs_twosided: sends and receives of kernels, by a queue pair of DOCA Verbs.
 *
 *     doca_gpu_dev_verbs_recv(qp, doca_gpu_dev_verbs_addr{.addr = here, .key = lkey}, size, &ticket);
 *     doca_gpu_dev_verbs_recv_wait(qp, doca_gpu_dev_verbs_addr{}, ticket);        // its peer has sent
 *
 * The next message of the peer goes into the next receive. Scopes, sizes, keys and tickets are those of
 * doca_gpunetio_dev_verbs_onesided.cuh; a message has at most DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE bytes.
 */
#ifndef DOCA_GPUNETIO_DEV_VERBS_TWOSIDED_CUH
#define DOCA_GPUNETIO_DEV_VERBS_TWOSIDED_CUH

#include "doca_gpunetio_dev_verbs_onesided.cuh"

/* Sends `size` bytes. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void doca_gpu_dev_verbs_send(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr laddr, size_t size,
    doca_gpu_dev_verbs_ticket_t *out_ticket,
    uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    uint32_t step;
    const uint64_t index =
        doca_gpu_dev_verbs_reserve_in_scope<sharing, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
            qp, 1, &step, code_opt);
    doca_gpu_dev_verbs_wqe_prepare_send(qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, index),
                                        (uint16_t)index, DOCA_GPUNETIO_MLX5_OPCODE_SEND,
                                        DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE, 0, laddr.addr,
                                        laddr.key, (uint32_t)size);
    doca_gpu_dev_verbs_submit_in_scope<sharing, nic_handler, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
        qp, index, 1, step, code_opt);
    if (out_ticket)
        *out_ticket = index;
}

/* Posts a receive of at most `size` bytes. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void doca_gpu_dev_verbs_recv(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr laddr, size_t size,
    doca_gpu_dev_verbs_ticket_t *out_ticket,
    uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    uint32_t step;
    const uint64_t index =
        doca_gpu_dev_verbs_reserve_in_scope<sharing, exec_scope, DOCA_GPUNETIO_VERBS_QP_RQ>(
            qp, 1, &step, code_opt);
    doca_gpu_dev_verbs_wqe_prepare_recv(qp, index, laddr.addr, laddr.key, (uint32_t)size);
    doca_gpu_dev_verbs_submit_in_scope<sharing, nic_handler, exec_scope, DOCA_GPUNETIO_VERBS_QP_RQ>(
        qp, index, 1, step, code_opt);
    if (out_ticket)
        *out_ticket = index;
}

/* Waits for the receive of a ticket, or for all receives that were posted before the call. With MCST, the call makes
 * their bytes visible (doca_gpu_dev_verbs_make_visible). Returns 0, or -EIO if a receive or the queue pair has failed. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_mcst_mode mcst_mode = DOCA_GPUNETIO_VERBS_MCST_DISABLED>
static __device__ __forceinline__ int
doca_gpu_dev_verbs_recv_wait(struct doca_gpu_dev_verbs_qp *qp,
                             struct doca_gpu_dev_verbs_addr dump_laddr,
                             doca_gpu_dev_verbs_ticket_t ticket)
{
    const int result =
        doca_gpu_dev_verbs_poll_cq_at<sharing, DOCA_GPUNETIO_VERBS_QP_RQ>(&qp->cq_rq, ticket);
    return result == 0 && mcst_mode == DOCA_GPUNETIO_VERBS_MCST_ENABLED
               ? doca_gpu_dev_verbs_make_visible<sharing, nic_handler>(qp, dump_laddr)
               : result;
}
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_mcst_mode mcst_mode = DOCA_GPUNETIO_VERBS_MCST_DISABLED>
static __device__ __forceinline__ int
doca_gpu_dev_verbs_recv_wait(struct doca_gpu_dev_verbs_qp *qp,
                             struct doca_gpu_dev_verbs_addr dump_laddr)
{
    const uint64_t end = doca_gpu_dev_verbs_atomic_read<uint64_t, sharing>(&qp->rq_wqe_pi);
    return end ? doca_gpu_dev_verbs_recv_wait<sharing, nic_handler, mcst_mode>(qp, dump_laddr,
                                                                              end - 1)
               : 0;
}

#endif
