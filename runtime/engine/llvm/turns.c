/* Computes how many turns of a loop are checked at once: as many as the budget allows, as the
 * accesses stay on allowed pages, and as are left, if that can be computed. */
#include "engine/llvm/emit.h"

#define B_ e->builder

/* ---- Limits by memory ---- */

struct search {
    const struct groups *groups; /* of all blocks */
    LLVMValueRef count, good;    /* as in struct turns, so far */
    LLVMValueRef low[LOOP_GROUPS_MAX],
        high[LOOP_GROUPS_MAX]; /* the range of each group in the first turn */
    LLVMValueRef step[LOOP_GROUPS_MAX];
};

static LLVMValueRef compare(const struct emitter *e, LLVMIntPredicate p, LLVMValueRef a,
                            LLVMValueRef b)
{
    return LLVMBuildICmp(B_, p, a, b, "");
}

static void require(const struct emitter *e, struct search *t, LLVMValueRef condition)
{
    t->good = LLVMBuildAnd(B_, t->good, condition, "");
}

static void at_most(const struct emitter *e, struct search *t, LLVMValueRef count)
{
    t->count = LLVMBuildSelect(B_, compare(e, LLVMIntULT, count, t->count), count, t->count, "");
}

/* Returns whether page `number` allows `need`. There is one page more than guest memory has. */
static LLVMValueRef page_allows(const struct emitter *e, LLVMValueRef number, unsigned need)
{
    LLVMValueRef at = llvm_emit_entry(e, RV64_ACCESS_BELOW, number);
    const LLVMValueRef bits = LLVMConstInt(e->i8, need, false);
    return compare(e, LLVMIntEQ, LLVMBuildAnd(B_, LLVMBuildLoad2(B_, e->i8, at, ""), bits, ""),
                   bits);
}

static LLVMValueRef safe_page(const struct emitter *e, LLVMValueRef address)
{
    LLVMValueRef page = LLVMBuildLShr(B_, address, llvm_emit_const(e, RV64_PAGE_SHIFT), "");
    LLVMValueRef none = llvm_emit_const(e, RV64_PAGES);
    return LLVMBuildSelect(B_, compare(e, LLVMIntULT, page, none), page, none, "");
}

static LLVMValueRef page_begin(const struct emitter *e, LLVMValueRef page)
{
    return LLVMBuildShl(B_, page, llvm_emit_const(e, RV64_PAGE_SHIFT), "");
}

static LLVMValueRef as_number(const struct emitter *e, LLVMValueRef flag)
{
    return LLVMBuildZExt(B_, flag, e->i64, "");
}

/* Limits the turns to those at which group `i` stays on pages with the permissions of the first
 * page. A loop that goes down may use its first page and the page before. */
