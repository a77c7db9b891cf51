/*
 * doca_gpunetio_dev_verbs_qp: kernels that write WQEs to the rings of a queue pair of DOCA Verbs, and ring its
 * doorbell. doca_gpu_verbs_get_qp_dev gives the queue pair.
 *
 *     uint64_t i = doca_gpu_dev_verbs_reserve_wq_slots(qp, 1);
 *     struct doca_gpu_dev_verbs_wqe *wqe = doca_gpu_dev_verbs_get_wqe_ptr(qp, i);
 *     doca_gpu_dev_verbs_wqe_prepare_write(qp, wqe, i, DOCA_GPUNETIO_MLX5_OPCODE_RDMA_WRITE,
 *                                          DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE, 0, remote, rkey, local, lkey, 64);
 *     doca_gpu_dev_verbs_mark_wqes_ready(qp, i, i);
 *     doca_gpu_dev_verbs_submit(qp, i + 1);
 *     doca_gpu_dev_verbs_poll_cq_at(doca_gpu_dev_verbs_qp_get_cq_sq(qp), i);    // doca_gpunetio_dev_verbs_cq.cuh
 *
 * Any thread may call each function. A WQE has one place of the ring, 64 bytes. Keys are big-endian
 * (DOCA_GPUNETIO_VERBS_MKEY_SWAPPED), as is an immediate; other numbers are those of the CPU. The template parameters
 * `sharing` and `nic_handler` change nothing on the emulated GPU: queue pairs may always be shared, and doorbells
 * are rung as doca_gpu_verbs_export_qp was told. Kernels may also store to the ring, the doorbell record and the
 * doorbell register by themselves, as on a card.
 */
#ifndef DOCA_GPUNETIO_DEV_VERBS_QP_CUH
#define DOCA_GPUNETIO_DEV_VERBS_QP_CUH

#include "doca_gpunetio_dev_verbs_cq.cuh"

/* ---- Places of the rings ---- */

/* Return the place of an index in the ring of sends, and in that of receives. */
static __device__ __forceinline__ struct doca_gpu_dev_verbs_wqe *
doca_gpu_dev_verbs_get_wqe_ptr(struct doca_gpu_dev_verbs_qp *qp, uint16_t wqe_idx)
{
    return (struct doca_gpu_dev_verbs_wqe *)qp->sq_wqe_daddr + (wqe_idx & qp->sq_wqe_mask);
}
static __device__ __forceinline__ uint64_t *
doca_gpu_dev_verbs_get_rwqe_ptr(struct doca_gpu_dev_verbs_qp *qp, uint64_t wqe_idx)
{
    return (uint64_t *)qp->rq_wqe_daddr + (wqe_idx & qp->rq_wqe_mask) * 2;
}

/* Waits until the place of an index is free: the WQE that was there before is complete. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_wait_until_slot_available(struct doca_gpu_dev_verbs_qp *qp, uint64_t wqe_idx)
{
    const bool receives = qp_type == DOCA_GPUNETIO_VERBS_QP_RQ;
    const uint64_t places = receives ? qp->rq_wqe_num : qp->sq_wqe_num;
    if (wqe_idx >= places)
        doca_gpu_dev_verbs_poll_cq_at<sharing, qp_type>(receives ? &qp->cq_rq : &qp->cq_sq,
                                                        wqe_idx - places);
}

/* Reserves `count` indexes, at most as many as the ring has, and waits until their places are free. Returns the
 * first index. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
static __device__ __forceinline__ uint64_t doca_gpu_dev_verbs_reserve_wq_slots(
    struct doca_gpu_dev_verbs_qp *qp, uint32_t count,
    uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    uint64_t *next = qp_type == DOCA_GPUNETIO_VERBS_QP_RQ ? &qp->rq_rsvd_index : &qp->sq_rsvd_index;
    const uint64_t first = doca_gpu_dev_verbs_atomic_add<uint64_t, sharing>(next, count);
    if (!(code_opt & DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_AVAILABILITY_CHECK))
        doca_gpu_dev_verbs_wait_until_slot_available<sharing, qp_type>(qp, first + count - 1);
    return first;
}

/* Marks the indexes `from_wqe_idx` to `to_wqe_idx` as written, after all earlier ones: waits for these. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_mark_wqes_ready(struct doca_gpu_dev_verbs_qp *qp, uint64_t from_wqe_idx,
                                   uint64_t to_wqe_idx)
{
    uint64_t *ready =
        qp_type == DOCA_GPUNETIO_VERBS_QP_RQ ? &qp->rq_ready_index : &qp->sq_ready_index;
    doca_gpu_dev_verbs_fence_release<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>();
    while (doca_gpu_dev_verbs_atomic_read<uint64_t, sharing>(ready) != from_wqe_idx)
        continue;
    DOCA_GPUNETIO_VOLATILE(*ready) = to_wqe_idx + 1;
}

/* ---- WQEs ---- */

