/*
 * doca_gpunetio_dev_rdma: RDMA in kernels, by a context of doca_rdma_get_gpu_handle.
 *
 *     doca_gpu_dev_rdma_write_strong(rdma, 0, remote, 0, local, 0, 128, 0, DOCA_GPU_RDMA_WRITE_FLAG_NONE);
 *     doca_gpu_dev_rdma_commit_strong(rdma, 0);
 *     doca_gpu_dev_rdma_wait_all(rdma, &num_commits);
 *
 * Each connection has a queue of operations, with as many places as doca_rdma_set_send_queue_size gave, rounded
 * up to a power of two; connections count from 0, in the order of their creation. Kernels enter operations; a
 * commit lets the NIC carry them out, in the order of their places. The receives of all connections have one queue
 * (doca_rdma_set_recv_queue_size).
 *
 * Two modes enter and commit: "strong" functions take the next place. "Weak" functions take a position that the
 * program has chosen, from doca_gpu_dev_rdma_get_info: each from the position of the next place on, modulo the
 * mask, without a hole and not twice until the commit. Do not mix both between two commits of a queue.
 *
 * Functions that enter are called by single threads, which need no other thread. One thread commits and waits,
 * after a barrier if other threads have entered operations. The bytes of local buffers must not change until
 * doca_gpu_dev_rdma_wait_all. Buffers are of arrays (doca_gpunetio_dev_buf.cuh), offsets and lengths in bytes. An
 * immediate arrives as it was given; hosts take and give immediates as big-endian numbers.
 *
 * Errors of all functions that enter: INVALID_VALUE for NULL, NOT_CONNECTED if no connection has had this
 * index, FULL if the queue is full of operations that are not committed (strong), IO_FAILED if an operation of the
 * queue has failed: later ones fail, too, and a line on stderr tells the reason. A full queue is awaited (DOCA
 * GPUNetIO guide, "GPU Functions - RDMA").
 *
 * The functions of DOCA 2.7, without a connection, are in doca_gpunetio_dev_rdma_single.cuh.
 */
#ifndef DOCA_GPUNETIO_DEV_RDMA_CUH
#define DOCA_GPUNETIO_DEV_RDMA_CUH

#include "doca_gpunetio_dev_buf.cuh"

/* Whether a write or send has an immediate, for which the peer needs a receive. */
enum doca_gpu_dev_rdma_write_flags {
    DOCA_GPU_RDMA_WRITE_FLAG_NONE = 0,
    DOCA_GPU_RDMA_WRITE_FLAG_IMM = 1 << 0,
};
enum doca_gpu_dev_rdma_send_flags {
    DOCA_GPU_RDMA_SEND_FLAG_NONE = 0,
    DOCA_GPU_RDMA_SEND_FLAG_IMM = 1 << 0,
};
/* Whether doca_gpu_dev_rdma_recv_wait_all waits, or looks once. */
enum doca_gpu_dev_rdma_recv_wait_flags {
    DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB = 0,
    DOCA_GPU_RDMA_RECV_WAIT_FLAG_B = 1,
};

/* ---- Parts of the functions below ---- */

/* Returns the queue of a connection, or NULL. */
static __device__ __forceinline__ struct doca_gpu_rdma_sends *
doca_gpu_dev_rdma_sends(const struct doca_gpu_dev_rdma *rdma, uint32_t connection_index)
{
    if (!rdma || connection_index >= rdma->count)
        return NULL;
    return DOCA_GPUNETIO_VOLATILE(rdma->connections[connection_index]);
}