static void limit_to_pages(const struct emitter *e, struct search *t, uint32_t i)
{
    const struct group *g = &t->groups->group[i];
    int64_t step;
    uint8_t step_register;
    llvm_loop_group_step(t->groups, i, &step, &step_register);
    const LLVMValueRef one = llvm_emit_const(e, 1), zero = llvm_emit_const(e, 0);
    LLVMValueRef low = llvm_emit_const(e, (uint64_t)g->begin);
    const struct form *form = &t->groups->form[t->groups->root_of[i]];
    for (unsigned k = 0; k < form->count; k++) {
        LLVMValueRef term = LLVMBuildShl(B_, llvm_emit_get(e, form->reg[k]),
                                         llvm_emit_const(e, form->shift[k]), "");
        low = LLVMBuildAdd(B_, low, term, "");
    }
    LLVMValueRef high =
        LLVMBuildAdd(B_, low, llvm_emit_const(e, (uint64_t)(g->end - g->begin)), "");
    LLVMValueRef page = safe_page(e, low);
    t->low[i] = low;
    t->high[i] = high;
    t->step[i] =
        step_register != 0 ? llvm_emit_get(e, step_register) : llvm_emit_const(e, (uint64_t)step);
    require(e, t, page_allows(e, page, g->need));
    if (g->log2 != 0) {
        LLVMValueRef bits = step_register != 0 ? LLVMBuildOr(B_, low, t->step[i], "") : low;
        bits = LLVMBuildAnd(B_, bits, llvm_emit_const(e, (UINT64_C(1) << g->log2) - 1), "");
        require(e, t, compare(e, LLVMIntEQ, bits, zero));
    }
    LLVMValueRef at = llvm_emit_entry(e, RV64_AHEAD_BELOW, page);
    LLVMValueRef ahead = as_number(e, LLVMBuildLoad2(B_, e->i8, at, ""));
    LLVMValueRef behind = LLVMBuildAdd(B_, LLVMBuildAdd(B_, page, one, ""), ahead, "");
    LLVMValueRef room = LLVMBuildSub(B_, page_begin(e, behind), high, "");
    require(e, t, compare(e, LLVMIntSGE, room, zero));
    LLVMValueRef divisor = t->step[i];
    if (step < 0) {
        LLVMValueRef before = LLVMBuildSelect(B_, compare(e, LLVMIntEQ, page, zero), page,
                                              LLVMBuildSub(B_, page, one, ""), "");
        page = LLVMBuildSub(B_, page, as_number(e, page_allows(e, before, g->need)), "");
        room = LLVMBuildSub(B_, low, page_begin(e, page), "");
        divisor = llvm_emit_const(e, (uint64_t)-step);
    } else if (step_register != 0) {
        LLVMValueRef less = LLVMBuildSub(B_, t->step[i], one, "");
        require(e, t, compare(e, LLVMIntULT, less, llvm_emit_const(e, LOOP_STEP_MAX)));
        divisor = LLVMBuildSelect(B_, compare(e, LLVMIntEQ, divisor, zero), one, divisor, "");
    } else if (step == 0) {
        return;
    }
    at_most(e, t, LLVMBuildAdd(B_, LLVMBuildUDiv(B_, room, divisor, ""), one, ""));
}

/* Two groups with the same step stay apart until the rear group reaches the start of the other. */
static void limit_to_apart(const struct emitter *e, struct search *t, uint32_t a, uint32_t b,
                           uint64_t step)
{
    LLVMValueRef ab = LLVMBuildSub(B_, t->low[b], t->high[a], ""),
                 ba = LLVMBuildSub(B_, t->low[a], t->high[b], ""), zero = llvm_emit_const(e, 0);
    LLVMValueRef gap = LLVMBuildSelect(B_, compare(e, LLVMIntSGE, ab, zero), ab, ba, "");
    require(e, t, compare(e, LLVMIntSGE, gap, zero));
    LLVMValueRef more = LLVMBuildUDiv(B_, gap, llvm_emit_const(e, step), "");
    at_most(e, t, LLVMBuildAdd(B_, more, llvm_emit_const(e, 1), ""));
}

/* Prevents reads of the same bytes by two groups out of order. */
static void keep_apart(const struct emitter *e, struct search *t, uint32_t a, uint32_t b)
{
    const uint32_t index[] = {a, b};
    int64_t step[2];
    uint8_t step_register[2];
    for (unsigned i = 0; i < 2; i++) {
        if (!t->groups->group[index[i]].reads)
            return;
        llvm_loop_group_step(t->groups, index[i], &step[i], &step_register[i]);
    }
    if (step_register[0] == 0 && step_register[1] == 0 && step[0] == step[1] && step[0] != 0) {
        limit_to_apart(e, t, a, b, (uint64_t)(step[0] < 0 ? -step[0] : step[0]));
        return;
    }
    LLVMValueRef low[2], high[2];
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef way = LLVMBuildMul(B_, LLVMBuildSub(B_, t->count, llvm_emit_const(e, 1), ""),
                                        t->step[index[i]], "");
        LLVMValueRef up = compare(e, LLVMIntSGE, way, llvm_emit_const(e, 0)),
                     zero = llvm_emit_const(e, 0);
        low[i] = LLVMBuildAdd(B_, t->low[index[i]], LLVMBuildSelect(B_, up, zero, way, ""), "");
        high[i] = LLVMBuildAdd(B_, t->high[index[i]], LLVMBuildSelect(B_, up, way, zero, ""), "");
    }
    require(e, t,
            LLVMBuildOr(B_, compare(e, LLVMIntULE, high[0], low[1]),
                        compare(e, LLVMIntULE, high[1], low[0]), ""));
}

