/* The turns of a loop that were checked at once run in a loop without checks, which LLVM can unroll
 * and vectorize. The first turn, and the rest of the loop, run with checks. */
#include "engine/llvm/emit.h"

#define B_ e->builder

/* Most instructions of a loop that runs in rounds of TURNS_MIN turns. */
enum { ROUND_MAX = 12 };

/* ---- Registers and the budget ---- */

/* Registers that are kept elsewhere while the turns run. x[] gets their values after the loop. */
struct kept {
    /* For a register that only counts: its value at the start of the turns, and its step per
     * turn. */
    LLVMValueRef begin[32], step[32]; /* NULL for other registers */
    /* For a register to which the loop only adds 32-bit words: a slot for the sum. */
    LLVMValueRef sum[32]; /* NULL for other registers */
};

static const struct rv64_insn *insn_of(const struct emitter *e, const struct jit_block *b,
                                       uint32_t i)
{
    return &e->region->insns[b->first + i].insn;
}

static bool is_step(const struct rv64_insn *insn)
{
    return insn->op == OP_ADDI && insn->rd == insn->rs1;
}

static bool adds_to_sum(const struct rv64_insn *insn)
{
    return insn->op == OP_ADDW && (insn->rd == insn->rs1) != (insn->rd == insn->rs2);
}

/* Finds registers that only count. They are computed from the number of turns, not from their value
 * a turn before. Otherwise LLVM would treat them as sums of 64-bit words, and vectorize loops over
 * bytes with that width. */
static void find_steps(const struct emitter *e, const struct loop *l, struct kept *kept)
{
    uint32_t used = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        const struct jit_block *const b = &e->region->blocks[l->block[k]];
        for (uint32_t i = 0; i + (k + 1 == l->count) < b->count; i++)
            if (!is_step(insn_of(e, b, i)))
                used |= register_bit(insn_of(e, b, i)->rs1) | register_bit(insn_of(e, b, i)->rs2);
    }
    for (unsigned i = 1; i < 32; i++) {
        const int64_t step = l->groups.change[i].known ? l->groups.change[i].step : 0;
        if (step == 0 || (used & register_bit(i)))
            continue;
        kept->begin[i] = llvm_emit_get(e, i);
        kept->step[i] = llvm_emit_const(e, (uint64_t)step);
    }
}

/* Finds 32-bit sums. ADDW extends them each time, so LLVM would not recognize them as sums. */
static void find_sums(struct emitter *e, const struct loop *l, struct kept *kept)
{
    uint32_t sums = 0, others = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        const struct jit_block *const b = &e->region->blocks[l->block[k]];
        for (uint32_t i = 0; i < b->count; i++) {
            const struct rv64_insn *const insn = insn_of(e, b, i);
            const uint32_t sum = adds_to_sum(insn) ? register_bit(insn->rd) : 0;
            sums |= sum;
            others |=
                (register_bit(insn->rd) | register_bit(insn->rs1) | register_bit(insn->rs2)) & ~sum;
        }
    }
    LLVMBasicBlockRef on = LLVMGetInsertBlock(B_), entry = LLVMGetEntryBasicBlock(e->function);
    LLVMPositionBuilderBefore(B_, LLVMGetFirstInstruction(entry));
    for (unsigned i = 1; i < 32; i++)
        if (sums & ~others & register_bit(i))
            kept->sum[i] = LLVMBuildAlloca(B_, e->i32, "");
    LLVMPositionBuilderAtEnd(B_, on);
}

/* Initializes the sums. Returns an i1: whether the registers contain 32-bit values. */
static LLVMValueRef begin_sums(const struct emitter *e, const struct kept *kept)
{
    LLVMValueRef good = LLVMConstInt(e->i1, 1, false);
    for (unsigned i = 1; i < 32; i++) {
        if (kept->sum[i] == NULL)
            continue;
        LLVMValueRef value = llvm_emit_get(e, i), low = LLVMBuildTrunc(B_, value, e->i32, "");
        LLVMBuildStore(B_, low, kept->sum[i]);
        LLVMValueRef same =
            LLVMBuildICmp(B_, LLVMIntEQ, LLVMBuildSExt(B_, low, e->i64, ""), value, "");
        good = LLVMBuildAnd(B_, good, same, "");
    }
    return good;
}

static void add_to_sum(const struct emitter *e, LLVMValueRef slot)
{
    const struct rv64_insn *const insn = &e->insn->insn;
    LLVMValueRef more = llvm_emit_get(e, insn->rs1 == insn->rd ? insn->rs2 : insn->rs1);
    LLVMValueRef sum = LLVMBuildLoad2(B_, e->i32, slot, "");
    LLVMBuildStore(B_, LLVMBuildAdd(B_, sum, LLVMBuildTrunc(B_, more, e->i32, ""), ""), slot);
}

