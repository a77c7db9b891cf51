/*
 * doca_gpunetio_dev_rdma_single: the functions of DOCA 2.6 and 2.7, whose contexts have one connection. They are
 * overloads of those of doca_gpunetio_dev_rdma.cuh for connection 0, and that header includes this file.
 *
 *     doca_gpu_dev_rdma_get_info(rdma, &position, &mask);
 *     doca_gpu_dev_rdma_write_weak(rdma, remote, 0, local, 0, 128, 0, DOCA_GPU_RDMA_WRITE_FLAG_NONE,
 *                                  (position + threadIdx.x) & mask);
 *     __syncthreads();
 *     if (threadIdx.x == 0) {
 *         doca_gpu_dev_rdma_commit_weak(rdma, blockDim.x);
 *         doca_gpu_dev_rdma_flush(rdma);
 *     }
 *
 * They are templates, so that each name has one function, which is that of DOCA 3.
 *
 * Modes, scopes and errors are those of the other functions (DOCA GPUNetIO guide 2.7, "GPU Functions - RDMA").
 */
#ifndef DOCA_GPUNETIO_DEV_RDMA_SINGLE_CUH
#define DOCA_GPUNETIO_DEV_RDMA_SINGLE_CUH

#include <doca_rdma.h>

#include "doca_gpunetio_dev_rdma.cuh"

#define DOCA_GPUNETIO_SINGLE template <int = 0> static __device__ __forceinline__

/* ---- Positions, commits ---- */

DOCA_GPUNETIO_SINGLE doca_error_t doca_gpu_dev_rdma_get_info(
    struct doca_gpu_dev_rdma *rdma, uint32_t *curr_position, uint32_t *mask_max_position)
{
    return doca_gpu_dev_rdma_get_info(rdma, 0, curr_position, mask_max_position);
}
DOCA_GPUNETIO_SINGLE doca_error_t
doca_gpu_dev_rdma_commit_strong(struct doca_gpu_dev_rdma *rdma)
{
    return doca_gpu_dev_rdma_commit_strong(rdma, 0);
}
DOCA_GPUNETIO_SINGLE doca_error_t
doca_gpu_dev_rdma_commit_weak(struct doca_gpu_dev_rdma *rdma, uint32_t num_ops)
{
    return doca_gpu_dev_rdma_commit_weak(rdma, 0, num_ops);
}
/* Waits until the NIC has carried out all operations that were committed before the call. */
DOCA_GPUNETIO_SINGLE doca_error_t
doca_gpu_dev_rdma_flush(struct doca_gpu_dev_rdma *rdma)
{
    uint32_t num_commits;
    return doca_gpu_dev_rdma_wait_all(rdma, &num_commits);
}

/* ---- Writes, reads, sends ---- */

DOCA_GPUNETIO_SINGLE doca_error_t doca_gpu_dev_rdma_write_strong(
    struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf *remote_buf, uint64_t remote_offset,
    struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length, uint32_t imm,
    const enum doca_gpu_dev_rdma_write_flags flags)
{
    return doca_gpu_dev_rdma_write_strong(rdma, 0, remote_buf, remote_offset, local_buf,
                                          local_offset, length, imm, flags);
}
DOCA_GPUNETIO_SINGLE doca_error_t doca_gpu_dev_rdma_write_weak(
    struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf *remote_buf, uint64_t remote_offset,
    struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length, uint32_t imm,
    const enum doca_gpu_dev_rdma_write_flags flags, uint32_t position)
{
    return doca_gpu_dev_rdma_write_weak(rdma, 0, remote_buf, remote_offset, local_buf, local_offset,
                                        length, imm, flags, position);
}
DOCA_GPUNETIO_SINGLE doca_error_t doca_gpu_dev_rdma_read_strong(
    struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf *remote_buf, uint64_t remote_offset,
    struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    const uint32_t flags_bitmask)
{
    return doca_gpu_dev_rdma_read_strong(rdma, 0, remote_buf, remote_offset, local_buf,
                                         local_offset, length, flags_bitmask);
}
DOCA_GPUNETIO_SINGLE doca_error_t doca_gpu_dev_rdma_read_weak(
    struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf *remote_buf, uint64_t remote_offset,
    struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    const uint32_t flags_bitmask, uint32_t position)
{
    return doca_gpu_dev_rdma_read_weak(rdma, 0, remote_buf, remote_offset, local_buf, local_offset,
                                       length, flags_bitmask, position);
}
/* The flags of sends are those of writes. */
DOCA_GPUNETIO_SINGLE doca_error_t doca_gpu_dev_rdma_send_strong(
    struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf *local_buf, uint64_t local_offset,
    size_t length, uint32_t imm, const enum doca_gpu_dev_rdma_write_flags flags)
{
    return doca_gpu_dev_rdma_send_strong(rdma, 0, local_buf, local_offset, length, imm,
                                         (enum doca_gpu_dev_rdma_send_flags)flags);
}
DOCA_GPUNETIO_SINGLE doca_error_t doca_gpu_dev_rdma_send_weak(
    struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf *local_buf, uint64_t local_offset,
    size_t length, uint32_t imm, const enum doca_gpu_dev_rdma_write_flags flags, uint32_t position)
{
    return doca_gpu_dev_rdma_send_weak(rdma, 0, local_buf, local_offset, length, imm,
                                       (enum doca_gpu_dev_rdma_send_flags)flags, position);
}

