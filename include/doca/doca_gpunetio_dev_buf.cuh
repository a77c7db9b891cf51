/*
 * doca_gpunetio_dev_buf: buffers in kernels, of an array of doca_buf_arr_get_gpu_handle. Operations of DMA and
 * RDMA name them. Any thread calls these functions, and needs no other thread.
 *
 *     struct doca_gpu_buf *buf;
 *     uintptr_t address;
 *     doca_gpu_dev_buf_get_buf(array, threadIdx.x, &buf);
 *     doca_gpu_dev_buf_get_addr(buf, &address);
 *
 * (DOCA GPUNetIO guide, "GPU Functions - Ethernet", "doca_gpu_buf".)
 */
#ifndef DOCA_GPUNETIO_DEV_BUF_CUH
#define DOCA_GPUNETIO_DEV_BUF_CUH

#include "doca_gpunetio_dev_common.cuh"

/* Gets the buffer of an index, from 0, or NULL if the array has none of this index. Operations refuse NULL. */
static __device__ __forceinline__ void
doca_gpu_dev_buf_get_buf(const struct doca_gpu_buf_arr *buf_arr_gpu,
                         const uint64_t doca_gpu_buf_idx, struct doca_gpu_buf **buf)
{
    *buf = doca_gpu_buf_idx < buf_arr_gpu->count ? &buf_arr_gpu->bufs[doca_gpu_buf_idx]
                                                 : (struct doca_gpu_buf *)0;
}

/* Gets the address of the buffer's first byte: where its map has it, on a GPU, in memory of the CPU, or, for an
 * imported map, in memory of a peer. */
static __device__ __forceinline__ void doca_gpu_dev_buf_get_addr(const struct doca_gpu_buf *buf,
                                                                 uintptr_t *addr)
{
    *addr = buf->address;
}

/* Gets the memory key of the buffer's map, big-endian: htobe32 of doca_mmap_get_mkey. */
static __device__ __forceinline__ void doca_gpu_dev_buf_get_mkey(const struct doca_gpu_buf *buf,
                                                                 uint32_t *mkey)
{
    *mkey = buf->mkey;
}

#endif
