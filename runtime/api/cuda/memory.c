/* Memory that programs allocate. */
#include "private.h"

#include <string.h>

static cudaError_t allocate(void **at, size_t size, enum dpk_gpu_memory_kind kind)
{
    if (!at)
        return cuda_error(cudaErrorInvalidValue);
    cuda_driver_use();
    if (dpk_gpu_failed())
        return cuda_error(dpk_gpu_failed());
    *at = NULL;
    if (size && !(*at = dpk_gpu_memory_new(size, kind)))
        return cuda_error(cudaErrorMemoryAllocation);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **at, size_t size)
{
    return allocate(at, size, DPK_GPU_MEMORY_DEVICE);
}

cudaError_t cudaMallocPitch(void **at, size_t *pitch, size_t width, size_t height)
{
    if (!pitch || width > SIZE_MAX - 511)
        return cuda_error(cudaErrorInvalidValue);
    *pitch = (width + 511) / 512 * 512;
    if (height && *pitch > SIZE_MAX / height)
        return cuda_error(cudaErrorMemoryAllocation);
    return allocate(at, *pitch * height, DPK_GPU_MEMORY_DEVICE);
}

cudaError_t cudaMallocManaged(void **at, size_t size, unsigned int flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return cuda_error(cudaErrorInvalidValue);
    return allocate(at, size, DPK_GPU_MEMORY_MANAGED);
}

cudaError_t cudaMallocHost(void **at, size_t size)
{
    return allocate(at, size, DPK_GPU_MEMORY_HOST);
}

cudaError_t cudaHostAlloc(void **at, size_t size, unsigned int flags)
{
    if (flags > 7)
        return cuda_error(cudaErrorInvalidValue);
    return allocate(at, size, DPK_GPU_MEMORY_HOST);
}

cudaError_t cudaFree(void *at)
{
    cuda_driver_use();
    if (!at)
        return cuda_error(dpk_gpu_failed());
    const int error = dpk_stream_wait_all();
    if (!dpk_gpu_memory_free(at, DPK_GPU_MEMORY_DEVICE) &&
        !dpk_gpu_memory_free(at, DPK_GPU_MEMORY_MANAGED))
        return cuda_error(cudaErrorInvalidValue);
    return cuda_error(error);
}

cudaError_t cudaFreeHost(void *at)
{
    if (!at)
        return cudaSuccess;
    const int error = dpk_stream_wait_all();
    if (!dpk_gpu_memory_free(at, DPK_GPU_MEMORY_HOST))
        return cuda_error(cudaErrorInvalidValue);
    return cuda_error(error);
}

cudaError_t cudaMallocAsync(void **at, size_t size, cudaStream_t stream)
{
    unsigned flags;
    const int error = dpk_stream_flags(cuda_stream(stream), &flags);
    return error ? cuda_error(error) : cudaMalloc(at, size);
}

static void free_device(void *at)
{
    dpk_gpu_memory_free(at, DPK_GPU_MEMORY_DEVICE);
}

cudaError_t cudaFreeAsync(void *at, cudaStream_t stream)
{
    struct dpk_gpu_memory m;
    if (!at)
        return cudaSuccess;
    if (!dpk_gpu_memory_find(at, &m) || m.base != (uintptr_t)at || m.kind != DPK_GPU_MEMORY_DEVICE)
        return cuda_error(cudaErrorInvalidValue);
    return cuda_error(dpk_stream_call(cuda_stream(stream), free_device, at));
}

cudaError_t cudaHostRegister(void *at, size_t size, unsigned int flags)
{
    struct dpk_gpu_memory m;
    if (!at || !size || flags > 15 || !dpk_is_mapped(at, size, false))
        return cuda_error(cudaErrorInvalidValue);
    if (dpk_gpu_memory_find(at, &m))
        return cuda_error(cudaErrorHostMemoryAlreadyRegistered);
    if (!dpk_gpu_memory_note(at, size, DPK_GPU_MEMORY_REGISTERED))
        return cuda_error(cudaErrorHostMemoryAlreadyRegistered);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *at)
{
    if (!at)
        return cuda_error(cudaErrorInvalidValue);
    if (!dpk_gpu_memory_forget(at, DPK_GPU_MEMORY_REGISTERED))
        return cuda_error(cudaErrorHostMemoryNotRegistered);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    struct dpk_gpu_memory m;
    if (!device || flags || !dpk_gpu_memory_find(host, &m) || !cuda_is_host(&m))
        return cuda_error(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    struct dpk_gpu_memory m;
    if (!flags || !dpk_gpu_memory_find(host, &m) || m.kind != DPK_GPU_MEMORY_HOST)
        return cuda_error(cudaErrorInvalidValue);
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    if (!available || !total)
        return cuda_error(cudaErrorInvalidValue);
    *total = DPK_GPU_MEMORY_TOTAL;
    *available = DPK_GPU_MEMORY_TOTAL - dpk_gpu_memory_used();
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *at)
{
    struct dpk_gpu_memory m;
    if (!attributes)
        return cuda_error(cudaErrorInvalidValue);
    *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -1};
    if (!dpk_gpu_memory_find(at, &m))
        return cudaSuccess;
    void *pointer = (void *)(uintptr_t)at;
    const bool device = !cuda_is_host(&m) && m.kind != DPK_GPU_MEMORY_MANAGED;
    attributes->device = 0;
    attributes->devicePointer = pointer;
    attributes->hostPointer = device ? NULL : pointer;
    attributes->type = device                             ? cudaMemoryTypeDevice
                       : m.kind == DPK_GPU_MEMORY_MANAGED ? cudaMemoryTypeManaged
                                                          : cudaMemoryTypeHost;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **at, const void *symbol)
{
    const struct dpk_gpu_variable *v = cuda_registry_variable(symbol);
    if (!at || !v)
        return cuda_error(at ? cudaErrorInvalidSymbol : cudaErrorInvalidValue);
    *at = v->address;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    const struct dpk_gpu_variable *v = cuda_registry_variable(symbol);
    if (!size || !v)
        return cuda_error(size ? cudaErrorInvalidSymbol : cudaErrorInvalidValue);
    *size = v->size;
    return cudaSuccess;
}
