/* Products of matrices in fixed point (16 bits behind the point): loads, multiply and add. */
#include "kernel.h"

enum { ROUNDS = 1280, N = 96 };

static int32_t left[N][N], right[N][N], product[N][N];

static __attribute__((noinline)) void multiply(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int64_t sum = 0;
            for (int k = 0; k < N; k++)
                sum += (int64_t)left[i][k] * right[k][j];
            product[i][j] = (int32_t)(sum >> 16);
        }
}

uint64_t kernel(void)
{
    uint64_t seed = 8, sum = 0;
    for (int i = 0; i < N * N; i++) {
        left[i / N][i % N] = (int32_t)(next_number(&seed) >> 44);
        right[i / N][i % N] = (int32_t)(next_number(&seed) >> 44) - (1 << 19);
    }
    for (int round = 0; round < ROUNDS; round++) {
        multiply();
        left[round % N][round * 7 % N] ^= product[round * 5 % N][round % N] & 0xffff;
        sum = add_to_checksum(sum, (uint32_t)product[round % N][7]);
    }
    return sum;
}
