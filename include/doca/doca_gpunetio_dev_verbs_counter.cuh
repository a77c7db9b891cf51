/*
 * doca_gpunetio_dev_verbs_counter: puts and gets of kernels that a second queue pair, the companion, counts. The
 * companion waits for the completion of the operation, then adds to a number of the peer; so the number never counts
 * an operation that is not complete.
 *
 *     doca_gpu_dev_verbs_put_counter(qp, remote, local, size, companion, remote_counter, before, 1);
 *     doca_gpu_dev_verbs_wait(qp);
 *     doca_gpu_dev_verbs_wait(companion);
 *
 * Both queue pairs are of one device. Scopes, sizes, keys and tickets are those of
 * doca_gpunetio_dev_verbs_onesided.cuh.
 */
#ifndef DOCA_GPUNETIO_DEV_VERBS_COUNTER_CUH
#define DOCA_GPUNETIO_DEV_VERBS_COUNTER_CUH

#include "doca_gpunetio_dev_verbs_onesided.cuh"

/* Lets the companion count the operation of a ticket: adds `counter_val` to the number at `counter_raddr`; its value
 * before arrives at `counter_laddr`. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_count(struct doca_gpu_dev_verbs_qp *qp, doca_gpu_dev_verbs_ticket_t ticket,
                         struct doca_gpu_dev_verbs_qp *companion_qp,
                         struct doca_gpu_dev_verbs_addr counter_raddr,
                         struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val,
                         uint32_t code_opt)
{
    uint32_t step;
    const uint64_t first =
        doca_gpu_dev_verbs_reserve_in_scope<sharing, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
            companion_qp, 2, &step, code_opt);
    doca_gpu_dev_verbs_wqe_prepare_wait(
        companion_qp, doca_gpu_dev_verbs_get_wqe_ptr(companion_qp, first), (uint16_t)first,
        DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE,
        (uint32_t)(ticket & DOCA_GPUNETIO_VERBS_CQE_CI_MASK), qp->cq_sq.cq_num);
    doca_gpu_dev_verbs_prepare_signal(companion_qp, first + step, counter_raddr, counter_laddr,
                                      counter_val);
    doca_gpu_dev_verbs_submit_in_scope<sharing, nic_handler, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
        companion_qp, first, 2, step, code_opt);
}

/* Puts `size` bytes, and counts the put. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void doca_gpu_dev_verbs_put_counter(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
    struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_qp *companion_qp,
    struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr,
    uint64_t counter_val, uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    doca_gpu_dev_verbs_ticket_t ticket;
    doca_gpu_dev_verbs_put<sharing, nic_handler, exec_scope>(qp, raddr, laddr, size, &ticket,
                                                             code_opt);
    doca_gpu_dev_verbs_count<sharing, nic_handler, exec_scope>(
        qp, ticket, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

/* Puts a number, and counts the put. */
template <typename T,
          enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void doca_gpu_dev_verbs_p_counter(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value,
    struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr,
    struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val,
    uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    doca_gpu_dev_verbs_ticket_t ticket;
    doca_gpu_dev_verbs_p<T, sharing, nic_handler, exec_scope>(qp, raddr, value, &ticket, code_opt);
    doca_gpu_dev_verbs_count<sharing, nic_handler, exec_scope>(
        qp, ticket, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

/* Signals, and counts the signal. */
template <enum doca_gpu_dev_verbs_signal_op signal_op = DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD,
          enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void doca_gpu_dev_verbs_signal_counter(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr,
    struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
    struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr,
    struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val,
    uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    doca_gpu_dev_verbs_ticket_t ticket;
    doca_gpu_dev_verbs_signal<signal_op, sharing, nic_handler, exec_scope>(
        qp, sig_raddr, sig_laddr, sig_val, &ticket, code_opt);
    doca_gpu_dev_verbs_count<sharing, nic_handler, exec_scope>(
        qp, ticket, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

/* Gets `size` bytes, and counts the get. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void doca_gpu_dev_verbs_get_counter(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
    struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_qp *companion_qp,
    struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr,
    uint64_t counter_val, uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    doca_gpu_dev_verbs_ticket_t ticket;
    doca_gpu_dev_verbs_get<sharing, nic_handler, exec_scope>(
        qp, raddr, laddr, size, doca_gpu_dev_verbs_addr{}, &ticket, code_opt);
    doca_gpu_dev_verbs_count<sharing, nic_handler, exec_scope>(
        qp, ticket, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

#endif
