/* Finds loops of a few consecutive blocks, with exits between them, in which the address of each
 * access grows by a fixed amount at each turn. A block that many others jump back to, as in
 * interpreters, does not count as the head of such a loop. */
#include "engine/llvm/emit.h"

#include <stdlib.h>

#define B_ e->builder

enum { OTHERS_MAX = 2 };

/* ---- Finding loops ---- */

static bool is_plain(const struct rv64_insn *insn)
{
    switch (insn->op) {
    case OP_FENCE:
    case OP_RDCYCLE:
    case OP_RDTIME:
    case OP_RDINSTRET:
        return false;
    default:
        return !is_atomic(insn);
    }
}

/* Finds the change of a form per turn: `step`, plus the value of `step_register`. */
static bool form_step(const struct groups *g, const struct form *form, int64_t *step,
                      uint8_t *step_register)
{
    *step = 0;
    *step_register = 0;
    if (!form->known)
        return false;
    for (unsigned i = 0; i < form->count; i++) {
        const uint8_t reg = form->reg[i];
        if (!g->change[reg].known)
            return false;
        const uint64_t by = (uint64_t)g->change[reg].step << form->shift[i];
        *step = (int64_t)((uint64_t)*step + by);
        if (g->change[reg].step_register == 0)
            continue;
        if (*step_register != 0 || form->shift[i] != 0)
            return false;
        *step_register = g->change[reg].step_register;
    }
    return *step_register == 0 || *step == 0;
}

void llvm_loop_group_step(const struct groups *g, uint32_t i, int64_t *step, uint8_t *step_register)
{
    (void)form_step(g, &g->form[g->root_of[i]], step, step_register);
}

/* Returns whether all accesses of the group stay aligned when its value steps on. A step in a
 * register is checked when the loop begins. */
static bool group_is_good(const struct groups *g, uint32_t i)
{
    const struct group *group = &g->group[i];
    int64_t step;
    uint8_t step_register;
    return form_step(g, &g->form[g->root_of[i]], &step, &step_register) && step > -LOOP_STEP_MAX &&
           step < LOOP_STEP_MAX && (step & ((INT64_C(1) << group->log2) - 1)) == 0;
}

/* Returns whether block `b` may be in such a loop. */
static bool block_is_good(const struct emitter *e, const struct jit_block *b)
{
    if (b->end != JIT_END_FALL && b->end != JIT_END_JUMP && b->end != JIT_END_BRANCH)
        return false;
    for (uint32_t i = 0; i < b->count; i++)
        if (!is_plain(&e->region->insns[b->first + i].insn))
            return false;
    return b->count != 0;
}

static bool has_block(const struct loop *l, int32_t index)
{
    for (uint32_t k = 0; k < l->count; k++)
        if (l->block[k] == index)
            return true;
    return false;
}

/* Follows blocks from the last block of the loop back to its first. */
static bool close_loop(const struct emitter *e, struct loop *l)
{
    const struct jit_block *b = &e->region->blocks[l->block[l->count - 1]];
    const int32_t to[] = {b->taken, b->next};
    l->instructions += b->count;
    if (block_is_good(e, b) && l->instructions <= RV64_BLOCK_MAX)
        for (unsigned i = 0; i < 2; i++) {
            if (to[i] == l->block[0])
                return true;
            if (to[i] < 0 || l->count == LOOP_BLOCKS_MAX)
                continue;
            const bool seen = has_block(l, to[i]);
            l->block[l->count++] = to[i];
            if (!seen && close_loop(e, l))
                return true;
            l->count--;
        }
    l->instructions -= b->count;
    return false;
}

/* Counts the jumps from elsewhere back to the loop's first block. */
static unsigned other_jumps_back(const struct emitter *e, const struct loop *l)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < e->region->block_count; i++) {
        const struct jit_block *b = &e->region->blocks[i];
        count += !has_block(l, (int32_t)i) && (b->next == l->block[0] || b->taken == l->block[0]) &&
                 llvm_emit_is_back(e, b, l->block[0]);
    }
    return count;
}

