/*
 * doca_gpunetio_dev_eth_common: what the functions of kernels for receive and send queues share.
 * Programs include doca_gpunetio_dev_eth_rxq.cuh and doca_gpunetio_dev_eth_txq.cuh.
 */
#ifndef DOCA_GPUNETIO_DEV_ETH_COMMON_CUH
#define DOCA_GPUNETIO_DEV_ETH_COMMON_CUH

#include "doca_gpunetio_dev_common.cuh"
#include "doca_gpunetio_eth_def.h"

#define DOCA_GPUNETIO_ETH_FULL_WARP 0xffffffffu

/* Returns the number of the thread in its warp, 0 to 31. */
static __device__ __forceinline__ unsigned int doca_gpu_dev_eth_get_lane_id(void)
{
    const unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return thread % DOCA_GPUNETIO_ETH_WARP_SIZE;
}

/* Big-endian numbers. */
static __device__ __forceinline__ uint32_t doca_gpu_dev_eth_bswap32(uint32_t x)
{
    return x << 24 | (x & 0xff00u) << 8 | (x >> 8 & 0xff00u) | x >> 24;
}
static __device__ __forceinline__ uint64_t doca_gpu_dev_eth_bswap64(uint64_t x)
{
    return (uint64_t)doca_gpu_dev_eth_bswap32((uint32_t)x) << 32 |
           doca_gpu_dev_eth_bswap32((uint32_t)(x >> 32));
}

/* Returns nanoseconds of a clock for timeouts. A thread that reads it again and again lets other threads
 * run. */
static __device__ __forceinline__ uint64_t doca_gpu_dev_eth_query_globaltimer(void)
{
    return __globaltimer();
}

/* Completions have 64 bytes. The last byte has the kind of completion, and a bit that changes with each
 * round of the ring: until it does, the completion is of the round before. */
enum {
    DOCA_GPUNETIO_ETH_CQE_SIZE = 64,
    DOCA_GPUNETIO_ETH_CQE_REQUEST_ERROR = 13,
    DOCA_GPUNETIO_ETH_CQE_RESPONSE_ERROR = 14,
    DOCA_GPUNETIO_ETH_CQE_INVALID = 15
};

/* Returns whether the completion whose last byte is `last` is the one of index `index`, and in *failed
 * whether it is of a failure. */
static __device__ __forceinline__ bool doca_gpu_dev_eth_is_cqe(unsigned char last, uint32_t depth,
                                                               uint64_t index, bool *failed)
{
    const unsigned int kind = last >> 4;
    *failed =
        kind == DOCA_GPUNETIO_ETH_CQE_REQUEST_ERROR || kind == DOCA_GPUNETIO_ETH_CQE_RESPONSE_ERROR;
    return kind != DOCA_GPUNETIO_ETH_CQE_INVALID && (last & 1u) == ((index & depth) != 0);
}

/* Returns whether completion `index` of a ring of `depth` is there. The caller puts a fence before it
 * reads more of the completion. A thread that calls it again and again lets other threads run. */
static __device__ __forceinline__ bool doca_gpu_dev_eth_has_cqe(const unsigned char *completions,
                                                                uint32_t depth, uint64_t index,
                                                                bool *failed)
{
    const unsigned char *cqe =
        completions + (index & (depth - 1)) * (uint64_t)DOCA_GPUNETIO_ETH_CQE_SIZE;
    return doca_gpu_dev_eth_is_cqe(
        *(const volatile unsigned char *)(cqe + DOCA_GPUNETIO_ETH_CQE_SIZE - 1), depth, index,
        failed);
}

#endif