/* Stores a segment of 16 bytes. */
static __device__ __forceinline__ void doca_gpu_dev_verbs_store_wqe_seg(uint64_t *ptr,
                                                                        uint64_t *val)
{
    DOCA_GPUNETIO_VOLATILE(ptr[0]) = val[0];
    DOCA_GPUNETIO_VOLATILE(ptr[1]) = val[1];
}

/* Makes 8 bytes of two big-endian numbers of 4 bytes. */
static __device__ __forceinline__ uint64_t doca_gpu_dev_verbs_be_words(uint32_t first_be,
                                                                       uint32_t second_be)
{
    return (uint64_t)first_be | (uint64_t)second_be << 32;
}

/* Stores the control segment of a WQE of `segments` segments. */
static __device__ __forceinline__ void doca_gpu_dev_verbs_store_ctrl_seg(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, uint16_t wqe_idx,
    uint32_t opcode, uint32_t segments, uint32_t ctrl_flags, uint32_t immediate)
{
    uint64_t segment[2] = {
        doca_gpu_dev_verbs_be_words(
            doca_gpu_dev_verbs_bswap32((uint32_t)wqe_idx << DOCA_GPUNETIO_VERBS_WQE_IDX_SHIFT |
                                       opcode),
            doca_gpu_dev_verbs_bswap32(qp->sq_num_shift8 | segments)),
        doca_gpu_dev_verbs_be_words(doca_gpu_dev_verbs_bswap32(ctrl_flags), immediate)};
    doca_gpu_dev_verbs_store_wqe_seg(wqe_ptr->words, segment);
}

/* Stores the segments that name memory of the peer, and memory of this process. */
static __device__ __forceinline__ void
doca_gpu_dev_verbs_store_raddr_seg(struct doca_gpu_dev_verbs_wqe *wqe_ptr, uint64_t raddr,
                                   uint32_t rkey)
{
    uint64_t segment[2] = {doca_gpu_dev_verbs_bswap64(raddr), rkey};
    doca_gpu_dev_verbs_store_wqe_seg(wqe_ptr->words + 2, segment);
}
static __device__ __forceinline__ void doca_gpu_dev_verbs_store_data_seg(uint64_t *ptr,
                                                                         uint64_t laddr,
                                                                         uint32_t lkey,
                                                                         uint32_t bytes)
{
    uint64_t segment[2] = {
        doca_gpu_dev_verbs_be_words(doca_gpu_dev_verbs_bswap32(bytes), lkey),
        doca_gpu_dev_verbs_bswap64(laddr)};
    doca_gpu_dev_verbs_store_wqe_seg(ptr, segment);
}

/* Write a WQE of a write (`opcode`: RDMA_WRITE, or RDMA_WRITE_IMM with an immediate), of a read, and of a send. At
 * most DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE bytes. */
static __device__ __forceinline__ void doca_gpu_dev_verbs_wqe_prepare_write(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr,
    const uint16_t wqe_idx, const uint32_t opcode,
    enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint32_t immediate,
    const uint64_t raddr, const uint32_t rkey, const uint64_t laddr0, const uint32_t lkey0,
    const uint32_t bytes0)
{
    doca_gpu_dev_verbs_store_ctrl_seg(qp, wqe_ptr, wqe_idx, opcode, bytes0 ? 3 : 2, ctrl_flags,
                                      immediate);
    doca_gpu_dev_verbs_store_raddr_seg(wqe_ptr, raddr, rkey);
    if (bytes0)
        doca_gpu_dev_verbs_store_data_seg(wqe_ptr->words + 4, laddr0, lkey0, bytes0);
}
static __device__ __forceinline__ void doca_gpu_dev_verbs_wqe_prepare_read(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr,
    const uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags,
    const uint64_t raddr, const uint32_t rkey, const uint64_t laddr0, const uint32_t lkey0,
    const uint32_t bytes0)
{
    doca_gpu_dev_verbs_wqe_prepare_write(qp, wqe_ptr, wqe_idx, DOCA_GPUNETIO_MLX5_OPCODE_RDMA_READ,
                                         ctrl_flags, 0, raddr, rkey, laddr0, lkey0, bytes0);
}
static __device__ __forceinline__ void doca_gpu_dev_verbs_wqe_prepare_send(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr,
    const uint16_t wqe_idx, const uint32_t opcode,
    enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint32_t immediate,
    const uint64_t laddr0, const uint32_t lkey0, const uint32_t bytes0)
{
    doca_gpu_dev_verbs_store_ctrl_seg(qp, wqe_ptr, wqe_idx, opcode, bytes0 ? 2 : 1, ctrl_flags,
                                      immediate);
    if (bytes0)
        doca_gpu_dev_verbs_store_data_seg(wqe_ptr->words + 2, laddr0, lkey0, bytes0);
}

