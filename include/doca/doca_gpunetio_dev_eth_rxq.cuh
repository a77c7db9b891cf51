/*
 * doca_gpunetio_dev_eth_rxq: receiving in kernels, from a queue of doca_eth_rxq_get_gpu_handle.
 *
 *     __shared__ uint64_t first;
 *     __shared__ uint32_t count;
 *     doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(rxq, 2048, 500000, &first, &count,
 *                                                                   NULL);
 *     for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
 *         use((uint8_t *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i));
 *
 * Packets lie in a ring, in the order of their arrival. They stay until the next call for the same queue
 * returns them to the NIC. One scope (a thread, warp or block) receives from a queue at a time (DOCA
 * GPUNetIO guide, "Ethernet Receive").
 */
#ifndef DOCA_GPUNETIO_DEV_ETH_RXQ_CUH
#define DOCA_GPUNETIO_DEV_ETH_RXQ_CUH

#include "doca_gpunetio_dev_eth_common.cuh"

/* Returns the address of packet `packet_idx` of the queue, for any index, and the memory key of all
 * packets, big-endian, as sends take it. */
static __device__ __forceinline__ uint64_t
doca_gpu_dev_eth_rxq_get_pkt_addr(struct doca_gpu_eth_rxq *rxq, uint64_t packet_idx)
{
    return rxq->packets + (packet_idx & (rxq->depth - 1)) * rxq->stride;
}
static __device__ __forceinline__ uint32_t
doca_gpu_dev_eth_rxq_get_pkt_mkey(struct doca_gpu_eth_rxq *rxq)
{
    return rxq->mkey;
}

/* Returns the number of packets that the queue holds: all of its places, but for one if these are 65,536,
 * because the NIC counts posted receives with 16 bits. */
static __device__ __forceinline__ uint32_t
doca_gpu_dev_eth_rxq_capacity(const struct doca_gpu_eth_rxq *rxq)
{
    return rxq->depth - (rxq->depth >> 16);
}

/* Lets the NIC write again where the packets before `next` are. */
static __device__ __forceinline__ void doca_gpu_dev_eth_rxq_release(struct doca_gpu_eth_rxq *rxq,
                                                                    uint64_t next)
{
    __threadfence_system();
    DOCA_GPUNETIO_VOLATILE(*rxq->consumed) = doca_gpu_dev_eth_bswap32((uint32_t)next & 0xffffffu);
    DOCA_GPUNETIO_VOLATILE(*rxq->posted) =
        doca_gpu_dev_eth_bswap32((uint32_t)(next + doca_gpu_dev_eth_rxq_capacity(rxq)) & 0xffffu);
}

/* Returns the number of packets, at most `most`, that are there from `first`. Sets *failed if the queue
 * has failed. It looks at many completions without letting other threads run. */
static __device__ __forceinline__ uint32_t doca_gpu_dev_eth_rxq_count(
    const struct doca_gpu_eth_rxq *rxq, uint64_t first, uint32_t most, bool *failed)
{
    uint32_t count = 0;
    *failed = false;
    asm volatile("" ::: "memory"); /* the NIC has written to the completions */
    for (; count < most; count++) {
        const uint64_t place = (first + count) & (rxq->depth - 1);
        const unsigned char last = rxq->completions[(place + 1) * DOCA_GPUNETIO_ETH_CQE_SIZE - 1];
        if (!doca_gpu_dev_eth_is_cqe(last, rxq->depth, first + count, failed) || *failed)
            break;
    }
    return count;
}

static __device__ __forceinline__ void
doca_gpu_dev_eth_rxq_read_attr(const struct doca_gpu_eth_rxq *rxq, uint64_t index,
                               struct doca_gpu_dev_eth_rxq_attr *out)
{
    const unsigned char *cqe =
        rxq->completions + (index & (rxq->depth - 1)) * (uint64_t)DOCA_GPUNETIO_ETH_CQE_SIZE;
    out->bytes = doca_gpu_dev_eth_bswap32(*(const uint32_t *)(cqe + 44));
    out->timestamp_ns = doca_gpu_dev_eth_bswap64(*(const uint64_t *)(cqe + 48));
}

/* Receives as one thread: waits until `max_rx_pkts` packets are there (0: as many as the ring has), or
 * `timeout_ns` nanoseconds have passed, or the queue fails. *out_first_pkt_idx is the index of the first
 * packet, *out_pkt_num the number of packets, 0 if none came. out_attr[i] receives size and time of each,
 * unless `attributes` is NONE (programs of releases before 3.3 write `true` or `false` there).
 * Errors: IO_FAILED if the queue has failed, for example by a packet that is larger than its place; then
 * there are no packets. */
