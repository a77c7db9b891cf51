/* Instructions as words, and random values, for the tests and fuzzers of rv64. */
#ifndef RV64_WORDS_H
#define RV64_WORDS_H

#include "engine/rv64/insn.h"

enum format {
    R,
    I,
    S,
    B,
    U,
    J,
    SHIFT5,
    SHIFT6,
    UNARY,
    AMO,
    LR,
    COUNTER,
    NONE,
    EXACT,
};

static const struct {
    uint32_t match;
    enum format format;
} rows[] = {
#define OP(name, format, match) {match, format},
#include "engine/rv64/ops.def"
#undef OP
};

/* Bits that are free in a format: operands. */
static const uint32_t free_bits[] = {
    [R] = 0x01ff8f80,     [I] = 0xffff8f80,   [S] = 0xffff8f80,      [B] = 0xffff8f80,
    [U] = 0xffffff80,     [J] = 0xffffff80,   [SHIFT5] = 0x01ff8f80, [SHIFT6] = 0x03ff8f80,
    [UNARY] = 0x000f8f80, [AMO] = 0x07ff8f80, [LR] = 0x060f8f80,     [COUNTER] = 0x00000f80,
    [NONE] = 0xffff8f80,  [EXACT] = 0,
};

/* ---- Random ---- */

/* xorshift64*, so that every run is the same. */
static inline uint64_t random64(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

static inline uint32_t below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)((random64(seed) >> 32) % limit);
}

/* Values at which results change their character. */
static const uint64_t edge_values[] = {
    0,
    1,
    2,
    31,
    32,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    INT64_MAX,
    UINT64_MAX,
    UINT64_C(1) << 63,
    0xffffffff80000000,
};
enum { EDGES = sizeof edge_values / sizeof *edge_values };

static inline uint64_t random_value(uint64_t *seed)
{
    switch (below(seed, 4)) {
    case 0:
        return edge_values[below(seed, EDGES)];
    case 1:
        return random64(seed) >> below(seed, 64);
    case 2:
        return UINT64_C(0) - (random64(seed) >> below(seed, 64));
    default:
        return random64(seed);
    }
}

static inline uint32_t random_instruction(uint64_t *seed, unsigned row)
{
    return rows[row].match | ((uint32_t)(random64(seed) >> 32) & free_bits[rows[row].format]);
}

static inline uint32_t with_rd(uint32_t word, uint32_t rd)
{
    return (word & ~(31u << 7)) | rd << 7;
}
static inline uint32_t with_rs1(uint32_t word, uint32_t rs1)
{
    return (word & ~(31u << 15)) | rs1 << 15;
}
static inline uint32_t rd_of(uint32_t word)
{
    return word >> 7 & 31;
}
static inline uint32_t i_type(uint32_t match, uint32_t rd, uint32_t rs1, uint32_t imm)
{
    return match | (imm & 0xfff) << 20 | rs1 << 15 | rd << 7;
}
static inline uint32_t s_type(uint32_t match, uint32_t rs2, uint32_t rs1, uint32_t imm)
{
    return match | (imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | (imm & 31) << 7;
}
static inline uint32_t b_type(uint32_t match, uint32_t rs1, uint32_t rs2, int by)
{
    const uint32_t b = (uint32_t)by;
    return match | rs1 << 15 | rs2 << 20 | (b >> 12 & 1) << 31 | (b >> 5 & 63) << 25 |
           (b >> 1 & 15) << 8 | (b >> 11 & 1) << 7;
}

enum {
    LD = 0x3003,
    SD = 0x3023,
    ADDI = 0x13,
    ADDIW = 0x1b,
    CTZW = 0x6010101b,
    LOADS = 0x03,
    STORES = 0x23,
    AMOS = 0x2f
};

#endif
