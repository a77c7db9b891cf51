/*
 * The turns of a loop that were checked at once run in a loop without checks, which LLVM can unroll and
 * vectorize. The first turn, and what is left of the loop, run with checks.
 */
#include "llvm/emit.h"

#define B_ e->builder

/* Instructions of a loop of which TURNS_MIN turns are one round. */
enum { ROUND_MAX = 12 };

/* ---- Registers and the budget ---- */

/* Of a register that only counts: what it held where the turns begin, and what each turn adds to it. */
struct stepping {
    LLVMValueRef begin, step; /* NULL: it is none */
};

/* The registers that instructions of the loop use, but for its last branch and to step on. */
static uint32_t used_inside(const struct emitter *e, const struct loop *l)
{
    uint32_t used = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        const struct jit_block *const b = &e->region->blocks[l->block[k]];
        for (uint32_t i = 0; i + (k + 1 == l->count) < b->count; i++) {
            const struct rv64_insn *const insn = &e->region->insns[b->first + i].insn;
            if (insn->op != OP_ADDI || insn->rd != insn->rs1)
                used |= register_bit(insn->rs1) | register_bit(insn->rs2);
        }
    }
    return used;
}

static void find_stepping(const struct emitter *e, const struct loop *l, struct stepping out[32])
{
    const uint32_t used = used_inside(e, l);
    for (unsigned i = 0; i < 32; i++) {
        const int64_t step = l->groups.change[i].known ? l->groups.change[i].step : 0;
        out[i] = (struct stepping){0};
        if (step != 0 && !(used & register_bit(i)))
            out[i] = (struct stepping){emit_get(e, i), emit_const(e, (uint64_t)step)};
    }
}

/* The registers that only count, after `turns`. They are computed from this number, not from what they held a
 * turn before: LLVM would take them for sums of 64-bit words, and vectorize loops over bytes by so few. */
static void put_stepping(const struct emitter *e, const struct stepping r[32], LLVMValueRef turns)
{
    for (unsigned i = 0; i < 32; i++)
        if (r[i].begin != NULL)
            LLVMBuildStore(B_,
                           LLVMBuildAdd(B_, r[i].begin, LLVMBuildMul(B_, turns, r[i].step, ""), ""),
                           e->x[i]);
}

/* The same number, behind the loop that counts it. What is computed from it is not counted in the loop, as
 * LLVM would do if it knew. */
static LLVMValueRef outside(const struct emitter *e, LLVMValueRef number)
{
    LLVMTypeRef type = LLVMFunctionType(e->i64, (LLVMTypeRef[]){e->i64}, 1, false);
    static char same[] = "=r,0";
    LLVMValueRef nothing = LLVMGetInlineAsm(type, (char[]){""}, 0, same, sizeof same - 1, false,
                                            false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(B_, type, nothing, &number, 1, "");
}

/* What is left of the budget after `turns` and `instructions`. */
static void put_left(const struct emitter *e, const struct loop *l, LLVMValueRef left,
                     LLVMValueRef turns, uint32_t instructions)
{
    LLVMValueRef used = LLVMBuildMul(B_, turns, emit_const(e, l->instructions), "");
    used = LLVMBuildAdd(B_, used, emit_const(e, instructions), "");
    LLVMBuildStore(B_, LLVMBuildSub(B_, left, used, ""), e->left);
}

/* ---- A turn ---- */

/* Whether the current block goes on within the loop; NULL: always. */
static LLVMValueRef stays(struct emitter *e, int32_t to)
{
    if (e->block->end != JIT_END_BRANCH || e->block->taken == e->block->next)
        return NULL;
    e->insn = jit_last(e->region, e->block);
    LLVMValueRef taken = emit_condition(e);
    return e->block->taken == to ? taken : LLVMBuildNot(B_, taken, "");
}

/* Leaves the loop behind the current block. */
static void leave_loop(struct emitter *e, int32_t to)
{
    const bool by_jump = e->block->end == JIT_END_JUMP || e->block->taken != to;
    LLVMBuildBr(B_, by_jump ? emit_destination(e, e->block->taken, e->block->taken_pc)
                            : emit_destination(e, e->block->next, e->block->next_pc));
}

static void emit_turn_block(struct emitter *e, int32_t index)
{
    e->block = &e->region->blocks[index];
    e->dirty = e->dirty_at[index];
    emit_words_begin(e, (uint32_t)index);
    const uint32_t count = e->block->end == JIT_END_FALL ? e->block->count : e->block->count - 1;
    for (e->before = 0; e->before < count; e->before++) {
        e->insn = &e->region->insns[e->block->first + e->before];
        emit_instruction(e);
    }
}

/* One turn, at `turn`. The builder goes on behind its last block. */
static void emit_turn(struct emitter *e, const struct loop *l, LLVMValueRef left, LLVMValueRef turn)
{
    uint32_t instructions = 0;
    e->unchecked = true;
    for (uint32_t i = 0; i < l->count; i++) {
        emit_turn_block(e, l->block[i]);
        instructions += e->block->count;
        if (i + 1 == l->count)
            break;
        LLVMValueRef on = stays(e, l->block[i + 1]);
        if (on == NULL)
            continue;
        LLVMBasicBlockRef out = emit_new_block(e, "out"), next = emit_new_block(e, "next");
        LLVMBuildCondBr(B_, on, next, out);
        LLVMPositionBuilderAtEnd(B_, out);
        put_left(e, l, left, outside(e, turn), instructions);
        leave_loop(e, l->block[i + 1]);
        LLVMPositionBuilderAtEnd(B_, next);
    }
    e->unchecked = false;
}

/* ---- The loop ---- */

/* Whether turns may read what earlier turns have read. */
static bool reads_again(const struct groups *groups)
{
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct group *g = &groups->group[i];
        int64_t step;
        uint8_t step_register;
        loop_group_step(groups, i, &step, &step_register);
        if (g->reads && (step_register != 0 ? g->accesses > 1 : step < g->span && -step < g->span))
            return true;
    }
    return false;
}