/* Writes a WQE of a write whose bytes, at most DOCA_GPUNETIO_VERBS_MAX_INLINE_SIZE, are copied from `laddr` now. */
static __device__ __forceinline__ void doca_gpu_dev_verbs_wqe_prepare_write_inl(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr,
    const uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags,
    const uint64_t raddr, const uint32_t rkey, const uint64_t laddr, const uint32_t bytes)
{
    const uint32_t inlined = bytes < DOCA_GPUNETIO_VERBS_MAX_INLINE_SIZE
                                 ? bytes
                                 : DOCA_GPUNETIO_VERBS_MAX_INLINE_SIZE;
    uint8_t *to = (uint8_t *)(wqe_ptr->words + 4);
    doca_gpu_dev_verbs_store_ctrl_seg(qp, wqe_ptr, wqe_idx, DOCA_GPUNETIO_MLX5_OPCODE_RDMA_WRITE,
                                      inlined > 12 ? 4 : inlined ? 3 : 2, ctrl_flags, 0);
    doca_gpu_dev_verbs_store_raddr_seg(wqe_ptr, raddr, rkey);
    DOCA_GPUNETIO_VOLATILE(*(uint32_t *)to) =
        doca_gpu_dev_verbs_bswap32(inlined | DOCA_GPUNETIO_MLX5_INLINE_SEG);
    for (uint32_t i = 0; i < inlined; i++)
        to[sizeof(uint32_t) + i] = ((const uint8_t *)laddr)[i];
}

/* Writes a WQE of an atomic operation on 8 bytes (`opcode`: ATOMIC_FA, which adds `swap_add`, or ATOMIC_CS, which
 * stores `swap_add` if the value is `compare_add`). The value before arrives at `laddr`; `bytes` is 8. */
static __device__ __forceinline__ void doca_gpu_dev_verbs_wqe_prepare_atomic(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr,
    const uint16_t wqe_idx, const uint32_t opcode,
    enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint64_t raddr, const uint32_t rkey,
    const uint64_t laddr, const uint32_t lkey, const uint32_t bytes, const uint64_t compare_add,
    const uint64_t swap_add)
{
    uint64_t segment[2] = {doca_gpu_dev_verbs_bswap64(swap_add),
                           doca_gpu_dev_verbs_bswap64(compare_add)};
    doca_gpu_dev_verbs_store_ctrl_seg(qp, wqe_ptr, wqe_idx, opcode, 4, ctrl_flags, 0);
    doca_gpu_dev_verbs_store_raddr_seg(wqe_ptr, raddr, rkey);
    doca_gpu_dev_verbs_store_wqe_seg(wqe_ptr->words + 4, segment);
    doca_gpu_dev_verbs_store_data_seg(wqe_ptr->words + 6, laddr, lkey, bytes);
}

/* Writes a WQE that does nothing. */
static __device__ __forceinline__ void doca_gpu_dev_verbs_wqe_prepare_nop(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr,
    const uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags)
{
    doca_gpu_dev_verbs_store_ctrl_seg(qp, wqe_ptr, wqe_idx, DOCA_GPUNETIO_MLX5_OPCODE_NOP, 1,
                                      ctrl_flags, 0);
}

/* Writes a WQE that reads local memory, so that bytes that the NIC wrote before are visible to kernels. */
static __device__ __forceinline__ void doca_gpu_dev_verbs_wqe_prepare_dump(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr,
    const uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags,
    const uint64_t laddr, const uint32_t lkey, const uint32_t bytes)
{
    doca_gpu_dev_verbs_store_ctrl_seg(qp, wqe_ptr, wqe_idx, DOCA_GPUNETIO_MLX5_OPCODE_DUMP, 2,
                                      ctrl_flags, 0);
    doca_gpu_dev_verbs_store_data_seg(wqe_ptr->words + 2, laddr, lkey, bytes);
}

/* Writes a WQE that waits until the completion `max_index` of the completion queue `qpn_cqn`, a number, has been
 * written. Later WQEs of the queue pair wait, too. */
