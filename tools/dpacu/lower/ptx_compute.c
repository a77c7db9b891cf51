/* Moves, conversions and arithmetic of integers of inline PTX, as headers of network code use them
 * around loads and stores. */
#include "assembly.h"

#include <string.h>

/* Reads the one type behind the first part. */
static bool only_type(struct lower_assembly *a, unsigned from, unsigned count,
                      struct lower_says *out)
{
    return lower_ptx_says(a, from, SAYS_TYPE, out) && lower_ptx_takes(a, count);
}

/* ---- mov ---- */

/* {a, b} = c */
static bool unpack(struct lower_assembly *a, const struct ptx_argument *to, LLVMValueRef from,
                   unsigned bits)
{
    LLVMBuilderRef b = a->l->builder;
    const unsigned part = bits / to->count;
    for (unsigned i = 0; i < to->count; i++) {
        LLVMValueRef shift = LLVMConstInt(LLVMTypeOf(from), (uint64_t)part * i, 0);
        LLVMValueRef value = LLVMBuildLShr(b, from, shift, "");
        if (!lower_ptx_set(a, &to->at[i], LLVMBuildTrunc(b, value, lower_ptx_int(a, part), "")))
            return false;
    }
    return true;
}

/* c = {a, b} */
static bool pack(struct lower_assembly *a, const struct ptx_argument *from, unsigned bits)
{
    LLVMBuilderRef b = a->l->builder;
    LLVMTypeRef type = lower_ptx_int(a, bits);
    LLVMValueRef whole = LLVMConstNull(type);
    const unsigned part = bits / from->count;
    for (unsigned i = 0; i < from->count; i++) {
        LLVMValueRef value = lower_ptx_get(a, &from->at[i], part);
        if (!value)
            return false;
        value = LLVMBuildZExt(b, value, type, "");
        value = LLVMBuildShl(b, value, LLVMConstInt(type, (uint64_t)part * i, 0), "");
        whole = LLVMBuildOr(b, whole, value, "");
    }
    return lower_ptx_result(a, whole);
}

bool lower_ptx_move(struct lower_assembly *a)
{
    struct lower_says s;
    if (!only_type(a, 1, 2, &s))
        return false;
    const struct ptx_argument *to = &a->now->arguments[0], *from = &a->now->arguments[1];
    const struct ptx_argument *vector = to->form == PTX_VECTOR     ? to
                                        : from->form == PTX_VECTOR ? from
                                                                   : NULL;
    if (!vector) {
        LLVMValueRef value = lower_ptx_argument(a, 1, s.bits);
        return value && lower_ptx_result(a, value);
    }
    if (s.kind != 'b' || (vector->count != 2 && vector->count != 4) || s.bits / vector->count < 8)
        return lower_ptx_refuse(a, "the elements are not 2 or 4 of 8 bits or more");
    if (from->form == PTX_VECTOR)
        return to->form == PTX_PLAIN ? pack(a, from, s.bits)
                                     : lower_ptx_refuse(a, "an operand has a wrong form");
    LLVMValueRef value = lower_ptx_argument(a, 1, s.bits);
    return value && unpack(a, to, value, s.bits);
}

/* ---- prmt ---- */

/* A byte of eight, by a number of four bits whose highest asks for copies of its sign. */
static LLVMValueRef pick_byte(struct lower_assembly *a, LLVMValueRef eight, LLVMValueRef selector,
                              unsigned number)
{
    LLVMBuilderRef b = a->l->builder;
    LLVMTypeRef type = a->l->i64, byte = a->l->i8;
    LLVMValueRef pick = LLVMBuildLShr(b, selector, LLVMConstInt(type, (uint64_t)4 * number, 0), "");
    LLVMValueRef index = LLVMBuildAnd(b, pick, LLVMConstInt(type, 7, 0), "");
    index = LLVMBuildShl(b, index, LLVMConstInt(type, 3, 0), "");
    LLVMValueRef value = LLVMBuildTrunc(b, LLVMBuildLShr(b, eight, index, ""), byte, "");
    LLVMValueRef sign = LLVMBuildAShr(b, value, LLVMConstInt(byte, 7, 0), "");
    LLVMValueRef copies = LLVMBuildAnd(b, pick, LLVMConstInt(type, 8, 0), "");
    copies = LLVMBuildICmp(b, LLVMIntNE, copies, LLVMConstNull(type), "");
    return LLVMBuildSelect(b, copies, sign, value, "");
}