/* ---- Limits by the loop's end ---- */

/* A value that the branch compares, at the end of the first turn, and its growth per turn: `step`,
 * or the value of `step_register`. */
struct operand {
    LLVMValueRef value;
    int64_t step;
    uint8_t step_register; /* 0 without a register */
};

/* Finds an operand. Returns false if it changes in another way. A register plus a constant steps
 * like the register. */
static bool find_operand(const struct emitter *e, const struct groups *g, unsigned reg,
                         struct operand *out)
{
    const struct form *const form = &g->form[g->end[reg].root];
    const bool computed =
        !g->change[reg].known && form->known && form->count <= 1 && form->shift[0] == 0;
    const unsigned of = !computed ? reg : form->count == 1 ? form->reg[0] : 0;
    *out = (struct operand){llvm_emit_get(e, of), g->change[of].step, g->change[of].step_register};
    LLVMValueRef more = llvm_emit_const(e, (uint64_t)(computed ? g->end[reg].offset : out->step));
    if (!computed && out->step_register != 0)
        more = llvm_emit_get(e, out->step_register);
    out->value = LLVMBuildAdd(B_, out->value, more, "");
    return g->change[of].known;
}

/* Returns whether the loop continues while `reg` is less than 1 << *log2, both unsigned: its last
 * block shifts the register right, and goes back if the result is 0. */
static bool ends_by_shift(const struct emitter *e, const struct jit_block *last, uint8_t *reg,
                          unsigned *log2)
{
    const struct rv64_insn *const branch = &jit_last(e->region, last)->insn;
    if (branch->op != OP_BEQ || branch->rs2 != 0)
        return false;
    uint32_t written = 0;
    for (uint32_t i = last->count - 1; i-- > 0;) {
        const struct rv64_insn *const insn = &e->region->insns[last->first + i].insn;
        *reg = insn->rs1;
        *log2 = (unsigned)insn->imm;
        written |= register_bit(insn->rd);
        if (insn->rd == branch->rs1)
            return insn->op == OP_SRLI && *log2 < 62 && !(written & register_bit(*reg));
    }
    return false;
}

/* Limits the turns to those after which a value that grows from `a` is less than `b`, plus one. */
static void limit_to_less(const struct emitter *e, struct search *t, const struct operand *a,
                          LLVMValueRef b)
{
    /* Small values do not overflow. */
    const LLVMValueRef small = llvm_emit_const(e, UINT64_C(1) << 62), one = llvm_emit_const(e, 1);
    LLVMValueRef step = llvm_emit_const(e, (uint64_t)a->step);
    if (a->step_register != 0) {
        step = llvm_emit_get(e, a->step_register);
        LLVMValueRef less = LLVMBuildSub(B_, step, one, "");
        LLVMValueRef good = compare(e, LLVMIntULT, less, llvm_emit_const(e, LOOP_STEP_MAX));
        require(e, t, good);
        step = LLVMBuildSelect(B_, good, step, one, "");
    }
    require(e, t, compare(e, LLVMIntULT, a->value, small));
    require(e, t, compare(e, LLVMIntULT, b, small));
    LLVMValueRef way = LLVMBuildSub(B_, b, a->value, "");
    way = LLVMBuildSelect(B_, compare(e, LLVMIntULT, a->value, b), way, llvm_emit_const(e, 0), "");
    way = LLVMBuildAdd(B_, way, LLVMBuildSub(B_, step, one, ""), "");
    at_most(e, t, LLVMBuildAdd(B_, LLVMBuildUDiv(B_, way, step, ""), one, ""));
}

/* Limits the turns to those after which a value that grows from `a` by `step` differs from `b`,
 * plus one. */
