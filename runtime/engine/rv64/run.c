/*
 * The engine: runs blocks of decoded operations. The handler of each operation ends with a jump to
 * the handler of the next. handlers.h and values.def have the instructions.
 */
#include "handlers.h"

#include <string.h>

/* Runs by the reference if there is no memory for blocks. */
static __attribute__((cold, noinline)) enum rv64_stop
run_by_steps(struct rv64_core *core, struct rv64_hart *hart, int64_t left)
{
    enum rv64_stop why = RV64_STOP_BUDGET;
    while (left-- > 0 && why == RV64_STOP_BUDGET)
        why = rv64_step(core, hart);
    return why;
}

/* ---- The engine ---- */

enum rv64_stop rv64_engine(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget,
                           unsigned spare, const struct rv64_translator *translator)
{
    static const void *const handlers[RUN_COUNT] = {
#define OP(name, format, match) [OP_##name] = &&do_##name,
#include "ops.def"
#undef OP
#define PAIR(first, second) [RUN_##first##_##second] = &&do_##first##_##second,
#include "pairs.def"
#undef PAIR
        [OP_ILLEGAL] = &&do_ILLEGAL,
        [RUN_END] = &&do_END,
        [RUN_FETCH_FAULT] = &&do_FETCH_FAULT,
        [RUN_BREAKPOINT] = &&do_BREAKPOINT,
        [RUN_LI] = &&do_LI,
        [RUN_MV] = &&do_MV,
        [RUN_J] = &&do_J,
    };
    const uint8_t *const access = core->mem->access;
    uint8_t *const base = core->mem->base;
    const int64_t granted = budget > INT64_MAX ? INT64_MAX : (int64_t)budget;
    const uint64_t start = hart->instret;
    int64_t left = granted; /* the budget minus all instructions of the current block */
    uint64_t pc = hart->pc;
    uint64_t x[RV64_SINK + 1];
    const struct rv64_run *r;
    struct rv64_block *block = NULL;
    _Atomic(struct rv64_block *) *link = NULL; /* where to remember the block at `pc` */
    enum rv64_stop why = RV64_STOP_BUDGET;
    rv64_code *code;
    bool warm = translator != NULL;   /* the block at `pc` may be entered as translated code */
    bool inside = false;              /* the code at `pc` is the rest of a block that has begun */
    bool progress = false;            /* translated code has run instructions */
    struct rv64_block *uneven = NULL; /* block at which translated code left because of accesses */
    uint64_t misaligned = 0;          /* the hart's count at that time */

    hart->fault = RV64_FAULT_NONE;
    hart->uneven = 0;
    hart->horizon = start + (uint64_t)granted;
    hart->stack_limit = translator != NULL ? rv64_stack_limit() : 0;
    if (translator != NULL)
        rv64_windows_refresh(core->mem, hart);
    memcpy(x, hart->x, sizeof hart->x);
    struct rv64_cache *cache = rv64_cache_acquire(core);
    if (cache == NULL)
        return run_by_steps(core, hart, left);

find:
    block = rv64_cache_get(core, cache, pc, handlers);
    if (unlikely(block == NULL)) { /* the cache is full; a new cache has no links yet */
        rv64_cache_release(core, cache);
        uneven = NULL;
        link = NULL;
        cache = rv64_cache_acquire(core);
        if (cache != NULL)
            block = rv64_cache_get(core, cache, pc, handlers);
        if (block == NULL)
            goto out_of_memory;
    }
    if (link != NULL)
        atomic_store_explicit(link, block, memory_order_release);
    if (unlikely(inside)) {
        inside = false;
        if (hart->uneven != 0) {
            hart->uneven = 0;
            uneven = block;
            misaligned = hart->misaligned;
            if (progress && left > 0 && (code = rv64_cache_code(core, cache, block)) != NULL)
                goto translated;
        }
        BEGIN(block);
    }
    if (unlikely(warm)) {
        warm = false;
        ENTER_WARM(block);
    }
    ENTER(block);

#define VALUE(name, value)                                                                         \
    do_##name : COMPUTE(name);                                                                     \
    NEXT;
#include "values.def"
    VALUE(LI, )
    VALUE(MV, )
#undef VALUE
#define PAIR(first, second)                                                                        \
    do_##first##_##second : BODY_##first;                                                          \
    r++;                                                                                           \
    BODY_##second;                                                                                 \
    NEXT;
#include "pairs.def"
#undef PAIR
#define HANDLER(name)                                                                              \
    do_##name : BODY_##name;                                                                       \
    NEXT;
    HANDLER(BEQ)
    HANDLER(BNE)
    HANDLER(BLT)
    HANDLER(BGE)
    HANDLER(BLTU)
    HANDLER(BGEU)
    HANDLER(LB)
    HANDLER(LH)
    HANDLER(LW)
    HANDLER(LD)
    HANDLER(LBU)
    HANDLER(LHU)
    HANDLER(LWU)
    HANDLER(SB)
    HANDLER(SH)
    HANDLER(SW)
    HANDLER(SD)
    HANDLER(LR_W)
    HANDLER(LR_D)
    HANDLER(SC_W)
    HANDLER(SC_D)
    HANDLER(AMOSWAP_W)
    HANDLER(AMOADD_W)
    HANDLER(AMOXOR_W)
    HANDLER(AMOAND_W)
    HANDLER(AMOOR_W)
    HANDLER(AMOMIN_W)
    HANDLER(AMOMAX_W)
    HANDLER(AMOMINU_W)
    HANDLER(AMOMAXU_W)
    HANDLER(AMOSWAP_D)
    HANDLER(AMOADD_D)
    HANDLER(AMOXOR_D)
    HANDLER(AMOAND_D)
    HANDLER(AMOOR_D)
    HANDLER(AMOMIN_D)
    HANDLER(AMOMAX_D)
    HANDLER(AMOMINU_D)
    HANDLER(AMOMAXU_D)
#undef HANDLER

do_RDCYCLE:
do_RDINSTRET:
    D = RETIRED;
    NEXT;
do_RDTIME:
    D = __atomic_load_n(&hart->time, __ATOMIC_RELAXED);
    NEXT;
do_JAL : { /* a call */
    D = block->next_pc;
    struct rv64_block *callee = atomic_load_explicit(&block->taken, memory_order_acquire);
    if (likely(callee != NULL))
        ENTER_WARM(callee);
    FOLLOW(taken);
}
do_J:
    TAKEN;
do_END:
    FOLLOW(next);
do_JALR:
    pc = (A + IMM) & ~UINT64_C(1);
    D = block->next_pc;
    if (translator != NULL && r->rs1 != 1 && r->rs1 != 5) /* neither a return nor a far call */
        rv64_cache_jump(cache, block->pc + r->offset, pc);
    struct rv64_block *target = rv64_cache_find(cache, pc);
    if (likely(target != NULL))
        ENTER_WARM(target);
    link = NULL;
    goto find;

translated:
    if (unlikely(uneven != NULL)) {
        if (hart->misaligned != misaligned)
            rv64_cache_uneven(core, cache, uneven, x);
        uneven = NULL;
    }
    memcpy(hart->x, x, sizeof hart->x);
    struct rv64_next next = code(hart, left);
    memcpy(x, hart->x, sizeof hart->x);
    hart->fault = RV64_FAULT_NONE;
    pc = next.pc & ~RV64_INSIDE;
    inside = (next.pc & RV64_INSIDE) != 0;
    progress = next.left < left; /* otherwise the translated code cannot continue here */
    warm = !inside && progress;
    left = next.left;
    link = NULL;
    goto find;

do_FENCE:
    hart->fences |= core->mem->base[block->pc + r->offset + 3] & 0xf;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    NEXT;
do_FENCE_I: /* changed code takes effect from here */
    pc = block->next_pc;
    rv64_cache_release(core, cache);
    cache = rv64_cache_acquire(core);
    uneven = NULL;
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
do_BREAKPOINT:
    why = RV64_STOP_BREAKPOINT;
    goto stop;
do_ILLEGAL:
    why = rv64_stop_fault(hart, RV64_FAULT_ILLEGAL, IMM);
    goto stop;
do_FETCH_FAULT:
    why = rv64_stop_fault(hart, RV64_FAULT_FETCH, IMM);
    goto stop;

stop: /* stops at the instruction of `r`, which does not retire */
    left += block->count - r->before;
    pc = block->pc + r->offset + (why == RV64_STOP_ECALL ? 4 : 0);
    goto out;
out_of_budget: /* stops before `block`, unless `spare` allows to run it */
    if (left + spare > 0 && left + spare >= block->count)
        BEGIN(block);
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

enum rv64_stop rv64_run(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget)
{
    return rv64_engine(core, hart, budget, 0, core->translator);
}