bool lower_ptx_permute(struct lower_assembly *a)
{
    struct lower_says s;
    if (!only_type(a, 1, 4, &s))
        return false;
    LLVMValueRef low = lower_ptx_argument(a, 1, 32);
    LLVMValueRef high = low ? lower_ptx_argument(a, 2, 32) : NULL;
    LLVMValueRef selector = high ? lower_ptx_argument(a, 3, 32) : NULL;
    if (!selector || s.kind != 'b' || s.bits != 32)
        return selector && lower_ptx_refuse(a, "this form is not supported");
    LLVMBuilderRef b = a->l->builder;
    LLVMValueRef eight = LLVMBuildZExt(b, high, a->l->i64, ""), whole = LLVMConstNull(a->l->i32);
    eight = LLVMBuildShl(b, eight, LLVMConstInt(a->l->i64, 32, 0), "");
    eight = LLVMBuildOr(b, eight, LLVMBuildZExt(b, low, a->l->i64, ""), "");
    selector = LLVMBuildZExt(b, selector, a->l->i64, "");
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef byte = LLVMBuildZExt(b, pick_byte(a, eight, selector, i), a->l->i32, "");
        byte = LLVMBuildShl(b, byte, LLVMConstInt(a->l->i32, (uint64_t)8 * i, 0), "");
        whole = LLVMBuildOr(b, whole, byte, "");
    }
    return lower_ptx_result(a, whole);
}

/* ---- cvt, cvta ---- */

bool lower_ptx_convert(struct lower_assembly *a)
{
    struct lower_says to, from;
    if (a->now->part_count != 3 || !lower_ptx_type(ptx_part(a->now, 1), &to) ||
        !lower_ptx_type(ptx_part(a->now, 2), &from) || !strchr("us", to.kind) ||
        !strchr("us", from.kind))
        return lower_ptx_refuse(a, "only integers are converted");
    if (!lower_ptx_takes(a, 2))
        return false;
    if (a->now->arguments[0].form != PTX_PLAIN || a->now->arguments[1].form != PTX_PLAIN)
        return lower_ptx_refuse(a, "an operand has a wrong form");
    LLVMValueRef value = lower_ptx_get_low(a, &a->now->arguments[1].at[0], from.bits);
    if (!value)
        return false;
    value =
        LLVMBuildIntCast2(a->l->builder, value, lower_ptx_int(a, to.bits), from.kind == 's', "");
    return lower_ptx_set_wide(a, &a->now->arguments[0].at[0], value, to.kind == 's');
}

/* Addresses are the same for all kinds of memory. */
bool lower_ptx_convert_address(struct lower_assembly *a)
{
    struct lower_says s;
    const unsigned from = strcmp(ptx_part(a->now, 1), "to") == 0 ? 2 : 1;
    if (!lower_ptx_says(a, from, SAYS_SPACE | SAYS_TYPE, &s) || !lower_ptx_takes(a, 2))
        return false;
    if (s.kind != 'u' || s.bits != 64 || !(s.what & SAYS_SPACE))
        return lower_ptx_refuse(a, "this form is not supported");
    LLVMValueRef value = lower_ptx_argument(a, 1, 64);
    return value && lower_ptx_result(a, value);
}

/* ---- setp, selp ---- */