static bool limit_to_other(const struct emitter *e, struct search *t, LLVMValueRef a,
                           LLVMValueRef b, int64_t step)
{
    LLVMValueRef way = LLVMBuildSub(B_, b, a, "");
    if (step < 0) {
        step = -step;
        way = LLVMBuildNeg(B_, way, "");
    }
    if (step == 0 || (step & (step - 1)) != 0)
        return false;
    LLVMValueRef rest = LLVMBuildAnd(B_, way, llvm_emit_const(e, (uint64_t)step - 1), "");
    require(e, t, compare(e, LLVMIntEQ, rest, llvm_emit_const(e, 0)));
    LLVMValueRef more = LLVMBuildUDiv(B_, way, llvm_emit_const(e, (uint64_t)step), "");
    const LLVMValueRef most = llvm_emit_const(e, UINT32_MAX);
    more = LLVMBuildSelect(B_, compare(e, LLVMIntULT, more, most), more, most, "");
    at_most(e, t, LLVMBuildAdd(B_, more, llvm_emit_const(e, 1), ""));
    return true;
}

/* Limits the turns to those after which the loop continues, plus one. Returns false if they are
 * unknown, so each turn must check the branch. */
static bool limit_to_end(const struct emitter *e, const struct loop *l, struct search *t)
{
    const struct jit_block *last = &e->region->blocks[l->block[l->count - 1]];
    const struct rv64_insn *i = &jit_last(e->region, last)->insn;
    struct operand a, b;
    uint8_t reg;
    unsigned log2;
    if (last->taken != l->block[0])
        return false;
    if (ends_by_shift(e, last, &reg, &log2) && find_operand(e, &l->groups, reg, &a) &&
        (a.step > 0 || a.step_register != 0)) {
        limit_to_less(e, t, &a, llvm_emit_const(e, UINT64_C(1) << log2));
        return true;
    }
    if (!find_operand(e, &l->groups, i->rs1, &a) || !find_operand(e, &l->groups, i->rs2, &b) ||
        b.step_register != 0)
        return false;
    if ((i->op == OP_BLTU || i->op == OP_BLT) && b.step == 0 &&
        (a.step > 0 || a.step_register != 0)) {
        limit_to_less(e, t, &a, b.value);
        return true;
    }
    return i->op == OP_BNE && a.step_register == 0 &&
           limit_to_other(e, t, a.value, b.value, a.step - b.step);
}

/* ---- All limits ---- */

/* Goes to `checked` if so few turns are left, of the loop or the budget, that checking each turn is
 * faster than checking them at once. */
static void leave_if_few(const struct emitter *e, const struct search *t, LLVMBasicBlockRef checked)
{
    LLVMBasicBlockRef many = llvm_emit_new_block(e, "many");
    LLVMBuildCondBr(B_, compare(e, LLVMIntULT, t->count, llvm_emit_const(e, TURNS_WORTH)), checked,
                    many);
    LLVMPositionBuilderAtEnd(B_, many);
}

struct turns llvm_turns_find(const struct emitter *e, const struct loop *l, LLVMValueRef left,
                             LLVMBasicBlockRef checked)
{
    const uint32_t last = e->region->blocks[l->block[l->count - 1]].count;
    const LLVMValueRef one = llvm_emit_const(e, 1),
                       before = llvm_emit_const(e, l->instructions - last);
    struct search t = {.groups = &l->groups, .good = compare(e, LLVMIntSGT, left, before)};
    /* The last block of the last turn begins with a rest of the budget. */
    LLVMValueRef more = LLVMBuildSub(B_, LLVMBuildSub(B_, left, before, ""), one, "");
    t.count =
        LLVMBuildAdd(B_, LLVMBuildUDiv(B_, more, llvm_emit_const(e, l->instructions), ""), one, "");
    const bool countable = limit_to_end(e, l, &t);
    if (countable)
        leave_if_few(e, &t, checked);
    for (uint32_t i = 0; i < l->groups.count; i++)
        limit_to_pages(e, &t, i);
    for (uint32_t i = 0; i < l->groups.count; i++)
        for (uint32_t k = i + 1; k < l->groups.count; k++)
            keep_apart(e, &t, i, k);
    require(e, &t, compare(e, LLVMIntUGE, t.count, llvm_emit_const(e, TURNS_MIN)));
    return (struct turns){t.count, t.good, countable};
}
