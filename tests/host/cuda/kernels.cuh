/* Ten compute kernels. */
#pragma once
#include "check.cuh"

__global__ void vector_add(const float *a, const float *b, float *sum, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

/* Sums in each thread, in warps by shuffles, then in the block. */
__global__ void reduce(const int *in, int n, long long *sum)
{
    __shared__ long long of_warp[32];
    long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    for (int step = 16; step > 0; step /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, step);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
        for (int step = 16; step > 0; step /= 2)
            mine += __shfl_down_sync(0xffffffffu, mine, step);
        if (threadIdx.x == 0)
            atomicAdd((unsigned long long *)sum, (unsigned long long)mine);
    }
}

/* Inclusive prefix sums of a piece of each block; each thread has `EACH` numbers. */
enum { EACH = 16 };
__global__ void scan(const int *in, int *out, int *totals)
{
    extern __shared__ int sums[];
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    int own[EACH], total = 0;
    for (int i = 0; i < EACH; i++)
        own[i] = total += in[first + i];
    sums[threadIdx.x] = total;
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        __syncthreads();
        const int other = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += other;
    }
    const int before = sums[threadIdx.x] - total;
    for (int i = 0; i < EACH; i++)
        out[first + i] = own[i] + before;
    if (totals && threadIdx.x == blockDim.x - 1)
        totals[blockIdx.x] = sums[threadIdx.x];
}

__global__ void histogram(const unsigned char *in, int n, unsigned *counts)
{
    __shared__ unsigned mine[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&counts[i], mine[i]);
}

/* CRC-32 of packets, one for each thread, by a table in constant memory. */
__constant__ unsigned crc_table[256];
__global__ void crc(const unsigned char *packets, int size, int count, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned value = 0xffffffffu;
    const unsigned char *p = packets + (size_t)i * size;
    for (int k = 0; k < size; k++)
        value = crc_table[(value ^ p[k]) & 0xff] ^ value >> 8;
    out[i] = ~value;
}

/* A product of square matrices, by tiles; each thread has four elements of a column. */
enum { TILE = 32, ROWS = 8 };
__global__ void multiply(const float *a, const float *b, float *out, int n)
{
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum[TILE / ROWS] = {0};
    for (int t = 0; t < n; t += TILE) {
        for (int r = 0; r < TILE; r += ROWS) {
            of_a[threadIdx.y + r][threadIdx.x] = a[(y + r) * n + t + threadIdx.x];
            of_b[threadIdx.y + r][threadIdx.x] = b[(t + threadIdx.y + r) * n + x];
        }
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            for (int r = 0; r < TILE / ROWS; r++)
                sum[r] += of_a[threadIdx.y + r * ROWS][k] * of_b[k][threadIdx.x];
        __syncthreads();
    }
    for (int r = 0; r < TILE / ROWS; r++)
        out[(y + r * ROWS) * n + x] = sum[r];
}

/* Joins two tables by key: builds a hash table with open addresses, then looks keys up. */
struct row {
    unsigned key, value;
};
__global__ void join_build(const row *rows, int count, row *table, unsigned mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned slot = rows[i].key * 2654435761u >> 8 & mask;
    while (atomicCAS(&table[slot].key, 0u, rows[i].key) != 0u)
        slot = (slot + 1) & mask;
    table[slot].value = rows[i].value;
}
__global__ void join_probe(const row *rows, int count, const row *table, unsigned mask,
                           unsigned long long *sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned slot = rows[i].key * 2654435761u >> 8 & mask;
    while (table[slot].key != 0u && table[slot].key != rows[i].key)
        slot = (slot + 1) & mask;
    if (table[slot].key)
        atomicAdd(sum, (unsigned long long)table[slot].value * rows[i].value);
}

__global__ void stencil(const float *in, float *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const int i = y * width + x;
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

/* Sorts pieces of PIECE numbers in shared memory. */
enum { PIECE = 2048 };
__global__ void bitonic_sort(unsigned *values)
{
    __shared__ unsigned piece[PIECE];
    unsigned *mine = values + (size_t)blockIdx.x * PIECE;
    for (unsigned i = threadIdx.x; i < PIECE; i += blockDim.x)
        piece[i] = mine[i];
    for (unsigned size = 2; size <= PIECE; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (unsigned k = threadIdx.x; k < PIECE / 2; k += blockDim.x) {
                const unsigned i = 2 * k - (k & (step - 1)), j = i + step;
                const unsigned a = piece[i], b = piece[j];
                if ((a > b) == ((i & size) == 0)) {
                    piece[i] = b;
                    piece[j] = a;
                }
            }
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < PIECE; i += blockDim.x)
        mine[i] = piece[i];
}

/* The Internet checksum (RFC 1071) of packets, one for each warp. */
__global__ void checksum(const unsigned short *packets, int words, int count, unsigned short *out)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= count)
        return;
    unsigned sum = 0;
    for (int k = lane; k < words; k += 32)
        sum += packets[(size_t)i * words + k];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    if (lane == 0)
        out[i] = (unsigned short)~sum;
}
