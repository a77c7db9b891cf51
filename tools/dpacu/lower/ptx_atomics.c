/* Atomic instructions of inline PTX. Without an order they are relaxed. */
#include "assembly.h"

#include <string.h>

enum operation { OP_RMW, OP_CAS, OP_INC, OP_DEC };

static const struct form {
    const char *name;
    enum operation operation;
    LLVMAtomicRMWBinOp unsigned_op, signed_op;
    const char *types; /* kinds that it has, and of which sizes */
} forms[] = {
    {"and", OP_RMW, LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpAnd, "b32 b64"},
    {"or", OP_RMW, LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpOr, "b32 b64"},
    {"xor", OP_RMW, LLVMAtomicRMWBinOpXor, LLVMAtomicRMWBinOpXor, "b32 b64"},
    {"exch", OP_RMW, LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpXchg, "b32 b64"},
    {"add", OP_RMW, LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpAdd, "u32 s32 u64 s64 f32 f64"},
    {"min", OP_RMW, LLVMAtomicRMWBinOpUMin, LLVMAtomicRMWBinOpMin, "u32 s32 u64 s64"},
    {"max", OP_RMW, LLVMAtomicRMWBinOpUMax, LLVMAtomicRMWBinOpMax, "u32 s32 u64 s64"},
    {"cas", OP_CAS, 0, 0, "b16 b32 b64"},
    {"inc", OP_INC, 0, 0, "u32"},
    {"dec", OP_DEC, 0, 0, "u32"},
};

static bool has_type(const struct form *f, const struct lower_says *s)
{
    char type[8];
    snprintf(type, sizeof type, "%c%u", s->kind, s->bits);
    return strstr(f->types, type) != NULL;
}

