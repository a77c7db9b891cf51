/*
 * doca_gpunetio_dev_dma: copies in kernels, by a queue of doca_dma_get_gpu_handle.
 *
 *     doca_gpu_dev_dma_memcpy(dma, from, 0, to, 0, 1024);      // threads of a block, each another copy
 *     __syncthreads();
 *     if (threadIdx.x == 0)
 *         doca_gpu_dev_dma_commit(dma);
 *
 * The NIC makes copies in the order of their places in the queue. The commit returns when it has made them: a
 * program that waits for the kernel finds the bytes at their place. (A card may write them later.) After a copy
 * has failed, the queue makes no more: a line on stderr tells why, and functions return IO_FAILED until the
 * context is started again (DOCA GPUNetIO guide, "GPU Functions - DMA").
 */
#ifndef DOCA_GPUNETIO_DEV_DMA_CUH
#define DOCA_GPUNETIO_DEV_DMA_CUH

#include "doca_gpunetio_dev_buf.cuh"

/* Enters a copy of `length` bytes, from `src_offset` bytes after the beginning of a buffer to `dst_offset` bytes
 * after that of another. Any thread calls it. It waits while a full queue is executed. Errors: INVALID_VALUE
 * for NULL, FULL if the queue is full of copies that are not committed (it has 1024), IO_FAILED. */
static __device__ __forceinline__ doca_error_t
doca_gpu_dev_dma_memcpy(struct doca_gpu_dma *dma, struct doca_gpu_buf *src_buf, uint64_t src_offset,
                        struct doca_gpu_buf *dst_buf, uint64_t dst_offset, size_t length)
{
    uint64_t place;
    if (!dma || !src_buf || !dst_buf)
        return DOCA_ERROR_INVALID_VALUE;
    const doca_error_t result = doca_gpu_dev_ring_reserve(&dma->ring, &place);
    if (result != DOCA_SUCCESS)
        return result;
    struct doca_gpu_dma_copy *copy = &dma->copies[place & (dma->ring.depth - 1)];
    copy->from = src_buf->address + src_offset;
    copy->to = dst_buf->address + dst_offset;
    copy->size = length;
    copy->from_key = src_buf->mkey;
    copy->to_key = dst_buf->mkey;
    doca_gpu_dev_ring_write(&dma->ring, place);
    return DOCA_SUCCESS;
}

/* Lets the NIC make all copies that were entered before the call, and waits for them. One thread calls it, after
 * a barrier if other threads have entered copies. Errors: INVALID_VALUE for NULL, IO_FAILED. */
static __device__ __forceinline__ doca_error_t doca_gpu_dev_dma_commit(struct doca_gpu_dma *dma)
{
    if (!dma)
        return DOCA_ERROR_INVALID_VALUE;
    const uint64_t end = DOCA_GPUNETIO_VOLATILE(dma->ring.reserved);
    const doca_error_t result = doca_gpu_dev_ring_post(&dma->ring, end);
    return result == DOCA_SUCCESS ? doca_gpu_dev_ring_finish(&dma->ring, end) : result;
}

#endif
