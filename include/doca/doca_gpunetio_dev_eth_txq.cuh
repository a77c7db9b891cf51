/*
 * doca_gpunetio_dev_eth_txq: sending in kernels, by a queue of doca_eth_txq_get_gpu_handle.
 *
 *     doca_gpu_dev_eth_ticket_t ticket;
 *     doca_gpu_dev_eth_txq_send<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
 *                               DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU, DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
 *                               DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>(
 *         txq, (uint64_t)packet, mkey, 64, DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, &ticket);
 *     doca_gpu_dev_eth_txq_poll_completion<DOCA_GPUNETIO_ETH_CQ_POLL_LAST>(
 *         txq, 1, DOCA_GPUNETIO_ETH_WAIT_FLAG_B, &num_completed);
 *
 * A send has a place in the ring of the queue: it is reserved, written (prepared), marked as ready, and
 * submitted to the NIC. doca_gpu_dev_eth_txq_send does all of it. Packets leave in the order of their
 * places. The bytes of a packet must not change until it was sent: until a later completion of the queue.
 * Memory keys are big-endian: htobe32 of doca_mmap_get_mkey (DOCA GPUNetIO guide, "Ethernet Send").
 */
#ifndef DOCA_GPUNETIO_DEV_ETH_TXQ_CUH
#define DOCA_GPUNETIO_DEV_ETH_TXQ_CUH

#include "doca_gpunetio_dev_eth_common.cuh"

/* ---- Places in the ring ---- */

/* Fields of sends, as ConnectX NICs read them. */
enum {
    DOCA_GPUNETIO_ETH_OPCODE_SEND = 0x0a,
    DOCA_GPUNETIO_ETH_OPCODE_WAIT = 0x0f,
    DOCA_GPUNETIO_ETH_OPMOD_WAIT_TIME = 2,
    DOCA_GPUNETIO_ETH_WAIT_CYCLIC_SMALLER = 5,
    DOCA_GPUNETIO_ETH_SEGMENTS = 3, /* of 16 bytes, of both kinds of sends */
    DOCA_GPUNETIO_ETH_COMPLETE_ALWAYS = 2 << 2
};

/* Returns the place of send `wqe_idx`. Any thread may call it for any index. */
static __device__ __forceinline__ struct doca_gpu_dev_eth_txq_wqe *
doca_gpu_dev_eth_txq_get_wqe_ptr(struct doca_gpu_eth_txq *txq, uint64_t wqe_idx)
{
    return &txq->wqes[wqe_idx & (txq->depth - 1)];
}

/* Reserves `count` places, at most the depth of the ring, for the calling thread, and returns the first.
 * It waits while the NIC has not executed the sends that were in these places before. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ uint64_t
doca_gpu_dev_eth_txq_reserve_wq_slots(struct doca_gpu_eth_txq *txq, uint32_t count)
{
    const uint64_t first = atomicAdd(&txq->reserved, (unsigned long long)count);
    while (DOCA_GPUNETIO_VOLATILE(txq->bell->done) + txq->depth < first + count)
        ;
    return first;
}

/* Writes the first two words of a send: what, with its index; the queue, with the number of segments; and
 * whether it has a completion. */
static __device__ __forceinline__ void
doca_gpu_dev_eth_txq_write_control(const struct doca_gpu_eth_txq *txq, uint64_t *words,
                                   uint32_t operation, uint64_t wqe_idx, bool completes)
{
    const uint32_t what = operation | ((uint32_t)wqe_idx & 0xffffu) << 8;
    words[0] = (uint64_t)doca_gpu_dev_eth_bswap32(txq->number | DOCA_GPUNETIO_ETH_SEGMENTS) << 32 |
               doca_gpu_dev_eth_bswap32(what);
    words[1] = completes ? (uint64_t)DOCA_GPUNETIO_ETH_COMPLETE_ALWAYS << 24 : 0;
}

