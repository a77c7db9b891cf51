/*
 * Private to llvm: the translator's state while it makes a region's LLVM function.
 *
 * A guest register is a stack slot, which LLVM turns into values. The function loads all registers
 * that it needs when it is entered and after each call, and stores those that have changed before
 * each call and when it returns.
 */
#ifndef DPK_ENGINE_LLVM_EMIT_H
#define DPK_ENGINE_LLVM_EMIT_H

#include <llvm-c/Core.h>

#include "engine/jit/translate.h"
#include "engine/llvm/addresses.h"
#include "engine/llvm/facts.h"
#include "engine/llvm/hints.h"
#include "engine/llvm/words.h"

struct emitter {
    const struct jit_region *region;
    const struct jit_options *options;
    bool split_atomics; /* the host's atomics are a load and a store */
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef i1, i8, i16, i32, i64, bytes; /* bytes: a pointer */
    LLVMTypeRef next_type, code_type;         /* rv64_next, rv64_code */
    LLVMValueRef symbols[JIT_SYMBOLS];
    LLVMValueRef function, hart;
    LLVMValueRef left;         /* slot of the budget */
    LLVMValueRef x[32];        /* slots of the registers; [0] is not used */
    LLVMBasicBlockRef *blocks; /* by block of the region */
    LLVMBasicBlockRef *back;   /* the same, for jumps back */
    struct loop **loops;       /* that begin with each block; NULL: none, or the code is quick */
    bool any_loops;            /* there are, or would be if the code were not quick */
    uint32_t *dirty_at; /* registers that may have changed where a block begins; a bit each */
    uint32_t used;      /* registers that the region reads or writes */
    /* Of each block, registers at its end that may become addresses; a bit each. */
    uint32_t addresses_at[JIT_BLOCKS_MAX];
    uint8_t hints_at[JIT_BLOCKS_MAX][32];
    LLVMBasicBlockRef entry; /* its end: what is computed once */
    struct {
        LLVMValueRef begin, limit[4];
    } window[RV64_WINDOWS]; /* NULL: not used so far */
    /* Where the builder is. */
    const struct jit_block *block;
    const struct jit_insn *insn;
    uint32_t before; /* instructions of the block before this one */
    uint32_t dirty;
    struct facts facts;
    const struct groups *groups;      /* of the block */
    struct fact known[JIT_FORMS_MAX]; /* of the block's values, so far */
    uint32_t loop_writes;             /* registers that the block writes */
    bool unchecked;                   /* accesses are known to be good, and in no order */
    uint32_t last_root;               /* of the loads just before; UINT32_MAX: none */
    bool leads[RV64_BLOCK_MAX];       /* of each instruction: what it reads may become an address */
    uint8_t hint[RV64_BLOCK_MAX];     /* of each instruction: the window of what rs1 points to */
    struct words words;               /* of the block */
    LLVMValueRef word[WORDS_MAX];     /* what was read of each, so far */
    LLVMValueRef table_index, table_base; /* what those registers of the block's table hold */
};

/* ---- emit.c: constants, registers, fields, blocks ---- */
/* Says whether a jump from block `from` to block `to` is a backward jump, as each loop has. */
bool emit_is_back(const struct emitter *e, const struct jit_block *from, int32_t to);
LLVMValueRef emit_const(const struct emitter *e, uint64_t value);
LLVMValueRef emit_get(const struct emitter *e, unsigned reg); /* i64 */
void emit_set(struct emitter *e, unsigned reg, LLVMValueRef value);
/* The field at `offset` of the hart, a pointer to `type`. */
LLVMValueRef emit_field(const struct emitter *e, size_t offset, LLVMTypeRef type);
LLVMBasicBlockRef emit_new_block(const struct emitter *e, const char *name);
/* Goes to `cold` if `condition` holds, which it seldom does; the builder goes on behind it. */
void emit_unlikely(struct emitter *e, LLVMValueRef condition, LLVMBasicBlockRef cold);

/* ---- values.c ---- */
/* Carries out an instruction that only computes rd. False: it is none. */
bool emit_value(struct emitter *e);
/* Calls the intrinsic `name` of LLVM for a type. */
LLVMValueRef emit_intrinsic(const struct emitter *e, const char *name, LLVMTypeRef type,
                            LLVMValueRef *args, unsigned count);