bool lower_ptx_compare(struct lower_assembly *a)
{
    static const struct {
        const char *name;
        LLVMIntPredicate of_unsigned, of_signed;
    } tests[] = {
        {"eq", LLVMIntEQ, LLVMIntEQ},   {"ne", LLVMIntNE, LLVMIntNE},
        {"lt", LLVMIntULT, LLVMIntSLT}, {"le", LLVMIntULE, LLVMIntSLE},
        {"gt", LLVMIntUGT, LLVMIntSGT}, {"ge", LLVMIntUGE, LLVMIntSGE},
        {"lo", LLVMIntULT, LLVMIntULT}, {"ls", LLVMIntULE, LLVMIntULE},
        {"hi", LLVMIntUGT, LLVMIntUGT}, {"hs", LLVMIntUGE, LLVMIntUGE},
    };
    struct lower_says s;
    if (!only_type(a, 2, 3, &s))
        return false;
    for (size_t i = 0; i < sizeof tests / sizeof *tests && s.kind != 'f'; i++) {
        if (strcmp(ptx_part(a->now, 1), tests[i].name) != 0)
            continue;
        LLVMValueRef x = lower_ptx_argument(a, 1, s.bits);
        LLVMValueRef y = x ? lower_ptx_argument(a, 2, s.bits) : NULL;
        return y && lower_ptx_result(
                        a, LLVMBuildICmp(a->l->builder,
                                         s.kind == 's' ? tests[i].of_signed : tests[i].of_unsigned,
                                         x, y, ""));
    }
    return lower_ptx_refuse(a, "this form is not supported");
}

bool lower_ptx_select(struct lower_assembly *a)
{
    struct lower_says s;
    if (!only_type(a, 1, 4, &s))
        return false;
    LLVMValueRef yes = lower_ptx_argument(a, 1, s.bits);
    LLVMValueRef no = yes ? lower_ptx_argument(a, 2, s.bits) : NULL;
    LLVMValueRef which = no ? lower_ptx_argument(a, 3, 1) : NULL;
    return which && lower_ptx_result(a, LLVMBuildSelect(a->l->builder, which, yes, no, ""));
}

/* ---- Arithmetic ---- */

/* The smaller or the larger of two values. */
static LLVMValueRef extreme(struct lower_assembly *a, bool smaller, LLVMValueRef x, LLVMValueRef y,
                            bool is_signed)
{
    LLVMValueRef less = LLVMBuildICmp(a->l->builder, is_signed ? LLVMIntSLT : LLVMIntULT, x, y, "");
    return LLVMBuildSelect(a->l->builder, less, smaller ? x : y, smaller ? y : x, "");
}

/* Shifts of the size of the value or more give 0, or copies of the sign. */
static LLVMValueRef shift(struct lower_assembly *a, LLVMOpcode opcode, LLVMValueRef x,
                          LLVMValueRef by)
{
    LLVMBuilderRef b = a->l->builder;
    LLVMTypeRef type = LLVMTypeOf(x);
    const unsigned bits = LLVMGetIntTypeWidth(type);
    LLVMValueRef most = LLVMConstInt(a->l->i32, bits - 1, 0);
    LLVMValueRef far = LLVMBuildICmp(b, LLVMIntUGT, by, most, "");
    by = LLVMBuildSelect(b, far, most, by, "");
    LLVMValueRef value = LLVMBuildBinOp(b, opcode, x, LLVMBuildIntCast2(b, by, type, 0, ""), "");
    return opcode == LLVMAShr ? value : LLVMBuildSelect(b, far, LLVMConstNull(type), value, "");
}

static const struct arithmetic {
    const char *name, *kinds;
    LLVMOpcode opcode; /* of both kinds, or 0 */
} binary[] = {
    {"add", "us", LLVMAdd}, {"sub", "us", LLVMSub}, {"and", "bp", LLVMAnd}, {"or", "bp", LLVMOr},
    {"xor", "bp", LLVMXor}, {"min", "us", 0},       {"max", "us", 0},       {"shl", "b", LLVMShl},
    {"shr", "bus", 0},      {"not", "bp", 0},       {"neg", "s", 0},        {"mul", "us", LLVMMul},
    {"mad", "us", LLVMMul},
};