/* Writes the send of a packet of `nbytes` bytes at `addr`, in memory of the key `mkey`, into its place. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_eth_txq_wqe_prepare_send(
    const struct doca_gpu_eth_txq *txq, struct doca_gpu_dev_eth_txq_wqe *wqe_ptr, uint64_t wqe_idx,
    uint64_t addr, uint32_t mkey, uint32_t nbytes, enum doca_gpu_eth_send_flags flags)
{
    uint64_t *words = wqe_ptr->words;
    doca_gpu_dev_eth_txq_write_control(txq, words, DOCA_GPUNETIO_ETH_OPCODE_SEND, wqe_idx,
                                       (flags & DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY) != 0);
    words[2] = (uint64_t)txq->checksums << 32;
    words[3] = 0;
    words[4] = (uint64_t)mkey << 32 | doca_gpu_dev_eth_bswap32(nbytes);
    words[5] = doca_gpu_dev_eth_bswap64(addr);
    return DOCA_SUCCESS;
}

/* Writes a wait for a time, of doca_eth_txq_calculate_timestamp: later packets leave after it. Errors:
 * NOT_SUPPORTED if the queue does not wait (doca_eth_txq_set_wait_on_time_offload). */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_eth_txq_wqe_prepare_wait_time(
    const struct doca_gpu_eth_txq *txq, struct doca_gpu_dev_eth_txq_wqe *wqe_ptr, uint64_t wqe_idx,
    uint64_t wait_on_time_value, enum doca_gpu_eth_send_flags flags)
{
    uint64_t *words = wqe_ptr->words;
    if (!txq->timed)
        return DOCA_ERROR_NOT_SUPPORTED;
    doca_gpu_dev_eth_txq_write_control(txq, words,
                                       DOCA_GPUNETIO_ETH_OPCODE_WAIT |
                                           (uint32_t)DOCA_GPUNETIO_ETH_OPMOD_WAIT_TIME << 24,
                                       wqe_idx, (flags & DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY) != 0);
    words[2] = doca_gpu_dev_eth_bswap32(DOCA_GPUNETIO_ETH_WAIT_CYCLIC_SMALLER);
    words[3] = 0;
    words[4] = doca_gpu_dev_eth_bswap64(wait_on_time_value);
    words[5] = ~(uint64_t)0;
    return DOCA_SUCCESS;
}

/* Marks the places `from_wqe_idx` to `to_wqe_idx` as written. It waits until all places before them are. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ void
doca_gpu_dev_eth_txq_mark_wqes_ready(struct doca_gpu_eth_txq *txq, uint64_t from_wqe_idx,
                                     uint64_t to_wqe_idx)
{
    __threadfence_system();
    while (DOCA_GPUNETIO_VOLATILE(txq->ready) != from_wqe_idx)
        ;
    __threadfence_system();
    DOCA_GPUNETIO_VOLATILE(txq->ready) = to_wqe_idx + 1;
}

/* Lets the NIC execute all sends before the index `prod_index`, which must be written. If another thread
 * submitted more already, this changes nothing. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO>
static __device__ __forceinline__ void doca_gpu_dev_eth_txq_submit(struct doca_gpu_eth_txq *txq,
                                                                   uint64_t prod_index)
{
    struct doca_gpu_eth_bell *bell = txq->bell;
    __threadfence_system();
    if (txq->on_cpu) {
        atomicMax(&bell->proxied, (unsigned long long)prod_index);
        return;
    }
    atomicMax(&bell->posted, (unsigned long long)prod_index);
    doca_gpu_dev_ring_bell(&bell->bell);
}

/* ---- Sends ---- */

/* Reserves a place for the packet of each of `packets` threads, and one before them for a wait if `waits`.
 * Returns the place of the first packet. One thread calls it. */
static __device__ __forceinline__ uint64_t doca_gpu_dev_eth_txq_begin(struct doca_gpu_eth_txq *txq,
                                                                      uint32_t packets, bool waits,
                                                                      uint64_t time)
{
    const uint64_t first = doca_gpu_dev_eth_txq_reserve_wq_slots(txq, packets + waits);
    if (waits)
        doca_gpu_dev_eth_txq_wqe_prepare_wait_time(txq,
                                                   doca_gpu_dev_eth_txq_get_wqe_ptr(txq, first),
                                                   first, time, DOCA_GPUNETIO_ETH_SEND_FLAG_NONE);
    return first + waits;
}

/* Marks and submits `packets` packets from `first`, with a wait before them if `waits`. */
static __device__ __forceinline__ void
doca_gpu_dev_eth_txq_end(struct doca_gpu_eth_txq *txq, uint64_t first, uint32_t packets, bool waits)
{
    doca_gpu_dev_eth_txq_mark_wqes_ready(txq, first - waits, first + packets - 1);
    doca_gpu_dev_eth_txq_submit(txq, first + packets);
}

