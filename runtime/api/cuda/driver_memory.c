/* Memory of the driver: allocations, copies, attributes of addresses. */
#include "driver.h"

#include <string.h>

/* ---- Allocations ---- */

static CUresult keep_address(CUresult result, const void *found, CUdeviceptr *at)
{
    if (!result)
        *at = (uintptr_t)found;
    return result;
}

CUresult cuMemAlloc_v2(CUdeviceptr *at, size_t size)
{
    void *found = NULL;
    CUresult result = cuda_driver_begin();
    if (!result)
        result = at && size ? cuda_driver_end(cudaMalloc(&found, size)) : CUDA_ERROR_INVALID_VALUE;
    return keep_address(result, found, at);
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *at, size_t *pitch, size_t width, size_t height,
                            unsigned int elementSize)
{
    void *found = NULL;
    CUresult result = cuda_driver_begin();
    const bool fits = elementSize == 4 || elementSize == 8 || elementSize == 16;
    if (!result)
        result = at && width && height && fits
                     ? cuda_driver_end(cudaMallocPitch(&found, pitch, width, height))
                     : CUDA_ERROR_INVALID_VALUE;
    return keep_address(result, found, at);
}

CUresult cuMemAllocManaged(CUdeviceptr *at, size_t size, unsigned int flags)
{
    void *found = NULL;
    CUresult result = cuda_driver_begin();
    if (!result)
        result = at && size ? cuda_driver_end(cudaMallocManaged(&found, size, flags))
                            : CUDA_ERROR_INVALID_VALUE;
    return keep_address(result, found, at);
}

CUresult cuMemFree_v2(CUdeviceptr at)
{
    CUDA_DRIVER_CALL(cudaFree(cuda_driver_pointer(at)));
}

CUresult cuMemAllocHost_v2(void **at, size_t size)
{
    CUDA_DRIVER_CALL(cudaMallocHost(at, size));
}

CUresult cuMemHostAlloc(void **at, size_t size, unsigned int flags)
{
    CUDA_DRIVER_CALL(cudaHostAlloc(at, size, flags));
}

CUresult cuMemFreeHost(void *at)
{
    CUDA_DRIVER_CALL(cudaFreeHost(at));
}

CUresult cuMemHostRegister_v2(void *at, size_t size, unsigned int flags)
{
    CUDA_DRIVER_CALL(cudaHostRegister(at, size, flags));
}

CUresult cuMemHostUnregister(void *at)
{
    CUDA_DRIVER_CALL(cudaHostUnregister(at));
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned int flags)
{
    void *found = NULL;
    CUresult result = cuda_driver_begin();
    if (!result)
        result = device ? cuda_driver_end(cudaHostGetDevicePointer(&found, host, flags))
                        : CUDA_ERROR_INVALID_VALUE;
    return keep_address(result, found, device);
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *host)
{
    CUDA_DRIVER_CALL(cudaHostGetFlags(flags, host));
}

CUresult cuMemGetInfo_v2(size_t *available, size_t *total)
{
    CUDA_DRIVER_CALL(cudaMemGetInfo(available, total));
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr at)
{
    struct dpk_gpu_memory m;
    const CUresult result = cuda_driver_begin();
    if (result)
        return result;
    if (!dpk_gpu_memory_find(cuda_driver_pointer(at), &m))
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = m.base;
    if (size)
        *size = m.size;
    return CUDA_SUCCESS;
}

CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr at, size_t size,
                                       CUmemRangeHandleType type, unsigned long long flags)
{
    const CUresult result = cuda_driver_begin();
    if (result)
        return result;
    if (!handle || type != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD || flags)
        return CUDA_ERROR_INVALID_VALUE;
    int fd = -1;
    switch (dpk_gpu_memory_share(cuda_driver_pointer(at), size, &fd)) {
    case DPK_GPU_SHARED:
        memcpy(handle, &fd, sizeof fd);
        return CUDA_SUCCESS;
    case DPK_GPU_SHARE_OUTSIDE:
        return CUDA_ERROR_INVALID_VALUE;
    case DPK_GPU_SHARE_HOST:
        return CUDA_ERROR_NOT_SUPPORTED;
    case DPK_GPU_SHARE_FAILED:
        break;
    }
    return CUDA_ERROR_OPERATING_SYSTEM;
}