static LLVMValueRef one_operand(struct lower_assembly *a, const char *name, LLVMValueRef x)
{
    return strcmp(name, "not") == 0 ? LLVMBuildNot(a->l->builder, x, "")
                                    : LLVMBuildNeg(a->l->builder, x, "");
}

static LLVMValueRef two_operands(struct lower_assembly *a, const struct arithmetic *what,
                                 const struct lower_says *s, LLVMValueRef x, LLVMValueRef y)
{
    const bool is_signed = s->kind == 's';
    if (strcmp(what->name, "min") == 0 || strcmp(what->name, "max") == 0)
        return extreme(a, strcmp(what->name, "min") == 0, x, y, is_signed);
    if (strcmp(what->name, "shl") == 0)
        return shift(a, LLVMShl, x, y);
    if (strcmp(what->name, "shr") == 0)
        return shift(a, is_signed ? LLVMAShr : LLVMLShr, x, y);
    return LLVMBuildBinOp(a->l->builder, what->opcode, x, y, "");
}

/* mul.lo, mul.wide, mad.lo, mad.wide */
static bool multiply(struct lower_assembly *a, bool adds)
{
    struct lower_says s;
    const bool wide = strcmp(ptx_part(a->now, 1), "wide") == 0;
    if (!wide && strcmp(ptx_part(a->now, 1), "lo") != 0)
        return lower_ptx_refuse(a, "this form is not supported");
    if (!only_type(a, 2, adds ? 4 : 3, &s))
        return false;
    if (!strchr("us", s.kind) || (wide && s.bits > 32))
        return lower_ptx_refuse(a, "this form is not supported");
    const unsigned bits = wide ? 2 * s.bits : s.bits;
    LLVMValueRef x = lower_ptx_argument(a, 1, s.bits);
    LLVMValueRef y = x ? lower_ptx_argument(a, 2, s.bits) : NULL;
    LLVMValueRef z = y && adds ? lower_ptx_argument(a, 3, bits) : y;
    if (!z)
        return false;
    LLVMBuilderRef b = a->l->builder;
    x = LLVMBuildIntCast2(b, x, lower_ptx_int(a, bits), s.kind == 's', "");
    y = LLVMBuildIntCast2(b, y, lower_ptx_int(a, bits), s.kind == 's', "");
    LLVMValueRef value = LLVMBuildMul(b, x, y, "");
    return lower_ptx_result(a, adds ? LLVMBuildAdd(b, value, z, "") : value);
}

bool lower_ptx_arithmetic(struct lower_assembly *a)
{
    const char *name = ptx_part(a->now, 0);
    const struct arithmetic *what = NULL;
    struct lower_says s;
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (strcmp(name, binary[i].name) == 0)
            what = &binary[i];
    if (!what)
        return lower_ptx_refuse(a, "this instruction is not supported");
    if (what->opcode == LLVMMul)
        return multiply(a, strcmp(name, "mad") == 0);
    const bool single = strcmp(name, "not") == 0 || strcmp(name, "neg") == 0;
    const bool shifts = strncmp(name, "sh", 2) == 0;
    if (!only_type(a, 1, single ? 2 : 3, &s))
        return false;
    if (!strchr(what->kinds, s.kind))
        return lower_ptx_refuse(a, "this form is not supported");
    LLVMValueRef x = lower_ptx_argument(a, 1, s.bits);
    if (!x || single)
        return x && lower_ptx_result(a, one_operand(a, name, x));
    LLVMValueRef y = lower_ptx_argument(a, 2, shifts ? 32 : s.bits);
    return y && lower_ptx_result(a, two_operands(a, what, &s, x, y));
}