/* ---- Receives ---- */

/* Enter a receive. *hdl is its handle for doca_gpu_dev_rdma_recv_wait, until as many later receives were entered
 * as the queue has places. */
DOCA_GPUNETIO_SINGLE doca_error_t doca_gpu_dev_rdma_recv_strong(
    struct doca_gpu_dev_rdma_r *rdma_r, struct doca_gpu_buf *recv_buf, size_t recv_length,
    uint64_t recv_offset, const uint32_t flags_bitmask, uint64_t *hdl)
{
    return hdl ? doca_gpu_dev_rdma_recv_enter(rdma_r, recv_buf, recv_length, recv_offset,
                                              flags_bitmask, NULL, hdl)
               : DOCA_ERROR_INVALID_VALUE;
}
DOCA_GPUNETIO_SINGLE doca_error_t doca_gpu_dev_rdma_recv_weak(
    struct doca_gpu_dev_rdma_r *rdma_r, struct doca_gpu_buf *recv_buf, size_t recv_length,
    uint64_t recv_offset, const uint32_t flags_bitmask, uint32_t position, uint64_t *hdl)
{
    return hdl ? doca_gpu_dev_rdma_recv_enter(rdma_r, recv_buf, recv_length, recv_offset,
                                              flags_bitmask, &position, hdl)
               : DOCA_ERROR_INVALID_VALUE;
}

/* Waits for a committed receive, or looks whether it has ended. *opcode is the peer's operation, and *imm its
 * immediate, if it has one. Errors: AGAIN with DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB if the receive has not ended,
 * IO_FAILED if it has failed. */
DOCA_GPUNETIO_SINGLE doca_error_t doca_gpu_dev_rdma_recv_wait(
    struct doca_gpu_dev_rdma_r *rdma_r, uint64_t *hdl,
    const enum doca_gpu_dev_rdma_recv_wait_flags flags, enum doca_rdma_opcode *opcode,
    uint32_t *imm)
{
    if (!rdma_r || !hdl || !opcode || !imm)
        return DOCA_ERROR_INVALID_VALUE;
    struct doca_gpu_ring *ring = &rdma_r->ring;
    while (DOCA_GPUNETIO_VOLATILE(ring->done) <= *hdl) {
        if (DOCA_GPUNETIO_VOLATILE(ring->failed))
            return DOCA_ERROR_IO_FAILED;
        if (flags == DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB)
            return DOCA_ERROR_AGAIN;
    }
    __threadfence_system();
    const struct doca_gpu_rdma_received *r = &rdma_r->results[*hdl & (ring->depth - 1)];
    *opcode = (enum doca_rdma_opcode)r->opcode;
    *imm = r->immediate;
    return r->failed ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/* Waits for all receives that were committed and that no call has waited for. */
DOCA_GPUNETIO_SINGLE doca_error_t
doca_gpu_dev_rdma_recv_wait_all(struct doca_gpu_dev_rdma_r *rdma_r)
{
    uint32_t num_ops;
    return doca_gpu_dev_rdma_recv_wait_all(rdma_r, DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &num_ops, NULL,
                                           NULL);
}

#undef DOCA_GPUNETIO_SINGLE

#endif
