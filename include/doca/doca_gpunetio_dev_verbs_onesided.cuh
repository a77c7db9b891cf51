/*
 * doca_gpunetio_dev_verbs_onesided: puts, gets and signals of kernels, by a queue pair of DOCA Verbs.
 *
 *     doca_gpu_dev_verbs_ticket_t ticket;
 *     doca_gpu_dev_verbs_put(qp, doca_gpu_dev_verbs_addr{.addr = there, .key = rkey},
 *                            doca_gpu_dev_verbs_addr{.addr = here, .key = lkey}, size, &ticket);
 *     doca_gpu_dev_verbs_wait(qp, ticket);
 *
 * A put writes local bytes to memory of the peer, a get reads them from there, and a signal adds to a number of 8
 * bytes there, which the peer polls. The operations of a queue pair arrive in the order of their indexes. A function
 * of the scope WARP is called by all threads of a warp at once, each with its own addresses and the same size; a
 * thread's ticket is that of its own last operation. Sizes are in bytes; operations of more than
 * DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE become several WQEs. Keys are big-endian.
 */
#ifndef DOCA_GPUNETIO_DEV_VERBS_ONESIDED_CUH
#define DOCA_GPUNETIO_DEV_VERBS_ONESIDED_CUH

#include "doca_gpunetio_dev_verbs_qp.cuh"

/* ---- Parts of the functions below ---- */

/* Reserves `each` indexes for the thread, or for each thread of the warp. Returns the first one of the thread: those
 * of a warp are ordered by operation, then by thread, so that index `first + i * step` is the i-th of the thread. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing, enum doca_gpu_dev_verbs_exec_scope exec_scope,
          enum doca_gpu_dev_verbs_qp_type qp_type>
static __device__ __forceinline__ uint64_t
doca_gpu_dev_verbs_reserve_in_scope(struct doca_gpu_dev_verbs_qp *qp, uint32_t each, uint32_t *step,
                                    uint32_t code_opt)
{
    *step = 1;
    if (exec_scope == DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD)
        return doca_gpu_dev_verbs_reserve_wq_slots<sharing, qp_type>(qp, each, code_opt);
    const unsigned int lane = doca_gpu_dev_verbs_get_lane_id();
    unsigned long long first = 0;
    if (lane == 0)
        first = doca_gpu_dev_verbs_reserve_wq_slots<sharing, qp_type>(
            qp, each * DOCA_GPUNETIO_VERBS_WARP_SIZE, code_opt);
    *step = DOCA_GPUNETIO_VERBS_WARP_SIZE;
    return __shfl_sync(DOCA_GPUNETIO_VERBS_WARP_FULL_MASK, first, 0) + lane;
}

/* Marks and submits what was reserved, after all threads of the scope have written. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing, enum doca_gpu_dev_verbs_nic_handler nic_handler,
          enum doca_gpu_dev_verbs_exec_scope exec_scope, enum doca_gpu_dev_verbs_qp_type qp_type>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_submit_in_scope(struct doca_gpu_dev_verbs_qp *qp, uint64_t first, uint32_t each,
                                   uint32_t step, uint32_t code_opt)
{
    const uint64_t end = first + (uint64_t)each * step;
    if (exec_scope == DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP) {
        __threadfence();
        __syncwarp();
    }
    if (exec_scope == DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD ||
        doca_gpu_dev_verbs_get_lane_id() == 0) {
        doca_gpu_dev_verbs_mark_wqes_ready<sharing, qp_type>(qp, first, end - 1);
        if (qp_type == DOCA_GPUNETIO_VERBS_QP_RQ)
            doca_gpu_dev_verbs_submit_recv<sharing>(qp, end);
        else
            doca_gpu_dev_verbs_submit<sharing, nic_handler>(qp, end, code_opt);
    }
    if (exec_scope == DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP)
        __syncwarp();
}

/* Returns the number of WQEs for that many bytes. */
static __device__ __forceinline__ uint32_t doca_gpu_dev_verbs_count_wqes(size_t size)
{
    const uint64_t count = doca_gpu_dev_verbs_div_ceil_aligned_pow2(
        size, DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE_SHIFT);
    return count ? (uint32_t)count : 1;
}

