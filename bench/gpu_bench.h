/* What measurements of DOCA GPUNetIO share: memory of the GPU that a device reaches. */
#ifndef GPU_BENCH_H
#define GPU_BENCH_H

#include <doca_gpunetio.h>
#include <doca_mmap.h>

#include "doca_bench.h"

/* Allocates memory of the GPU, and maps it for the device. */
static inline struct doca_mmap *map_of_gpu(struct doca_gpu *gpu, struct doca_dev *dev, size_t size,
                                           void **at)
{
    struct doca_mmap *map;
    TRY(doca_gpu_mem_alloc(gpu, size, 4096, DOCA_GPU_MEM_TYPE_GPU, at, NULL));
    TRY(doca_mmap_create(&map));
    TRY(doca_mmap_add_dev(map, dev));
    TRY(doca_mmap_set_memrange(map, *at, size));
    TRY(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    TRY(doca_mmap_start(map));
    return map;
}

#endif
