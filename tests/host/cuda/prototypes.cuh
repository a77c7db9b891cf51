/* Device functions of DOCA 3.0 for buffers, DMA and RDMA: another type than the documented one does not compile. */
#pragma once
#include <doca_gpunetio_dev_dma.cuh>
#include <doca_gpunetio_dev_rdma.cuh>

#define SAME(function, result, ...)                                                                \
    static_assert(__is_same(decltype(static_cast<result (*)(__VA_ARGS__)>(&function)),             \
                            result(*)(__VA_ARGS__)),                                               \
                  #function)
SAME(doca_gpu_dev_buf_get_addr, void, const struct doca_gpu_buf *, uintptr_t *);
SAME(doca_gpu_dev_buf_get_buf, void, const struct doca_gpu_buf_arr *, uint64_t,
     struct doca_gpu_buf **);
SAME(doca_gpu_dev_buf_get_mkey, void, const struct doca_gpu_buf *, uint32_t *);
SAME(doca_gpu_dev_dma_commit, doca_error_t, struct doca_gpu_dma *);
SAME(doca_gpu_dev_dma_memcpy, doca_error_t, struct doca_gpu_dma *, struct doca_gpu_buf *, uint64_t,
     struct doca_gpu_buf *, uint64_t, size_t);
SAME(doca_gpu_dev_rdma_commit_strong, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t);
SAME(doca_gpu_dev_rdma_commit_weak, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t, uint32_t);
SAME(doca_gpu_dev_rdma_get_info, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t, uint32_t *,
     uint32_t *);
SAME(doca_gpu_dev_rdma_get_recv, doca_error_t, struct doca_gpu_dev_rdma *,
     struct doca_gpu_dev_rdma_r **);
SAME(doca_gpu_dev_rdma_read_strong, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t,
     struct doca_gpu_buf *, uint64_t, struct doca_gpu_buf *, uint64_t, size_t, uint32_t);
SAME(doca_gpu_dev_rdma_read_weak, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t,
     struct doca_gpu_buf *, uint64_t, struct doca_gpu_buf *, uint64_t, size_t, uint32_t, uint32_t);
SAME(doca_gpu_dev_rdma_recv_commit_strong, doca_error_t, struct doca_gpu_dev_rdma_r *);
SAME(doca_gpu_dev_rdma_recv_commit_weak, doca_error_t, struct doca_gpu_dev_rdma_r *, uint32_t);
SAME(doca_gpu_dev_rdma_recv_get_info, doca_error_t, struct doca_gpu_dev_rdma_r *, uint32_t *,
     uint32_t *);
SAME(doca_gpu_dev_rdma_recv_strong, doca_error_t, struct doca_gpu_dev_rdma_r *,
     struct doca_gpu_buf *, size_t, uint64_t, uint32_t);
SAME(doca_gpu_dev_rdma_recv_wait_all, doca_error_t, struct doca_gpu_dev_rdma_r *,
     enum doca_gpu_dev_rdma_recv_wait_flags, uint32_t *, uint32_t *, uint32_t *);
SAME(doca_gpu_dev_rdma_recv_weak, doca_error_t, struct doca_gpu_dev_rdma_r *, struct doca_gpu_buf *,
     size_t, uint64_t, uint32_t, uint32_t);
SAME(doca_gpu_dev_rdma_send_inline_strong, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t,
     uint8_t *, uint32_t, uint32_t, enum doca_gpu_dev_rdma_send_flags);
SAME(doca_gpu_dev_rdma_send_inline_weak, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t,
     uint8_t *, uint32_t, uint32_t, enum doca_gpu_dev_rdma_send_flags, uint32_t);
SAME(doca_gpu_dev_rdma_send_strong, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t,
     struct doca_gpu_buf *, uint64_t, size_t, uint32_t, enum doca_gpu_dev_rdma_send_flags);
SAME(doca_gpu_dev_rdma_send_weak, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t,
     struct doca_gpu_buf *, uint64_t, size_t, uint32_t, enum doca_gpu_dev_rdma_send_flags,
     uint32_t);
SAME(doca_gpu_dev_rdma_wait_all, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t *);
SAME(doca_gpu_dev_rdma_write_inline_strong, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t,
     struct doca_gpu_buf *, uint64_t, uint8_t *, uint32_t, uint32_t,
     enum doca_gpu_dev_rdma_write_flags);
SAME(doca_gpu_dev_rdma_write_inline_weak, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t,
     struct doca_gpu_buf *, uint64_t, uint8_t *, uint32_t, uint32_t,
     enum doca_gpu_dev_rdma_write_flags, uint32_t);
SAME(doca_gpu_dev_rdma_write_strong, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t,
     struct doca_gpu_buf *, uint64_t, struct doca_gpu_buf *, uint64_t, size_t, uint32_t,
     enum doca_gpu_dev_rdma_write_flags);
SAME(doca_gpu_dev_rdma_write_weak, doca_error_t, struct doca_gpu_dev_rdma *, uint32_t,
     struct doca_gpu_buf *, uint64_t, struct doca_gpu_buf *, uint64_t, size_t, uint32_t,
     enum doca_gpu_dev_rdma_write_flags, uint32_t);
static_assert(DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB == 0 && DOCA_GPU_RDMA_RECV_WAIT_FLAG_B == 1, "waits");
static_assert(DOCA_GPU_RDMA_SEND_FLAG_NONE == 0 && DOCA_GPU_RDMA_SEND_FLAG_IMM == 1, "sends");
static_assert(DOCA_GPU_RDMA_WRITE_FLAG_NONE == 0 && DOCA_GPU_RDMA_WRITE_FLAG_IMM == 1, "writes");
#undef SAME