static __device__ __forceinline__ void
doca_gpu_dev_eth_txq_put(struct doca_gpu_eth_txq *txq, uint64_t place, uint64_t addr, uint32_t mkey,
                         size_t size, enum doca_gpu_eth_send_flags flags,
                         doca_gpu_dev_eth_ticket_t *out_ticket)
{
    doca_gpu_dev_eth_txq_wqe_prepare_send(txq, doca_gpu_dev_eth_txq_get_wqe_ptr(txq, place), place,
                                          addr, mkey, (uint32_t)size, flags);
    *out_ticket = place;
}

/* Sends a packet of each thread of the scope, after the time `time` if `waits`. */
template <enum doca_gpu_dev_eth_exec_scope exec_scope>
static __device__ __forceinline__ void
doca_gpu_dev_eth_txq_send_in(struct doca_gpu_eth_txq *txq, bool waits, uint64_t time, uint64_t addr,
                             uint32_t mkey, size_t size, enum doca_gpu_eth_send_flags flags,
                             doca_gpu_dev_eth_ticket_t *out_ticket)
{
    if (exec_scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK) {
        __shared__ uint64_t place;
        const uint32_t threads = blockDim.x * blockDim.y * blockDim.z;
        const uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        if (thread == 0)
            place = doca_gpu_dev_eth_txq_begin(txq, threads, waits, time);
        __syncthreads();
        doca_gpu_dev_eth_txq_put(txq, place + thread, addr, mkey, size, flags, out_ticket);
        __syncthreads();
        if (thread == 0)
            doca_gpu_dev_eth_txq_end(txq, place, threads, waits);
        __syncthreads();
    } else if (exec_scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP) {
        const unsigned int lane = doca_gpu_dev_eth_get_lane_id();
        unsigned long long place = 0;
        if (lane == 0)
            place = doca_gpu_dev_eth_txq_begin(txq, DOCA_GPUNETIO_ETH_WARP_SIZE, waits, time);
        place = __shfl_sync(DOCA_GPUNETIO_ETH_FULL_WARP, place, 0);
        doca_gpu_dev_eth_txq_put(txq, place + lane, addr, mkey, size, flags, out_ticket);
        __syncwarp();
        if (lane == 0)
            doca_gpu_dev_eth_txq_end(txq, place, DOCA_GPUNETIO_ETH_WARP_SIZE, waits);
        __syncwarp();
    } else {
        const uint64_t place = doca_gpu_dev_eth_txq_begin(txq, 1, waits, time);
        doca_gpu_dev_eth_txq_put(txq, place, addr, mkey, size, flags, out_ticket);
        doca_gpu_dev_eth_txq_end(txq, place, 1, waits);
    }
}

/* Sends a packet of each thread of the scope `exec_scope`: of the thread, of all 32 threads of the warp, or
 * of all threads of the block, which have consecutive places in the order of the threads. All threads of
 * the scope call it. A block waits at barriers in it, the last at its end. *out_ticket is the place of the
 * thread's packet. The packet leaves soon after the call; a completion tells when. The other options change
 * nothing on the emulated GPU. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_eth_exec_scope exec_scope = DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void
doca_gpu_dev_eth_txq_send(struct doca_gpu_eth_txq *txq, uint64_t addr, uint32_t mkey, size_t size,
                          enum doca_gpu_eth_send_flags flags, doca_gpu_dev_eth_ticket_t *out_ticket)
{
    doca_gpu_dev_eth_txq_send_in<exec_scope>(txq, false, 0, addr, mkey, size, flags, out_ticket);
}

/* Does the same after a wait for the time `wait_on_time_value` (doca_eth_txq_calculate_timestamp), which
 * one thread of the scope enters for all. Packets of later calls wait, too. If the queue does not wait
 * (doca_eth_txq_set_wait_on_time_offload), the NIC refuses the send, and the next completion is an error. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_eth_exec_scope exec_scope = DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>
static __device__ __forceinline__ void doca_gpu_dev_eth_txq_wait_send(
    struct doca_gpu_eth_txq *txq, uint64_t wait_on_time_value, uint64_t addr, uint32_t mkey,
    size_t size, enum doca_gpu_eth_send_flags flags, doca_gpu_dev_eth_ticket_t *out_ticket)
{
    doca_gpu_dev_eth_txq_send_in<exec_scope>(txq, true, wait_on_time_value, addr, mkey, size, flags,
                                             out_ticket);
}

/* ---- Completions ---- */

