/* Random numbers that are equal on all machines: xoshiro256** (Blackman and Vigna, "Scrambled
 * linear pseudorandom number generators", 2018), seeded by splitmix64 as its authors recommend. */
#ifndef DPK_DPAPCC_MODEL_RANDOM_H
#define DPK_DPAPCC_MODEL_RANDOM_H

#include <stdint.h>

struct cc_random {
    uint64_t state[4];
};

/* Returns a generator with a different stream for each pair of numbers. */
struct cc_random model_cc_random_new(uint64_t seed, uint64_t stream);
uint64_t model_cc_random_next(struct cc_random *r);
/* Returns 0 to count - 1, with equal probability except for 2^-32; `count` is 1 to 2^32. */
uint32_t model_cc_random_below(struct cc_random *r, uint32_t count);
/* Returns an exponentially distributed number, at most 44 times `mean`; `mean` is below 2^57. */
uint64_t model_cc_random_exponential(struct cc_random *r, uint64_t mean);
/* Returns a hash of a number. */
uint64_t model_cc_mix(uint64_t value);

#endif
