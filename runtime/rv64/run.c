/*
 * The engine: runs blocks of decoded operations, each of which ends with a jump to the handler of
 * the next. What the instructions do is here and in values.def; step.c says it again, for checks.
 */
#include "block.h"

#include <string.h>

#define likely(x) __builtin_expect(!!(x), 1)
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

/* 0xff for every byte that is not zero. */
static inline uint64_t or_combine(uint64_t v)
{
    const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t high = (((v & low7) + low7) | v) & ~low7;
    return (high >> 7) * 0xff;
}

/* AMOs that the host has no instruction for. `to` is the new value, from `old` and `b`. */
#define EXCHANGE_LOOP(name, type, word, to)                                                        \
    static inline uint64_t name(word *at, type b)                                                  \
    {                                                                                              \
        word seen = __atomic_load_n(at, __ATOMIC_RELAXED);                                         \
        type old;                                                                                  \
        do                                                                                         \
            old = (type)seen;                                                                      \
        while (!__atomic_compare_exchange_n(at, &seen, (word)(to), true, __ATOMIC_SEQ_CST,         \
                                            __ATOMIC_SEQ_CST));                                    \
        return (uint64_t)seen;                                                                     \
    }
EXCHANGE_LOOP(min_w, int32_t, rv64_u32, old < b ? old : b)
EXCHANGE_LOOP(max_w, int32_t, rv64_u32, old > b ? old : b)
EXCHANGE_LOOP(minu_w, uint32_t, rv64_u32, old < b ? old : b)
EXCHANGE_LOOP(maxu_w, uint32_t, rv64_u32, old > b ? old : b)
EXCHANGE_LOOP(min_d, int64_t, rv64_u64, old < b ? old : b)
EXCHANGE_LOOP(max_d, int64_t, rv64_u64, old > b ? old : b)
EXCHANGE_LOOP(minu_d, uint64_t, rv64_u64, old < b ? old : b)
EXCHANGE_LOOP(maxu_d, uint64_t, rv64_u64, old > b ? old : b)

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

/* Whether `at` is a guest address, and a multiple of 1 << log2: then and only then the bits that
 * the rotation brings to the top are zeros. Pages beyond the memory's size have no access. */
static inline bool plausible(uint64_t at, unsigned log2)
{
    return (at >> log2 | at << (-log2 & 63)) >> (32 - log2) == 0;
}

static __attribute__((cold, noinline)) enum rv64_stop
refuse(struct rv64_hart *hart, uint64_t address, unsigned log2, unsigned need)
{
    bool misaligned = (address & ((UINT64_C(1) << log2) - 1)) != 0;
    if (need & RV64_W)
        return rv64_stop_fault(hart, misaligned ? RV64_FAULT_MISALIGNED_STORE : RV64_FAULT_STORE,
                               address);
    return rv64_stop_fault(hart, misaligned ? RV64_FAULT_MISALIGNED_LOAD : RV64_FAULT_LOAD,
                           address);
}

/* Without memory for blocks, the reference does. */
static __attribute__((cold, noinline)) enum rv64_stop
run_by_steps(struct rv64_core *core, struct rv64_hart *hart, int64_t left)
{
    enum rv64_stop why = RV64_STOP_BUDGET;
    while (left-- > 0 && why == RV64_STOP_BUDGET)
        why = rv64_step(core, hart);
    return why;
}

/* ---- The parts of handlers --------------------------------------------------------------------- */

#define A x[r->rs1]
#define B x[r->rs2]
#define D x[r->rd]
#define IMM r->imm

#define NEXT                                                                                       \
    do {                                                                                           \
        r++;                                                                                       \
        goto *r->handler;                                                                          \
    } while (0)

#define ENTER(to)                                                                                  \
    do {                                                                                           \
        block = (to);                                                                              \
        if (unlikely(left <= 0))                                                                   \
            goto out_of_budget;                                                                    \
        left -= block->count;                                                                      \
        r = block->run;                                                                            \
        goto *r->handler;                                                                          \
    } while (0)

/* Goes to a successor that never changes, `next` or `taken`. */
#define FOLLOW(successor)                                                                          \
    do {                                                                                           \
        struct rv64_block *to =                                                                    \
            atomic_load_explicit(&block->successor, memory_order_acquire);                         \
        if (likely(to != NULL))                                                                    \
            ENTER(to);                                                                             \
        link = &block->successor;                                                                  \
        pc = block->successor##_pc;                                                                \
        goto find;                                                                                 \
    } while (0)

#define BRANCH(name, condition)                                                                    \
    do_##name : if (condition) FOLLOW(taken);                                                      \
    FOLLOW(next);

#define CHECK(address, log2, need)                                                                 \
    if (unlikely(!plausible(address, log2) ||                                                      \
                 (__atomic_load_n(&access[(address) >> RV64_PAGE_SHIFT], __ATOMIC_RELAXED) &       \
                  (need)) != (need))) {                                                            \
        why = refuse(hart, address, log2, need);                                                   \
        goto stop;                                                                                 \
    }

