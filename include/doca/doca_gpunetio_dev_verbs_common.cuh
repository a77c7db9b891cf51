/*
 * doca_gpunetio_dev_verbs_common: atomic operations, fences and numbers for the functions of kernels for queue
 * pairs. Programs include the headers of the queues.
 */
#ifndef DOCA_GPUNETIO_DEV_VERBS_COMMON_CUH
#define DOCA_GPUNETIO_DEV_VERBS_COMMON_CUH

#include "doca_gpunetio_dev_common.cuh"
#include "doca_gpunetio_verbs_def.h"

/* ---- Numbers ---- */

static __device__ __forceinline__ uint16_t doca_gpu_dev_verbs_bswap16(uint16_t x)
{
    return __builtin_bswap16(x);
}
static __device__ __forceinline__ uint32_t doca_gpu_dev_verbs_bswap32(uint32_t x)
{
    return __builtin_bswap32(x);
}
static __device__ __forceinline__ uint64_t doca_gpu_dev_verbs_bswap64(uint64_t x)
{
    return __builtin_bswap64(x);
}

/* Divides by 1 << denominator_shift, and rounds up. */
static __device__ __forceinline__ uint64_t
doca_gpu_dev_verbs_div_ceil_aligned_pow2(uint64_t x, unsigned int denominator_shift)
{
    return (x >> denominator_shift) + ((x & ((1ull << denominator_shift) - 1)) != 0);
}

/* The number of the calling thread in its warp. */
static __device__ __forceinline__ unsigned int doca_gpu_dev_verbs_get_lane_id(void)
{
    unsigned int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* The GPU's clock in nanoseconds. */
static __device__ __forceinline__ uint64_t doca_gpu_dev_verbs_query_globaltimer(void)
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* ---- Memory that others change ---- */

/* Read, add and raise a number of 32 or 64 bits. The last two return the number before. */
template <typename T,
          enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ T doca_gpu_dev_verbs_atomic_read(T *ptr)
{
    return DOCA_GPUNETIO_VOLATILE(*ptr);
}
template <typename T,
          enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ T doca_gpu_dev_verbs_atomic_add(T *ptr, T value)
{
    if (sizeof(T) == sizeof(uint32_t))
        return (T)atomicAdd((unsigned int *)ptr, (unsigned int)value);
    return (T)atomicAdd((unsigned long long *)ptr, (unsigned long long)value);
}
template <typename T,
          enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ T doca_gpu_dev_verbs_atomic_max(T *ptr, T value)
{
    if (sizeof(T) == sizeof(uint32_t))
        return (T)atomicMax((unsigned int *)ptr, (unsigned int)value);
    return (T)atomicMax((unsigned long long *)ptr, (unsigned long long)value);
}

static __device__ __forceinline__ uint8_t doca_gpu_dev_verbs_load_relaxed_sys_global(uint8_t *ptr)
{
    return DOCA_GPUNETIO_VOLATILE(*ptr);
}

/* Take and give back a lock, which threads of all blocks may share. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ void doca_gpu_dev_verbs_lock(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        continue;
    __threadfence();
}
template <enum doca_gpu_dev_verbs_resource_sharing_mode sharing = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>
static __device__ __forceinline__ void doca_gpu_dev_verbs_unlock(int *lock)
{
    __threadfence();
    DOCA_GPUNETIO_VOLATILE(*lock) = 0;
}

/* ---- Fences ---- */

/* Later reads see what others wrote before the write that was read last. */
template <enum doca_gpu_dev_verbs_sync_scope scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>
static __device__ __forceinline__ void doca_gpu_dev_verbs_fence_acquire(void)
{
    __threadfence_system();
}
/* Others who see a later write see all earlier ones. */
template <enum doca_gpu_dev_verbs_sync_scope scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>
static __device__ __forceinline__ void doca_gpu_dev_verbs_fence_release(void)
{
    __threadfence_system();
}

#endif