/* ---- access.c ---- */
/* Carries out an instruction that accesses memory. False: it is none. Loads and stores are not
 * checked, but for those of uneven code. */
bool emit_access(struct emitter *e);
/* The entry for page number `page` of the table `below` bytes below the guest's memory. */
LLVMValueRef emit_entry(const struct emitter *e, int64_t below, LLVMValueRef page);
/* What the current instruction, an OR, joins to one of the words. */
LLVMValueRef emit_joined_word(const struct emitter *e);
/* Checks the group of the current instruction; leaves if one of its accesses is misaligned or
 * refused. */
void emit_check(struct emitter *e);

/* ---- control.c ---- */
/* Returns from the code before the current instruction. */
void emit_leave(struct emitter *e);
void emit_block_begin(struct emitter *e, bool check_budget);
void emit_block_end(struct emitter *e);
/* Ends a block whose table_index is less than its table has entries. */
void emit_table_jump(struct emitter *e);
/* The loop that a jump closes is not unrolled: its checks would be, too, which takes long to compile and
 * gains nothing. The turns without checks are another loop. */
void emit_keep_rolled(const struct emitter *e, LLVMValueRef jump);
/* Whether the branch at the current instruction is taken. */
LLVMValueRef emit_condition(const struct emitter *e);
/* Block `index` of the region. -1: a block that leaves the code, for `pc`. */
LLVMBasicBlockRef emit_destination(struct emitter *e, int32_t index, uint64_t pc);
/* Loads or stores the registers of `mask` from or to the hart. */
void emit_load_registers(struct emitter *e, uint32_t mask);
void emit_store_registers(struct emitter *e, uint32_t mask);

/* ---- loops.c ---- */
enum { LOOP_BLOCKS_MAX = 4, LOOP_GROUPS_MAX = 6, LOOP_STEP_MAX = 65536 };
struct loop {
    int32_t block[LOOP_BLOCKS_MAX]; /* one goes on to the next, the last one to the first */
    uint32_t count, instructions;
    struct groups groups;
    LLVMValueRef tried; /* a slot: whether many turns have been tried since it was entered */
};
/* Finds the loop that begins with block `index`. False: there is none of which many turns can be
 * checked at once. */
bool loop_find(const struct emitter *e, uint32_t index, struct loop *loop);
/* Before facts_find: marks the blocks of loops of several blocks. */
void loops_fix(const struct emitter *e, bool *fixed);
/* Finds all loops: fills e->loops and e->back, with the builder where the function begins. */
void loops_begin(struct emitter *e);
/* At the end of the current block: loops that it leads into from elsewhere, by their first block or by
 * another one, have not been tried. */
void loops_enter(struct emitter *e);
void loops_free(struct emitter *e);
/* How the value of group `i` changes from turn to turn: by `step`, and by what is in `step_register`. */
void loop_group_step(const struct groups *g, uint32_t i, int64_t *step, uint8_t *step_register);
void loop_set_tried(const struct emitter *e, const struct loop *loop, bool tried);

/* ---- turns.c ---- */
enum { TURNS_MIN = 4 /* a power of two */, TURNS_WORTH = 16 };
struct turns {
    LLVMValueRef count; /* i64; TURNS_MIN at least where `good` */
    LLVMValueRef good;  /* i1: so many turns need no checks */
    bool countable;     /* they end where the loop does, or before */
};
/* Counts the turns that may run without checks, with so much of the budget left. Goes to `checked` where few turns
 * are left of a loop whose end is known. */
struct turns turns_find(const struct emitter *e, const struct loop *loop, LLVMValueRef left,
                        LLVMBasicBlockRef checked);

/* ---- unchecked.c ---- */
/* The builder is where the first block is entered from elsewhere, e->back where the loop goes back
 * to it. Both go to `checked` for turns with checks. */
void emit_loop(struct emitter *e, const struct loop *loop, LLVMBasicBlockRef checked);

/* ---- function.c ---- */
void emit_instruction(struct emitter *e);
/* Finds the words of block `index`, whose instructions come next. */
void emit_words_begin(struct emitter *e, uint32_t index);
/* Fills the module with the function of the region, named "code". */
void emit_function(struct emitter *e);

/* ---- bases.c ---- */
/* In the finished function, adds what never changes in addresses to the host's base once. */
void bases_share(const struct emitter *e);

#endif
