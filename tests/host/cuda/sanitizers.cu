/* Kernels that a sanitizer stops if N is too large: sanitizers KERNEL N. The blocks have 8 threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, SIZE = 9 * sizeof(int) };
__device__ int out[THREADS], device[THREADS];
__constant__ int constant[THREADS];

__global__ void heap(int *at, int n)
{
    at[threadIdx.x + n] = 1; /* HEAP */
}
__global__ void copies(int *at, int n)
{
    if (threadIdx.x == 0)
        memset(at, 0, n * sizeof(int)); /* COPIES */
}
__global__ void shared(int *, int n)
{
    __shared__ int first[THREADS], second[THREADS];
    first[threadIdx.x] = 1;
    second[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] = first[threadIdx.x + n] + second[threadIdx.x]; /* SHARED */
}
__global__ void dynamic(int *, int n)
{
    extern __shared__ int values[];
    values[threadIdx.x + n] = 1; /* DYNAMIC */
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x];
}
__global__ void variable(int *, int n)
{
    device[threadIdx.x + n] = 1; /* VARIABLE */
}
__global__ void constants(int *, int n)
{
    out[threadIdx.x] = constant[threadIdx.x + n]; /* CONSTANTS */
}
/* The thread is at a barrier between the beginning of its variables and their use. */
__global__ void stack(int *, int n)
{
    int values[4];
    for (int i = 0; i < 4; i++)
        values[i] = out[i];
    __syncthreads();
    values[n + threadIdx.x % 4] = 4; /* STACK */
    __syncthreads();
    out[threadIdx.x] = values[out[n] % 4];
}
__global__ void overflow(int *, int n)
{
    out[threadIdx.x] = 0x7ffffff0 + n * (int)threadIdx.x; /* OVERFLOW */
}
__global__ void shift(int *, int n)
{
    out[threadIdx.x] = 1 << n; /* SHIFT */
}
__global__ void divide(int *, int n)
{
    out[threadIdx.x] = 5 / (n - 2); /* DIVIDES */
}
__global__ void misaligned(int *at, int n)
{
    out[threadIdx.x] = *(int *)((char *)at + n); /* MISALIGNED */
}

static const struct {
    const char *name;
    void (*kernel)(int *, int);
} kernels[] = {
    {"heap", heap},   {"copies", copies},     {"shared", shared},         {"dynamic", dynamic},
    {"stack", stack}, {"variable", variable}, {"constants", constants},   {"overflow", overflow},
    {"shift", shift}, {"divide", divide},     {"misaligned", misaligned},
};

int main(int argc, char **argv)
{
    int *at;
    if (argc != 3 || cudaMalloc(&at, SIZE) != cudaSuccess)
        return 2;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, argv[1]) == 0)
            kernels[i].kernel<<<2, THREADS, SIZE>>>(at, atoi(argv[2]));
    const cudaError_t error = cudaDeviceSynchronize();
    cudaFree(at);
    printf("%s\n", cudaGetErrorName(error));
    return error != cudaSuccess;
}
