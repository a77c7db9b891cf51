/* Kernels with a data race, and the same kernels without it: races NAME runs the kernel NAME. */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <stdio.h>
#include <string.h>

enum { THREADS = 64, BLOCKS = 4 };
__device__ int global[BLOCKS * THREADS];
__device__ int result, flag, lock;
__device__ unsigned finished;

/* ---- Shared memory ---- */

__global__ void neighbour()
{
    __shared__ int values[THREADS];
    values[threadIdx.x] = threadIdx.x;                         /* PUTS */
    global[threadIdx.x] = values[(threadIdx.x + 1) % THREADS]; /* GETS */
}
__global__ void neighbour_right()
{
    __shared__ int values[THREADS];
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    global[threadIdx.x] = values[(threadIdx.x + 1) % THREADS];
}

template <bool waits> static __device__ void reduce()
{
    extern __shared__ int sums[];
    sums[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half]; /* ADDS */
        if (waits)
            __syncthreads();
    }
    if (threadIdx.x == 0)
        global[blockIdx.x] = sums[0];
}
__global__ void reduction()
{
    reduce<false>();
}
__global__ void reduction_right()
{
    reduce<true>();
}

/* Threads of a warp: a shuffle is no barrier of memory. */
__global__ void warp()
{
    __shared__ int value;
    if (threadIdx.x == 0)
        value = 5; /* LANE */
    __shfl_sync(0xffffffffu, 1, 0);
    global[threadIdx.x] = value; /* TAKEN */
}
__global__ void warp_right()
{
    __shared__ int value;
    if (threadIdx.x == 0)
        value = 5;
    __syncwarp();
    global[threadIdx.x] = value;
}

/* ---- Global memory ---- */

__global__ void blocks()
{
    global[threadIdx.x + blockIdx.x] = 1; /* OVERLAPS */
}
__global__ void blocks_right()
{
    global[blockIdx.x * THREADS + threadIdx.x] = 1;
}

__global__ void counter()
{
    result++; /* COUNTS */
}
__global__ void counter_right()
{
    atomicAdd(&result, 1);
}

/* The last block adds what all blocks have written. */
template <bool fences> static __device__ void last_block()
{
    __shared__ bool is_last;
    global[blockIdx.x * THREADS + threadIdx.x] = 1; /* GIVES */
    if (fences)
        __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(&finished, 1) == gridDim.x - 1;
        if (fences)
            __threadfence();
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < BLOCKS * THREADS; i++)
            sum += global[i]; /* TAKES */
        result = sum;
    }
}
__global__ void last()
{
    last_block<false>();
}
__global__ void last_right()
{
    last_block<true>();
}

/* A thread waits for the other block; after a barrier and a fence, its block knows. */
__global__ void waits_right()
{
    if (blockIdx.x == 0) {
        global[threadIdx.x] = 1;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *(volatile int *)&flag = 1;
    } else {
        if (threadIdx.x == 0)
            while (*(volatile int *)&flag == 0)
                ;
        __syncthreads();
        __threadfence();
        global[THREADS + threadIdx.x] = global[(threadIdx.x + 1) % THREADS];
    }
}

/* A thread hands a value over to the other block. */
__global__ void flags()
{
    if (blockIdx.x == 0) {
        result = 7; /* SETS */
        *(volatile int *)&flag = 1;
    } else {
        while (*(volatile int *)&flag == 0)
            ;
        global[0] = result; /* USES */
    }
}
__global__ void flags_right()
{
    cuda::atomic_ref<int> f(flag);
    if (blockIdx.x == 0) {
        result = 7;
        f.store(1, cuda::memory_order_release);
    } else {
        while (f.load(cuda::memory_order_acquire) == 0)
            ;
        global[0] = result;
    }
}

__global__ void spin_right()
{
    while (atomicCAS(&lock, 0, 1) != 0)
        __nanosleep(100);
    __threadfence();
    result++;
    __threadfence();
    atomicExch(&lock, 0);
}

/* All blocks meet. */
__global__ void grid_right()
{
    global[blockIdx.x * THREADS + threadIdx.x] = 1;
    cooperative_groups::this_grid().sync();
    const unsigned other = (blockIdx.x + 1) % BLOCKS;
    if (threadIdx.x == 0)
        global[other * THREADS] += global[other * THREADS];
    cooperative_groups::this_grid().sync();
    global[other * THREADS + threadIdx.x] = 2;
}

/* Two warps of three meet at a barrier of their own. */
template <bool all> static __device__ void meet()
{
    __shared__ int value;
    if (threadIdx.x == 0)
        value = 1; /* MEETS */
    if (all || threadIdx.x < 64)
        asm volatile("bar.sync 1, %0;" ::"r"(all ? 96 : 64));
    global[threadIdx.x] = value; /* PASSES */
}
__global__ void barrier()
{
    meet<false>();
}
__global__ void barrier_right()
{
    meet<true>();
}

/* Kernels of a stream are in order. */
__global__ void again_right()
{
    result = blockIdx.x == 0 ? 2 : result;
}

static const struct {
    const char *name;
    void (*kernel)();
    unsigned blocks, threads;
} kernels[] = {
    {"neighbour", neighbour, 1, THREADS},
    {"neighbour_right", neighbour_right, 1, THREADS},
    {"reduction", reduction, 2, THREADS},
    {"reduction_right", reduction_right, 2, THREADS},
    {"warp", warp, 1, 32},
    {"warp_right", warp_right, 1, 32},
    {"blocks", blocks, BLOCKS, THREADS},
    {"blocks_right", blocks_right, BLOCKS, THREADS},
    {"counter", counter, 1, THREADS},
    {"counter_right", counter_right, BLOCKS, THREADS},
    {"last", last, BLOCKS, THREADS},
    {"last_right", last_right, BLOCKS, THREADS},
    {"flags", flags, 2, 1},
    {"flags_right", flags_right, 2, 1},
    {"waits_right", waits_right, 2, THREADS},
    {"spin_right", spin_right, BLOCKS, 1},
    {"again_right", again_right, 1, 1},
    {"grid_right", grid_right, BLOCKS, THREADS},
    {"barrier", barrier, 1, 96},
    {"barrier_right", barrier_right, 1, 96},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof kernels / sizeof *kernels; i++) {
        if (strcmp(kernels[i].name, argv[1]) != 0)
            continue;
        for (int round = 0; round < 3; round++) {
            const int zero = 0;
            cudaMemcpyToSymbol(flag, &zero, sizeof zero);
            cudaMemcpyToSymbol(finished, &zero, sizeof zero);
            const unsigned blocks = kernels[i].blocks, threads = kernels[i].threads;
            if (kernels[i].kernel == grid_right)
                cudaLaunchCooperativeKernel((void *)grid_right, dim3(blocks), dim3(threads), NULL,
                                            0, 0);
            else
                kernels[i].kernel<<<blocks, threads, THREADS * sizeof(int)>>>();
            if (cudaDeviceSynchronize() != cudaSuccess)
                return 3;
        }
        return 0;
    }
    return 2;
}