/* Takes the next place of a queue, or that of the position at `position`. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_take(struct doca_gpu_ring *ring,
                                                                      const uint32_t *position,
                                                                      uint64_t *place)
{
    return position ? doca_gpu_dev_ring_choose(ring, *position, place)
                    : doca_gpu_dev_ring_reserve(ring, place);
}

/* Enters an operation whose local bytes are of a buffer, or inline bytes. `remote_buf` is NULL for a send. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_enter(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, uint8_t kind,
    const struct doca_gpu_buf *remote_buf, uint64_t remote_offset,
    const struct doca_gpu_buf *local_buf, uint64_t local_offset, const uint8_t *inline_bytes,
    size_t length, uint32_t imm, bool has_imm, const uint32_t *position)
{
    struct doca_gpu_rdma_sends *sends = doca_gpu_dev_rdma_sends(rdma, connection_index);
    uint64_t place;
    if (!rdma || (!remote_buf && kind != DOCA_GPU_RDMA_OP_SEND) || (!local_buf && !inline_bytes) ||
        (inline_bytes && length > DOCA_GPU_RDMA_INLINE_MAX))
        return DOCA_ERROR_INVALID_VALUE;
    if (!sends)
        return DOCA_ERROR_NOT_CONNECTED;
    const doca_error_t result = doca_gpu_dev_rdma_take(&sends->ring, position, &place);
    if (result != DOCA_SUCCESS)
        return result;
    struct doca_gpu_rdma_op *op = &sends->ops[place & (sends->ring.depth - 1)];
    op->remote = remote_buf ? remote_buf->address + remote_offset : 0;
    op->remote_key = remote_buf ? remote_buf->mkey : 0;
    op->local = local_buf ? local_buf->address + local_offset : 0;
    op->local_key = local_buf ? local_buf->mkey : 0;
    op->size = length;
    op->immediate = imm;
    op->kind = kind;
    op->has_immediate = has_imm;
    op->is_inline = inline_bytes != NULL;
    for (size_t i = 0; inline_bytes && i < length; i++)
        op->bytes[i] = inline_bytes[i];
    doca_gpu_dev_ring_write(&sends->ring, place);
    return DOCA_SUCCESS;
}

/* ---- Positions ---- */

/* Gets the position of the next place of a connection, and the mask of positions: the number of places minus 1. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_rdma_get_info(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                           uint32_t *curr_position, uint32_t *mask_max_position)
{
    const struct doca_gpu_rdma_sends *sends = doca_gpu_dev_rdma_sends(rdma, connection_index);
    if (!sends)
        return rdma ? DOCA_ERROR_NOT_CONNECTED : DOCA_ERROR_INVALID_VALUE;
    *mask_max_position = sends->ring.depth - 1;
    *curr_position = (uint32_t)DOCA_GPUNETIO_VOLATILE(sends->ring.reserved) & *mask_max_position;
    return DOCA_SUCCESS;
}

/* ---- Writes ---- */

/* Enter a write of `length` bytes of a local buffer to a buffer of the peer. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_write_strong(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    uint32_t imm, const enum doca_gpu_dev_rdma_write_flags flags)
{
    return doca_gpu_dev_rdma_enter(rdma, connection_index, DOCA_GPU_RDMA_OP_WRITE, remote_buf,
                                   remote_offset, local_buf, local_offset, NULL, length, imm,
                                   (flags & DOCA_GPU_RDMA_WRITE_FLAG_IMM) != 0, NULL);
}
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_write_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    uint32_t imm, const enum doca_gpu_dev_rdma_write_flags flags, uint32_t position)
{
    return doca_gpu_dev_rdma_enter(rdma, connection_index, DOCA_GPU_RDMA_OP_WRITE, remote_buf,
                                   remote_offset, local_buf, local_offset, NULL, length, imm,
                                   (flags & DOCA_GPU_RDMA_WRITE_FLAG_IMM) != 0, &position);
}

/* Enter a write of bytes that the call copies. Errors: INVALID_VALUE also for more than 64 bytes. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_write_inline_strong(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, uint8_t *inl_data, uint32_t inl_lenght, uint32_t imm,
    const enum doca_gpu_dev_rdma_write_flags flags)
{
    return doca_gpu_dev_rdma_enter(rdma, connection_index, DOCA_GPU_RDMA_OP_WRITE, remote_buf,
                                   remote_offset, NULL, 0, inl_data, inl_lenght, imm,
                                   (flags & DOCA_GPU_RDMA_WRITE_FLAG_IMM) != 0, NULL);
}
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_write_inline_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, uint8_t *inl_data, uint32_t inl_lenght, uint32_t imm,
    const enum doca_gpu_dev_rdma_write_flags flags, uint32_t position)
{
    return doca_gpu_dev_rdma_enter(rdma, connection_index, DOCA_GPU_RDMA_OP_WRITE, remote_buf,
                                   remote_offset, NULL, 0, inl_data, inl_lenght, imm,
                                   (flags & DOCA_GPU_RDMA_WRITE_FLAG_IMM) != 0, &position);
}

/* ---- Reads ---- */

