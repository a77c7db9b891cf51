/*
 * cuda_runtime: CUDA C++ for dpakit's emulated GPU: the words of the language, what a thread knows
 * about itself, device functions, and templates over cuda_runtime_api.h. dpacu includes it before
 * each source.
 *
 *     __global__ void add(const float *a, const float *b, float *sum, int n)
 *     {
 *         const int i = blockIdx.x * blockDim.x + threadIdx.x;
 *         if (i < n)
 *             sum[i] = a[i] + b[i];
 *     }
 *     add<<<(n + 255) / 256, 256>>>(a, b, sum, n);
 */
#ifndef DPAKIT_CUDA_RUNTIME_H
#define DPAKIT_CUDA_RUNTIME_H

#if defined __CUDA__ || defined __CUDACC__
#define __host__               __attribute__((host))
#define __device__             __attribute__((device))
#define __global__             __attribute__((global))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#endif
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define CUDARTAPI
#define CUDART_CB

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined __CUDA__ && defined __cplusplus
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls that the compiler makes of <<<...>>>. */
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                cudaStream_t stream = 0);

#include "dpakit/atomics.h"
#include "dpakit/math.h"
#include "dpakit/threads.h"
#include "dpakit/warps.h"
#endif

#ifdef __cplusplus
/* ---- The runtime API with types ---- */

template <class T> static inline cudaError_t cudaMalloc(T **at, size_t size)
{
    return cudaMalloc((void **)at, size);
}
template <class T> static inline cudaError_t cudaMallocHost(T **at, size_t size)
{
    return cudaMallocHost((void **)at, size);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **at, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)at, size, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **at, size_t size, unsigned int flags)
{
    return cudaHostAlloc((void **)at, size, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **at, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)at, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **at, size_t size, cudaStream_t stream)
{
    return cudaMallocAsync((void **)at, size, stream);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return cudaHostGetDevicePointer((void **)device, host, flags);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t size,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, size, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t size,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, size, offset, kind);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **at, const T &symbol)
{
    return cudaGetSymbolAddress(at, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    return cudaGetSymbolSize(size, (const void *)&symbol);
}
template <class T>
static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **args,
                                           size_t sharedMem = 0, cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)function, grid, block, args, sharedMem, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block,
                                                      void **args, size_t sharedMem = 0,
                                                      cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)function, grid, block, args, sharedMem,
                                       stream);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute attr, int value)
{
    return cudaFuncSetAttribute((const void *)function, attr, value);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *function)
{
    return cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)function, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function,
                                                                        int blockSize,
                                                                        size_t dynamic)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, blockSize,
                                                         dynamic);
}
/* Gets the block size that lets most threads run at once, and the number of such blocks that fill
 * the device. */
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize,
                                                             T function, size_t dynamic = 0,
                                                             int limit = 0)
{
    struct cudaFuncAttributes attributes;
    int multiprocessors = 1;
    cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)function);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    if (error != cudaSuccess)
        return error;
    *blockSize =
        limit > 0 && limit < attributes.maxThreadsPerBlock ? limit : attributes.maxThreadsPerBlock;
    *minGridSize = multiprocessors;
    (void)dynamic;
    return cudaSuccess;
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
#endif

#endif
