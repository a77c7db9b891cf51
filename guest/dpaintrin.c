#include "guest/abi/syscall.h"

#include <dpaintrin.h>
#include <limits.h>
#include <stdbool.h>

uint64_t __dpa_thread_time(void)
{
    return dpa_call0(DPA_SYS_TIME);
}

/* 2^(1/2), 2^(1/4), ... 2^(1/65536), with 63 fractional bits. */
static const uint64_t roots_of_two[16] = {
    0xb504f333f9de6484, 0x9837f0518db8a96f, 0x8b95c1e3ea8bd6e6, 0x85aac367cc487b14,
    0x82cd8698ac2ba1d7, 0x8164d1f3bc030773, 0x80b1ed4fd999ab6c, 0x8058d7d2d5e5f6b0,
    0x802c6436d0e04f50, 0x8016302f17467628, 0x800b179c82028fd0, 0x80058baf7fee3b5d,
    0x8002c5d00fdcfcb6, 0x800162e61bed4a48, 0x8000b17292f702a3, 0x800058b92abbae02,
};

static uint64_t multiply_q63(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned __int128)a * b) >> 63);
}

/* Each squaring gives a bit of the fraction: 24 bits, rounded to 16. */
int __dpa_fxp_log2(unsigned int x)
{
    if (x == 0)
        return INT_MIN;
    int whole = 31 - __builtin_clz(x);
    uint64_t mantissa = (uint64_t)x << (63 - whole);
    uint32_t fraction = 0;
    for (int i = 0; i < 24; i++) {
        unsigned __int128 square = (unsigned __int128)mantissa * mantissa;
        bool two_or_more = (uint64_t)(square >> 127) != 0;
        mantissa = (uint64_t)(square >> (two_or_more ? 64 : 63));
        fraction = fraction << 1 | two_or_more;
    }
    return (int)(((uint32_t)whole << 16) + ((fraction + 0x80) >> 8));
}

int __dpa_fxp_rcp(int x)
{
    if (x == 0)
        return INT_MAX;
    uint64_t magnitude = x < 0 ? -(uint64_t)x : (uint64_t)x;
    uint64_t quotient = ((1ull << 32) + magnitude / 2) / magnitude;
    if (x < 0)
        return quotient > (uint64_t)INT_MAX ? INT_MIN : -(int)quotient;
    return quotient > INT_MAX ? INT_MAX : (int)quotient;
}

int __dpa_fxp_pow2(int x)
{
    int whole = x >> 16;
    if (whole >= 15)
        return INT_MAX;
    if (whole < -17)
        return 0;
    uint64_t value = 1ull << 63;
    for (int i = 0; i < 16; i++)
        if (x & (0x8000 >> i))
            value = multiply_q63(value, roots_of_two[i]);
    int shift = 63 - 16 - whole; /* 33 to 64 */
    uint64_t rounded = (value >> (shift - 1)) + 1;
    return rounded >> 1 > INT_MAX ? INT_MAX : (int)(rounded >> 1);
}