/* Enter a read of `length` bytes of a buffer of the peer into a local buffer. `flags_bitmask` must be 0. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_read_strong(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    const uint32_t flags_bitmask)
{
    return flags_bitmask ? DOCA_ERROR_INVALID_VALUE
                         : doca_gpu_dev_rdma_enter(rdma, connection_index, DOCA_GPU_RDMA_OP_READ,
                                                   remote_buf, remote_offset, local_buf,
                                                   local_offset, NULL, length, 0, false, NULL);
}
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_read_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *remote_buf,
    uint64_t remote_offset, struct doca_gpu_buf *local_buf, uint64_t local_offset, size_t length,
    const uint32_t flags_bitmask, uint32_t position)
{
    return flags_bitmask ? DOCA_ERROR_INVALID_VALUE
                         : doca_gpu_dev_rdma_enter(rdma, connection_index, DOCA_GPU_RDMA_OP_READ,
                                                   remote_buf, remote_offset, local_buf,
                                                   local_offset, NULL, length, 0, false, &position);
}

/* ---- Sends ---- */

/* Enter a send of `src_length` bytes of a local buffer to the next receive of the peer. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_send_strong(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *send_buf,
    uint64_t send_offset, size_t src_length, uint32_t imm,
    const enum doca_gpu_dev_rdma_send_flags flags)
{
    return doca_gpu_dev_rdma_enter(rdma, connection_index, DOCA_GPU_RDMA_OP_SEND, NULL, 0, send_buf,
                                   send_offset, NULL, src_length, imm,
                                   (flags & DOCA_GPU_RDMA_SEND_FLAG_IMM) != 0, NULL);
}
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_send_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, struct doca_gpu_buf *send_buf,
    uint64_t send_offset, size_t src_length, uint32_t imm,
    const enum doca_gpu_dev_rdma_send_flags flags, uint32_t position)
{
    return doca_gpu_dev_rdma_enter(rdma, connection_index, DOCA_GPU_RDMA_OP_SEND, NULL, 0, send_buf,
                                   send_offset, NULL, src_length, imm,
                                   (flags & DOCA_GPU_RDMA_SEND_FLAG_IMM) != 0, &position);
}

/* Enter a send of bytes that the call copies. Errors: INVALID_VALUE also for more than 64 bytes. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_send_inline_strong(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, uint8_t *inl_data,
    uint32_t inl_lenght, uint32_t imm, const enum doca_gpu_dev_rdma_send_flags flags)
{
    return doca_gpu_dev_rdma_enter(rdma, connection_index, DOCA_GPU_RDMA_OP_SEND, NULL, 0, NULL, 0,
                                   inl_data, inl_lenght, imm,
                                   (flags & DOCA_GPU_RDMA_SEND_FLAG_IMM) != 0, NULL);
}
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_rdma_send_inline_weak(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index,
                                   uint8_t *inl_data, uint32_t inl_lenght, uint32_t imm,
                                   const enum doca_gpu_dev_rdma_send_flags flags, uint32_t position)
{
    return doca_gpu_dev_rdma_enter(rdma, connection_index, DOCA_GPU_RDMA_OP_SEND, NULL, 0, NULL, 0,
                                   inl_data, inl_lenght, imm,
                                   (flags & DOCA_GPU_RDMA_SEND_FLAG_IMM) != 0, &position);
}

/* ---- Commits ---- */

