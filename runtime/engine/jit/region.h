/* Private to jit: regions, the guest code that is translated as one. */
#ifndef DPK_ENGINE_JIT_REGION_H
#define DPK_ENGINE_JIT_REGION_H

#include "engine/rv64/block.h"
#include "engine/rv64/insn.h"

/* How a block ends. */
enum jit_end {
    JIT_END_FALL,   /* it goes on at next_pc */
    JIT_END_JUMP,   /* at taken_pc */
    JIT_END_BRANCH, /* at one of the two */
    JIT_END_CALL,   /* calls taken_pc, which returns to next_pc */
    JIT_END_JALR,   /* indirect: a return, call or jump */
    JIT_END_INLINE, /* calls taken_pc, of which the region has a copy for this call */
    JIT_END_RETURN, /* of a copy: goes on at next_pc, behind its call, unless x1 says else */
    JIT_END_LEAVE,  /* with an instruction that is not translated; or before code that is none */
};

/* The blocks are those of the interpreter (translate.c of rv64), so that budgets are checked at the
 * same places. */
struct jit_block {
    uint64_t pc, next_pc, taken_pc;
    uint32_t first, count; /* its instructions: those of the region from `first` on */
    enum jit_end end;
    uint32_t copy;       /* of a function's code: region.copies. 0: no copy */
    int32_t next, taken; /* the blocks there. -1: not of this region */
    /* Where an indirect jump has led, and the copies of what an indirect call has called: region.targets. */
    uint32_t target, target_count;
    uint32_t table; /* that it jumps by: region.tables. 0: none */
};

struct jit_insn {
    struct rv64_insn insn;
    uint64_t pc;
};

/* A function that a call of the region calls: its blocks are there once more, for this call. */
struct jit_copy {
    uint64_t pc, return_pc; /* of the function; behind the call */
    uint32_t outer;         /* the copy that the call is in */
    uint32_t depth;
};

/*
 * A table of addresses that a block's last instruction jumps to, on pages that are only read. The
 * block has, at the indices `scale`, `add` and `load` (the first two may be one):
 *     slli  a, index, 3
 *     add   a, a, base
 *     ld    target, offset(a)
 *     jr    target
 */
struct jit_table {
    uint64_t base;    /* what the register `base` holds, if the table is the one that was found */
    uint64_t address; /* of the first entry */
    uint32_t scale, add, load;
    uint8_t index_reg, base_reg;
    uint32_t entry,
        entry_count; /* the blocks that entries lead to, -1: other code: region.targets */
};

enum { JIT_TABLES_MAX = 8, JIT_ENTRIES_MAX = 256 };

enum { JIT_BLOCKS_MAX = 128, JIT_INSNS_MAX = 600, JIT_TARGETS_MAX = 1024, JIT_COPIES_MAX = 32 };

/* What direct jumps, and indirect ones as far as they are known, reach from the first block's pc on. If
 * that is the head of a loop, the loop alone. And copies of small functions that this calls. */
struct jit_region {
    struct jit_block *blocks; /* the first one is where the region is entered */
    struct jit_insn *insns;
    int32_t *targets;                        /* blocks that indirect jumps and calls have led to */
    struct jit_copy copies[JIT_COPIES_MAX];  /* from 1 on */
    struct jit_table tables[JIT_TABLES_MAX]; /* from 1 on */
    uint32_t block_count, insn_count, target_count, copy_count, table_count;
    /* Hints for checks: where each register pointed to when the region was found, an RV64_WINDOW_ and 1,
     * 0: elsewhere; and where windows began that all harts have. 0: it is to be read from the hart. */
    uint8_t points_to[32];
    uint64_t window_begin[RV64_WINDOWS];
};

/* The last instruction of a block that has any. */
static inline const struct jit_insn *jit_last(const struct jit_region *region,
                                              const struct jit_block *block)
{
    return &region->insns[block->first + block->count - 1];
}

/* Whether a block ends with a call of another region, which returns to next_pc. */
static inline bool jit_calls(const struct jit_region *region, const struct jit_block *block)
{
    return block->end == JIT_END_CALL ||
           (block->end == JIT_END_JALR && jit_last(region, block)->insn.rd != 0);
}

/* Finds the region that begins at `pc`. `x`: registers of a hart that is there, which tell where
 * tables are, and other memory. `warm`: loops around a loop are of the region, too, if their heads have been
 * reached that often. With the core's lock held. False: no memory. */
bool jit_region_find(struct rv64_core *core, uint64_t pc, const uint64_t x[32], uint32_t warm,
                     struct jit_region *region);
/* Of a whole region, finds the tables that its blocks jump by. tables.c */
void jit_tables_find(const struct rv64_core *core, const uint64_t x[32], struct jit_region *region);
void jit_region_free(struct jit_region *region);

#endif
