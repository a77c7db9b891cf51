/* Devices of the driver: there is one. */
#include "driver.h"

#include <string.h>

/* Device functions need no context. */
static CUresult get(cudaError_t error)
{
    const CUresult started = cuda_driver_started();
    const CUresult result = cuda_driver_end(error);
    return started ? started : result;
}

static CUresult properties(struct cudaDeviceProp *p, CUdevice device)
{
    cuda_driver_keep();
    return get(cudaGetDeviceProperties(p, device));
}

CUresult cuDeviceGetCount(int *count)
{
    cuda_driver_keep();
    return get(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    struct cudaDeviceProp p;
    const CUresult result = device ? properties(&p, ordinal) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *device = ordinal;
    return result;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp p;
    const CUresult result = name && length > 0 ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        snprintf(name, (size_t)length, "%s", p.name);
    return result;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    static const char start[] = "dpakit GPU";
    struct cudaDeviceProp p;
    const CUresult result = uuid ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (result)
        return result;
    const uint8_t rest[] = {(uint8_t)(p.pciDomainID >> 8), (uint8_t)p.pciDomainID,
                            (uint8_t)p.pciBusID, (uint8_t)p.pciDeviceID};
    memset(uuid, 0, sizeof *uuid);
    memcpy(uuid->bytes, start, sizeof start - 1);
    memcpy(uuid->bytes + sizeof uuid->bytes - sizeof rest, rest, sizeof rest);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *size, CUdevice device)
{
    struct cudaDeviceProp p;
    const CUresult result = size ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        *size = p.totalGlobalMem;
    return result;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    struct cudaDeviceProp p;
    const CUresult result = major && minor ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (!result) {
        *major = p.major;
        *minor = p.minor;
    }
    return result;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    cuda_driver_keep();
    const CUresult result =
        get(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
    if (result)
        return result;
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED:
        *value = 1;
        break;
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING:
        *value = 200; /* every device sees writes in their order */
        break;
    default:
        break;
    }
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *pciBusId)
{
    cuda_driver_keep();
    return get(cudaDeviceGetByPCIBusId(device, pciBusId));
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int length, CUdevice device)
{
    cuda_driver_keep();
    return get(cudaDeviceGetPCIBusId(pciBusId, length, device));
}

CUresult cuDeviceCanAccessPeer(int *canAccess, CUdevice device, CUdevice peer)
{
    cuda_driver_keep();
    return get(cudaDeviceCanAccessPeer(canAccess, device, peer));
}