/* ---- Copies ---- */

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size)
{
    CUDA_DRIVER_CALL(
        cudaMemcpy(cuda_driver_pointer(to), cuda_driver_pointer(from), size, cudaMemcpyDefault));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    CUDA_DRIVER_CALL(cudaMemcpyAsync(cuda_driver_pointer(to), cuda_driver_pointer(from), size,
                                     cudaMemcpyDefault, stream));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
    CUDA_DRIVER_CALL(cudaMemcpy(cuda_driver_pointer(to), from, size, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
    CUDA_DRIVER_CALL(cudaMemcpy(to, cuda_driver_pointer(from), size, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size)
{
    CUDA_DRIVER_CALL(cudaMemcpy(cuda_driver_pointer(to), cuda_driver_pointer(from), size,
                                cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
    CUDA_DRIVER_CALL(
        cudaMemcpyAsync(cuda_driver_pointer(to), from, size, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
    CUDA_DRIVER_CALL(
        cudaMemcpyAsync(to, cuda_driver_pointer(from), size, cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    CUDA_DRIVER_CALL(cudaMemcpyAsync(cuda_driver_pointer(to), cuda_driver_pointer(from), size,
                                     cudaMemcpyDeviceToDevice, stream));
}

/* Fills with `count` values of `size` bytes, to which the address must be aligned. */
static CUresult fill(CUdeviceptr to, uint32_t value, unsigned size, size_t count, CUstream stream,
                     bool waits)
{
    CUresult result = cuda_driver_begin();
    if (result)
        return result;
    if (to % size || count > SIZE_MAX / size)
        return CUDA_ERROR_INVALID_VALUE;
    return cuda_driver_end(
        cuda_copy_fill(cuda_driver_pointer(to), value, size, count, stream, waits));
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count)
{
    return fill(to, value, 1, count, NULL, true);
}

CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count)
{
    return fill(to, value, 2, count, NULL, true);
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t count)
{
    return fill(to, value, 4, count, NULL, true);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    return fill(to, value, 1, count, stream, false);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
    return fill(to, value, 2, count, stream, false);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream)
{
    return fill(to, value, 4, count, stream, false);
}

/* ---- Attributes of addresses ---- */

/* A value of an attribute, with the size that the program's variable has. */
struct value {
    union {
        int number;
        size_t size;
        CUdeviceptr address;
        void *pointer;
        CUcontext context;
    };
    size_t bytes;
};

static struct value number(int n)
{
    return (struct value){.number = n, .bytes = sizeof n};
}

/* Gets an attribute of a known address; `bytes` is 0 for an unknown attribute. */
static struct value attribute_of(CUpointer_attribute attribute, const struct dpk_gpu_memory *m,
                                 CUdeviceptr at)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return (struct value){.context = cuda_driver_context(), .bytes = sizeof(CUcontext)};
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return number(cuda_is_host(m) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return (struct value){.address = at, .bytes = sizeof at};
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return (struct value){.pointer = cuda_driver_pointer(at), .bytes = sizeof(void *)};
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: /* the place of the allocation tells it from others */
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return (struct value){.address = m->base, .bytes = sizeof at};
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        return (struct value){.size = m->size, .bytes = sizeof m->size};
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return number(m->kind == DPK_GPU_MEMORY_MANAGED);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return number(0);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return number(1);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        return number(!cuda_is_host(m));
    default:
        return (struct value){.bytes = 0};
    }
}

static bool has(CUpointer_attribute attribute, const struct dpk_gpu_memory *m)
{
    return attribute != CU_POINTER_ATTRIBUTE_HOST_POINTER || cuda_is_host(m) ||
           m->kind == DPK_GPU_MEMORY_MANAGED;
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr at)
{
    struct dpk_gpu_memory m;
    const CUresult result = cuda_driver_begin();
    if (result)
        return result;
    if (!value || !dpk_gpu_memory_find(cuda_driver_pointer(at), &m) || !has(attribute, &m))
        return CUDA_ERROR_INVALID_VALUE;
    const struct value found = attribute_of(attribute, &m, at);
    if (!found.bytes)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(value, &found, found.bytes);
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **values,
                                CUdeviceptr at)
{
    struct dpk_gpu_memory m = {0};
    const CUresult result = cuda_driver_begin();
    if (result || !count || !attributes || !values)
        return result ? result : CUDA_ERROR_INVALID_VALUE;
    const bool known = dpk_gpu_memory_find(cuda_driver_pointer(at), &m);
    for (unsigned i = 0; i < count; i++) {
        struct value found = attribute_of(attributes[i], &m, at);
        if (!found.bytes || !values[i])
            return CUDA_ERROR_INVALID_VALUE;
        if (!known || !has(attributes[i], &m))
            memset(values[i], 0, found.bytes);
        else
            memcpy(values[i], &found, found.bytes);
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr at)
{
    struct dpk_gpu_memory m;
    unsigned wanted = 0;
    const CUresult result = cuda_driver_begin();
    if (result)
        return result;
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
        !dpk_gpu_memory_find(cuda_driver_pointer(at), &m) || cuda_is_host(&m))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&wanted, value, sizeof wanted);
    return wanted <= 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
