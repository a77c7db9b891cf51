/* Random numbers that are the same on every machine: xoshiro256** (Blackman and Vigna, "Scrambled
 * linear pseudorandom number generators", 2018), seeded by splitmix64 as its authors advise. */
#ifndef DPK_DPAPCC_MODEL_RANDOM_H
#define DPK_DPAPCC_MODEL_RANDOM_H

#include <stdint.h>

struct cc_random {
    uint64_t state[4];
};

/* Another stream for each pair of numbers. */
struct cc_random cc_random_new(uint64_t seed, uint64_t stream);
uint64_t cc_random_next(struct cc_random *r);
/* 0 to count - 1, all equally likely but for one part in 2^32; count at most 2^32, not 0. */
uint32_t cc_random_below(struct cc_random *r, uint32_t count);
/* Exponentially distributed with this mean, up to 44 times of it; mean below 2^57. */
uint64_t cc_random_exponential(struct cc_random *r, uint64_t mean);
/* Of a number; for hashes. */
uint64_t cc_mix(uint64_t value);

#endif