/* Writes the WQEs of a write or a read. */
static __device__ __forceinline__ void
doca_gpu_dev_verbs_prepare_transfer(struct doca_gpu_dev_verbs_qp *qp, uint32_t opcode,
                                    uint64_t first, uint32_t step,
                                    struct doca_gpu_dev_verbs_addr raddr,
                                    struct doca_gpu_dev_verbs_addr laddr, size_t size)
{
    const uint32_t count = doca_gpu_dev_verbs_count_wqes(size);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t at = (uint64_t)i << DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE_SHIFT;
        const size_t left = size - at;
        const uint64_t index = first + (uint64_t)i * step;
        doca_gpu_dev_verbs_wqe_prepare_write(
            qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, index), (uint16_t)index, opcode,
            DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE, 0, raddr.addr + at, raddr.key, laddr.addr + at,
            laddr.key,
            (uint32_t)(left < DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE
                           ? left
                           : DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE));
    }
}

/* Writes the WQE of a signal. */
static __device__ __forceinline__ void
doca_gpu_dev_verbs_prepare_signal(struct doca_gpu_dev_verbs_qp *qp, uint64_t index,
                                  struct doca_gpu_dev_verbs_addr sig_raddr,
                                  struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val)
{
    doca_gpu_dev_verbs_wqe_prepare_atomic(
        qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, index), (uint16_t)index,
        DOCA_GPUNETIO_MLX5_OPCODE_ATOMIC_FA, DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE, sig_raddr.addr,
        sig_raddr.key, sig_laddr.addr, sig_laddr.key, sizeof(uint64_t), 0, sig_val);
}

/* Writes the WQE of a write of a number. */
template <typename T>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_prepare_number(struct doca_gpu_dev_verbs_qp *qp, uint64_t index,
                                  struct doca_gpu_dev_verbs_addr raddr, T value)
{
    static_assert(sizeof(T) <= DOCA_GPUNETIO_VERBS_MAX_INLINE_SIZE, "the value is too large");
    doca_gpu_dev_verbs_wqe_prepare_write_inl(qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, index),
                                             (uint16_t)index, DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE,
                                             raddr.addr, raddr.key, (uint64_t)&value, sizeof value);
}

/* ---- Waits ---- */

/* Waits until the operation of a ticket is complete. Returns 0, or -EIO if an operation of the queue pair has
 * failed. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO>
static __device__ __forceinline__ int doca_gpu_dev_verbs_wait(struct doca_gpu_dev_verbs_qp *qp,
                                                              doca_gpu_dev_verbs_ticket_t ticket)
{
    return doca_gpu_dev_verbs_poll_cq_at<sharing>(&qp->cq_sq, ticket);
}
/* Waits until all operations that were submitted before the call are complete. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO>
static __device__ __forceinline__ int doca_gpu_dev_verbs_wait(struct doca_gpu_dev_verbs_qp *qp)
{
    const uint64_t end = doca_gpu_dev_verbs_atomic_read<uint64_t, sharing>(&qp->sq_wqe_pi);
    return end ? doca_gpu_dev_verbs_wait<sharing, nic_handler>(qp, end - 1) : 0;
}

/* Makes bytes that the NIC wrote visible: a WQE reads one byte at `dump`, and the call waits for it. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO>
static __device__ __forceinline__ int doca_gpu_dev_verbs_make_visible(struct doca_gpu_dev_verbs_qp *qp,
                                                               struct doca_gpu_dev_verbs_addr dump)
{
    const uint64_t index = doca_gpu_dev_verbs_reserve_wq_slots<sharing>(qp, 1);
    doca_gpu_dev_verbs_wqe_prepare_dump(qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, index),
                                        (uint16_t)index, DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE,
                                        dump.addr, dump.key, 1);
    doca_gpu_dev_verbs_mark_wqes_ready<sharing>(qp, index, index);
    doca_gpu_dev_verbs_submit<sharing, nic_handler>(qp, index + 1);
    return doca_gpu_dev_verbs_wait<sharing, nic_handler>(qp, index);
}

/* ---- Puts ---- */