#define LOAD(name, log2, word, type)                                                               \
    do_##name:                                                                                     \
    {                                                                                              \
        uint64_t at = A + IMM;                                                                     \
        CHECK(at, log2, RV64_R)                                                                    \
        D = SEXT(type, __atomic_load_n((const word *)(base + at), __ATOMIC_RELAXED));              \
        NEXT;                                                                                      \
    }

#define STORE(name, log2, word)                                                                    \
    do_##name:                                                                                     \
    {                                                                                              \
        uint64_t at = A + IMM;                                                                     \
        CHECK(at, log2, RV64_W)                                                                    \
        __atomic_store_n((word *)(base + at), (word)B, __ATOMIC_RELAXED);                          \
        NEXT;                                                                                      \
    }

/* `before`: what was in memory, the word at `at`. */
#define AMO(name, log2, word, type, before)                                                        \
    do_##name:                                                                                     \
    {                                                                                              \
        CHECK(A, log2, RV64_R | RV64_W)                                                            \
        word *at = (word *)(base + A);                                                             \
        D = SEXT(type, before);                                                                    \
        NEXT;                                                                                      \
    }
#define AMO_W(name, before) AMO(name##_W, 2, rv64_u32, int32_t, before)
#define AMO_D(name, before) AMO(name##_D, 3, rv64_u64, int64_t, before)

#define LOAD_RESERVED(name, log2, word, type)                                                      \
    do_##name:                                                                                     \
    {                                                                                              \
        CHECK(A, log2, RV64_R)                                                                     \
        word seen = __atomic_load_n((const word *)(base + A), __ATOMIC_SEQ_CST);                   \
        hart->reserved_address = A;                                                                \
        hart->reserved_value = seen;                                                               \
        hart->reserved_width = 1 << (log2);                                                        \
        D = SEXT(type, seen);                                                                      \
        NEXT;                                                                                      \
    }

#define STORE_CONDITIONAL(name, log2, word, exchange)                                              \
    do_##name:                                                                                     \
    {                                                                                              \
        CHECK(A, log2, RV64_W)                                                                     \
        bool mine = hart->reserved_width == 1 << (log2) && hart->reserved_address == A;            \
        hart->reserved_width = 0;                                                                  \
        D = !(mine && exchange((word *)(base + A), hart->reserved_value, B));                      \
        NEXT;                                                                                      \
    }

/* Instructions retired when the one at `r` begins. */
#define RETIRED (start + (uint64_t)(granted - left) - block->count + r->before)

/* ---- The engine -------------------------------------------------------------------------------- */

enum rv64_stop rv64_run(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget)
{
    static const void *const handlers[RUN_COUNT] = {
#define OP(name, format, match) [OP_##name] = &&do_##name,
#include "ops.def"
#undef OP
        [OP_ILLEGAL] = &&do_ILLEGAL,
        [RUN_END] = &&do_END,
        [RUN_FETCH_FAULT] = &&do_FETCH_FAULT,
        [RUN_LI] = &&do_LI,
        [RUN_MV] = &&do_MV,
        [RUN_J] = &&do_J,
    };
    const uint8_t *const access = core->mem->access;
    uint8_t *const base = core->mem->base;
    const int64_t granted = budget > INT64_MAX ? INT64_MAX : (int64_t)budget;
    const uint64_t start = hart->instret;
    int64_t left = granted; /* the budget, less all instructions of the current block */
    uint64_t pc = hart->pc;
    uint64_t x[RV64_SINK + 1];
    const struct rv64_run *r;
    struct rv64_block *block = NULL;
    _Atomic(struct rv64_block *) *link = NULL; /* where to remember the block at `pc` */
    enum rv64_stop why = RV64_STOP_BUDGET;

    hart->fault = RV64_FAULT_NONE;
    memcpy(x, hart->x, sizeof hart->x);
    struct rv64_cache *cache = rv64_cache_acquire(core);
    if (cache == NULL)
        return run_by_steps(core, hart, left);

find:
    block = rv64_cache_get(core, cache, pc, handlers);
    if (unlikely(block == NULL)) { /* full: go on with a new one, in which nothing is linked */
        rv64_cache_release(core, cache);
        link = NULL;
        cache = rv64_cache_acquire(core);
        if (cache != NULL)
            block = rv64_cache_get(core, cache, pc, handlers);
        if (block == NULL)
            goto out_of_memory;
    }
    if (link != NULL)
        atomic_store_explicit(link, block, memory_order_release);
    ENTER(block);

#define VALUE(name, value)                                                                         \
    do_##name : D = (value);                                                                       \
    NEXT;
#include "values.def"
    VALUE(LI, IMM)
    VALUE(MV, A)
    VALUE(RDCYCLE, RETIRED)
    VALUE(RDTIME, __atomic_load_n(&hart->time, __ATOMIC_RELAXED))
    VALUE(RDINSTRET, RETIRED)
#undef VALUE

