/* The primes below 2^18: stores of bytes in strides. */
#include "kernel.h"

enum { ROUNDS = 850, LIMIT = 1 << 18 };

static uint8_t composite[LIMIT];

uint64_t kernel(void)
{
    uint64_t sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < LIMIT; i++)
            composite[i] = 0;
        for (uint32_t p = 2; p < LIMIT; p++) {
            if (composite[p])
                continue;
            sum += p;
            for (uint32_t m = 2 * p; m < LIMIT; m += p)
                composite[m] = 1;
        }
    }
    return sum;
}