/* Puts `size` bytes. *out_ticket, unless `out_ticket` is NULL, waits for the operation. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void doca_gpu_dev_verbs_put(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
    struct doca_gpu_dev_verbs_addr laddr, size_t size, doca_gpu_dev_verbs_ticket_t *out_ticket,
    uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    const uint32_t count = doca_gpu_dev_verbs_count_wqes(size);
    uint32_t step;
    const uint64_t first =
        doca_gpu_dev_verbs_reserve_in_scope<sharing, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
            qp, count, &step, code_opt);
    doca_gpu_dev_verbs_prepare_transfer(qp, DOCA_GPUNETIO_MLX5_OPCODE_RDMA_WRITE, first, step,
                                        raddr, laddr, size);
    doca_gpu_dev_verbs_submit_in_scope<sharing, nic_handler, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
        qp, first, count, step, code_opt);
    if (out_ticket)
        *out_ticket = first + (uint64_t)(count - 1) * step;
}

/* Puts a number, of at most DOCA_GPUNETIO_VERBS_MAX_INLINE_SIZE bytes. */
template <typename T,
          enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_p(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value,
                     doca_gpu_dev_verbs_ticket_t *out_ticket,
                     uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    uint32_t step;
    const uint64_t first =
        doca_gpu_dev_verbs_reserve_in_scope<sharing, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
            qp, 1, &step, code_opt);
    doca_gpu_dev_verbs_prepare_number(qp, first, raddr, value);
    doca_gpu_dev_verbs_submit_in_scope<sharing, nic_handler, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
        qp, first, 1, step, code_opt);
    if (out_ticket)
        *out_ticket = first;
}

/* ---- Signals ---- */

/* Signals: adds `sig_val` to the number at `sig_raddr`; its value before arrives at `sig_laddr`. */
template <enum doca_gpu_dev_verbs_signal_op signal_op = DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD,
          enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void doca_gpu_dev_verbs_signal(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr,
    struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
    doca_gpu_dev_verbs_ticket_t *out_ticket = NULL,
    uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    uint32_t step;
    const uint64_t first =
        doca_gpu_dev_verbs_reserve_in_scope<sharing, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
            qp, 1, &step, code_opt);
    doca_gpu_dev_verbs_prepare_signal(qp, first, sig_raddr, sig_laddr, sig_val);
    doca_gpu_dev_verbs_submit_in_scope<sharing, nic_handler, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
        qp, first, 1, step, code_opt);
    if (out_ticket)
        *out_ticket = first;
}

/* Puts `size` bytes, then signals. *out_ticket waits for the signal. */
template <enum doca_gpu_dev_verbs_signal_op signal_op = DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD,
          enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void doca_gpu_dev_verbs_put_signal(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
    struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr sig_raddr,
    struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
    doca_gpu_dev_verbs_ticket_t *out_ticket = NULL,
    uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    const uint32_t count = doca_gpu_dev_verbs_count_wqes(size);
    uint32_t step;
    const uint64_t first =
        doca_gpu_dev_verbs_reserve_in_scope<sharing, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
            qp, count + 1, &step, code_opt);
    const uint64_t last = first + (uint64_t)count * step;
    doca_gpu_dev_verbs_prepare_transfer(qp, DOCA_GPUNETIO_MLX5_OPCODE_RDMA_WRITE, first, step,
                                        raddr, laddr, size);
    doca_gpu_dev_verbs_prepare_signal(qp, last, sig_raddr, sig_laddr, sig_val);
    doca_gpu_dev_verbs_submit_in_scope<sharing, nic_handler, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
        qp, first, count + 1, step, code_opt);
    if (out_ticket)
        *out_ticket = last;
}

