/* GPUs, and memory that kernels, the CPU and devices share. */
#include "gpunetio.h"

#include "dpakit-cuda/cuda_runtime_api.h"
#include "gpu/blocks/blocks.h"

/* ---- Memory for other libraries ---- */

/* Rings belong to this process and outlive cudaDeviceReset, since a device may use them. */
static void *ring_new(size_t size)
{
    struct dpk_gpu_memory m;
    return dpk_gpu_memory_new_aligned(size, 1, DPK_GPU_MEMORY_MAPPED, &m) ? (void *)m.base : NULL;
}

static void ring_free(void *at)
{
    if (at)
        dpk_gpu_memory_free(at, DPK_GPU_MEMORY_MAPPED);
}

static bool has(const void *at, size_t size)
{
    struct dpk_gpu_memory m;
    if (!dpk_gpu_memory_find(at, &m))
        return false;
    const uintptr_t skip = (uintptr_t)at - m.base;
    return skip <= m.size && size <= m.size - skip;
}

static const struct dpk_gpu_ops ops = {.alloc = ring_new,
                                       .free = ring_free,
                                       .bus = dpk_gpu_memory_bus,
                                       .has = has,
                                       .runs = dpk_blocks_run};

/* ---- GPUs ---- */

doca_error_t doca_gpu_create(const char *gpu_bus_id, struct doca_gpu **gpu_dev)
{
    int device = 0;
    if (gpu_dev)
        *gpu_dev = NULL;
    if (!gpu_bus_id || !gpu_dev)
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_INVALID_VALUE);
    if (cudaDeviceGetByPCIBusId(&device, gpu_bus_id) != cudaSuccess) {
        char own[16] = "?";
        (void)cudaGetLastError();
        (void)cudaDeviceGetPCIBusId(own, sizeof own, 0);
        return dpk_doca_end(NULL, __func__,
                            dpk_doca_because(DOCA_ERROR_NOT_FOUND,
                                             "no GPU has the PCI address %s; the emulated GPU has "
                                             "%s (DPAKIT_GPU_PCI)",
                                             gpu_bus_id, own));
    }
    dpk_blocks_catch_faults();
    return dpk_doca_end(NULL, __func__, dpk_gpu_new(&ops, gpu_dev));
}

doca_error_t doca_gpu_destroy(struct doca_gpu *gpu_dev)
{
    return dpk_doca_destroy(gpu_dev, &dpk_gpu_kind, __func__);
}

/* ---- Memory ---- */

doca_error_t gpunetio_memory_new(size_t size, size_t align, enum doca_gpu_mem_type mtype,
                                 struct gpunetio_memory *out)
{
    struct dpk_gpu_memory m;
    if (!gpunetio_is_type(mtype))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%d is not a type of memory", (int)mtype);
    if (!dpk_gpu_memory_new_aligned(
            size, align,
            mtype == DOCA_GPU_MEM_TYPE_CPU_GPU ? DPK_GPU_MEMORY_MAPPED : DPK_GPU_MEMORY_HIDDEN, &m))
        return dpk_doca_because(DOCA_ERROR_NO_MEMORY, "no %zu bytes of memory are left", size);
    out->gpu = (void *)m.base;
    out->bus = m.bus ? m.bus : out->gpu;
    out->cpu = mtype == DOCA_GPU_MEM_TYPE_GPU ? NULL : out->bus;
    return DOCA_SUCCESS;
}

bool gpunetio_memory_free(void *gpu)
{
    return dpk_gpu_memory_free(gpu, DPK_GPU_MEMORY_HIDDEN) ||
           dpk_gpu_memory_free(gpu, DPK_GPU_MEMORY_MAPPED);
}

/* Returns the error of a call's GPU: none if the handle is a GPU. */
static doca_error_t judge_gpu(const struct doca_gpu *gpu_dev)
{
    struct dpk_gpu *g = dpk_object_pin(gpu_dev, &dpk_gpu_kind);
    dpk_object_drop(g);
    return g ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_gpu_mem_alloc(struct doca_gpu *gpu_dev, size_t size, size_t alignment,
                                enum doca_gpu_mem_type mtype, void **memptr_gpu, void **memptr_cpu)
{
    struct gpunetio_memory m = {0};
    doca_error_t result = judge_gpu(gpu_dev);
    if (result == DOCA_SUCCESS && (!memptr_gpu || (mtype != DOCA_GPU_MEM_TYPE_GPU && !memptr_cpu)))
        result =
            dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                             "memptr_gpu is NULL, or memptr_cpu is NULL for memory of the CPU");
    else if (result == DOCA_SUCCESS && (size == 0 || (alignment & (alignment - 1)) != 0))
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the size is 0, or the alignment %zu is not a power of two",
                                  alignment);
    if (result == DOCA_SUCCESS)
        result = gpunetio_memory_new(size, alignment, mtype, &m);
    if (result == DOCA_SUCCESS) {
        *memptr_gpu = m.gpu;
        if (memptr_cpu)
            *memptr_cpu = m.cpu;
    }
    return dpk_doca_end(gpu_dev, __func__, result);
}

doca_error_t doca_gpu_mem_free(struct doca_gpu *gpu, void *memptr_gpu)
{
    doca_error_t result = judge_gpu(gpu);
    if (result == DOCA_SUCCESS && !gpunetio_memory_free(memptr_gpu))
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "%p is not a GPU address of doca_gpu_mem_alloc", memptr_gpu);
    return dpk_doca_end(gpu, __func__, result);
}

doca_error_t doca_gpu_dmabuf_fd(struct doca_gpu *gpu_dev, void *memptr_gpu, size_t size,
                                int *dmabuf_fd)
{
    struct dpk_gpu_memory m;
    doca_error_t result = dmabuf_fd && size > 0 ? judge_gpu(gpu_dev) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS &&
        (!dpk_gpu_memory_find(memptr_gpu, &m) || m.kind != DPK_GPU_MEMORY_HIDDEN ||
         m.base != (uintptr_t)memptr_gpu))
        result = dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                  "%p is not the beginning of GPU memory of doca_gpu_mem_alloc",
                                  memptr_gpu);
    else if (result == DOCA_SUCCESS && size > m.size)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the memory has %zu bytes, not %zu",
                                  m.size, size);
    if (result == DOCA_SUCCESS &&
        dpk_gpu_memory_share(memptr_gpu, size, dmabuf_fd) != DPK_GPU_SHARED)
        result = DOCA_ERROR_OPERATING_SYSTEM;
    return dpk_doca_end(gpu_dev, __func__, result);
}