template <enum doca_gpu_dev_eth_mcst_mode mcst_mode = DOCA_GPUNETIO_ETH_MCST_AUTO,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          int attributes = DOCA_GPUNETIO_ETH_RX_ATTR_NONE>
static __device__ __forceinline__ doca_error_t doca_gpu_dev_eth_rxq_recv_thread(
    struct doca_gpu_eth_rxq *rxq, uint32_t max_rx_pkts, uint64_t timeout_ns,
    uint64_t *out_first_pkt_idx, uint32_t *out_pkt_num, struct doca_gpu_dev_eth_rxq_attr *out_attr)
{
    const uint64_t first = rxq->next, begin = doca_gpu_dev_eth_query_globaltimer();
    const uint32_t room = doca_gpu_dev_eth_rxq_capacity(rxq);
    const uint32_t most = max_rx_pkts && max_rx_pkts < room ? max_rx_pkts : room;
    uint32_t count = 0, more;
    bool failed;
    doca_gpu_dev_eth_rxq_release(rxq, first);
    do {
        more = doca_gpu_dev_eth_rxq_count(rxq, first + count, most - count, &failed);
        count += more;
    } while (count < most && !failed && doca_gpu_dev_eth_query_globaltimer() - begin < timeout_ns);
    __threadfence_system();
    *out_first_pkt_idx = first;
    *out_pkt_num = count;
    if (attributes != DOCA_GPUNETIO_ETH_RX_ATTR_NONE && out_attr)
        for (uint32_t i = 0; i < count; i++)
            doca_gpu_dev_eth_rxq_read_attr(rxq, first + i, &out_attr[i]);
    rxq->next = first + count;
    return failed && count == 0 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/* Does the same as a warp: all 32 threads call it, with the same arguments. The results are written once
 * and seen by all, so they must be in memory that the threads share. All threads return the same. */
template <enum doca_gpu_dev_eth_mcst_mode mcst_mode = DOCA_GPUNETIO_ETH_MCST_AUTO,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          int attributes = DOCA_GPUNETIO_ETH_RX_ATTR_NONE>
static __device__ __forceinline__ doca_error_t doca_gpu_dev_eth_rxq_recv_warp(
    struct doca_gpu_eth_rxq *rxq, uint32_t max_rx_pkts, uint64_t timeout_ns,
    uint64_t *out_first_pkt_idx, uint32_t *out_pkt_num, struct doca_gpu_dev_eth_rxq_attr *out_attr)
{
    int result = DOCA_SUCCESS;
    __syncwarp(); /* no thread still reads packets or results of the call before */
    if (doca_gpu_dev_eth_get_lane_id() == 0)
        result = doca_gpu_dev_eth_rxq_recv_thread<mcst_mode, nic_handler, attributes>(
            rxq, max_rx_pkts, timeout_ns, out_first_pkt_idx, out_pkt_num, out_attr);
    __syncwarp(); /* a shuffle orders no memory */
    return (doca_error_t)__shfl_sync(DOCA_GPUNETIO_ETH_FULL_WARP, result, 0);
}

/* Does the same as a block: all of its threads call it. It begins and ends with a barrier. */
template <enum doca_gpu_dev_eth_mcst_mode mcst_mode = DOCA_GPUNETIO_ETH_MCST_AUTO,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          int attributes = DOCA_GPUNETIO_ETH_RX_ATTR_NONE>
static __device__ __forceinline__ doca_error_t doca_gpu_dev_eth_rxq_recv_block(
    struct doca_gpu_eth_rxq *rxq, uint32_t max_rx_pkts, uint64_t timeout_ns,
    uint64_t *out_first_pkt_idx, uint32_t *out_pkt_num, struct doca_gpu_dev_eth_rxq_attr *out_attr)
{
    doca_error_t result = DOCA_SUCCESS;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
        result = doca_gpu_dev_eth_rxq_recv_thread<mcst_mode, nic_handler, attributes>(
            rxq, max_rx_pkts, timeout_ns, out_first_pkt_idx, out_pkt_num, out_attr);
    return __syncthreads_or(result != DOCA_SUCCESS) ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/* Receives in the scope `exec_scope`, as one of the functions above. `mcst_mode` and `nic_handler` change
 * nothing on the emulated GPU. */
template <enum doca_gpu_dev_eth_exec_scope exec_scope = DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD,
          enum doca_gpu_dev_eth_mcst_mode mcst_mode = DOCA_GPUNETIO_ETH_MCST_AUTO,
          enum doca_gpu_dev_eth_nic_handler nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
          int attributes = DOCA_GPUNETIO_ETH_RX_ATTR_NONE>
static __device__ __forceinline__ doca_error_t doca_gpu_dev_eth_rxq_recv(
    struct doca_gpu_eth_rxq *rxq, uint32_t max_rx_pkts, uint64_t timeout_ns,
    uint64_t *out_first_pkt_idx, uint32_t *out_pkt_num, struct doca_gpu_dev_eth_rxq_attr *out_attr)
{
    if (exec_scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP)
        return doca_gpu_dev_eth_rxq_recv_warp<mcst_mode, nic_handler, attributes>(
            rxq, max_rx_pkts, timeout_ns, out_first_pkt_idx, out_pkt_num, out_attr);
    if (exec_scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK)
        return doca_gpu_dev_eth_rxq_recv_block<mcst_mode, nic_handler, attributes>(
            rxq, max_rx_pkts, timeout_ns, out_first_pkt_idx, out_pkt_num, out_attr);
    return doca_gpu_dev_eth_rxq_recv_thread<mcst_mode, nic_handler, attributes>(
        rxq, max_rx_pkts, timeout_ns, out_first_pkt_idx, out_pkt_num, out_attr);
}

#endif
