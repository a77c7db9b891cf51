/*
 * Private to llvm: the translator's state while it makes a region's LLVM function.
 *
 * A guest register is a stack slot, which LLVM turns into values. The function loads the registers
 * that it needs at its entry and after each call. It stores changed registers before each call and
 * before it returns.
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
    bool split_atomics; /* the host's atomics consist of a load and a store */
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef i1, i8, i16, i32, i64, bytes; /* bytes: a pointer */
    LLVMTypeRef next_type, code_type;         /* rv64_next, rv64_code */
    LLVMValueRef symbols[JIT_SYMBOLS];
    LLVMValueRef function, hart;
    LLVMValueRef left;         /* stack slot of the budget */
    LLVMValueRef x[32];        /* stack slots of the registers; [0] is not used */
    LLVMBasicBlockRef *blocks; /* by block of the region */
    LLVMBasicBlockRef *back;   /* for each block: entry for backward jumps */
    struct loop **loops;       /* loop that starts with each block; NULL: no loop, or quick code */
    bool any_loops;            /* loops exist, or would exist in code that is not quick */
    uint32_t *dirty_at; /* bit mask of registers that may have changed at the start of each block */
    uint32_t used;      /* registers that the region reads or writes */
    /* For each block: bit mask of registers at its end that may become addresses. */
    uint32_t addresses_at[JIT_BLOCKS_MAX];
    uint8_t hints_at[JIT_BLOCKS_MAX][32];
    LLVMBasicBlockRef entry; /* end of the entry block, which has what is computed once */
    struct {
        LLVMValueRef begin, limit[4];
    } window[RV64_WINDOWS]; /* NULL: not used yet */
    /* Position of the builder. */
    const struct jit_block *block;
    const struct jit_insn *insn;
    uint32_t before; /* instructions of the block before the current one */
    uint32_t dirty;
    struct facts facts;
    const struct groups *groups;      /* groups of the block */
    struct fact known[JIT_FORMS_MAX]; /* facts about the block's values so far */
    uint32_t loop_writes;             /* registers that the block writes */
    bool unchecked;                   /* accesses are known to be allowed; their order does not
                                       * matter */
    uint32_t last_root;               /* root of the loads just before; UINT32_MAX: none */
    bool leads[RV64_BLOCK_MAX];       /* for each instruction: the value that it reads may become an
                                       * address */
    uint8_t hint[RV64_BLOCK_MAX];     /* for each instruction: window to which rs1 points */
    struct words words;               /* of the block */
    LLVMValueRef word[WORDS_MAX];     /* value of each word that was read so far */
    LLVMValueRef table_index, table_base; /* values of those registers of the block's table */
};

/* ---- emit.c: constants, registers, fields, blocks ---- */
/* Returns true if a jump from block `from` to block `to` goes backward, as in each loop. */
bool llvm_emit_is_back(const struct emitter *e, const struct jit_block *from, int32_t to);
LLVMValueRef llvm_emit_const(const struct emitter *e, uint64_t value);
LLVMValueRef llvm_emit_get(const struct emitter *e, unsigned reg); /* i64 */
void llvm_emit_set(struct emitter *e, unsigned reg, LLVMValueRef value);
/* Returns the field at `offset` of the hart, as a pointer to `type`. */
LLVMValueRef llvm_emit_field(const struct emitter *e, size_t offset, LLVMTypeRef type);
LLVMBasicBlockRef llvm_emit_new_block(const struct emitter *e, const char *name);
/* Emits a jump to `cold` for the rare case that `condition` holds. The builder continues after
 * it. */
void llvm_emit_unlikely(struct emitter *e, LLVMValueRef condition, LLVMBasicBlockRef cold);

/* ---- values.c ---- */
/* Emits an instruction that only computes rd. Returns false for other instructions. */
bool llvm_emit_value(struct emitter *e);
/* Calls the intrinsic `name` of LLVM for a type. */
LLVMValueRef llvm_emit_intrinsic(const struct emitter *e, const char *name, LLVMTypeRef type,
                                 LLVMValueRef *args, unsigned count);

/* ---- access.c ---- */
/* Emits an instruction that accesses memory. Returns false for other instructions. Loads and stores
 * are not checked here, except those of uneven code. */
