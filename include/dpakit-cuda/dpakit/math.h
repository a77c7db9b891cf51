/*
 * math: mathematical functions and integer functions for the device. Part of cuda_runtime.h.
 */
#ifndef DPAKIT_CUDA_MATH_H
#define DPAKIT_CUDA_MATH_H

#include "threads.h"

#define DPAKIT_CUDA_1(name)                                                                        \
    DPAKIT_CUDA_DEVICE double name(double x)                                                       \
    {                                                                                              \
        return __builtin_##name(x);                                                                \
    }                                                                                              \
    DPAKIT_CUDA_DEVICE float name(float x)                                                         \
    {                                                                                              \
        return __builtin_##name##f(x);                                                             \
    }                                                                                              \
    DPAKIT_CUDA_DEVICE float name##f(float x)                                                      \
    {                                                                                              \
        return __builtin_##name##f(x);                                                             \
    }
#define DPAKIT_CUDA_2(name)                                                                        \
    DPAKIT_CUDA_DEVICE double name(double x, double y)                                             \
    {                                                                                              \
        return __builtin_##name(x, y);                                                             \
    }                                                                                              \
    DPAKIT_CUDA_DEVICE float name(float x, float y)                                                \
    {                                                                                              \
        return __builtin_##name##f(x, y);                                                          \
    }                                                                                              \
    DPAKIT_CUDA_DEVICE float name##f(float x, float y)                                             \
    {                                                                                              \
        return __builtin_##name##f(x, y);                                                          \
    }
