/*
 * cuda: the driver API of CUDA for dpakit's emulated GPU, for C and C++. Link -lcuda.
 *
 *     CUdevice device;
 *     CUcontext context;
 *     CUdeviceptr at;
 *     cuInit(0);
 *     cuDeviceGet(&device, 0);
 *     cuDevicePrimaryCtxRetain(&context, device);
 *     cuCtxSetCurrent(context);
 *     cuMemAlloc(&at, 4096);
 *
 * It drives the same GPU as the runtime (cuda_runtime_api.h), and addresses, streams and events are
 * the same: a CUstream is a cudaStream_t. Every function returns CUDA_SUCCESS or an error:
 * NOT_INITIALIZED before cuInit, INVALID_CONTEXT if the thread has no context (the first call of the
 * runtime that uses the device makes the primary context current in every thread without one),
 * INVALID_VALUE for a NULL pointer or a value out of range, INVALID_HANDLE for an object that there
 * is not, and those of an earlier kernel, as in the runtime. Sizes are in bytes.
 *
 * Names are those of CUDA 12: cuMemAlloc is the function cuMemAlloc_v2.
 */
#ifndef DPAKIT_CUDA_CUDA_H
#define DPAKIT_CUDA_CUDA_H

#include <stddef.h>
#include <stdint.h>

#define CUDA_VERSION 12040
#define CUDAAPI
#define CUDA_CB

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_INVALID_SOURCE = 300,
    CUDA_ERROR_FILE_NOT_FOUND = 301,
    CUDA_ERROR_OPERATING_SYSTEM = 304,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_ILLEGAL_STATE = 401,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_NOT_PERMITTED = 800,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_UNKNOWN = 999,
} CUresult;

typedef int CUdevice; /* the number of a device: 0 is the only one */
typedef unsigned long long CUdeviceptr;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream; /* NULL: the default stream */
typedef struct CUevent_st *CUevent;
typedef struct CUuuid_st {
    char bytes[16];
} CUuuid;
typedef void (*CUhostFn)(void *userData);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *userData);

/* The numbers of the runtime's cudaDeviceAttr are the same. */
typedef enum CUdevice_attribute_enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, /* kHz */
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
    CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
    CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
    CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED = 116,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING = 118,
    CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED = 124,
} CUdevice_attribute;

typedef enum CUmemorytype_enum {
    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2,
} CUmemorytype;

typedef enum CUpointer_attribute_enum {
    CU_POINTER_ATTRIBUTE_CONTEXT = 1,        /* CUcontext */
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,    /* CUmemorytype */
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3, /* CUdeviceptr */
    CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,   /* void * */
    CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,    /* int */
    CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,      /* uint64_t */
    CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,     /* int */
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9, /* int */
    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
    CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,                 /* size_t */
    CU_POINTER_ATTRIBUTE_MAPPED = 13,                     /* int */
    CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15, /* int */
} CUpointer_attribute;

typedef enum CUmemRangeHandleType_enum {
    CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD = 1, /* int: a file descriptor */
} CUmemRangeHandleType;

typedef enum CUlimit_enum {
    CU_LIMIT_STACK_SIZE = 0,
    CU_LIMIT_PRINTF_FIFO_SIZE = 1,
    CU_LIMIT_MALLOC_HEAP_SIZE = 2,
} CUlimit;

typedef enum CUfunction_attribute_enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
    CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
} CUfunction_attribute;

enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
enum { CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };
enum {
    CU_CTX_SCHED_AUTO = 0,
    CU_CTX_SCHED_SPIN = 1,
    CU_CTX_SCHED_YIELD = 2,
    CU_CTX_SCHED_BLOCKING_SYNC = 4,
    CU_CTX_MAP_HOST = 8,
    CU_CTX_FLAGS_MASK = 31,
};
enum {
    CU_MEMHOSTALLOC_PORTABLE = 1,
    CU_MEMHOSTALLOC_DEVICEMAP = 2,
    CU_MEMHOSTALLOC_WRITECOMBINED = 4,
    CU_MEMHOSTREGISTER_PORTABLE = 1,
    CU_MEMHOSTREGISTER_DEVICEMAP = 2,
    CU_MEMHOSTREGISTER_IOMEMORY = 4,
    CU_MEMHOSTREGISTER_READ_ONLY = 8,
    CU_MEM_ATTACH_GLOBAL = 1,
    CU_MEM_ATTACH_HOST = 2,
};
typedef enum CUdriverProcAddressQueryResult_enum {
    CU_GET_PROC_ADDRESS_SUCCESS = 0,
    CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
} CUdriverProcAddressQueryResult;