/* Writes the registers that only count, after `turns`. */
static void put_steps(const struct emitter *e, const struct kept *kept, LLVMValueRef turns)
{
    for (unsigned i = 1; i < 32; i++) {
        if (kept->begin[i] == NULL)
            continue;
        LLVMValueRef way = LLVMBuildMul(B_, turns, kept->step[i], "");
        LLVMBuildStore(B_, LLVMBuildAdd(B_, kept->begin[i], way, ""), e->x[i]);
    }
}

static void put_sums(const struct emitter *e, const struct kept *kept)
{
    for (unsigned i = 1; i < 32; i++) {
        if (kept->sum[i] == NULL)
            continue;
        LLVMValueRef sum = LLVMBuildLoad2(B_, e->i32, kept->sum[i], "");
        LLVMBuildStore(B_, LLVMBuildSExt(B_, sum, e->i64, ""), e->x[i]);
    }
}

/* Returns the same number, opaque to LLVM, after the loop that counts it. Otherwise LLVM would
 * count in the loop what is computed from it. */
static LLVMValueRef outside(const struct emitter *e, LLVMValueRef number)
{
    LLVMTypeRef type = LLVMFunctionType(e->i64, (LLVMTypeRef[]){e->i64}, 1, false);
    static char same[] = "=r,0";
    LLVMValueRef nothing = LLVMGetInlineAsm(type, (char[]){""}, 0, same, sizeof same - 1, false,
                                            false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(B_, type, nothing, &number, 1, "");
}

/* Writes the rest of the budget after `turns` and `instructions`. */
static void put_left(const struct emitter *e, const struct loop *l, LLVMValueRef left,
                     LLVMValueRef turns, uint32_t instructions)
{
    LLVMValueRef used = LLVMBuildMul(B_, turns, llvm_emit_const(e, l->instructions), "");
    used = LLVMBuildAdd(B_, used, llvm_emit_const(e, instructions), "");
    LLVMBuildStore(B_, LLVMBuildSub(B_, left, used, ""), e->left);
}

/* ---- A turn ---- */

/* Returns whether the current block stays in the loop, or NULL if it always does. */
static LLVMValueRef stays(struct emitter *e, int32_t to)
{
    if (e->block->end != JIT_END_BRANCH || e->block->taken == e->block->next)
        return NULL;
    e->insn = jit_last(e->region, e->block);
    LLVMValueRef taken = llvm_emit_condition(e);
    return e->block->taken == to ? taken : LLVMBuildNot(B_, taken, "");
}

/* Leaves the loop after the current block. */
static void leave_loop(struct emitter *e, int32_t to)
{
    const bool by_jump = e->block->end == JIT_END_JUMP || e->block->taken != to;
    LLVMBuildBr(B_, by_jump ? llvm_emit_destination(e, e->block->taken, e->block->taken_pc)
                            : llvm_emit_destination(e, e->block->next, e->block->next_pc));
}

static void emit_turn_block(struct emitter *e, const struct kept *kept, int32_t index)
{
    e->block = &e->region->blocks[index];
    e->dirty = e->dirty_at[index];
    llvm_emit_words_begin(e, (uint32_t)index);
    const uint32_t count = e->block->end == JIT_END_FALL ? e->block->count : e->block->count - 1;
    for (e->before = 0; e->before < count; e->before++) {
        e->insn = &e->region->insns[e->block->first + e->before];
        LLVMValueRef sum = kept->sum[e->insn->insn.rd];
        if (sum != NULL)
            add_to_sum(e, sum);
        else
            llvm_emit_instruction(e);
    }
}

/* Emits turn number `turn`. The builder continues after its last block. */
static void emit_turn(struct emitter *e, const struct loop *l, const struct kept *kept,
                      LLVMValueRef left, LLVMValueRef turn)
{
    uint32_t instructions = 0;
    e->unchecked = true;
    for (uint32_t i = 0; i < l->count; i++) {
        emit_turn_block(e, kept, l->block[i]);
        instructions += e->block->count;
        if (i + 1 == l->count)
            break;
        LLVMValueRef on = stays(e, l->block[i + 1]);
        if (on == NULL)
            continue;
        LLVMBasicBlockRef out = llvm_emit_new_block(e, "out"),
                          next = llvm_emit_new_block(e, "next");
        LLVMBuildCondBr(B_, on, next, out);
        LLVMPositionBuilderAtEnd(B_, out);
        put_left(e, l, left, outside(e, turn), instructions);
        put_sums(e, kept);
        leave_loop(e, l->block[i + 1]);
        LLVMPositionBuilderAtEnd(B_, next);
    }
    e->unchecked = false;
}

/* ---- The loop ---- */

/* Returns whether turns may read bytes that earlier turns have read. */
static bool reads_again(const struct groups *groups)
{
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct group *g = &groups->group[i];
        int64_t step;
        uint8_t step_register;
        llvm_loop_group_step(groups, i, &step, &step_register);
        if (g->reads && (step_register != 0 ? g->accesses > 1 : step < g->span && -step < g->span))
            return true;
    }
    return false;
}

