/* Finds accesses of a block at known distances, which one check can cover. */
#include "engine/llvm/groups.h"

#include <string.h>

enum { SPAN_MAX = 2048 }; /* bytes, so that a group covers at most two pages */

struct finder {
    struct groups *out;
    struct linear_value at[32];
};

/* ---- Forms ---- */

static uint8_t new_form(struct finder *f, struct form form)
{
    struct groups *out = f->out;
    out->form[out->form_count] = form;
    return out->form_count++;
}

static bool equal(const struct form *a, const struct form *b)
{
    if (a->count != b->count)
        return false;
    for (unsigned i = 0; i < a->count; i++)
        if (a->reg[i] != b->reg[i] || a->shift[i] != b->shift[i])
            return false;
    return true;
}

static uint8_t find_form(struct finder *f, struct form form)
{
    for (uint8_t i = 0; i < f->out->form_count; i++)
        if (f->out->form[i].known && equal(&f->out->form[i], &form))
            return i;
    return new_form(f, form);
}

/* Returns the place of an unknown value. */
static struct linear_value unknown(struct finder *f)
{
    return (struct linear_value){.root = new_form(f, (struct form){.known = false})};
}

/* (a << shift) + b */
static struct linear_value sum(struct finder *f, struct linear_value a, unsigned shift, struct linear_value b)
{
    struct form form = f->out->form[b.root];
    const struct form *add = &f->out->form[a.root];
    if (!form.known || !add->known || form.count + add->count > 2)
        return unknown(f);
    for (unsigned i = 0; i < add->count; i++) {
        if (add->shift[i] + shift > 4)
            return unknown(f);
        form.reg[form.count] = add->reg[i];
        form.shift[form.count++] = (uint8_t)(add->shift[i] + shift);
    }
    if (form.count == 2 && form.reg[0] > form.reg[1]) {
        const struct form other = form;
        for (unsigned i = 0; i < 2; i++) {
            form.reg[i] = other.reg[1 - i];
            form.shift[i] = other.shift[1 - i];
        }
    }
    const uint64_t offset = ((uint64_t)a.offset << shift) + (uint64_t)b.offset;
    return (struct linear_value){find_form(f, form), (int64_t)offset};
}

/* Returns the value of rd after `insn`. */
static struct linear_value result(struct finder *f, const struct jit_insn *at)
{
    const struct rv64_insn *insn = &at->insn;
    const struct linear_value a = f->at[insn->rs1], b = f->at[insn->rs2];
    const struct linear_value imm = {.root = f->at[0].root, .offset = insn->imm};
    switch (insn->op) {
    case OP_LUI:
        return imm;
    case OP_AUIPC:
        return (struct linear_value){imm.root, (int64_t)(at->pc + (uint64_t)imm.offset)};
    case OP_ADDI:
        return (struct linear_value){a.root, (int64_t)((uint64_t)a.offset + (uint64_t)imm.offset)};
    case OP_ADD:
        return sum(f, a, 0, b);
    case OP_SLLI:
        return insn->imm < 4 ? sum(f, a, (unsigned)insn->imm, f->at[0]) : unknown(f);
    case OP_SH1ADD:
        return sum(f, a, 1, b);
    case OP_SH2ADD:
        return sum(f, a, 2, b);
    case OP_SH3ADD:
        return sum(f, a, 3, b);
    default:
        return unknown(f);
    }
}

/* ---- Groups ---- */

bool llvm_access_of(const struct rv64_insn *insn, unsigned *log2, unsigned *need)
{
    switch (insn->op) {
    case OP_LB:
    case OP_LBU:
    case OP_SB:
        *log2 = 0;
        break;
    case OP_LH:
    case OP_LHU:
    case OP_SH:
        *log2 = 1;
        break;
    case OP_LW:
    case OP_LWU:
    case OP_SW:
        *log2 = 2;
        break;
    case OP_LD:
    case OP_SD:
        *log2 = 3;
        break;
    default:
        return false;
    }
    *need = insn->op == OP_SB || insn->op == OP_SH || insn->op == OP_SW || insn->op == OP_SD
                ? RV64_R | RV64_W
                : RV64_R;
    return true;
}

static int64_t round_down(int64_t v, unsigned log2)
{
    return v & ~((INT64_C(1) << log2) - 1);
}