    BRANCH(BEQ, A == B)
    BRANCH(BNE, A != B)
    BRANCH(BLT, (int64_t)A < (int64_t)B)
    BRANCH(BGE, (int64_t)A >= (int64_t)B)
    BRANCH(BLTU, A < B)
    BRANCH(BGEU, A >= B)
do_JAL:
    D = block->next_pc;
do_J:
    FOLLOW(taken);
do_END:
    FOLLOW(next);
do_JALR:
    pc = (A + IMM) & ~UINT64_C(1);
    D = block->next_pc;
    struct rv64_block *target = rv64_cache_find(cache, pc);
    if (likely(target != NULL))
        ENTER(target);
    link = NULL;
    goto find;

    LOAD(LB, 0, rv64_u8, int8_t)
    LOAD(LH, 1, rv64_u16, int16_t)
    LOAD(LW, 2, rv64_u32, int32_t)
    LOAD(LD, 3, rv64_u64, int64_t)
    LOAD(LBU, 0, rv64_u8, uint8_t)
    LOAD(LHU, 1, rv64_u16, uint16_t)
    LOAD(LWU, 2, rv64_u32, uint32_t)
    STORE(SB, 0, rv64_u8)
    STORE(SH, 1, rv64_u16)
    STORE(SW, 2, rv64_u32)
    STORE(SD, 3, rv64_u64)

    LOAD_RESERVED(LR_W, 2, rv64_u32, int32_t)
    LOAD_RESERVED(LR_D, 3, rv64_u64, int64_t)
    STORE_CONDITIONAL(SC_W, 2, rv64_u32, compare_exchange_w)
    STORE_CONDITIONAL(SC_D, 3, rv64_u64, compare_exchange_d)
    AMO_W(AMOSWAP, __atomic_exchange_n(at, (uint32_t)B, __ATOMIC_SEQ_CST))
    AMO_W(AMOADD, __atomic_fetch_add(at, (uint32_t)B, __ATOMIC_SEQ_CST))
    AMO_W(AMOXOR, __atomic_fetch_xor(at, (uint32_t)B, __ATOMIC_SEQ_CST))
    AMO_W(AMOAND, __atomic_fetch_and(at, (uint32_t)B, __ATOMIC_SEQ_CST))
    AMO_W(AMOOR, __atomic_fetch_or(at, (uint32_t)B, __ATOMIC_SEQ_CST))
    AMO_W(AMOMIN, min_w(at, (int32_t)B))
    AMO_W(AMOMAX, max_w(at, (int32_t)B))
    AMO_W(AMOMINU, minu_w(at, (uint32_t)B))
    AMO_W(AMOMAXU, maxu_w(at, (uint32_t)B))
    AMO_D(AMOSWAP, __atomic_exchange_n(at, B, __ATOMIC_SEQ_CST))
    AMO_D(AMOADD, __atomic_fetch_add(at, B, __ATOMIC_SEQ_CST))
    AMO_D(AMOXOR, __atomic_fetch_xor(at, B, __ATOMIC_SEQ_CST))
    AMO_D(AMOAND, __atomic_fetch_and(at, B, __ATOMIC_SEQ_CST))
    AMO_D(AMOOR, __atomic_fetch_or(at, B, __ATOMIC_SEQ_CST))
    AMO_D(AMOMIN, min_d(at, (int64_t)B))
    AMO_D(AMOMAX, max_d(at, (int64_t)B))
    AMO_D(AMOMINU, minu_d(at, B))
    AMO_D(AMOMAXU, maxu_d(at, B))

do_FENCE:
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    NEXT;
do_FENCE_I: /* code that has changed is seen from here on */
    pc = block->next_pc;
    rv64_cache_release(core, cache);
    cache = rv64_cache_acquire(core);
    if (cache == NULL)
        goto out_of_memory;
    link = NULL;
    goto find;

do_ECALL:
    why = RV64_STOP_ECALL;
    goto stop;
do_EBREAK:
    why = RV64_STOP_EBREAK;
    goto stop;
do_ILLEGAL:
    why = rv64_stop_fault(hart, RV64_FAULT_ILLEGAL, IMM);
    goto stop;
do_FETCH_FAULT:
    why = rv64_stop_fault(hart, RV64_FAULT_FETCH, IMM);
    goto stop;

stop: /* at the instruction of `r`, which does not count */
    left += block->count - r->before;
    pc = block->pc + r->offset + (why == RV64_STOP_ECALL ? 4 : 0);
    goto out;
out_of_budget: /* before `block` */
    pc = block->pc;
out:
    rv64_cache_release(core, cache);
    cache = NULL;
out_of_memory:
    memcpy(hart->x, x, sizeof hart->x);
    hart->pc = pc;
    hart->instret = start + (uint64_t)(granted - left);
    return why == RV64_STOP_BUDGET && left > 0 ? run_by_steps(core, hart, left) : why;
}