/* Ends the loop after the current block, which ends a turn, and after `turns`. */
static void end_loop(struct emitter *e, const struct loop *l, const struct kept *kept,
                     LLVMValueRef left, LLVMValueRef turns)
{
    turns = outside(e, turns);
    put_left(e, l, left, turns, 0);
    put_steps(e, kept, turns);
    put_sums(e, kept);
}

/* After a turn that is not the last of its round: leaves the loop if it ends there. */
static void end_turn(struct emitter *e, const struct loop *l, const struct kept *kept,
                     LLVMValueRef left, LLVMValueRef turns)
{
    LLVMValueRef stay = stays(e, l->block[0]);
    if (stay == NULL)
        return;
    LLVMBasicBlockRef out = llvm_emit_new_block(e, "out"), next = llvm_emit_new_block(e, "next");
    LLVMBuildCondBr(B_, stay, next, out);
    LLVMPositionBuilderAtEnd(B_, out);
    end_loop(e, l, kept, left, turns);
    leave_loop(e, l->block[0]);
    LLVMPositionBuilderAtEnd(B_, next);
}

void llvm_emit_loop(struct emitter *e, const struct loop *l, LLVMBasicBlockRef checked)
{
    LLVMBasicBlockRef again = llvm_emit_new_block(e, "again"),
                      before = llvm_emit_new_block(e, "turns"),
                      body = llvm_emit_new_block(e, "turn"),
                      after = llvm_emit_new_block(e, "turned"), out = llvm_emit_new_block(e, "out");
    struct kept kept = {0};
    LLVMBuildBr(B_, checked);

    LLVMPositionBuilderAtEnd(B_, e->back[l->block[0]]);
    llvm_emit_keep_rolled(
        e, LLVMBuildCondBr(B_, LLVMBuildLoad2(B_, e->i1, l->tried, ""), checked, again));

    LLVMPositionBuilderAtEnd(B_, again);
    llvm_loop_set_tried(e, l, true);
    LLVMValueRef left = LLVMBuildLoad2(B_, e->i64, e->left, "");
    struct turns t = llvm_turns_find(e, l, left, checked);
    /* LLVM unrolls countable loops itself. */
    const unsigned round = !t.countable && l->instructions <= ROUND_MAX ? TURNS_MIN : 1;
    t.count = LLVMBuildAnd(B_, t.count, llvm_emit_const(e, ~UINT64_C(0) - (round - 1)), "");
    find_sums(e, l, &kept);
    t.good = LLVMBuildAnd(B_, t.good, begin_sums(e, &kept), "");
    LLVMBuildCondBr(B_, t.good, before, checked);

    /* One group may now read bytes that another group has read before. */
    LLVMPositionBuilderAtEnd(B_, before);
    LLVMBuildFence(B_, LLVMAtomicOrderingAcquireRelease, true, "");
    find_steps(e, l, &kept);
    LLVMBuildBr(B_, body);
    LLVMPositionBuilderAtEnd(B_, body);
    LLVMValueRef turn = LLVMBuildPhi(B_, e->i64, ""), next = turn;
    for (unsigned i = 0; i < round; i++) {
        if (i > 0)
            end_turn(e, l, &kept, left, next);
        put_steps(e, &kept, next);
        if (reads_again(&l->groups))
            LLVMBuildFence(B_, LLVMAtomicOrderingAcquireRelease, true, "");
        emit_turn(e, l, &kept, left, next);
        next = LLVMBuildAdd(B_, turn, llvm_emit_const(e, i + 1), "");
    }
    LLVMValueRef go_on = LLVMBuildICmp(B_, LLVMIntULT, next, t.count, "");
    LLVMValueRef stay = t.countable ? NULL : stays(e, l->block[0]);
    if (stay != NULL)
        go_on = LLVMBuildAnd(B_, go_on, stay, "");
    LLVMAddIncoming(turn, (LLVMValueRef[]){llvm_emit_const(e, 0), next},
                    (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(B_)}, 2);
    LLVMBuildCondBr(B_, go_on, body, after);

    LLVMPositionBuilderAtEnd(B_, after);
    end_loop(e, l, &kept, left, next);
    stay = stays(e, l->block[0]);
    LLVMBuildCondBr(B_, stay != NULL ? stay : LLVMConstInt(e->i1, 1, false), again, out);
    LLVMPositionBuilderAtEnd(B_, out);
    leave_loop(e, l->block[0]);
}
