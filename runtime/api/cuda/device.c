#include "private.h"

#include <stdlib.h>
#include <string.h>

enum { CLOCK_KHZ = 1000000, THREADS_OF_SM = 2048, REGISTERS = 65536, CONSTANT = 65536 };

static const char *pci_address(void)
{
    const char *asked = getenv("DPAKIT_GPU_PCI");
    unsigned a, b, c, d;
    return asked && sscanf(asked, "%4x:%2x:%2x.%1x", &a, &b, &c, &d) == 4 ? asked : "0000:e5:00.0";
}

static bool parse_pci(const char *text, unsigned out[4])
{
    out[0] = 0;
    if (sscanf(text, "%4x:%2x:%2x.%1x", &out[0], &out[1], &out[2], &out[3]) == 4)
        return true;
    out[0] = 0;
    return sscanf(text, "%2x:%2x.%1x", &out[1], &out[2], &out[3]) == 3;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count)
        return cuda_error(cudaErrorInvalidValue);
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    if (!device)
        return cuda_error(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (device == 0)
        cuda_driver_use();
    return cuda_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    return cuda_error(flags <= 0x1f ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    unsigned pci[4] = {0};
    if (!prop || device != 0)
        return cuda_error(prop ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    parse_pci(pci_address(), pci);
    *prop = (struct cudaDeviceProp){
        .name = "dpakit emulated GPU",
        .totalGlobalMem = DPK_GPU_MEMORY_TOTAL,
        .sharedMemPerBlock = DPK_BLOCK_SHARED_DEFAULT,
        .sharedMemPerBlockOptin = DPK_BLOCK_SHARED_MAX,
        .sharedMemPerMultiprocessor = DPK_BLOCK_SHARED_MAX + 1024,
        .totalConstMem = CONSTANT,
        .memPitch = INT32_MAX,
        .regsPerBlock = REGISTERS,
        .warpSize = DPK_BLOCK_WARP,
        .maxThreadsPerBlock = DPK_BLOCK_THREADS_MAX,
        .maxThreadsDim = {DPK_BLOCK_THREADS_MAX, DPK_BLOCK_THREADS_MAX, 64},
        .maxGridSize = {INT32_MAX, 65535, 65535},
        .clockRate = CLOCK_KHZ,
        .memoryClockRate = CLOCK_KHZ,
        .major = 8,
        .multiProcessorCount = (int)dpk_blocks_workers(),
        .maxThreadsPerMultiProcessor = THREADS_OF_SM,
        .maxBlocksPerMultiProcessor = DPK_BLOCKS_RESIDENT,
        .integrated = 1,
        .canMapHostMemory = 1,
        .concurrentKernels = 1,
        .cooperativeLaunch = 1,
        .pciDomainID = (int)pci[0],
        .pciBusID = (int)pci[1],
        .pciDeviceID = (int)pci[2],
        .memoryBusWidth = 64,
        .asyncEngineCount = 1,
        .unifiedAddressing = 1,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .pageableMemoryAccess = 1,
    };
    return cudaSuccess;
}

static bool attribute_of(const struct cudaDeviceProp *p, enum cudaDeviceAttr attr, int *out)
{
    switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock:
        *out = p->maxThreadsPerBlock;
        return true;
    case cudaDevAttrMaxBlockDimX:
        *out = p->maxThreadsDim[0];
        return true;
    case cudaDevAttrMaxBlockDimY:
        *out = p->maxThreadsDim[1];
        return true;
    case cudaDevAttrMaxBlockDimZ:
        *out = p->maxThreadsDim[2];
        return true;
    case cudaDevAttrMaxGridDimX:
        *out = p->maxGridSize[0];
        return true;
    case cudaDevAttrMaxGridDimY:
        *out = p->maxGridSize[1];
        return true;
    case cudaDevAttrMaxGridDimZ:
        *out = p->maxGridSize[2];
        return true;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *out = (int)p->sharedMemPerBlock;
        return true;
    case cudaDevAttrTotalConstantMemory:
        *out = (int)p->totalConstMem;
        return true;
    case cudaDevAttrWarpSize:
        *out = p->warpSize;
        return true;
    case cudaDevAttrMaxRegistersPerBlock:
        *out = p->regsPerBlock;
        return true;
    case cudaDevAttrClockRate:
        *out = p->clockRate;
        return true;
    case cudaDevAttrMultiProcessorCount:
        *out = p->multiProcessorCount;
        return true;
    case cudaDevAttrPciBusId:
        *out = p->pciBusID;
        return true;
    case cudaDevAttrPciDeviceId:
        *out = p->pciDeviceID;
        return true;
    case cudaDevAttrPciDomainId:
        *out = p->pciDomainID;
        return true;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *out = p->maxThreadsPerMultiProcessor;
        return true;
    case cudaDevAttrComputeCapabilityMajor:
        *out = p->major;
        return true;
    case cudaDevAttrComputeCapabilityMinor:
        *out = p->minor;
        return true;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *out = (int)p->sharedMemPerBlockOptin;
        return true;
    case cudaDevAttrIntegrated:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrGPUDirectRDMASupported:
        *out = 1;
        return true;
    default:
        return false;
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    struct cudaDeviceProp prop;
    const cudaError_t error = cudaGetDeviceProperties(&prop, device);
    if (error)
        return error;
    if (!value || (int)attr < 1 || (int)attr > 200)
        return cuda_error(cudaErrorInvalidValue);
    if (!attribute_of(&prop, attr, value))
        *value = 0; /* a feature that the emulated GPU does not have */
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    unsigned ours[4] = {0}, asked[4] = {0};
    if (!device || !pciBusId || !parse_pci(pciBusId, asked))
        return cuda_error(cudaErrorInvalidValue);
    parse_pci(pci_address(), ours);
    if (memcmp(ours, asked, sizeof ours) != 0)
        return cuda_error(cudaErrorInvalidDevice);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    const char *text = pci_address();
    if (!pciBusId || len <= 0 || (size_t)len <= strlen(text))
        return cuda_error(cudaErrorInvalidValue);
    if (device != 0)
        return cuda_error(cudaErrorInvalidDevice);
    memcpy(pciBusId, text, strlen(text) + 1);
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccess, int device, int peer)
{
    if (!canAccess || device != 0 || peer != 0)
        return cuda_error(canAccess ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    *canAccess = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cuda_error(dpk_stream_wait_all());
}

cudaError_t cudaDeviceReset(void)
{
    dpk_gpu_reset();
    cudaGetLastError();
    return cudaSuccess;
}

static _Atomic size_t limits[] = {0, 1 << 20, 8 << 20};

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if ((unsigned)limit >= sizeof limits / sizeof *limits)
        return cuda_error(cudaErrorInvalidValue);
    if (limit == cudaLimitStackSize && !dpk_blocks_set_stack(value))
        return cuda_error(cudaErrorInvalidValue);
    atomic_store(&limits[limit], value);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if (!value || (unsigned)limit >= sizeof limits / sizeof *limits)
        return cuda_error(cudaErrorInvalidValue);
    *value = limit == cudaLimitStackSize ? dpk_blocks_stack() : atomic_load(&limits[limit]);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    return cuda_error((unsigned)config <= 3 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = 0;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return cuda_error(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void)
{
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    return cudaSuccess;
}
