/* Private to jit: regions, the guest code that is translated as one. */
#ifndef DPK_JIT_REGION_H
#define DPK_JIT_REGION_H

#include "rv64/block.h"
#include "rv64/insn.h"

/* How a block ends. */
enum jit_end {
    JIT_END_FALL,   /* it goes on at next_pc */
    JIT_END_JUMP,   /* at taken_pc */
    JIT_END_BRANCH, /* at one of the two */
    JIT_END_CALL,   /* calls taken_pc, which returns to next_pc */
    JIT_END_JALR,   /* indirect: a return, call or jump */
    JIT_END_LEAVE,  /* with an instruction that is not translated; or before code that is none */
};

/* The blocks are those of the interpreter (translate.c of rv64), so that budgets are checked at the
 * same places. */
struct jit_block {
    uint64_t pc, next_pc, taken_pc;
    uint32_t first, count; /* its instructions: those of the region from `first` on */
    enum jit_end end;
    int32_t next, taken;           /* the blocks there. -1: not of this region */
    uint32_t target, target_count; /* of an indirect jump: region.targets */
};

struct jit_insn {
    struct rv64_insn insn;
    uint64_t pc;
};

enum { JIT_BLOCKS_MAX = 100, JIT_INSNS_MAX = 600, JIT_TARGETS_MAX = 1024 };

/* What direct jumps, and indirect ones as far as they are known, reach from the first block's pc on. */
struct jit_region {
    struct jit_block *blocks; /* the first one is where the region is entered */
    struct jit_insn *insns;
    int32_t *targets; /* blocks that indirect jumps have led to */
    uint32_t block_count, insn_count, target_count;
};

/* Finds the region that begins at `pc`. With the core's lock held. False: no memory. */
bool jit_region_find(struct rv64_core *core, uint64_t pc, struct jit_region *region);
void jit_region_free(struct jit_region *region);

#endif