/* Lets the NIC carry out all operations that were entered. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_rdma_commit_strong(struct doca_gpu_dev_rdma *rdma, uint32_t connection_index)
{
    struct doca_gpu_rdma_sends *sends = doca_gpu_dev_rdma_sends(rdma, connection_index);
    if (!sends)
        return rdma ? DOCA_ERROR_NOT_CONNECTED : DOCA_ERROR_INVALID_VALUE;
    return doca_gpu_dev_ring_post(&sends->ring, DOCA_GPUNETIO_VOLATILE(sends->ring.reserved));
}

/* Lets the NIC carry out the next `num_ops` operations, whose positions the program has chosen. Errors:
 * INVALID_VALUE also if the queue has fewer places. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_commit_weak(
    struct doca_gpu_dev_rdma *rdma, uint32_t connection_index, uint32_t num_ops)
{
    struct doca_gpu_rdma_sends *sends = doca_gpu_dev_rdma_sends(rdma, connection_index);
    if (!sends)
        return rdma ? DOCA_ERROR_NOT_CONNECTED : DOCA_ERROR_INVALID_VALUE;
    return doca_gpu_dev_ring_commit_chosen(&sends->ring, num_ops);
}

/* Waits until the NIC has carried out all operations of all connections that were committed before the call.
 * *num_commits is the number of commits that no call has waited for before. Errors: IO_FAILED if an operation
 * has failed; the call has waited for the other connections, but for no later operation of this connection. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_rdma_wait_all(struct doca_gpu_dev_rdma *rdma, uint32_t *num_commits)
{
    doca_error_t result = DOCA_SUCCESS;
    if (!rdma || !num_commits)
        return DOCA_ERROR_INVALID_VALUE;
    *num_commits = 0;
    for (uint32_t i = 0; i < rdma->count; i++) {
        struct doca_gpu_rdma_sends *sends = doca_gpu_dev_rdma_sends(rdma, i);
        if (!sends)
            continue;
        const unsigned long long commits = DOCA_GPUNETIO_VOLATILE(sends->ring.commits);
        const unsigned long long before = atomicMax(&sends->ring.awaited, commits);
        *num_commits += before < commits ? (uint32_t)(commits - before) : 0;
        const uint64_t end = DOCA_GPUNETIO_VOLATILE(sends->ring.posted);
        const doca_error_t one = doca_gpu_dev_ring_finish(&sends->ring, end);
        result = one == DOCA_SUCCESS ? result : one;
    }
    return result;
}

/* ---- Receives ---- */