/* Widens `g` by an access. Returns false if one check cannot cover both. */
static bool widen(struct group *g, int64_t offset, unsigned log2, unsigned need)
{
    const unsigned narrow = log2 < g->log2 ? log2 : g->log2, wide = log2 > g->log2 ? log2 : g->log2;
    /* All accesses of the group are aligned if `begin` is aligned. */
    if (((offset - g->begin) & ((INT64_C(1) << narrow) - 1)) != 0)
        return false;
    const int64_t anchor = log2 > g->log2 ? offset : g->begin;
    int64_t begin = offset < g->begin ? offset : g->begin, end = offset + (INT64_C(1) << log2);
    begin = anchor + round_down(begin - anchor, wide);
    if (end < g->end)
        end = g->end;
    if (end - begin > SPAN_MAX)
        return false;
    *g = (struct group){g->first,
                        begin,
                        end,
                        wide,
                        g->need | need,
                        end - begin,
                        g->accesses + 1,
                        g->reads || !(need & RV64_W)};
    return true;
}

static void add(struct finder *f, uint32_t index, const struct rv64_insn *insn, unsigned log2,
                unsigned need)
{
    const struct linear_value at = f->at[insn->rs1];
    const int64_t offset = at.offset + insn->imm;
    struct groups *out = f->out;
    out->base[index] = at.offset;
    for (uint32_t i = 0; i < out->count; i++)
        if (out->root_of[i] == at.root && widen(&out->group[i], offset, log2, need)) {
            out->of[index] = (uint8_t)i;
            return;
        }
    out->root_of[out->count] = at.root;
    out->of[index] = (uint8_t)out->count;
    out->group[out->count++] = (struct group){
        index, offset,          offset + (INT64_C(1) << log2), log2, need, INT64_C(1) << log2,
        1,     !(need & RV64_W)};
}

void llvm_group_widen(struct group *group, int64_t begin, int64_t end)
{
    begin = group->begin + round_down(begin - group->begin, group->log2);
    begin = begin < group->begin ? begin : group->begin;
    end = end > group->end ? end : group->end;
    if (end - begin > SPAN_MAX)
        return;
    group->begin = begin;
    group->end = end;
}

static void note_changes(const struct finder *f)
{
    struct groups *out = f->out;
    for (uint8_t i = 0; i < 32; i++) {
        const struct form *form = &out->form[f->at[i].root];
        out->change[i].known =
            form->known && form->count == 1 && form->reg[0] == i && form->shift[0] == 0;
        out->change[i].step = out->change[i].known ? f->at[i].offset : 0;
        out->change[i].step_register = 0;
    }
    out->change[0].known = true;
    for (uint8_t i = 1; i < 32; i++) {
        const struct form *form = &out->form[f->at[i].root];
        if (!form->known || form->count != 2 || form->shift[0] != 0 || form->shift[1] != 0 ||
            (form->reg[0] != i && form->reg[1] != i) || f->at[i].offset != 0)
            continue;
        const uint8_t other = form->reg[0] == i ? form->reg[1] : form->reg[0];
        if (other == i || !out->change[other].known || out->change[other].step != 0 ||
            out->change[other].step_register != 0)
            continue;
        out->change[i].known = true;
        out->change[i].step_register = other;
    }
}

void llvm_groups_find(const struct jit_region *region, const int32_t *blocks, size_t count,
                      struct groups *out)
{
    struct finder f = {.out = out};
    uint32_t index = 0;
    out->count = 0;
    out->form_count = 0;
    f.at[0] = (struct linear_value){.root = new_form(&f, (struct form){.known = true})};
    for (uint8_t i = 1; i < 32; i++)
        f.at[i].root = new_form(&f, (struct form){.known = true, .count = 1, .reg = {i}});
    for (size_t k = 0; k < count; k++) {
        const struct jit_block *block = &region->blocks[blocks[k]];
        for (uint32_t i = 0; i < block->count; i++, index++) {
            const struct jit_insn *at = &region->insns[block->first + i];
            unsigned log2, need = 0;
            if (llvm_access_of(&at->insn, &log2, &need))
                add(&f, index, &at->insn, log2, need);
            if (at->insn.rd != 0 && !(need & RV64_W))
                f.at[at->insn.rd] = result(&f, at);
        }
    }
    memcpy(out->end, f.at, sizeof f.at);
    note_changes(&f);
}