/* Tells the NIC that `count` completions were read. */
static __device__ __forceinline__ void doca_gpu_dev_eth_txq_consume(struct doca_gpu_eth_txq *txq,
                                                                    uint64_t count)
{
    DOCA_GPUNETIO_VOLATILE(*txq->consumed) = doca_gpu_dev_eth_bswap32((uint32_t)count & 0xffffffu);
}

/* Looks at completion `cqe_idx` of the queue; they count up for ever, one for each send that has one. With
 * DOCA_GPUNETIO_ETH_WAIT_FLAG_B it waits until the completion is there. One thread calls it for each
 * completion, before the ring has as many newer ones as places. Errors: IO_FAILED if the send failed,
 * IN_PROGRESS if it is not there and the call does not wait. */
template <enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>
static __device__ __forceinline__ doca_error_t doca_gpu_dev_eth_txq_poll_completion_at(
    struct doca_gpu_eth_txq *txq, uint64_t cqe_idx, enum doca_gpu_dev_eth_wait_flags wait_mode)
{
    bool failed;
    while (!doca_gpu_dev_eth_has_cqe(txq->completions, txq->depth, cqe_idx, &failed))
        if (wait_mode == DOCA_GPUNETIO_ETH_WAIT_FLAG_NB)
            return DOCA_ERROR_IN_PROGRESS;
    __threadfence_system();
    doca_gpu_dev_eth_txq_consume(txq, cqe_idx + 1);
    return failed ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/* Takes the next `num_cqe` completions, at most the depth of the ring, of the queue, so that no other
 * thread gets them. With DOCA_GPUNETIO_ETH_WAIT_FLAG_B it waits for all of them; without, it takes those
 * that are there: none or all with DOCA_GPUNETIO_ETH_CQ_POLL_LAST. *num_completed is the number of
 * completions taken. DOCA_GPUNETIO_ETH_CQ_POLL_LAST looks at the last one alone, and finds only its
 * failure. Any thread may call it. Errors: IO_FAILED if a send failed. */
template <enum doca_gpu_dev_eth_cq_poll_mode poll_mode = DOCA_GPUNETIO_ETH_CQ_POLL_ALL,
          enum doca_gpu_dev_eth_resource_sharing_mode resource_sharing_mode =
              DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
          enum doca_gpu_dev_eth_sync_scope sync_scope = DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>
static __device__ __forceinline__ doca_error_t doca_gpu_dev_eth_txq_poll_completion(
    struct doca_gpu_eth_txq *txq, uint32_t num_cqe, enum doca_gpu_dev_eth_wait_flags wait_mode,
    uint32_t *num_completed)
{
    doca_error_t result = DOCA_SUCCESS;
    unsigned long long first;
    uint32_t count = num_cqe;
    bool failed;
    *num_completed = 0;
    if (num_cqe == 0)
        return DOCA_SUCCESS;
    if (wait_mode == DOCA_GPUNETIO_ETH_WAIT_FLAG_B) {
        first = atomicAdd(&txq->polled, (unsigned long long)num_cqe);
    } else {
        first = DOCA_GPUNETIO_VOLATILE(txq->polled);
        count = 0;
        if (poll_mode == DOCA_GPUNETIO_ETH_CQ_POLL_LAST)
            count =
                doca_gpu_dev_eth_has_cqe(txq->completions, txq->depth, first + num_cqe - 1, &failed)
                    ? num_cqe
                    : 0;
        else
            while (count < num_cqe &&
                   doca_gpu_dev_eth_has_cqe(txq->completions, txq->depth, first + count, &failed))
                count++;
        if (count == 0 || atomicCAS(&txq->polled, first, first + count) != first)
            return DOCA_SUCCESS;
    }
    for (uint32_t i = poll_mode == DOCA_GPUNETIO_ETH_CQ_POLL_LAST ? count - 1 : 0; i < count; i++)
        if (doca_gpu_dev_eth_txq_poll_completion_at(txq, first + i,
                                                    DOCA_GPUNETIO_ETH_WAIT_FLAG_B) != DOCA_SUCCESS)
            result = DOCA_ERROR_IO_FAILED;
    *num_completed = count;
    return result;
}

#endif
