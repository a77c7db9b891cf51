/* Private to rv64: arithmetic as the manual defines it, for the reference interpreter (step.c). */
#ifndef DPK_ENGINE_RV64_ARITHMETIC_H
#define DPK_ENGINE_RV64_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t sext8(uint64_t v)
{
    return (uint64_t)(int8_t)v;
}
static inline uint64_t sext16(uint64_t v)
{
    return (uint64_t)(int16_t)v;
}
static inline uint64_t sext32(uint64_t v)
{
    return (uint64_t)(int32_t)v;
}

/* ---- Arithmetic of the manual ---- */

static inline bool less(uint64_t a, uint64_t b)
{
    return (int64_t)a < (int64_t)b;
}

static inline uint64_t negate_if(uint64_t v, bool negative)
{
    return negative ? -v : v;
}

/* Shifts right arithmetically: vacated bits are copies of the sign. */
static inline uint64_t sra(uint64_t a, unsigned by)
{
    uint64_t sign = a >> 63 ? ~UINT64_C(0) : 0;
    return by == 0 ? a : a >> by | sign << (64 - by);
}

/* High half of the product of 32-bit digits. */
static inline uint64_t mulhu(uint64_t a, uint64_t b)
{
    uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + (middle & 0xffffffff);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* mulhu reads a negative factor as itself plus 2^64. So 2^64 times the other factor is subtracted
 * again. */
static inline uint64_t mulhsu(uint64_t a, uint64_t b)
{
    return mulhu(a, b) - (less(a, 0) ? b : 0);
}
static inline uint64_t mulh(uint64_t a, uint64_t b)
{
    return mulhsu(a, b) - (less(b, 0) ? a : 0);
}

/* Table 7.1: division by zero gives all ones, and the dividend as remainder. Nothing traps. */
static inline uint64_t divu(uint64_t a, uint64_t b)
{
    return b == 0 ? ~UINT64_C(0) : a / b;
}
static inline uint64_t remu(uint64_t a, uint64_t b)
{
    return b == 0 ? a : a % b;
}

/* Quotients of magnitudes: the overflow -2^63 / -1 wraps to -2^63 by itself, remainder 0. */
static inline uint64_t div(uint64_t a, uint64_t b)
{
    bool na = less(a, 0), nb = less(b, 0);
    return b == 0 ? ~UINT64_C(0) : negate_if(negate_if(a, na) / negate_if(b, nb), na != nb);
}
static inline uint64_t rem(uint64_t a, uint64_t b)
{
    bool na = less(a, 0), nb = less(b, 0);
    return b == 0 ? a : negate_if(negate_if(a, na) % negate_if(b, nb), na);
}

static inline uint64_t clz(uint64_t v, unsigned width)
{
    unsigned n = 0;
    while (n < width && !(v >> (width - 1 - n) & 1))
        n++;
    return n;
}
static inline uint64_t ctz(uint64_t v, unsigned width)
{
    unsigned n = 0;
    while (n < width && !(v >> n & 1))
        n++;
    return n;
}
static inline uint64_t cpop(uint64_t v, unsigned width)
{
    unsigned n = 0;
    for (unsigned i = 0; i < width; i++)
        n += (unsigned)(v >> i & 1);
    return n;
}

static inline uint64_t ror(uint64_t v, unsigned by)
{
    return by == 0 ? v : v >> by | v << (64 - by);
}
static inline uint64_t rorw(uint64_t v, unsigned by)
{
    uint64_t w = v & 0xffffffff;
    return sext32(w >> by | w << (32 - by));
}

static inline uint64_t orc_b(uint64_t v)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < 64; i += 8)
        out |= (v >> i & 0xff) != 0 ? UINT64_C(0xff) << i : 0;
    return out;
}
static inline uint64_t rev8(uint64_t v)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < 64; i += 8)
        out |= (v >> i & 0xff) << (56 - i);
    return out;
}

#endif
