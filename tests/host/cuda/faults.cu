/* faults KIND: a kernel, or a call, that fails. Prints the errors by name. */
#include "check.cuh"
#include <assert.h>
#include <string.h>

__global__ void touch(int *at)
{
    if (blockIdx.x == 1 && threadIdx.x == 5) *at = 1; /* WRITES */
}
__global__ void touch_later(int *at, volatile int *word)
{
    *word;
    if (threadIdx.x == 7)
        *word = at[3]; /* READS */
}
__global__ void diverge(int *out)
{
    if (threadIdx.x < 10)
        __syncthreads(); /* SOME */
    else
        __syncwarp(0xffffffffu); /* OTHERS */
    *out = 1;
}
__global__ void stop(int n)
{
    assert(threadIdx.x != 3 || n == 0); /* ASSERTS */
}
__global__ void trap()
{
    if (threadIdx.x == 2)
        __trap(); /* TRAPS */
}
__device__ __noinline__ int deep(volatile int *at, int n)
{
    volatile int place[256];
    place[n & 255] = *at;
    return n > 1000000 ? 0 : deep(at, n + 1) + place[1];
}
__global__ void recurse(int *at)
{
    *at = deep(at, 0);
}
__global__ void big_shared()
{
    extern __shared__ char bytes[];
    bytes[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(64) few() {}

static void show(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
}

static void refusals()
{
    cudaStream_t s;
    trap<<<1, 1025>>>();
    show("1025 threads", cudaGetLastError());
    few<<<1, 65>>>();
    show("launch bounds", cudaGetLastError());
    trap<<<0, 32>>>();
    show("no block", cudaGetLastError());
    big_shared<<<1, 32, 48 * 1024 + 1>>>();
    show("shared memory", cudaGetLastError());
    OK(cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    big_shared<<<1, 32, 227 * 1024>>>();
    show("shared memory with opt-in", cudaDeviceSynchronize());
    show("too much opt-in",
         cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              227 * 1024 + 1));
    cudaGetLastError();
    OK(cudaStreamCreate(&s));
    OK(cudaStreamDestroy(s));
    big_shared<<<1, 32, 64, s>>>();
    show("freed stream", cudaGetLastError());
    show("huge", cudaMalloc((void **)&s, (size_t)1 << 50));
    int *at = on_device<int>(nullptr, 4), host[8];
    show("copy outside", cudaMemcpy(host, at, sizeof host, cudaMemcpyDeviceToHost));
    show("at the end", cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    int *word = on_device<int>(nullptr, 1);
    if (strcmp(kind, "write") == 0)
        touch<<<3, 64>>>((int *)16);
    else if (strcmp(kind, "read") == 0)
        touch_later<<<1, 64>>>((int *)nullptr, word);
    else if (strcmp(kind, "diverge") == 0)
        diverge<<<1, 32>>>(word);
    else if (strcmp(kind, "assert") == 0)
        stop<<<1, 32>>>(1);
    else if (strcmp(kind, "trap") == 0)
        trap<<<1, 32>>>();
    else if (strcmp(kind, "recurse") == 0)
        recurse<<<1, 1>>>(word);
    else
        refusals();
    if (!*kind)
        return 0;
    show("synchronize", cudaDeviceSynchronize());
    show("malloc", cudaMalloc((void **)&word, 4));
    OK(cudaDeviceReset());
    word = on_device<int>(nullptr, 1);
    big_shared<<<1, 1, 1>>>();
    show("after reset", cudaDeviceSynchronize());
    return 0;
}
