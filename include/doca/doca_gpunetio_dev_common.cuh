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

#endif
