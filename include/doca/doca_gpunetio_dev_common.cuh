/*
 * doca_gpunetio_dev_common: what the functions of kernels for all queues share. Programs include the
 * headers of the queues.
 */
#ifndef DOCA_GPUNETIO_DEV_COMMON_CUH
#define DOCA_GPUNETIO_DEV_COMMON_CUH

#include <cuda_runtime.h>

#include "doca_gpunetio.h"
#include "doca_gpunetio_def.h"

/* Wakes threads of the emulated NIC that sleep at `word`. */
extern "C" __device__ void dpk_gpu_wake(uint32_t *word);

/* Rings the bell of a queue, after the writes that the NIC shall see. */
static __device__ __forceinline__ void doca_gpu_dev_ring_bell(struct doca_gpu_bell *bell)
{
    __threadfence_system();
    atomicAdd(&bell->rings, 1u);
    __threadfence_system();
    if (DOCA_GPUNETIO_VOLATILE(bell->asleep))
        dpk_gpu_wake(&bell->rings);
}

/* ---- Queues of operations ---- */

/* Waits until the entry of a place that is not posted is free. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_ring_await(const struct doca_gpu_ring *ring, uint64_t place)
{
    while (place - DOCA_GPUNETIO_VOLATILE(ring->done) >= ring->depth)
        if (DOCA_GPUNETIO_VOLATILE(ring->failed))
            return DOCA_ERROR_IO_FAILED;
    __threadfence_system();
    return DOCA_GPUNETIO_VOLATILE(ring->failed) ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/* Takes the next place for the calling thread. It waits while the NIC executes operations of a full queue.
 * Errors: FULL if the queue is full of operations that are not committed, IO_FAILED if an operation of the queue
 * has failed. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_ring_reserve(struct doca_gpu_ring *ring,
                                                                         uint64_t *place)
{
    unsigned long long next = DOCA_GPUNETIO_VOLATILE(ring->reserved);
    for (;;) {
        if (next - DOCA_GPUNETIO_VOLATILE(ring->posted) >= ring->depth)
            return DOCA_ERROR_FULL;
        const unsigned long long seen = atomicCAS(&ring->reserved, next, next + 1);
        if (seen == next)
            break;
        next = seen;
    }
    *place = next;
    return doca_gpu_dev_ring_await(ring, next);
}

/* Finds the place of a position that the program has chosen: the next place that is not posted and whose entry
 * has this index. Errors: IO_FAILED as above. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_ring_choose(const struct doca_gpu_ring *ring, uint32_t position, uint64_t *place)
{
    const uint64_t posted = DOCA_GPUNETIO_VOLATILE(ring->posted);
    *place = posted + ((position - posted) & (ring->depth - 1));
    return doca_gpu_dev_ring_await(ring, *place);
}

/* Marks a place as written. */
static __device__ __forceinline__ void doca_gpu_dev_ring_write(const struct doca_gpu_ring *ring,
                                                               uint64_t place)
{
    __threadfence_system();
    DOCA_GPUNETIO_VOLATILE(ring->written[place & (ring->depth - 1)]) = place + 1;
}

/* Posts all places before `end`, after they were written. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_ring_post(struct doca_gpu_ring *ring,
                                                                      uint64_t end)
{
    for (uint64_t i = DOCA_GPUNETIO_VOLATILE(ring->posted); i < end; i++)
        while (DOCA_GPUNETIO_VOLATILE(ring->written[i & (ring->depth - 1)]) < i + 1)
            if (DOCA_GPUNETIO_VOLATILE(ring->failed))
                return DOCA_ERROR_IO_FAILED;
    __threadfence_system();
    atomicMax(&ring->reserved, (unsigned long long)end);
    atomicMax(&ring->posted, (unsigned long long)end);
    atomicAdd(&ring->commits, 1ull);
    doca_gpu_dev_ring_bell(ring->bell);
    return DOCA_GPUNETIO_VOLATILE(ring->failed) ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/* Waits until the NIC has executed all places before `end`. Errors: IO_FAILED as above. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_ring_finish(const struct doca_gpu_ring *ring, uint64_t end)
{
    while (DOCA_GPUNETIO_VOLATILE(ring->done) < end)
        if (DOCA_GPUNETIO_VOLATILE(ring->failed))
            return DOCA_ERROR_IO_FAILED;
    __threadfence_system();
    return DOCA_GPUNETIO_VOLATILE(ring->failed) ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/* Posts the next `count` places, which the program has chosen. Errors: INVALID_VALUE if the queue has fewer
 * entries. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_ring_commit_chosen(struct doca_gpu_ring *ring, uint32_t count)
{
    return count > ring->depth
               ? DOCA_ERROR_INVALID_VALUE
               : doca_gpu_dev_ring_post(ring, DOCA_GPUNETIO_VOLATILE(ring->posted) + count);
}

#endif
