/* Private to jit: regions. A region is guest code that is translated as one function. */
#ifndef DPK_ENGINE_JIT_REGION_H
#define DPK_ENGINE_JIT_REGION_H

#include "engine/rv64/block.h"
#include "engine/rv64/insn.h"

/* Ways in which a block ends. */
enum jit_end {
    JIT_END_FALL,   /* continues at next_pc */
    JIT_END_JUMP,   /* continues at taken_pc */
    JIT_END_BRANCH, /* continues at next_pc or taken_pc */
    JIT_END_CALL,   /* calls taken_pc, which returns to next_pc */
    JIT_END_JALR,   /* indirect: a return, call or jump */
    JIT_END_INLINE, /* calls taken_pc; the region has a copy of that function for this call */
    JIT_END_RETURN, /* of a copy: continues at next_pc, after its call, unless x1 differs */
    JIT_END_LEAVE,  /* ends with an instruction that is not translated, or before invalid code */
};

/* Blocks are those of the interpreter (translate.c of rv64), so that budgets are checked at the
 * same places. */
struct jit_block {
    uint64_t pc, next_pc, taken_pc;
    uint32_t first, count; /* its instructions: `count` of the region's, from `first` on */
    enum jit_end end;
    uint32_t copy;       /* function copy that it belongs to: index in region.copies; 0: none */
    int32_t next, taken; /* following blocks; -1: outside this region */
    /* Blocks to which an indirect jump has led, and copies of functions that an indirect call has
     * called: range in region.targets. */
    uint32_t target, target_count;
    uint32_t table; /* jump table: index in region.tables; 0: none */
};

struct jit_insn {
    struct rv64_insn insn;
    uint64_t pc;
};

/* A function called from the region. Its blocks exist again for this call. */
struct jit_copy {
    uint64_t pc, return_pc; /* of the function; after the call */
    uint32_t outer;         /* copy that contains the call */
    uint32_t depth;
};

/*
 * A table of addresses, on read-only pages, for the jump that ends a block. The block has these
 * instructions at the indices `scale`, `add` and `load` (the first two may be one instruction):
 *     slli  a, index, 3
 *     add   a, a, base
 *     ld    target, offset(a)
 *     jr    target
 */
struct jit_table {
    uint64_t base;    /* value of the register `base` for which the table was found */
    uint64_t address; /* address of the first entry */
    uint32_t scale, add, load;
    uint8_t index_reg, base_reg;
    uint32_t entry,
        entry_count; /* blocks of the entries, -1 for other code: range in region.targets */
};

enum { JIT_TABLES_MAX = 8, JIT_ENTRIES_MAX = 256 };

enum { JIT_BLOCKS_MAX = 128, JIT_INSNS_MAX = 600, JIT_TARGETS_MAX = 1024, JIT_COPIES_MAX = 32 };

/* The code that is reachable from the first block's pc by direct jumps and known indirect jumps. If
 * the first block is the head of a loop, only the loop. Small called functions are copied in. */
struct jit_region {
    struct jit_block *blocks; /* execution enters the region at the first block */
    struct jit_insn *insns;
    int32_t *targets;                        /* blocks that indirect jumps and calls have reached */
    struct jit_copy copies[JIT_COPIES_MAX];  /* indices start at 1 */
    struct jit_table tables[JIT_TABLES_MAX]; /* indices start at 1 */
    uint32_t block_count, insn_count, target_count, copy_count, table_count;
    /* Hints for checks. points_to: where each register pointed when the region was found, an
     * RV64_WINDOW_ plus 1; 0: elsewhere. The others: starts of windows that all harts share; 0:
     * read the start from the hart. */
    uint8_t points_to[32];
    uint64_t window_begin[RV64_WINDOWS];
};

/* Returns the last instruction of a block that has instructions. */
static inline const struct jit_insn *jit_last(const struct jit_region *region,
                                              const struct jit_block *block)
{
    return &region->insns[block->first + block->count - 1];
}

/* Returns true if a block ends with a call of another region that returns to next_pc. */
static inline bool jit_calls(const struct jit_region *region, const struct jit_block *block)
{
    return block->end == JIT_END_CALL ||
           (block->end == JIT_END_JALR && jit_last(region, block)->insn.rd != 0);
}

/* Finds the region that starts at `pc`. `x`: registers of a hart at that pc, which show where
 * tables and other memory are. `warm`: a surrounding loop belongs to the region if its head was
 * reached that often. Call this with the core's lock. Returns false if there is no memory. */
bool jit_region_find(struct rv64_core *core, uint64_t pc, const uint64_t x[32], uint32_t warm,
                     struct jit_region *region);
/* Finds the jump tables of a complete region's blocks (tables.c). */
void jit_tables_find(const struct rv64_core *core, const uint64_t x[32], struct jit_region *region);
void jit_region_free(struct jit_region *region);

#endif
