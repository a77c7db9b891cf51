/*
 * cuda_runtime_api: the CUDA runtime for dpakit's emulated GPU, for C and C++. Link -lcudart.
 *
 *     float *at;
 *     cudaMalloc((void **)&at, 4096);
 *     cudaMemcpy(at, data, 4096, cudaMemcpyHostToDevice);
 *     ...                                       // a kernel, compiled by dpacu
 *     if (cudaDeviceSynchronize() != cudaSuccess) ...
 *     cudaFree(at);
 *
 * Every function returns cudaSuccess or an error, and may return the error of an earlier kernel:
 * after a fault, an assertion or a trap, each call that uses the device returns it until
 * cudaDeviceReset(). Functions named Async return before the work is done. Sizes are in bytes.
 */
#ifndef DPAKIT_CUDA_RUNTIME_API_H
#define DPAKIT_CUDA_RUNTIME_API_H

#include "driver_types.h"
#include "vector_types.h"

#define CUDART_VERSION          12040
#define CUDA_VERSION_OF_RUNTIME CUDART_VERSION

#ifdef __cplusplus
#define DPAKIT_CUDA_DEFAULT(value) = value
extern "C" {
#else
#define DPAKIT_CUDA_DEFAULT(value)
#endif

/* ---- Errors ---- */

/* Returns the last error of this thread, and forgets it (unless a kernel failed). */
cudaError_t cudaGetLastError(void);
/* Returns the last error of this thread, and keeps it. */
cudaError_t cudaPeekAtLastError(void);
/* Return the name of an error, such as "cudaErrorInvalidValue", and its description. Never NULL. */
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

/* ---- Devices: there is one, number 0 ---- */

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
/* Finds a device by its PCI address, "DDDD:BB:DD.F" or "BB:DD.F". The emulated GPU has the address
 * 0000:e5:00.0, unless the environment variable DPAKIT_GPU_PCI has another address. */
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId);
cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device);
cudaError_t cudaDeviceCanAccessPeer(int *canAccess, int device, int peer);
/* Waits for all work. Returns the error of a kernel that failed. */
cudaError_t cudaDeviceSynchronize(void);
/* Waits for all work, frees all memory of the device, and forgets the failure of a kernel. */
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

/* ---- Memory ---- */

/* Allocates zeroed memory of the device. For a `size` of 0, *at becomes NULL. */
cudaError_t cudaMalloc(void **at, size_t size);
cudaError_t cudaMallocPitch(void **at, size_t *pitch, size_t width, size_t height);
/* Allocates memory that host and device access by the same address. */
cudaError_t cudaMallocManaged(void **at, size_t size,
                              unsigned int flags DPAKIT_CUDA_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMallocHost(void **at, size_t size);
cudaError_t cudaHostAlloc(void **at, size_t size, unsigned int flags);
/* Waits for all work, then frees memory of cudaMalloc or cudaMallocManaged. NULL is allowed. */
cudaError_t cudaFree(void *at);
cudaError_t cudaFreeHost(void *at);
cudaError_t cudaMallocAsync(void **at, size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *at, cudaStream_t stream);
/* Makes memory of the program known to the device. The program must keep the memory until
 * cudaHostUnregister. */
cudaError_t cudaHostRegister(void *at, size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void *at);
/* Gets the device's address of pinned memory, which equals the host's address. */
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *at);

/* Copy bytes. Memory of the device must be inside one allocation. The Async functions do not wait
 * for the copy. */
cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream DPAKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream DPAKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemset(void *at, int value, size_t size);
cudaError_t cudaMemsetAsync(void *at, int value, size_t size,
                            cudaStream_t stream DPAKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemPrefetchAsync(const void *at, size_t size, int device,
                                 cudaStream_t stream DPAKIT_CUDA_DEFAULT(0));

/* Copy to and from variables of device code, and get their address and size. `symbol` is the
 * variable, as host code names it. */
cudaError_t
cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size,
                   size_t offset DPAKIT_CUDA_DEFAULT(0),
                   enum cudaMemcpyKind kind DPAKIT_CUDA_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t
cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size,
                     size_t offset DPAKIT_CUDA_DEFAULT(0),
                     enum cudaMemcpyKind kind DPAKIT_CUDA_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t cudaGetSymbolAddress(void **at, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol);

/* ---- Streams and events ---- */

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
/* Destroys the stream. Work that it already has is still done. */
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
/* Returns cudaErrorNotReady if the stream has work. */
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags DPAKIT_CUDA_DEFAULT(0));
/* Calls a host function after the earlier work of the stream. The function must not call CUDA. */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *userData);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream DPAKIT_CUDA_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
/* Gets the milliseconds between two events. */
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);

/* ---- Launches ---- */

/* Launches a kernel. `function` is the kernel, and `args` has the addresses of its arguments. The
 * reason of a refused launch is printed. */
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                             size_t sharedMem, cudaStream_t stream);
/* Launches a kernel whose blocks all run at once, so that they may wait for each other
 * (cooperative_groups.h). */
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t sharedMem, cudaStream_t stream);
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attr, int value);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int blockSize, size_t dynamic);

/* Gets the kernel of the program for functions of the driver API (cuda.h), as cuLaunchKernel. */
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol);
/* Gets a function of the driver API by its name without "_v2", or NULL with SymbolNotFound in `*status`. If
 * `status` is NULL, an absent name is cudaErrorSymbolNotFound. */
cudaError_t
cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *status DPAKIT_CUDA_DEFAULT(NULL));

/* Do nothing: they tell profilers which part of a run counts. */
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

#ifdef __cplusplus
}
#endif
#endif
