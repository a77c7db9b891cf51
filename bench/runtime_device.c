/* Device side of bench/runtime.sh: a program of 1 MiB. */
#include <doca_dpa_dev.h>

enum { PRIMES_UP_TO = 1 << 18, WORDS = 4096, BALLAST = 1 << 20 };
static uint8_t composite[PRIMES_UP_TO];
static uint32_t words[WORDS];
static const uint8_t ballast[BALLAST] = {1, 2, 3};

__dpa_rpc__ uint64_t weigh(uint64_t at)
{
    return ballast[at % BALLAST];
}

__dpa_rpc__ uint64_t add(uint64_t a, uint64_t b)
{
    return a + b;
}

/* The kernel of bench/rv64_kernels.c. */
__dpa_rpc__ uint64_t sieve(uint64_t rounds)
{
    uint64_t sum = 0;
    while (rounds--) {
        for (uint32_t i = 0; i < PRIMES_UP_TO; i++)
            composite[i] = 0;
        for (uint32_t p = 2; p < PRIMES_UP_TO; p++) {
            if (composite[p])
                continue;
            sum += p;
            for (uint32_t m = 2 * p; m < PRIMES_UP_TO; m += p)
                composite[m] = 1;
        }
    }
    return sum;
}

__dpa_rpc__ uint64_t hash(uint64_t rounds)
{
    uint32_t h = 2166136261u;
    while (rounds--)
        for (uint32_t i = 0; i < WORDS; i++) {
            h = (h ^ words[i]) * 16777619u;
            words[i] += h;
        }
    return h;
}

__dpa_global__ void nothing(void)
{
}

__dpa_global__ void keep_polling(uint64_t flag)
{
    while (__atomic_load_n((uint64_t *)flag, __ATOMIC_ACQUIRE) == 0)
        ;
}