DPAKIT_CUDA_1(acos)
DPAKIT_CUDA_1(acosh)
DPAKIT_CUDA_1(asin)
DPAKIT_CUDA_1(asinh)
DPAKIT_CUDA_1(atan)
DPAKIT_CUDA_1(atanh)
DPAKIT_CUDA_1(cbrt)
DPAKIT_CUDA_1(ceil)
DPAKIT_CUDA_1(cos)
DPAKIT_CUDA_1(cosh)
DPAKIT_CUDA_1(erf)
DPAKIT_CUDA_1(erfc)
DPAKIT_CUDA_1(exp)
DPAKIT_CUDA_1(exp2)
DPAKIT_CUDA_1(expm1)
DPAKIT_CUDA_1(fabs)
DPAKIT_CUDA_1(floor)
DPAKIT_CUDA_1(lgamma)
DPAKIT_CUDA_1(log)
DPAKIT_CUDA_1(log10)
DPAKIT_CUDA_1(log1p)
DPAKIT_CUDA_1(log2)
DPAKIT_CUDA_1(nearbyint)
DPAKIT_CUDA_1(rint)
DPAKIT_CUDA_1(round)
DPAKIT_CUDA_1(sin)
DPAKIT_CUDA_1(sinh)
DPAKIT_CUDA_1(sqrt)
DPAKIT_CUDA_1(tan)
DPAKIT_CUDA_1(tanh)
DPAKIT_CUDA_1(tgamma)
DPAKIT_CUDA_1(trunc)
DPAKIT_CUDA_2(atan2)
DPAKIT_CUDA_2(copysign)
DPAKIT_CUDA_2(fdim)
DPAKIT_CUDA_2(fmax)
DPAKIT_CUDA_2(fmin)
DPAKIT_CUDA_2(fmod)
DPAKIT_CUDA_2(hypot)
DPAKIT_CUDA_2(nextafter)
DPAKIT_CUDA_2(pow)
DPAKIT_CUDA_2(remainder)
#undef DPAKIT_CUDA_1
#undef DPAKIT_CUDA_2
DPAKIT_CUDA_DEVICE double fma(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}
DPAKIT_CUDA_DEVICE float fmaf(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
DPAKIT_CUDA_DEVICE double rsqrt(double x)
{
    return 1.0 / __builtin_sqrt(x);
}
DPAKIT_CUDA_DEVICE float rsqrtf(float x)
{
    return 1.0f / __builtin_sqrtf(x);
}
DPAKIT_CUDA_DEVICE int abs(int x)
{
    return __builtin_abs(x);
}
DPAKIT_CUDA_DEVICE long labs(long x)
{
    return __builtin_labs(x);
}
DPAKIT_CUDA_DEVICE long long llabs(long long x)
{
    return __builtin_llabs(x);
}
DPAKIT_CUDA_DEVICE float __sinf(float x)
{
    return __builtin_sinf(x);
}
DPAKIT_CUDA_DEVICE float __cosf(float x)
{
    return __builtin_cosf(x);
}
DPAKIT_CUDA_DEVICE float __tanf(float x)
{
    return __builtin_tanf(x);
}
DPAKIT_CUDA_DEVICE float __expf(float x)
{
    return __builtin_expf(x);
}
DPAKIT_CUDA_DEVICE float __logf(float x)
{
    return __builtin_logf(x);
}
DPAKIT_CUDA_DEVICE float __log2f(float x)
{
    return __builtin_log2f(x);
}
DPAKIT_CUDA_DEVICE float __log10f(float x)
{
    return __builtin_log10f(x);
}
DPAKIT_CUDA_DEVICE float __powf(float x, float y)
{
    return __builtin_powf(x, y);
}
DPAKIT_CUDA_DEVICE float __fdividef(float x, float y)
{
    return x / y;
}
DPAKIT_CUDA_DEVICE float __saturatef(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Bits of an integer: number of set bits, number of leading zeros, position of the first set bit
 * (from 1; 0: none is set), bits in reverse order. */
DPAKIT_CUDA_DEVICE int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
DPAKIT_CUDA_DEVICE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
DPAKIT_CUDA_DEVICE int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
DPAKIT_CUDA_DEVICE int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
DPAKIT_CUDA_DEVICE int __ffs(int x)
{
    return __builtin_ffs(x);
}
DPAKIT_CUDA_DEVICE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
DPAKIT_CUDA_DEVICE unsigned __brev(unsigned x)
{
    return __builtin_bitreverse32(x);
}
DPAKIT_CUDA_DEVICE unsigned long long __brevll(unsigned long long x)
{
    return __builtin_bitreverse64(x);
}

/* Chooses four of the eight bytes of `low` and `high`, by four numbers of 4 bits (0 to 7; bit 3
 * repeats the sign bit of the byte). */
DPAKIT_CUDA_DEVICE unsigned __byte_perm(unsigned low, unsigned high, unsigned choice)
{
    const unsigned long long all = (unsigned long long)high << 32 | low;
    unsigned out = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned byte = (unsigned)(all >> (choice >> 4 * i & 7) * 8) & 0xff;
        out |= (choice >> 4 * i & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * i;
    }
    return out;
}

/* Return the upper half of a product, and shift two words as one. */
DPAKIT_CUDA_DEVICE int __mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}
DPAKIT_CUDA_DEVICE unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}
DPAKIT_CUDA_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
DPAKIT_CUDA_DEVICE long long __mul64hi(long long x, long long y)
{
    return (long long)((__int128)x * y >> 64);
}
DPAKIT_CUDA_DEVICE int __mul24(int x, int y)
{
    return (x << 8 >> 8) * (y << 8 >> 8);
}
DPAKIT_CUDA_DEVICE unsigned __umul24(unsigned x, unsigned y)
{
    return (x & 0xffffff) * (y & 0xffffff);
}
DPAKIT_CUDA_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
DPAKIT_CUDA_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
DPAKIT_CUDA_DEVICE unsigned __sad(int x, int y, unsigned z)
{
    return z + (unsigned)(x > y ? x - y : y - x);
}

/* Return the same bits as another type, and convert numbers with rounding to nearest, to zero, down
 * and up. */