bool llvm_emit_access(struct emitter *e);
/* Returns the entry for page number `page` of the table `below` bytes below the guest's memory. */
LLVMValueRef llvm_emit_entry(const struct emitter *e, int64_t below, LLVMValueRef page);
/* Returns the value of a word that the current instruction, an OR, completes. */
LLVMValueRef llvm_emit_joined_word(const struct emitter *e);
/* Emits the check of the current instruction's group. The code leaves if an access of the group is
 * misaligned or refused. */
void llvm_emit_check(struct emitter *e);

/* ---- control.c ---- */
/* Emits a return before the current instruction. */
void llvm_emit_leave(struct emitter *e);
void llvm_emit_block_begin(struct emitter *e, bool check_budget);
void llvm_emit_block_end(struct emitter *e);
/* Ends a block whose table_index is below the number of its table's entries. */
void llvm_emit_table_jump(struct emitter *e);
/* Keeps LLVM from unrolling the loop that a jump closes. Its checks would be unrolled, too, which
 * takes long to compile and gains nothing. The turns without checks are another loop. */
void llvm_emit_keep_rolled(const struct emitter *e, LLVMValueRef jump);
/* Returns the condition of the branch at the current instruction. */
LLVMValueRef llvm_emit_condition(const struct emitter *e);
/* Returns block `index` of the region; for -1, a block that leaves the code, for `pc`. */
LLVMBasicBlockRef llvm_emit_destination(struct emitter *e, int32_t index, uint64_t pc);
/* Load or store the registers of `mask` from or to the hart. */
void llvm_emit_load_registers(struct emitter *e, uint32_t mask);
void llvm_emit_store_registers(struct emitter *e, uint32_t mask);

/* ---- loops.c ---- */
enum { LOOP_BLOCKS_MAX = 4, LOOP_GROUPS_MAX = 6, LOOP_STEP_MAX = 65536 };
struct loop {
    int32_t block[LOOP_BLOCKS_MAX]; /* each block continues at the next, the last at the first */
    uint32_t count, instructions;
    struct groups groups;
    LLVMValueRef tried; /* stack slot: many turns were tried since the loop was entered */
};
/* Finds the loop that starts with block `index`. Returns false if there is no loop whose turns can
 * be checked together. */
bool llvm_loop_find(const struct emitter *e, uint32_t index, struct loop *loop);
/* Marks the blocks of loops of several blocks. Call this before llvm_facts_find. */
void llvm_loops_fix(const struct emitter *e, bool *fixed);
/* Finds all loops: fills e->loops and e->back. The builder must be at the start of the function. */
void llvm_loops_begin(struct emitter *e);
/* Marks loops that the current block enters, by any of their blocks, as not tried. The builder is
 * at the end of the block. */
void llvm_loops_enter(struct emitter *e);
void llvm_loops_free(struct emitter *e);
/* Gets how the value of group `i` changes in each turn: by `step` and by the value of
 * `step_register`. */
void llvm_loop_group_step(const struct groups *g, uint32_t i, int64_t *step,
                          uint8_t *step_register);
void llvm_loop_set_tried(const struct emitter *e, const struct loop *loop, bool tried);

/* ---- turns.c ---- */
enum { TURNS_MIN = 4 /* a power of two */, TURNS_WORTH = 16 };
struct turns {
    LLVMValueRef count; /* i64; at least TURNS_MIN if `good` */
    LLVMValueRef good;  /* i1: that many turns need no checks */
    bool countable;     /* the turns end with the loop or earlier */
};
/* Computes how many turns may run without checks, with `left` of the budget. Jumps to `checked` if
 * few turns are left of a loop whose end is known. */
struct turns llvm_turns_find(const struct emitter *e, const struct loop *loop, LLVMValueRef left,
                             LLVMBasicBlockRef checked);

/* ---- unchecked.c ---- */
/* Emits the start of a loop. The builder is where the first block is entered from outside, e->back
 * is where the loop jumps back to it. Both jump to `checked` for turns with checks. */
void llvm_emit_loop(struct emitter *e, const struct loop *loop, LLVMBasicBlockRef checked);

/* ---- function.c ---- */
void llvm_emit_instruction(struct emitter *e);
/* Finds the words of block `index`, whose instructions are emitted next. */
void llvm_emit_words_begin(struct emitter *e, uint32_t index);
/* Fills the module with the region's function, named "code". */
void llvm_emit_function(struct emitter *e);

/* ---- bases.c ---- */
/* In the finished function, adds the constant parts of addresses to the host's base only once. */
void llvm_bases_share(const struct emitter *e);

#endif
