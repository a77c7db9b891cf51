#include "private.h"

/* The arguments of <<<...>>>, until the stub of the kernel takes them. */
struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
enum { NESTED_MAX = 8 };
static _Thread_local struct configuration pushed[NESTED_MAX];
static _Thread_local unsigned pushed_count;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    if (pushed_count == NESTED_MAX)
        return 1;
    pushed[pushed_count++] = (struct configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!pushed_count)
        return cuda_error(cudaErrorMissingConfiguration);
    const struct configuration *c = &pushed[--pushed_count];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                          cudaStream_t stream, bool cooperative)
{
    struct dpk_error why = {0};
    const struct cuda_function *f = cuda_registry_function(function);
    if (!f)
        return cuda_error(cudaErrorInvalidDeviceFunction);
    cuda_driver_use();
    if (shared > UINT32_MAX)
        return cuda_error(cudaErrorInvalidValue);
    const struct dpk_stream_launch l = {
        .kernel = f->kernel,
        .blocks = {grid.x, grid.y, grid.z},
        .threads = {block.x, block.y, block.z},
        .dynamic = (uint32_t)shared,
        .shared_limit = cuda_registry_shared_limit(f),
        .args = args,
        .cooperative = cooperative,
    };
    return cuda_error_because(dpk_stream_launch(cuda_stream(stream), &l, &why), &why);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                             size_t sharedMem, cudaStream_t stream)
{
    return launch(function, grid, block, args, sharedMem, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t sharedMem, cudaStream_t stream)
{
    return launch(function, grid, block, args, sharedMem, stream, true);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attr, int value)
{
    struct cuda_function *f = cuda_registry_function(function);
    if (!f)
        return cuda_error(cudaErrorInvalidDeviceFunction);
    if (attr == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cuda_error(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
    if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        (uint64_t)value + f->kernel->shared > DPK_BLOCK_SHARED_MAX)
        return cuda_error(cudaErrorInvalidValue);
    f->dynamic_max = (uint32_t)value;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    const struct cuda_function *f = cuda_registry_function(function);
    if (!attributes || !f)
        return cuda_error(attributes ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
    const uint32_t threads = f->kernel->max_threads;
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = f->kernel->shared,
        .maxThreadsPerBlock =
            threads && threads < DPK_BLOCK_THREADS_MAX ? (int)threads : DPK_BLOCK_THREADS_MAX,
        .numRegs = 32,
        .ptxVersion = 80,
        .binaryVersion = 80,
        .maxDynamicSharedSizeBytes =
            (int)(f->dynamic_max ? f->dynamic_max : DPK_BLOCK_SHARED_DEFAULT - f->kernel->shared),
        .preferredShmemCarveout = -1,
    };
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    if (!cuda_registry_function(function))
        return cuda_error(cudaErrorInvalidDeviceFunction);
    return cuda_error((unsigned)config <= 3 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int blockSize, size_t dynamic)
{
    const struct cuda_function *f = cuda_registry_function(function);
    if (!blocks || !f || blockSize <= 0)
        return cuda_error(f ? cudaErrorInvalidValue : cudaErrorInvalidDeviceFunction);
    const bool fits = blockSize <= DPK_BLOCK_THREADS_MAX &&
                      dynamic <= cuda_registry_shared_limit(f) - f->kernel->shared;
    *blocks = fits ? DPK_BLOCKS_RESIDENT : 0;
    return cudaSuccess;
}