DPAKIT_CUDA_DEVICE int __float_as_int(float x)
{
    return __builtin_bit_cast(int, x);
}
DPAKIT_CUDA_DEVICE unsigned __float_as_uint(float x)
{
    return __builtin_bit_cast(unsigned, x);
}
DPAKIT_CUDA_DEVICE float __int_as_float(int x)
{
    return __builtin_bit_cast(float, x);
}
DPAKIT_CUDA_DEVICE float __uint_as_float(unsigned x)
{
    return __builtin_bit_cast(float, x);
}
DPAKIT_CUDA_DEVICE long long __double_as_longlong(double x)
{
    return __builtin_bit_cast(long long, x);
}
DPAKIT_CUDA_DEVICE double __longlong_as_double(long long x)
{
    return __builtin_bit_cast(double, x);
}
DPAKIT_CUDA_DEVICE int __float2int_rn(float x)
{
    return (int)__builtin_nearbyintf(x);
}
DPAKIT_CUDA_DEVICE unsigned __float2uint_rn(float x)
{
    return (unsigned)__builtin_nearbyintf(x);
}
DPAKIT_CUDA_DEVICE int __double2int_rn(double x)
{
    return (int)__builtin_nearbyint(x);
}
DPAKIT_CUDA_DEVICE int __float2int_rz(float x)
{
    return (int)__builtin_truncf(x);
}
DPAKIT_CUDA_DEVICE unsigned __float2uint_rz(float x)
{
    return (unsigned)__builtin_truncf(x);
}
DPAKIT_CUDA_DEVICE int __double2int_rz(double x)
{
    return (int)__builtin_trunc(x);
}
DPAKIT_CUDA_DEVICE int __float2int_rd(float x)
{
    return (int)__builtin_floorf(x);
}
DPAKIT_CUDA_DEVICE unsigned __float2uint_rd(float x)
{
    return (unsigned)__builtin_floorf(x);
}
DPAKIT_CUDA_DEVICE int __double2int_rd(double x)
{
    return (int)__builtin_floor(x);
}
DPAKIT_CUDA_DEVICE int __float2int_ru(float x)
{
    return (int)__builtin_ceilf(x);
}
DPAKIT_CUDA_DEVICE unsigned __float2uint_ru(float x)
{
    return (unsigned)__builtin_ceilf(x);
}
DPAKIT_CUDA_DEVICE int __double2int_ru(double x)
{
    return (int)__builtin_ceil(x);
}
DPAKIT_CUDA_DEVICE float __int2float_rn(int x)
{
    return (float)x;
}
DPAKIT_CUDA_DEVICE float __uint2float_rn(unsigned x)
{
    return (float)x;
}
DPAKIT_CUDA_DEVICE double __int2double_rn(int x)
{
    return (double)x;
}
DPAKIT_CUDA_DEVICE float __fadd_rn(float x, float y)
{
    return x + y;
}
DPAKIT_CUDA_DEVICE double __dadd_rn(double x, double y)
{
    return x + y;
}
DPAKIT_CUDA_DEVICE float __fsub_rn(float x, float y)
{
    return x - y;
}
DPAKIT_CUDA_DEVICE double __dsub_rn(double x, double y)
{
    return x - y;
}
DPAKIT_CUDA_DEVICE float __fmul_rn(float x, float y)
{
    return x * y;
}
DPAKIT_CUDA_DEVICE double __dmul_rn(double x, double y)
{
    return x * y;
}
DPAKIT_CUDA_DEVICE float __fdiv_rn(float x, float y)
{
    return x / y;
}
DPAKIT_CUDA_DEVICE double __ddiv_rn(double x, double y)
{
    return x / y;
}
DPAKIT_CUDA_DEVICE float __fmaf_rn(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
DPAKIT_CUDA_DEVICE float __fsqrt_rn(float x)
{
    return __builtin_sqrtf(x);
}

/* Functions for the host and the device. */
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH int min(int x, int y)
{
    return x < y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH int max(int x, int y)
{
    return x > y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH unsigned int min(unsigned int x,
                                                                                   unsigned int y)
{
    return x < y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH unsigned int max(unsigned int x,
                                                                                   unsigned int y)
{
    return x > y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH long min(long x, long y)
{
    return x < y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH long max(long x, long y)
{
    return x > y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH unsigned long min(unsigned long x,
                                                                                    unsigned long y)
{
    return x < y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH unsigned long max(unsigned long x,
                                                                                    unsigned long y)
{
    return x > y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH long long min(long long x,
                                                                                long long y)
{
    return x < y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH long long max(long long x,
                                                                                long long y)
{
    return x > y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH unsigned long long
min(unsigned long long x, unsigned long long y)
{
    return x < y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH unsigned long long
max(unsigned long long x, unsigned long long y)
{
    return x > y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH float min(float x, float y)
{
    return x < y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH float max(float x, float y)
{
    return x > y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH double min(double x, double y)
{
    return x < y ? x : y;
}
static __inline__ __attribute__((always_inline)) DPAKIT_CUDA_BOTH double max(double x, double y)
{
    return x > y ? x : y;
}

#endif