/* Behind the current block, which ends a turn: the loop ends after `turns`. */
static void end_loop(struct emitter *e, const struct loop *l, LLVMValueRef left,
                     const struct stepping stepping[32], LLVMValueRef turns)
{
    turns = outside(e, turns);
    put_left(e, l, left, turns, 0);
    put_stepping(e, stepping, turns);
}

/* Behind a turn that is not the last one of its round: leaves the loop if it ends there. */
static void end_turn(struct emitter *e, const struct loop *l, LLVMValueRef left,
                     const struct stepping stepping[32], LLVMValueRef turns)
{
    LLVMValueRef stay = stays(e, l->block[0]);
    if (stay == NULL)
        return;
    LLVMBasicBlockRef out = emit_new_block(e, "out"), next = emit_new_block(e, "next");
    LLVMBuildCondBr(B_, stay, next, out);
    LLVMPositionBuilderAtEnd(B_, out);
    end_loop(e, l, left, stepping, turns);
    leave_loop(e, l->block[0]);
    LLVMPositionBuilderAtEnd(B_, next);
}

void emit_loop(struct emitter *e, const struct loop *l, LLVMBasicBlockRef checked)
{
    LLVMBasicBlockRef again = emit_new_block(e, "again"), before = emit_new_block(e, "turns"),
                      body = emit_new_block(e, "turn"), after = emit_new_block(e, "turned"),
                      out = emit_new_block(e, "out");
    LLVMBuildBr(B_, checked);

    LLVMPositionBuilderAtEnd(B_, e->back[l->block[0]]);
    emit_keep_rolled(e,
                     LLVMBuildCondBr(B_, LLVMBuildLoad2(B_, e->i1, l->tried, ""), checked, again));

    LLVMPositionBuilderAtEnd(B_, again);
    loop_set_tried(e, l, true);
    LLVMValueRef left = LLVMBuildLoad2(B_, e->i64, e->left, "");
    struct turns t = turns_find(e, l, left);
    /* LLVM unrolls what it can count. */
    const unsigned round = !t.countable && l->instructions <= ROUND_MAX ? TURNS_MIN : 1;
    t.count = LLVMBuildAnd(B_, t.count, emit_const(e, ~UINT64_C(0) - (round - 1)), "");
    LLVMBuildCondBr(B_, t.good, before, checked);

    /* What one group has read before, another one may read now. */
    LLVMPositionBuilderAtEnd(B_, before);
    LLVMBuildFence(B_, LLVMAtomicOrderingAcquireRelease, true, "");
    struct stepping stepping[32];
    find_stepping(e, l, stepping);
    LLVMBuildBr(B_, body);
    LLVMPositionBuilderAtEnd(B_, body);
    LLVMValueRef turn = LLVMBuildPhi(B_, e->i64, ""), next = turn;
    for (unsigned i = 0; i < round; i++) {
        if (i > 0)
            end_turn(e, l, left, stepping, next);
        put_stepping(e, stepping, next);
        if (reads_again(&l->groups))
            LLVMBuildFence(B_, LLVMAtomicOrderingAcquireRelease, true, "");
        emit_turn(e, l, left, next);
        next = LLVMBuildAdd(B_, turn, emit_const(e, i + 1), "");
    }
    LLVMValueRef go_on = LLVMBuildICmp(B_, LLVMIntULT, next, t.count, "");
    LLVMValueRef stay = t.countable ? NULL : stays(e, l->block[0]);
    if (stay != NULL)
        go_on = LLVMBuildAnd(B_, go_on, stay, "");
    LLVMAddIncoming(turn, (LLVMValueRef[]){emit_const(e, 0), next},
                    (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(B_)}, 2);
    LLVMBuildCondBr(B_, go_on, body, after);

    LLVMPositionBuilderAtEnd(B_, after);
    end_loop(e, l, left, stepping, next);
    stay = stays(e, l->block[0]);
    LLVMBuildCondBr(B_, stay != NULL ? stay : LLVMConstInt(e->i1, 1, false), again, out);
    LLVMPositionBuilderAtEnd(B_, out);
    leave_loop(e, l->block[0]);
}