/* Returns whether `to` is in blocks 0 to `last` of the loop. Blocks may begin in the middle of
 * others. */
static bool leads_back(const struct emitter *e, const struct loop *l, uint32_t last, int32_t to)
{
    if (to < 0)
        return false;
    const struct jit_block *const target = &e->region->blocks[to];
    for (uint32_t k = 0; k <= last; k++) {
        const struct jit_block *const b = &e->region->blocks[l->block[k]];
        if (target->copy == b->copy && target->pc >= b->pc &&
            target->pc <= jit_last(e->region, b)->pc)
            return true;
    }
    return false;
}

/* Returns whether a part is a loop of its own, whose turns would leave the turns of this loop. */
static bool has_inner_loop(const struct emitter *e, const struct loop *l)
{
    for (uint32_t k = 0; k < l->count; k++) {
        const struct jit_block *const b = &e->region->blocks[l->block[k]];
        const int32_t on = l->block[(k + 1) % l->count];
        if ((b->taken != on && leads_back(e, l, k, b->taken)) ||
            (b->next != on && leads_back(e, l, k, b->next)))
            return true;
    }
    return false;
}

bool llvm_loop_find(const struct emitter *e, uint32_t index, struct loop *l)
{
    *l = (struct loop){.block = {(int32_t)index}, .count = 1};
    if (e->options->uneven || !close_loop(e, l) || other_jumps_back(e, l) > OTHERS_MAX ||
        has_inner_loop(e, l))
        return false;
    if (l->count == 1 && e->facts.groups != NULL) /* a single block's checks may have been
                                                   * widened */
        l->groups = e->facts.groups[index];
    else
        llvm_groups_find(e->region, l->block, l->count, &l->groups);
    if (l->groups.count > LOOP_GROUPS_MAX)
        return false;
    for (uint32_t i = 0; i < l->groups.count; i++)
        if (!group_is_good(&l->groups, i))
            return false;
    return true;
}

/* Fixes the groups of such loops: many turns are checked for exactly the accesses of the blocks, so
 * later blocks must not rely on more. */
void llvm_loops_fix(const struct emitter *e, bool *fixed)
{
    struct loop l;
    for (uint32_t i = 0; i < e->region->block_count; i++)
        if (llvm_loop_find(e, i, &l) && l.count > 1)
            for (uint32_t k = 0; k < l.count; k++)
                fixed[l.block[k]] = true;
}

void llvm_loop_set_tried(const struct emitter *e, const struct loop *l, bool tried)
{
    LLVMBuildStore(B_, LLVMConstInt(e->i1, tried, false), l->tried);
}

void llvm_loops_begin(struct emitter *e)
{
    struct loop found;
    for (uint32_t i = 0; i < e->region->block_count; i++) {
        if (!llvm_loop_find(e, i, &found))
            continue;
        e->any_loops = true;
        struct loop *const l = e->options->quick ? NULL : malloc(sizeof *l);
        if (l == NULL)
            continue;
        *l = found;
        l->tried = LLVMBuildAlloca(B_, e->i1, "");
        llvm_loop_set_tried(e, l, false);
        e->back[i] = llvm_emit_new_block(e, "back");
        e->loops[i] = l;
    }
}

static bool leads_into(const struct emitter *e, const struct jit_block *b, const struct loop *l)
{
    bool any = has_block(l, b->next) || has_block(l, b->taken);
    for (uint32_t k = 0; k < b->target_count; k++)
        any |= has_block(l, e->region->targets[b->target + k]);
    return any;
}

void llvm_loops_enter(struct emitter *e)
{
    const int32_t index = (int32_t)(e->block - e->region->blocks);
    for (uint32_t i = 0; i < e->region->block_count; i++) {
        const struct loop *const l = e->loops[i];
        if (l != NULL && !has_block(l, index) && leads_into(e, e->block, l))
            llvm_loop_set_tried(e, l, false);
    }
}

void llvm_loops_free(struct emitter *e)
{
    for (uint32_t i = 0; e->loops != NULL && i < e->region->block_count; i++)
        free(e->loops[i]);
    free(e->loops);
}