/* Adds a function that changes a word atomically: until nobody has changed it meanwhile. */
static LLVMValueRef make_wrap(struct lower *l, const char *name, bool up, LLVMTypeRef type)
{
    LLVMValueRef f = LLVMAddFunction(l->module, name, type);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(l->context, f, "");
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(l->context, f, "");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(l->context, f, "");
    LLVMValueRef at = LLVMGetParam(f, 0), limit = LLVMGetParam(f, 1), one;
    one = LLVMConstInt(l->i32, 1, 0);
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef first = LLVMBuildLoad2(b, l->i32, at, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(first, 4);
    LLVMBuildBr(b, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef old = LLVMBuildPhi(b, l->i32, ""), next, wraps;
    wraps = LLVMBuildICmp(b, up ? LLVMIntUGE : LLVMIntUGT, old, limit, "");
    if (up) {
        next = LLVMBuildAdd(b, old, one, "");
    } else {
        LLVMValueRef zero = LLVMBuildICmp(b, LLVMIntEQ, old, LLVMConstNull(l->i32), "");
        wraps = LLVMBuildOr(b, wraps, zero, "");
        next = LLVMBuildSub(b, old, one, "");
    }
    next = LLVMBuildSelect(b, wraps, up ? LLVMConstNull(l->i32) : limit, next, "");
    LLVMValueRef both = LLVMBuildAtomicCmpXchg(b, at, old, next, LLVMAtomicOrderingAcquireRelease,
                                               LLVMAtomicOrderingMonotonic, 0);
    LLVMValueRef seen = LLVMBuildExtractValue(b, both, 0, "");
    LLVMBuildCondBr(b, LLVMBuildExtractValue(b, both, 1, ""), end, loop);
    LLVMAddIncoming(old, &first, &entry, 1);
    LLVMAddIncoming(old, &seen, &loop, 1);
    LLVMPositionBuilderAtEnd(b, end);
    LLVMBuildRet(b, seen);
    LLVMDisposeBuilder(b);
    return f;
}

static LLVMValueRef wrap(struct lower_assembly *a, bool up, LLVMValueRef at, LLVMValueRef limit)
{
    const char *name = up ? "__dpk_gpu_inc" : "__dpk_gpu_dec";
    LLVMTypeRef parameters[] = {LLVMPointerType(a->l->i32, 0), a->l->i32};
    LLVMTypeRef type = LLVMFunctionType(a->l->i32, parameters, 2, 0);
    LLVMValueRef f = LLVMGetNamedFunction(a->l->module, name), arguments[] = {at, limit};
    if (!f)
        f = make_wrap(a->l, name, up, type);
    return LLVMBuildCall2(a->l->builder, type, f, arguments, 2, "");
}

static LLVMValueRef exchange(struct lower_assembly *a, LLVMValueRef at, LLVMValueRef compare,
                             LLVMValueRef value, LLVMAtomicOrdering order)
{
    LLVMAtomicOrdering failure = order == LLVMAtomicOrderingRelease ? LLVMAtomicOrderingMonotonic
                                 : order == LLVMAtomicOrderingAcquireRelease
                                     ? LLVMAtomicOrderingAcquire
                                     : order;
    LLVMValueRef both =
        LLVMBuildAtomicCmpXchg(a->l->builder, at, compare, value, order, failure, 0);
    return LLVMBuildExtractValue(a->l->builder, both, 0, "");
}

static LLVMValueRef change(struct lower_assembly *a, const struct form *f,
                           const struct lower_says *s, LLVMValueRef at, LLVMValueRef value,
                           LLVMAtomicOrdering order)
{
    LLVMBuilderRef b = a->l->builder;
    if (s->kind != 'f')
        return LLVMBuildAtomicRMW(b, s->kind == 's' ? f->signed_op : f->unsigned_op, at, value,
                                  order, 0);
    LLVMTypeRef type = s->bits == 32 ? LLVMFloatTypeInContext(a->l->context)
                                     : LLVMDoubleTypeInContext(a->l->context);
    at = LLVMBuildPointerCast(b, at, LLVMPointerType(type, 0), "");
    value = LLVMBuildBitCast(b, value, type, "");
    value = LLVMBuildAtomicRMW(b, LLVMAtomicRMWBinOpFAdd, at, value, order, 0);
    return LLVMBuildBitCast(b, value, lower_ptx_int(a, s->bits), "");
}

/* Finds the operation among the parts, and reads the others. */
static const struct form *read_form(struct lower_assembly *a, struct lower_says *s)
{
    const struct form *found = NULL;
    struct ptx_instruction rest = *a->now;
    const struct ptx_instruction *whole = a->now;
    rest.part_count = 0;
    for (unsigned i = 0; i < whole->part_count; i++) {
        const struct form *f = NULL;
        for (size_t k = 0; i && !found && k < sizeof forms / sizeof *forms; k++)
            if (strcmp(ptx_part(whole, i), forms[k].name) == 0)
                f = &forms[k];
        if (f)
            found = f;
        else
            rest.parts[rest.part_count++] = whole->parts[i];
    }
    a->now = &rest;
    bool good =
        lower_ptx_says(a, 1, SAYS_ORDER | SAYS_SCOPE | SAYS_SPACE | SAYS_TYPE | SAYS_HINT, s);
    a->now = whole;
    if (!good)
        return NULL;
    if (found && has_type(found, s) && !(s->order == ORDER_VOLATILE) && s->order != ORDER_SC &&
        (s->order != ORDER_WEAK || !(s->what & SAYS_ORDER)))
        return found;
    lower_ptx_refuse(a, "this form is not supported");
    return NULL;
}

/* `first` is the operand with the address. Returns the former value, or NULL after an error. */
static LLVMValueRef build(struct lower_assembly *a, unsigned first)
{
    struct lower_says s;
    const struct form *f = read_form(a, &s);
    if (!f)
        return NULL;
    const unsigned values = f->operation == OP_CAS ? 2 : 1;
    if (!lower_ptx_takes(a, first + 1 + values + s.policy))
        return NULL;
    LLVMValueRef at = lower_ptx_address(a, first, s.shared, lower_ptx_int(a, s.bits));
    LLVMValueRef value = at ? lower_ptx_argument(a, first + 1, s.bits) : NULL;
    LLVMValueRef other = value && values == 2 ? lower_ptx_argument(a, first + 2, s.bits) : value;
    if (!other)
        return NULL;
    const LLVMAtomicOrdering order =
        s.order == ORDER_WEAK ? LLVMAtomicOrderingMonotonic : lower_ptx_ordering(s.order);
    if (f->operation == OP_CAS)
        return exchange(a, at, value, other, order);
    if (f->operation == OP_RMW)
        return change(a, f, &s, at, value, order);
    return wrap(a, f->operation == OP_INC, at, value);
}

bool lower_ptx_atom(struct lower_assembly *a)
{
    LLVMValueRef old = build(a, 1);
    return old && lower_ptx_result(a, old);
}

bool lower_ptx_red(struct lower_assembly *a)
{
    return build(a, 0) != NULL;
}
