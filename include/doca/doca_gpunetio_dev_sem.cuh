/*
 * doca_gpunetio_dev_sem: semaphores in kernels (doca_gpunetio.h has the CPU's part). Each function is
 * called by one thread, which needs no other thread, and returns INVALID_VALUE for an item that the
 * semaphore does not have.
 *
 *     doca_gpu_dev_semaphore_get_status(sem, item, &status);
 *     if (status == DOCA_GPU_SEMAPHORE_STATUS_FREE) {
 *         doca_gpu_dev_semaphore_get_custom_info_addr(sem, item, (void **)&mine);
 *         mine->count = 7;
 *         doca_gpu_dev_semaphore_set_status(sem, item, DOCA_GPU_SEMAPHORE_STATUS_READY);
 *     }
 *
 * A thread that gets a status sees all writes before this status was set (DOCA GPUNetIO guide,
 * "Semaphore").
 */
#ifndef DOCA_GPUNETIO_DEV_SEM_CUH
#define DOCA_GPUNETIO_DEV_SEM_CUH

#include <cuda_runtime.h>

#include "doca_gpunetio.h"

/* Sets the status of an item. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_semaphore_set_status(struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
                                  enum doca_gpu_semaphore_status status)
{
    if (idx >= semaphore_gpu->count)
        return DOCA_ERROR_INVALID_VALUE;
    __threadfence_system();
    DOCA_GPUNETIO_VOLATILE(semaphore_gpu->items[idx].status) = status;
    return DOCA_SUCCESS;
}

/* Sets the status of an item if it is `status_compare`. Errors: BAD_STATE if it is another one. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_semaphore_set_status_cas(
    struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
    enum doca_gpu_semaphore_status status_compare, enum doca_gpu_semaphore_status status_val)
{
    if (idx >= semaphore_gpu->count)
        return DOCA_ERROR_INVALID_VALUE;
    __threadfence_system();
    const uint32_t before = atomicCAS(&semaphore_gpu->items[idx].status, (uint32_t)status_compare,
                                      (uint32_t)status_val);
    return before == (uint32_t)status_compare ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

/* Gets the status of an item. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_semaphore_get_status(const struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
                                  enum doca_gpu_semaphore_status *status)
{
    if (idx >= semaphore_gpu->count)
        return DOCA_ERROR_INVALID_VALUE;
    *status =
        (enum doca_gpu_semaphore_status)DOCA_GPUNETIO_VOLATILE(semaphore_gpu->items[idx].status);
    __threadfence_system();
    return DOCA_SUCCESS;
}

/* Sets the packets of an item, and then its status. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_semaphore_set_packet_info(
    const struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
    enum doca_gpu_semaphore_status status, uint32_t num_packets, uint64_t doca_buf_idx_start)
{
    if (idx >= semaphore_gpu->count)
        return DOCA_ERROR_INVALID_VALUE;
    struct doca_gpu_semaphore_item *item = &semaphore_gpu->items[idx];
    DOCA_GPUNETIO_VOLATILE(item->num_packets) = num_packets;
    DOCA_GPUNETIO_VOLATILE(item->first_packet) = doca_buf_idx_start;
    __threadfence_system();
    DOCA_GPUNETIO_VOLATILE(item->status) = status;
    return DOCA_SUCCESS;
}

/* Gets the status and the packets of an item. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_semaphore_get_packet_info(
    const struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
    enum doca_gpu_semaphore_status *status, uint32_t *num_packets, uint64_t *doca_buf_idx_start)
{
    const doca_error_t result = doca_gpu_dev_semaphore_get_status(semaphore_gpu, idx, status);
    if (result != DOCA_SUCCESS)
        return result;
    *num_packets = DOCA_GPUNETIO_VOLATILE(semaphore_gpu->items[idx].num_packets);
    *doca_buf_idx_start = DOCA_GPUNETIO_VOLATILE(semaphore_gpu->items[idx].first_packet);
    return DOCA_SUCCESS;
}

/* Gets the packets of an item that has this status. Errors: NOT_FOUND if it has another one. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_semaphore_get_packet_info_status(
    const struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
    enum doca_gpu_semaphore_status status, uint32_t *num_packets, uint64_t *doca_buf_idx_start)
{
    enum doca_gpu_semaphore_status now;
    const doca_error_t result = doca_gpu_dev_semaphore_get_packet_info(
        semaphore_gpu, idx, &now, num_packets, doca_buf_idx_start);
    return result == DOCA_SUCCESS && now != status ? DOCA_ERROR_NOT_FOUND : result;
}

/* Gets the address of the program's bytes of an item. Errors: INVALID_VALUE also if items have none. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_semaphore_get_custom_info_addr(
    struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx, void **custom_info)
{
    if (idx >= semaphore_gpu->count || !semaphore_gpu->info)
        return DOCA_ERROR_INVALID_VALUE;
    *custom_info = semaphore_gpu->info + idx * semaphore_gpu->info_step;
    return DOCA_SUCCESS;
}

#endif