static __device__ __forceinline__ void doca_gpu_dev_verbs_wqe_prepare_wait(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, uint16_t wqe_idx,
    enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint32_t max_index,
    const uint32_t qpn_cqn)
{
    uint64_t segment[2] = {0, doca_gpu_dev_verbs_be_words(doca_gpu_dev_verbs_bswap32(max_index),
                                                          doca_gpu_dev_verbs_bswap32(qpn_cqn))};
    doca_gpu_dev_verbs_store_ctrl_seg(qp, wqe_ptr, wqe_idx, DOCA_GPUNETIO_MLX5_OPCODE_WAIT, 2,
                                      ctrl_flags, 0);
    doca_gpu_dev_verbs_store_wqe_seg(wqe_ptr->words + 2, segment);
}

/* Writes the receive of an index. */
static __device__ __forceinline__ void
doca_gpu_dev_verbs_wqe_prepare_recv(struct doca_gpu_dev_verbs_qp *qp, uint64_t wqe_idx,
                                    uint64_t laddr, uint32_t lkey, uint32_t bytes)
{
    doca_gpu_dev_verbs_store_data_seg(doca_gpu_dev_verbs_get_rwqe_ptr(qp, wqe_idx), laddr, lkey,
                                      bytes);
}

/* ---- Doorbells ---- */

/* Return the words of the doorbell record and of the doorbell register, big-endian, after WQEs before
 * `prod_index`. */
static __device__ __forceinline__ uint32_t doca_gpu_dev_verbs_prepare_dbr(uint32_t prod_index)
{
    return doca_gpu_dev_verbs_bswap32(prod_index & DOCA_GPUNETIO_VERBS_WQE_PI_MASK);
}
static __device__ __forceinline__ uint64_t
doca_gpu_dev_verbs_prepare_db(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index)
{
    const uint32_t index = (uint32_t)(prod_index & DOCA_GPUNETIO_VERBS_WQE_PI_MASK)
                           << DOCA_GPUNETIO_VERBS_WQE_IDX_SHIFT;
    return doca_gpu_dev_verbs_be_words(doca_gpu_dev_verbs_bswap32(index), qp->sq_num_shift8_be);
}

/* Writes the doorbell record of sends. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_update_dbr(struct doca_gpu_dev_verbs_qp *qp, uint32_t prod_index,
                              uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    doca_gpu_dev_verbs_fence_release<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>();
    DOCA_GPUNETIO_VOLATILE(*qp->sq_dbrec) = doca_gpu_dev_verbs_prepare_dbr(prod_index);
}

/* Stores to the doorbell register. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_ring_db(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index,
                           uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    doca_gpu_dev_verbs_fence_release<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>();
    DOCA_GPUNETIO_VOLATILE(*qp->sq_db) = doca_gpu_dev_verbs_prepare_db(qp, prod_index);
    doca_gpu_dev_ring_bell(qp->bell);
}

/* Tells the CPU's proxy the index. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_ring_proxy(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index)
{
    doca_gpu_dev_verbs_fence_release<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>();
    doca_gpu_dev_verbs_atomic_max<uint64_t, sharing>(qp->sq_db, prod_index);
}

/* Submits all WQEs before `prod_index` to the NIC. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_submit(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index,
                          uint32_t code_opt = DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT)
{
    const bool proxy = qp->nic_handler == DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY;
    doca_gpu_dev_verbs_lock(&qp->sq_lock);
    if (prod_index > qp->sq_wqe_pi) {
        DOCA_GPUNETIO_VOLATILE(qp->sq_wqe_pi) = prod_index;
        if (proxy)
            doca_gpu_dev_verbs_ring_proxy<sharing>(qp, prod_index);
        else
            doca_gpu_dev_verbs_update_dbr<sharing>(qp, (uint32_t)prod_index, code_opt);
        if (!proxy && !(code_opt & DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_DB_RINGING))
            doca_gpu_dev_verbs_ring_db<sharing>(qp, prod_index, code_opt);
    }
    doca_gpu_dev_verbs_unlock(&qp->sq_lock);
}

/* Gives all receives before `prod_index` to the NIC. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ void
doca_gpu_dev_verbs_submit_recv(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index)
{
    doca_gpu_dev_verbs_lock(&qp->rq_lock);
    if (prod_index > qp->rq_wqe_pi) {
        DOCA_GPUNETIO_VOLATILE(qp->rq_wqe_pi) = prod_index;
        doca_gpu_dev_verbs_fence_release<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>();
        DOCA_GPUNETIO_VOLATILE(*qp->rq_dbrec) =
            doca_gpu_dev_verbs_prepare_dbr((uint32_t)prod_index);
        doca_gpu_dev_ring_bell(qp->bell);
    }
    doca_gpu_dev_verbs_unlock(&qp->rq_lock);
}

#endif
