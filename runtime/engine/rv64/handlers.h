/*
 * Private to rv64: the parts of the engine's handlers. Each instruction is defined once, in
 * values.def or as a BODY_ below; step.c defines it a second time, so that tests can compare the
 * two.
 */
#ifndef DPK_ENGINE_RV64_HANDLERS_H
#define DPK_ENGINE_RV64_HANDLERS_H

#include "block.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define SEXT(type, value) ((uint64_t)(int64_t)(type)(value))

static inline uint64_t divide(uint64_t a, uint64_t b)
{
    if (unlikely(b == 0))
        return UINT64_MAX;
    if (unlikely(b == UINT64_MAX)) /* the host traps on the overflow */
        return -a;
    return (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t remainder_of(uint64_t a, uint64_t b)
{
    if (unlikely(b == 0))
        return a;
    if (unlikely(b == UINT64_MAX))
        return 0;
    return (uint64_t)((int64_t)a % (int64_t)b);
}

/* Returns 0xff for every byte that is not zero. */
static inline uint64_t or_combine(uint64_t v)
{
    const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t high = (((v & low7) + low7) | v) & ~low7;
    return (high >> 7) * 0xff;
}

/* AMOs for which the host has no instruction. `to` is the new value, from `old` and `b`. */
#define EXCHANGE_LOOP(name, bits, type, to)                                                        \
    static inline uint64_t name(rv64_u##bits *at, type b)                                          \
    {                                                                                              \
        uint##bits##_t seen = __atomic_load_n(at, __ATOMIC_RELAXED);                               \
        type old;                                                                                  \
        do                                                                                         \
            old = (type)seen;                                                                      \
        while (!__atomic_compare_exchange_n(at, &seen, (uint##bits##_t)(to), true,                 \
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));                  \
        return seen;                                                                               \
    }
EXCHANGE_LOOP(min_w, 32, int32_t, old < b ? old : b)
EXCHANGE_LOOP(max_w, 32, int32_t, old > b ? old : b)
EXCHANGE_LOOP(minu_w, 32, uint32_t, old < b ? old : b)
EXCHANGE_LOOP(maxu_w, 32, uint32_t, old > b ? old : b)
EXCHANGE_LOOP(min_d, 64, int64_t, old < b ? old : b)
EXCHANGE_LOOP(max_d, 64, int64_t, old > b ? old : b)
EXCHANGE_LOOP(minu_d, 64, uint64_t, old < b ? old : b)
EXCHANGE_LOOP(maxu_d, 64, uint64_t, old > b ? old : b)

static inline bool compare_exchange_w(rv64_u32 *at, uint64_t old, uint64_t v)
{
    uint32_t seen = (uint32_t)old;
    return __atomic_compare_exchange_n(at, &seen, (uint32_t)v, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}
static inline bool compare_exchange_d(rv64_u64 *at, uint64_t old, uint64_t v)
{
    return __atomic_compare_exchange_n(at, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Returns true if `at` is a guest address and a multiple of 1 << log2. Only then are the bits zero
 * that the rotation moves to the top. Pages after the memory's end have no access. */
static inline bool plausible(uint64_t at, unsigned log2)
{
    return (at >> log2 | at << (-log2 & 63)) >> (32 - log2) == 0;
}

/* value_ADD etc.: values.def as functions. */
#define VALUE(name, value)                                                                         \
    static inline uint64_t value_##name(uint64_t A, uint64_t B, uint64_t IMM)                      \
    {                                                                                              \
        (void)A, (void)B, (void)IMM;                                                               \
        return (value);                                                                            \
    }
#include "values.def"
VALUE(LI, IMM)
VALUE(MV, A)
#undef VALUE

/* ---- In rv64_run ---- */

/* `r` is the current operation, `block` its block, `x` the registers. BODY_<name> executes an
 * instruction. It jumps elsewhere only to stop or to enter another block. */

#define A   x[r->rs1]
#define B   x[r->rs2]
#define D   x[r->rd]
#define IMM r->imm

#define NEXT                                                                                       \
    do {                                                                                           \
        r++;                                                                                       \
        goto * r->handler;                                                                         \
    } while (0)

/* Ignores the rest of the budget. */
#define BEGIN(to)                                                                                  \
    do {                                                                                           \
        block = (to);                                                                              \
        left -= block->count;                                                                      \
        r = block->run;                                                                            \
        goto * r->handler;                                                                         \
    } while (0)

#define ENTER(to)                                                                                  \
    do {                                                                                           \
        block = (to);                                                                              \
        if (unlikely(left <= 0))                                                                   \
            goto out_of_budget;                                                                    \
        BEGIN(block);                                                                              \
    } while (0)

/* Enters a block after a backward jump, a call or a return. */
#define ENTER_WARM(to)                                                                             \
    do {                                                                                           \
        block = (to);                                                                              \
        if (translator != NULL && left > 0 &&                                                      \
            (code = rv64_cache_warm(core, cache, block, x)) != NULL)                               \
            goto translated;                                                                       \
        ENTER(block);                                                                              \
    } while (0)

/* Enters a successor that never changes, `next` or `taken`. */
#define FOLLOW(successor)                                                                          \
    do {                                                                                           \
        struct rv64_block *to = atomic_load_explicit(&block->successor, memory_order_acquire);     \
        if (likely(to != NULL))                                                                    \
            ENTER(to);                                                                             \
        link = &block->successor;                                                                  \
        pc = block->successor##_pc;                                                                \
        goto find;                                                                                 \
    } while (0)

#define TAKEN                                                                                      \
    do {                                                                                           \
        if (unlikely(block->backward)) {                                                           \
            struct rv64_block *to = atomic_load_explicit(&block->taken, memory_order_acquire);     \
            if (likely(to != NULL))                                                                \
                ENTER_WARM(to);                                                                    \
        }                                                                                          \
        FOLLOW(taken);                                                                             \
    } while (0)

#define COMPUTE(name) D = value_##name(A, B, IMM)

#define BRANCH(condition)                                                                          \
    do {                                                                                           \
        if (condition)                                                                             \
            TAKEN;                                                                                 \
        FOLLOW(next);                                                                              \
    } while (0)

/* True if the access is aligned and allowed. */
#define GOOD(address, log2, need)                                                                  \
    likely(plausible(address, log2) &&                                                             \
           (__atomic_load_n(&access[(address) >> RV64_PAGE_SHIFT], __ATOMIC_RELAXED) & (need)) ==  \
               (need))

#define CHECK(address, log2, need)                                                                 \
    if (!GOOD(address, log2, need)) {                                                              \
        why = rv64_refuse(hart, address, log2, need);                                              \
        goto stop;                                                                                 \
    }

#define LOAD(log2, word, type)                                                                     \
    do {                                                                                           \
        uint64_t at = A + IMM, split;                                                              \
        if (GOOD(at, log2, RV64_R)) {                                                              \
            D = SEXT(type, __atomic_load_n((const word *)(base + at), __ATOMIC_RELAXED));          \
        } else if (rv64_load_split(core, hart, at, log2, &split)) {                                \
            D = SEXT(type, split);                                                                 \
        } else {                                                                                   \
            why = RV64_STOP_FAULT;                                                                 \
            goto stop;                                                                             \
        }                                                                                          \
    } while (0)

#define STORE(log2, word)                                                                          \
    do {                                                                                           \
        uint64_t at = A + IMM;                                                                     \
        if (GOOD(at, log2, RV64_W)) {                                                              \
            __atomic_store_n((word *)(base + at), (word)B, __ATOMIC_RELAXED);                      \
        } else if (!rv64_store_split(core, hart, at, log2, B)) {                                   \
            why = RV64_STOP_FAULT;                                                                 \
            goto stop;                                                                             \
        }                                                                                          \
    } while (0)

/* `before`: the old value in memory. `at`: the address of the word. */
#define AMO(log2, bits, before)                                                                    \
    do {                                                                                           \
        CHECK(A, log2, RV64_R | RV64_W)                                                            \
        rv64_u##bits *at = (rv64_u##bits *)(base + A);                                             \
        D = SEXT(int##bits##_t, before);                                                           \
        rv64_atomic_done();                                                                        \
    } while (0)
#define AMO_W(before) AMO(2, 32, before)
#define AMO_D(before) AMO(3, 64, before)

#define LOAD_RESERVED(log2, word, type)                                                            \
    do {                                                                                           \
        CHECK(A, log2, RV64_R)                                                                     \
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* as for .rl */                                  \
        word seen = __atomic_load_n((const word *)(base + A), __ATOMIC_SEQ_CST);                   \
        hart->reserved_address = A;                                                                \
        hart->reserved_value = seen;                                                               \
        hart->reserved_width = 1 << (log2);                                                        \
        D = SEXT(type, seen);                                                                      \
    } while (0)

#define STORE_CONDITIONAL(log2, word, exchange)                                                    \
    do {                                                                                           \
        CHECK(A, log2, RV64_W)                                                                     \
        bool mine = hart->reserved_width == 1 << (log2) && hart->reserved_address == A;            \
        hart->reserved_width = 0;                                                                  \
        D = !(mine && exchange((word *)(base + A), hart->reserved_value, B));                      \
        rv64_atomic_done();                                                                        \
    } while (0)

/* Instructions retired before the current operation `r`. */
#define RETIRED (start + (uint64_t)(granted - left) - block->count + r->before)

/* Instructions that are in values.def and in pairs.def. */
#define BODY_ADD    COMPUTE(ADD)
#define BODY_ADDI   COMPUTE(ADDI)
#define BODY_ADDIW  COMPUTE(ADDIW)
#define BODY_ADDW   COMPUTE(ADDW)
#define BODY_AND    COMPUTE(AND)
#define BODY_ANDI   COMPUTE(ANDI)
#define BODY_LI     COMPUTE(LI)
#define BODY_MUL    COMPUTE(MUL)
#define BODY_MV     COMPUTE(MV)
#define BODY_RORIW  COMPUTE(RORIW)
#define BODY_SH2ADD COMPUTE(SH2ADD)
#define BODY_SH3ADD COMPUTE(SH3ADD)
#define BODY_SLLI   COMPUTE(SLLI)
#define BODY_SRLI   COMPUTE(SRLI)
#define BODY_XOR    COMPUTE(XOR)

#define BODY_BEQ  BRANCH(A == B)
#define BODY_BNE  BRANCH(A != B)
#define BODY_BLT  BRANCH((int64_t)A < (int64_t)B)
#define BODY_BGE  BRANCH((int64_t)A >= (int64_t)B)
#define BODY_BLTU BRANCH(A < B)
#define BODY_BGEU BRANCH(A >= B)

#define BODY_LB  LOAD(0, rv64_u8, int8_t)
#define BODY_LH  LOAD(1, rv64_u16, int16_t)
#define BODY_LW  LOAD(2, rv64_u32, int32_t)
#define BODY_LD  LOAD(3, rv64_u64, int64_t)
#define BODY_LBU LOAD(0, rv64_u8, uint8_t)
#define BODY_LHU LOAD(1, rv64_u16, uint16_t)
#define BODY_LWU LOAD(2, rv64_u32, uint32_t)
#define BODY_SB  STORE(0, rv64_u8)
#define BODY_SH  STORE(1, rv64_u16)
#define BODY_SW  STORE(2, rv64_u32)
#define BODY_SD  STORE(3, rv64_u64)

#define BODY_LR_W      LOAD_RESERVED(2, rv64_u32, int32_t)
#define BODY_LR_D      LOAD_RESERVED(3, rv64_u64, int64_t)
#define BODY_SC_W      STORE_CONDITIONAL(2, rv64_u32, compare_exchange_w)
#define BODY_SC_D      STORE_CONDITIONAL(3, rv64_u64, compare_exchange_d)
#define BODY_AMOSWAP_W AMO_W(__atomic_exchange_n(at, (uint32_t)B, __ATOMIC_SEQ_CST))
#define BODY_AMOADD_W  AMO_W(__atomic_fetch_add(at, (uint32_t)B, __ATOMIC_SEQ_CST))
#define BODY_AMOXOR_W  AMO_W(__atomic_fetch_xor(at, (uint32_t)B, __ATOMIC_SEQ_CST))
#define BODY_AMOAND_W  AMO_W(__atomic_fetch_and(at, (uint32_t)B, __ATOMIC_SEQ_CST))
#define BODY_AMOOR_W   AMO_W(__atomic_fetch_or(at, (uint32_t)B, __ATOMIC_SEQ_CST))
#define BODY_AMOMIN_W  AMO_W(min_w(at, (int32_t)B))
#define BODY_AMOMAX_W  AMO_W(max_w(at, (int32_t)B))
#define BODY_AMOMINU_W AMO_W(minu_w(at, (uint32_t)B))
#define BODY_AMOMAXU_W AMO_W(maxu_w(at, (uint32_t)B))
#define BODY_AMOSWAP_D AMO_D(__atomic_exchange_n(at, B, __ATOMIC_SEQ_CST))
#define BODY_AMOADD_D  AMO_D(__atomic_fetch_add(at, B, __ATOMIC_SEQ_CST))
#define BODY_AMOXOR_D  AMO_D(__atomic_fetch_xor(at, B, __ATOMIC_SEQ_CST))
#define BODY_AMOAND_D  AMO_D(__atomic_fetch_and(at, B, __ATOMIC_SEQ_CST))
#define BODY_AMOOR_D   AMO_D(__atomic_fetch_or(at, B, __ATOMIC_SEQ_CST))
#define BODY_AMOMIN_D  AMO_D(min_d(at, (int64_t)B))
#define BODY_AMOMAX_D  AMO_D(max_d(at, (int64_t)B))
#define BODY_AMOMINU_D AMO_D(minu_d(at, B))
#define BODY_AMOMAXU_D AMO_D(maxu_d(at, B))

#endif
