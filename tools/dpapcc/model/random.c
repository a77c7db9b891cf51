/* xoshiro256**, splitmix64, and an exponential distribution with integers only. */
#include "random.h"

__extension__ typedef unsigned __int128 wide;

#define GOLDEN 0x9e3779b97f4a7c15u /* step of splitmix64 */

uint64_t model_cc_mix(uint64_t value)
{
    value += GOLDEN;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

struct cc_random model_cc_random_new(uint64_t seed, uint64_t stream)
{
    struct cc_random r;
    uint64_t at = model_cc_mix(seed) ^ stream;
    for (unsigned i = 0; i < 4; i++, at += GOLDEN)
        r.state[i] = model_cc_mix(at);
    return r;
}

static uint64_t rotate(uint64_t value, unsigned by)
{
    return value << by | value >> (64 - by);
}

uint64_t model_cc_random_next(struct cc_random *r)
{
    uint64_t *s = r->state;
    const uint64_t out = rotate(s[1] * 5, 7) * 9, moved = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= moved;
    s[3] = rotate(s[3], 45);
    return out;
}

uint32_t model_cc_random_below(struct cc_random *r, uint32_t count)
{
    return (uint32_t)((wide)model_cc_random_next(r) * count >> 64);
}

/* Returns the binary logarithm of a number other than 0, with 32 fractional bits. Each squaring
 * gives one bit of the fraction. */
static uint64_t log2_fixed(uint64_t value)
{
    const unsigned whole = 63 - (unsigned)__builtin_clzll(value);
    uint64_t x = value << (63 - whole), fraction = 0; /* 1 <= x / 2^63 < 2 */
    for (unsigned i = 0; i < 32; i++) {
        const wide square = (wide)x * x >> 63; /* below 4 * 2^63 */
        const unsigned bit = (unsigned)(square >> 64);
        x = (uint64_t)(square >> bit);
        fraction = fraction << 1 | bit;
    }
    return (uint64_t)whole << 32 | fraction;
}

uint64_t model_cc_random_exponential(struct cc_random *r, uint64_t mean)
{
    const uint64_t ln2 = 2977044472; /* in units of 2^-32 */
    const uint64_t u = model_cc_random_next(r) | 1;
    const uint64_t minus_log2 = ((uint64_t)64 << 32) - log2_fixed(u);
    const uint64_t minus_ln = (uint64_t)((wide)minus_log2 * ln2 >> 32);
    return (uint64_t)((wide)mean * minus_ln >> 32);
}