/* ---- Start, errors, functions by name ---- */

/* Starts the driver. `flags` must be 0. */
CUresult cuInit(unsigned int flags);
/* Gets 1000 * major + 10 * minor of the version of CUDA. */
CUresult cuDriverGetVersion(int *version);
/* Get the name of an error, such as "CUDA_ERROR_INVALID_VALUE", and its description. For an unknown
 * number they return INVALID_VALUE and set NULL. They need no cuInit. */
CUresult cuGetErrorName(CUresult error, const char **name);
CUresult cuGetErrorString(CUresult error, const char **text);
/* Gets the function of a name without "_v2", or NULL with NOT_FOUND in `*status` (which may be NULL). It
 * needs no cuInit. */
CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status);
#define cuGetProcAddress cuGetProcAddress_v2

/* ---- Devices: they need cuInit, and no context ---- */

CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
/* Copies at most `length` bytes of the device's name, with a NUL. */
CUresult cuDeviceGetName(char *name, int length, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceTotalMem_v2(size_t *size, CUdevice device);
#define cuDeviceTotalMem cuDeviceTotalMem_v2
/* Gets an attribute; 0 for a feature that the emulated GPU does not have. */
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
/* Find a device by its PCI address, and tell the address, as cudaDeviceGetByPCIBusId does. */
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *pciBusId);
CUresult cuDeviceGetPCIBusId(char *pciBusId, int length, CUdevice device);
CUresult cuDeviceCanAccessPeer(int *canAccess, CUdevice device, CUdevice peer);

/* ---- Contexts: all of them are of the one device, with the same memory and work ---- */

/* Get the device's primary context, and count its users; release undoes one. Reset frees the memory of the
 * device, and forgets the failure of a kernel. */
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);
#define cuDevicePrimaryCtxRelease  cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset    cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
/* Makes a context, and pushes it on the thread's stack. Destroy pops it if it is on top. */
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
/* Push and pop a context of the thread's stack of at most 16; replace its top (NULL: pop it); get its top,
 * or NULL. `context` of pop may be NULL. */
CUresult cuCtxPushCurrent_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
#define cuCtxCreate      cuCtxCreate_v2
#define cuCtxDestroy     cuCtxDestroy_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuCtxPopCurrent  cuCtxPopCurrent_v2
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxGetFlags(unsigned int *flags);
/* Gets the version of a context's interface; NULL: of the current one's. */
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version);
/* Waits for all work. Returns the error of a kernel that failed. */
CUresult cuCtxSynchronize(void);
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxGetLimit(size_t *value, CUlimit limit);

/* ---- Memory ---- */

/* Allocates zeroed memory of the device. INVALID_VALUE for a size of 0. */
CUresult cuMemAlloc_v2(CUdeviceptr *at, size_t size);
CUresult cuMemAllocPitch_v2(CUdeviceptr *at, size_t *pitch, size_t width, size_t height,
                            unsigned int elementSize);