/* Gets the handle for the receives of the context. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_rdma_get_recv(struct doca_gpu_dev_rdma *rdma, struct doca_gpu_dev_rdma_r **rdma_r)
{
    if (!rdma || !rdma_r)
        return DOCA_ERROR_INVALID_VALUE;
    *rdma_r = &rdma->receives;
    return DOCA_SUCCESS;
}

/* Gets the position of the next receive, and the mask of positions. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_recv_get_info(
    struct doca_gpu_dev_rdma_r *rdma_r, uint32_t *curr_position, uint32_t *mask_max_position)
{
    if (!rdma_r)
        return DOCA_ERROR_INVALID_VALUE;
    *mask_max_position = rdma_r->ring.depth - 1;
    *curr_position = (uint32_t)DOCA_GPUNETIO_VOLATILE(rdma_r->ring.reserved) & *mask_max_position;
    return DOCA_SUCCESS;
}

/* Enters a receive in the next place, or in that of the position at `position`. *hdl gets the place, unless NULL. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_recv_enter(
    struct doca_gpu_dev_rdma_r *rdma_r, const struct doca_gpu_buf *recv_buf, size_t recv_length,
    uint64_t recv_offset, uint32_t flags_bitmask, const uint32_t *position, uint64_t *hdl)
{
    uint64_t place;
    if (!rdma_r || (!recv_buf && recv_length > 0) || flags_bitmask)
        return DOCA_ERROR_INVALID_VALUE;
    const doca_error_t result = doca_gpu_dev_rdma_take(&rdma_r->ring, position, &place);
    if (result != DOCA_SUCCESS)
        return result;
    struct doca_gpu_rdma_receive *buffer = &rdma_r->buffers[place & (rdma_r->ring.depth - 1)];
    buffer->address = recv_buf ? recv_buf->address + recv_offset : 0;
    buffer->key = recv_buf ? recv_buf->mkey : 0;
    buffer->size = recv_length;
    if (hdl)
        *hdl = place;
    doca_gpu_dev_ring_write(&rdma_r->ring, place);
    return DOCA_SUCCESS;
}

/* Enter a receive of at most `recv_length` bytes into a buffer; NULL and 0 for an immediate alone.
 * `flags_bitmask` must be 0. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_recv_strong(
    struct doca_gpu_dev_rdma_r *rdma_r, struct doca_gpu_buf *recv_buf, size_t recv_length,
    uint64_t recv_offset, const uint32_t flags_bitmask)
{
    return doca_gpu_dev_rdma_recv_enter(rdma_r, recv_buf, recv_length, recv_offset, flags_bitmask,
                                        NULL, NULL);
}
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_recv_weak(
    struct doca_gpu_dev_rdma_r *rdma_r, struct doca_gpu_buf *recv_buf, size_t recv_length,
    uint64_t recv_offset, const uint32_t flags_bitmask, uint32_t position)
{
    return doca_gpu_dev_rdma_recv_enter(rdma_r, recv_buf, recv_length, recv_offset, flags_bitmask,
                                        &position, NULL);
}

/* Gives the NIC all receives that were entered. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_rdma_recv_commit_strong(struct doca_gpu_dev_rdma_r *rdma_r)
{
    return rdma_r ? doca_gpu_dev_ring_post(&rdma_r->ring,
                                           DOCA_GPUNETIO_VOLATILE(rdma_r->ring.reserved))
                  : DOCA_ERROR_INVALID_VALUE;
}

/* Gives the NIC the next `num_ops` receives, whose positions the program has chosen. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_rdma_recv_commit_weak(struct doca_gpu_dev_rdma_r *rdma_r, uint32_t num_ops)
{
    return rdma_r ? doca_gpu_dev_ring_commit_chosen(&rdma_r->ring, num_ops)
                  : DOCA_ERROR_INVALID_VALUE;
}

/* Takes the receives that were committed and that no call has taken before, in the order of their places: all of
 * them with DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, which waits for them; those that have ended, up to the first that has
 * not, with DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB. *num_ops is their number. imm_val and connection_index, unless
 * NULL, have room for as many numbers: the immediates, and the connections of the messages. Errors: IO_FAILED if a
 * receive has failed. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_rdma_recv_wait_all(
    struct doca_gpu_dev_rdma_r *rdma_r, const enum doca_gpu_dev_rdma_recv_wait_flags flags,
    uint32_t *num_ops, uint32_t *imm_val, uint32_t *connection_index)
{
    doca_error_t result = DOCA_SUCCESS;
    if (!rdma_r || !num_ops)
        return DOCA_ERROR_INVALID_VALUE;
    struct doca_gpu_ring *ring = &rdma_r->ring;
    uint64_t i = DOCA_GPUNETIO_VOLATILE(ring->awaited);
    const uint64_t first = i, end = DOCA_GPUNETIO_VOLATILE(ring->posted);
    for (; i < end; i++) {
        const struct doca_gpu_rdma_received *r = &rdma_r->results[i & (ring->depth - 1)];
        while (DOCA_GPUNETIO_VOLATILE(ring->done) <= i)
            if (flags == DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB || DOCA_GPUNETIO_VOLATILE(ring->failed))
                goto out;
        __threadfence_system();
        if (imm_val)
            imm_val[i - first] = r->immediate;
        if (connection_index)
            connection_index[i - first] = r->connection;
        if (r->failed)
            result = DOCA_ERROR_IO_FAILED;
    }
out:
    DOCA_GPUNETIO_VOLATILE(ring->awaited) = i;
    *num_ops = (uint32_t)(i - first);
    return DOCA_GPUNETIO_VOLATILE(ring->failed) ? DOCA_ERROR_IO_FAILED : result;
}

#include "doca_gpunetio_dev_rdma_single.cuh"

#endif
