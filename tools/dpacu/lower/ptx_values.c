/* What the parts of an opcode of inline PTX say, and the values of its operands. */
#include "assembly.h"

#include <string.h>

bool lower_ptx_refuse(struct lower_assembly *a, const char *why)
{
    return lower_fail(a->l, a->call, "inline PTX \"%s\": %s", a->now->text, why);
}

/* ---- Opcodes ---- */

bool lower_ptx_type(const char *part, struct lower_says *out)
{
    static const struct {
        const char *text;
        unsigned bits;
    } sizes[] = {{"8", 8}, {"16", 16}, {"32", 32}, {"64", 64}};
    if (strcmp(part, "pred") == 0) {
        out->kind = 'p';
        out->bits = 1;
        return true;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (*part && strchr("busf", *part) && strcmp(part + 1, sizes[i].text) == 0) {
            out->kind = *part;
            out->bits = sizes[i].bits;
            return *part != 'f' || sizes[i].bits >= 32;
        }
    return false;
}

static const struct word {
    const char *text;
    unsigned what, value;
} opcode_words[] = {
    {"weak", SAYS_ORDER, ORDER_WEAK},
    {"volatile", SAYS_ORDER, ORDER_VOLATILE},
    {"cv", SAYS_ORDER, ORDER_VOLATILE},
    {"relaxed", SAYS_ORDER, ORDER_RELAXED},
    {"acquire", SAYS_ORDER, ORDER_ACQUIRE},
    {"release", SAYS_ORDER, ORDER_RELEASE},
    {"acq_rel", SAYS_ORDER, ORDER_ACQ_REL},
    {"sc", SAYS_ORDER, ORDER_SC},
    {"mmio", SAYS_MMIO, 0},
    {"cta", SAYS_SCOPE, 0},
    {"cluster", SAYS_SCOPE, 0},
    {"gpu", SAYS_SCOPE, 0},
    {"sys", SAYS_SCOPE, 1},
    {"global", SAYS_SPACE, 0},
    {"local", SAYS_SPACE, 0},
    {"const", SAYS_SPACE, 0},
    {"shared", SAYS_SPACE, 1},
    {"shared::cta", SAYS_SPACE, 1},
    {"v2", SAYS_VECTOR, 2},
    {"v4", SAYS_VECTOR, 4},
    {"nc", SAYS_NC, 0},
    {"ca", SAYS_HINT, 0},
    {"cg", SAYS_HINT, 0},
    {"cs", SAYS_HINT, 0},
    {"lu", SAYS_HINT, 0},
    {"wb", SAYS_HINT, 0},
    {"wt", SAYS_HINT, 0},
    {"L2::cache_hint", SAYS_HINT, 1},
};

static bool is_hint(const char *part)
{
    return strncmp(part, "L1::", 4) == 0 || strncmp(part, "L2::", 4) == 0;
}

static const struct word *word_of(const char *part)
{
    static const struct word hint = {"", SAYS_HINT, 0};
    for (size_t i = 0; i < sizeof opcode_words / sizeof *opcode_words; i++)
        if (strcmp(part, opcode_words[i].text) == 0)
            return &opcode_words[i];
    return is_hint(part) ? &hint : NULL;
}

static void note_word(const struct word *w, struct lower_says *out)
{
    if (w->what == SAYS_ORDER)
        out->order = w->value;
    if (w->what == SAYS_SCOPE)
        out->is_system = w->value;
    if (w->what == SAYS_SPACE)
        out->shared = w->value;
    if (w->what == SAYS_VECTOR)
        out->vector = w->value;
    if (w->what == SAYS_HINT)
        out->policy |= w->value;
}

bool lower_ptx_says(struct lower_assembly *a, unsigned from, unsigned allowed,
                    struct lower_says *out)
{
    *out = (struct lower_says){.vector = 1};
    for (unsigned i = from; i < a->now->part_count; i++) {
        const char *part = ptx_part(a->now, i);
        const struct word *w = word_of(part);
        const unsigned what = w ? w->what : lower_ptx_type(part, out) ? (unsigned)SAYS_TYPE : 0u;
        if (!(what & allowed) || (what != SAYS_HINT && (out->what & what)))
            return lower_ptx_refuse(a, "this form is not supported");
        if (w)
            note_word(w, out);
        out->what |= what;
    }
    if ((allowed & SAYS_TYPE) && !(out->what & SAYS_TYPE))
        return lower_ptx_refuse(a, "it has no type");
    return true;
}

bool lower_ptx_takes(struct lower_assembly *a, unsigned count)
{
    return a->now->count == count || lower_ptx_refuse(a, "wrong number of operands");
}

/* ---- Values ---- */

LLVMTypeRef lower_ptx_int(struct lower_assembly *a, unsigned bits)
{
    return LLVMIntTypeInContext(a->l->context, bits);
}

static struct lower_slot *slot_of(struct lower_assembly *a, const struct ptx_value *v)
{
    if (v->kind == PTX_OPERAND && v->index < a->count)
        return &a->operands[v->index];
    return v->kind == PTX_REGISTER ? &a->registers[v->index] : NULL;
}

/* The value as it is; `bits` only for numbers. */
static LLVMValueRef raw_value(struct lower_assembly *a, const struct ptx_value *v, unsigned bits)
{
    if (v->kind == PTX_NUMBER)
        return LLVMConstInt(lower_ptx_int(a, bits), v->number, 0);
    if (v->kind == PTX_SPECIAL) {
        LLVMValueRef special = lower_ptx_special(a, v->name);
        if (!special)
            lower_ptx_refuse(a, "this register is not known");
        return special;
    }
    struct lower_slot *slot = slot_of(a, v);
    if (!slot) {
        lower_ptx_refuse(a, "this operand is not one of the statement");
        return NULL;
    }
    if (slot->variable)
        return LLVMBuildLoad2(a->l->builder, slot->type, slot->variable, "");
    if (!slot->value) /* as "ign" of a byte swap, which is never written */
        return LLVMConstNull(slot->type);
    if (slot->immediate && LLVMIsAConstantInt(slot->value))
        return LLVMConstInt(lower_ptx_int(a, bits), (uint64_t)LLVMConstIntGetSExtValue(slot->value),
                            1);
    return slot->value;
}

static LLVMValueRef get(struct lower_assembly *a, const struct ptx_value *v, unsigned bits,
                        bool low)
{
    LLVMValueRef value = raw_value(a, v, bits);
    const unsigned has = value ? LLVMGetIntTypeWidth(LLVMTypeOf(value)) : 0;
    if (!value || has == bits)
        return value;
    if (low && has > bits)
        return LLVMBuildTrunc(a->l->builder, value, lower_ptx_int(a, bits), "");
    lower_ptx_refuse(a, "an operand has another size than the instruction");
    return NULL;
}

LLVMValueRef lower_ptx_get(struct lower_assembly *a, const struct ptx_value *v, unsigned bits)
{
    return get(a, v, bits, false);
}

LLVMValueRef lower_ptx_get_low(struct lower_assembly *a, const struct ptx_value *v, unsigned bits)
{
    return get(a, v, bits, true);
}

LLVMValueRef lower_ptx_argument(struct lower_assembly *a, unsigned number, unsigned bits)
{
    const struct ptx_argument *argument = &a->now->arguments[number];
    if (number < a->now->count && argument->form == PTX_PLAIN)
        return lower_ptx_get(a, &argument->at[0], bits);
    lower_ptx_refuse(a, "an operand has a wrong form");
    return NULL;
}

bool lower_ptx_set_wide(struct lower_assembly *a, const struct ptx_value *v, LLVMValueRef value,
                        bool is_signed)
{
    if (!value)
        return false;
    if (v->kind == PTX_SINK)
        return true;
    struct lower_slot *slot = slot_of(a, v);
    if (!slot || (a->function && !slot->variable))
        return lower_ptx_refuse(a, "its result has no place");
    if (slot->bits < LLVMGetIntTypeWidth(LLVMTypeOf(value)))
        return lower_ptx_refuse(a, "an operand has another size than the instruction");
    slot->value = is_signed ? LLVMBuildSExtOrBitCast(a->l->builder, value, slot->type, "")
                            : LLVMBuildZExtOrBitCast(a->l->builder, value, slot->type, "");
    slot->immediate = false;
    if (slot->variable)
        LLVMBuildStore(a->l->builder, slot->value, slot->variable);
    return true;
}

bool lower_ptx_set(struct lower_assembly *a, const struct ptx_value *v, LLVMValueRef value)
{
    struct lower_slot *slot = slot_of(a, v);
    if (value && slot && slot->bits != LLVMGetIntTypeWidth(LLVMTypeOf(value)))
        return lower_ptx_refuse(a, "an operand has another size than the instruction");
    return lower_ptx_set_wide(a, v, value, false);
}

bool lower_ptx_result(struct lower_assembly *a, LLVMValueRef value)
{
    if (a->now->arguments[0].form != PTX_PLAIN)
        return lower_ptx_refuse(a, "an operand has a wrong form");
    return lower_ptx_set(a, &a->now->arguments[0].at[0], value);
}