CUresult cuMemAllocManaged(CUdeviceptr *at, size_t size, unsigned int flags);
/* Waits for all work, then frees memory of these three. */
CUresult cuMemFree_v2(CUdeviceptr at);
CUresult cuMemAllocHost_v2(void **at, size_t size);
CUresult cuMemHostAlloc(void **at, size_t size, unsigned int flags);
CUresult cuMemFreeHost(void *at);
CUresult cuMemHostRegister_v2(void *at, size_t size, unsigned int flags);
CUresult cuMemHostUnregister(void *at);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned int flags);
CUresult cuMemHostGetFlags(unsigned int *flags, void *host);
CUresult cuMemGetInfo_v2(size_t *available, size_t *total);
/* Gets the beginning and the size of the allocation that contains the address. Either pointer may be NULL.
 * NOT_FOUND for an address of no allocation. */
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr at);
/* Gets a file descriptor for memory of the device, which the caller closes: the range from `at` is the file
 * from 0. Both are multiples of the page size, `at` and `size` (the end of an allocation may be passed up to
 * its page). Programs map it, and devices register it as a DMA buffer. Call this before kernels use the
 * memory, because the call moves the bytes to the file. Memory of doca_gpu_mem_alloc has a file already: `at` is
 * its beginning then, and `size` any part of it. NOT_SUPPORTED for memory of the host. */
CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr at, size_t size,
                                       CUmemRangeHandleType type, unsigned long long flags);
#define cuMemAlloc                cuMemAlloc_v2
#define cuMemAllocPitch           cuMemAllocPitch_v2
#define cuMemFree                 cuMemFree_v2
#define cuMemAllocHost            cuMemAllocHost_v2
#define cuMemHostRegister         cuMemHostRegister_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemGetInfo              cuMemGetInfo_v2
#define cuMemGetAddressRange      cuMemGetAddressRange_v2

/* Gets an attribute of an address, of the type that is noted at the attribute. INVALID_VALUE for an address
 * that is not known. The second function gets several: 0 for what an address does not have. */
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr at);
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **values,
                                CUdeviceptr at);
/* Sets SYNC_MEMOPS, an unsigned int. Copies that do not end in Async always wait here, as it wants. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr at);

/* Copy and fill, as cudaMemcpy and cudaMemset do. `count` is the number of values of 8, 16 or 32 bits. */
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size);
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count);
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count);
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t count);
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream);
#define cuMemcpyHtoD      cuMemcpyHtoD_v2
#define cuMemcpyDtoH      cuMemcpyDtoH_v2
#define cuMemcpyDtoD      cuMemcpyDtoD_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#define cuMemsetD8        cuMemsetD8_v2
#define cuMemsetD16       cuMemsetD16_v2
#define cuMemsetD32       cuMemsetD32_v2

/* ---- Streams and events, as those of the runtime ---- */

CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority);
CUresult cuStreamDestroy_v2(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *userData);
CUresult cuEventCreate(CUevent *event, unsigned int flags);
CUresult cuEventDestroy_v2(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventQuery(CUevent event);
CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to);
#define cuStreamDestroy cuStreamDestroy_v2
#define cuEventDestroy  cuEventDestroy_v2

/* ---- Kernels ---- */

/* Loads a shared library that dpacu made (-shared), whose kernels and variables have their mangled names.
 * A path without a slash is in the working directory. The reason of an error is printed. FILE_NOT_FOUND;
 * INVALID_IMAGE if it cannot be loaded. Unloading it ends the use of `module`; the code stays. */
CUresult cuModuleLoad(CUmodule *module, const char *path);
CUresult cuModuleUnload(CUmodule module);
/* Refuses PTX, cubin and fatbin, with NO_BINARY_FOR_GPU: the emulated GPU runs code of dpacu. */
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
/* Gets address and size of a variable. Either pointer may be NULL. */
CUresult cuModuleGetGlobal_v2(CUdeviceptr *at, size_t *size, CUmodule module, const char *name);
#define cuModuleGetGlobal cuModuleGetGlobal_v2
/* Launches a kernel, as cudaLaunchKernel. `extra` must be NULL. cudaGetFuncBySymbol gets the CUfunction of a
 * kernel of the program. */
CUresult cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY,
                        unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                        unsigned int blockZ, unsigned int sharedMem, CUstream stream,
                        void **parameters, void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int gridX, unsigned int gridY,
                                   unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                                   unsigned int blockZ, unsigned int sharedMem, CUstream stream,
                                   void **parameters);
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int blockSize, size_t dynamic);

#ifdef __cplusplus
}
#endif
#endif