/* Puts a number, then signals. */
template <typename T, enum doca_gpu_dev_verbs_signal_op signal_op = DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD,
          enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void doca_gpu_dev_verbs_p_signal(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value,
    struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr,
    uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket = NULL,
    uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    uint32_t step;
    const uint64_t first =
        doca_gpu_dev_verbs_reserve_in_scope<sharing, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
            qp, 2, &step, code_opt);
    doca_gpu_dev_verbs_prepare_number(qp, first, raddr, value);
    doca_gpu_dev_verbs_prepare_signal(qp, first + step, sig_raddr, sig_laddr, sig_val);
    doca_gpu_dev_verbs_submit_in_scope<sharing, nic_handler, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
        qp, first, 2, step, code_opt);
    if (out_ticket)
        *out_ticket = first + step;
}

/* ---- Gets ---- */

/* Gets `size` bytes. With MCST, a WQE that reads one byte at `dump_laddr` follows, so that kernels see the bytes
 * after the operation of the ticket. A blocking get waits for it. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD,
          enum doca_gpu_dev_verbs_mcst_mode mcst_mode = DOCA_GPUNETIO_VERBS_MCST_DISABLED,
          enum doca_gpu_dev_verbs_blocking_mode blocking = DOCA_GPUNETIO_VERBS_BLOCKING_MODE_DISABLED>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_get(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                       struct doca_gpu_dev_verbs_addr laddr, size_t size,
                       struct doca_gpu_dev_verbs_addr dump_laddr,
                       doca_gpu_dev_verbs_ticket_t *out_ticket,
                       uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    const uint32_t reads = doca_gpu_dev_verbs_count_wqes(size);
    const uint32_t count = reads + (mcst_mode == DOCA_GPUNETIO_VERBS_MCST_ENABLED);
    uint32_t step;
    const uint64_t first =
        doca_gpu_dev_verbs_reserve_in_scope<sharing, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
            qp, count, &step, code_opt);
    const uint64_t last = first + (uint64_t)(count - 1) * step;
    doca_gpu_dev_verbs_prepare_transfer(qp, DOCA_GPUNETIO_MLX5_OPCODE_RDMA_READ, first, step, raddr,
                                        laddr, size);
    if (mcst_mode == DOCA_GPUNETIO_VERBS_MCST_ENABLED)
        doca_gpu_dev_verbs_wqe_prepare_dump(qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, last),
                                            (uint16_t)last, DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE,
                                            dump_laddr.addr, dump_laddr.key, 1);
    doca_gpu_dev_verbs_submit_in_scope<sharing, nic_handler, exec_scope, DOCA_GPUNETIO_VERBS_QP_SQ>(
        qp, first, count, step, code_opt);
    if (out_ticket)
        *out_ticket = last;
    if (blocking == DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED)
        doca_gpu_dev_verbs_wait<sharing, nic_handler>(qp, last);
}

/* Waits for the get of a ticket, or for all gets that were submitted before the call. With MCST, the call makes their
 * bytes visible, as doca_gpu_dev_verbs_make_visible does. Returns 0, or -EIO if an operation of the queue pair has
 * failed. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_mcst_mode mcst_mode = DOCA_GPUNETIO_VERBS_MCST_DISABLED>
static __device__ __forceinline__ int
doca_gpu_dev_verbs_get_wait(struct doca_gpu_dev_verbs_qp *qp,
                            struct doca_gpu_dev_verbs_addr dump_laddr,
                            doca_gpu_dev_verbs_ticket_t ticket)
{
    const int result = doca_gpu_dev_verbs_wait<sharing, nic_handler>(qp, ticket);
    return result == 0 && mcst_mode == DOCA_GPUNETIO_VERBS_MCST_ENABLED
               ? doca_gpu_dev_verbs_make_visible<sharing, nic_handler>(qp, dump_laddr)
               : result;
}
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_mcst_mode mcst_mode = DOCA_GPUNETIO_VERBS_MCST_DISABLED>
static __device__ __forceinline__ int
doca_gpu_dev_verbs_get_wait(struct doca_gpu_dev_verbs_qp *qp,
                            struct doca_gpu_dev_verbs_addr dump_laddr)
{
    const uint64_t end = doca_gpu_dev_verbs_atomic_read<uint64_t, sharing>(&qp->sq_wqe_pi);
    return end ? doca_gpu_dev_verbs_get_wait<sharing, nic_handler, mcst_mode>(qp, dump_laddr, end - 1)
               : 0;
}

#endif
