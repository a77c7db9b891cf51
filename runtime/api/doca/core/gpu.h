/*
 * gpu: the GPUs of DOCA programs, for libraries that put their queues on one. libdoca_gpunetio makes
 * the objects, and gives functions for their memory, so that other libraries need no CUDA.
 *
 *     struct dpk_gpu *g = dpk_object_pin(gpu_dev, &dpk_gpu_kind);    // NULL: not a GPU
 *     void *ring = g->ops->alloc(4096);
 *     g->ops->free(ring);
 */
#ifndef DPK_API_DOCA_CORE_GPU_H
#define DPK_API_DOCA_CORE_GPU_H

#include "api/doca/core/object.h"

struct doca_gpu;

struct dpk_gpu_ops {
    /* Returns zeroed memory that kernels, devices and this process reach by the same address, or NULL.
     * It begins at a page. */
    void *(*alloc)(size_t size);
    void (*free)(void *at);
    /* Returns the address by which devices of this process reach `at`: another one if `at` is memory
     * of a GPU that the CPU cannot read. */
    void *(*bus)(const void *at);
};

struct dpk_gpu {
    struct dpk_object object;
    const struct dpk_gpu_ops *ops;
};
extern const struct dpk_kind dpk_gpu_kind;

/* Makes an object of a GPU. `ops` must be the same in each call of a process. Errors: NO_MEMORY. */
doca_error_t dpk_gpu_new(const struct dpk_gpu_ops *ops, struct doca_gpu **out);
/* Returns the address by which devices reach `at`, which a program named: `at` itself if no GPU was
 * made. */
void *dpk_gpu_bus(void *at);

#endif
