/* Shared memory: a variable of a block has an offset in the block's shared memory, whose address
 * each thread has. Variables that several functions use come first, then the variables of a single
 * kernel. */
#include "inside.h"

#include "gpu/abi/abi.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED_SPACE = 3, DEPTH_MAX = 64, ZONE = 32 };

/* A shared variable: the function that uses it, if only one function does, and its offset. */
struct variable {
    LLVMValueRef global, function;
    bool common, dynamic;
    uint64_t offset, size, zone; /* zone: bytes behind it that nobody may access */
};

struct variables {
    struct variable *at;
    size_t count;
};

static struct variable *variable_of(const struct variables *v, LLVMValueRef global)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->at[i].global == global)
            return &v->at[i];
    return NULL;
}

/* Returns a shared variable whose address the constant contains, or NULL. */
static struct variable *find_in(const struct variables *v, LLVMValueRef constant, unsigned depth)
{
    if (!LLVMIsAConstant(constant) || depth > DEPTH_MAX)
        return NULL;
    if (LLVMIsAGlobalVariable(constant))
        return variable_of(v, constant);
    if (LLVMIsAGlobalValue(constant))
        return NULL;
    const int count = LLVMGetNumOperands(constant);
    for (int i = 0; i < count; i++) {
        struct variable *found = find_in(v, LLVMGetOperand(constant, (unsigned)i), depth + 1);
        if (found)
            return found;
    }
    return NULL;
}

static bool list_variables(struct lower *l, struct variables *v)
{
    size_t count = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g))
        count++;
    v->at = calloc(count + 1, sizeof *v->at);
    if (!v->at)
        return lower_fail(l, NULL, "out of memory");
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == SHARED_SPACE)
            v->at[v->count++] = (struct variable){.global = g, .dynamic = LLVMIsDeclaration(g)};
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g)) {
        LLVMValueRef value = LLVMGetInitializer(g);
        if (value && find_in(v, value, 0))
            return lower_fail(l, NULL,
                              "%s: a variable cannot begin with the address of shared "
                              "memory",
                              lower_name(g));
    }
    return true;
}

/* ---- Places ---- */

static void note_user(struct variable *v, LLVMValueRef function)
{
    if (v->function && v->function != function)
        v->common = true;
    v->function = function;
}

/* Calls visit for each constant operand. */
static bool each_operand(struct lower *l, const struct variables *v, LLVMValueRef function,
                         bool (*visit)(struct lower *, const struct variables *, LLVMValueRef,
                                       LLVMValueRef, unsigned, void *),
                         void *context)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            const int count = LLVMGetNumOperands(i);
            for (int k = 0; k < count; k++)
                if (find_in(v, LLVMGetOperand(i, (unsigned)k), 0) &&
                    !visit(l, v, function, i, (unsigned)k, context))
                    return false;
        }
    return true;
}

static void note_all(const struct variables *v, LLVMValueRef constant, LLVMValueRef function)
{
    struct variable *one = LLVMIsAGlobalVariable(constant) ? variable_of(v, constant) : NULL;
    if (one)
        note_user(one, function);
    if (LLVMIsAGlobalValue(constant) || !LLVMIsAConstant(constant))
        return;
    const int count = LLVMGetNumOperands(constant);
    for (int i = 0; i < count; i++)
        note_all(v, LLVMGetOperand(constant, (unsigned)i), function);
}

static bool note_operand(struct lower *l, const struct variables *v, LLVMValueRef function,
                         LLVMValueRef instruction, unsigned operand, void *context)
{
    (void)l;
    (void)context;
    note_all(v, LLVMGetOperand(instruction, operand), function);
    return true;
}

static uint64_t place(struct lower *l, struct variable *v, uint64_t at)
{
    const uint64_t asked = LLVMGetAlignment(v->global);
    uint64_t alignment = asked ? asked : 16;
    if (l->request->address && alignment < ZONE)
        alignment = ZONE;
    v->offset = (at + alignment - 1) / alignment * alignment;
    v->size = LLVMABISizeOfType(l->layout, LLVMGlobalGetValueType(v->global));
    v->zone = l->request->address ? ZONE + (ZONE - v->size % ZONE) % ZONE : 0;
    return v->offset + v->size + v->zone;
}

static struct lower_kernel *kernel_with(struct lower *l, LLVMValueRef function)
{
    for (size_t i = 0; i < l->kernel_count; i++)
        if (l->kernels[i].run == function || l->kernels[i].whole == function)
            return &l->kernels[i];
    return NULL;
}

static bool place_all(struct lower *l, struct variables *v)
{
    uint64_t common = 0;
    for (size_t i = 0; i < v->count; i++) {
        struct variable *o = &v->at[i];
        o->common |= o->function && !kernel_with(l, o->function);
        if (!o->dynamic && o->common)
            common = place(l, o, common);
    }
    for (size_t k = 0; k < l->kernel_count; k++) {
        uint64_t end = common;
        for (size_t i = 0; i < v->count; i++) {
            struct variable *o = &v->at[i];
            if (!o->dynamic && !o->common && o->function &&
                kernel_with(l, o->function) == &l->kernels[k])
                end = place(l, o, end);
        }
        if (end > UINT32_MAX)
            return lower_fail(l, NULL, "kernel %s has too much shared memory", l->kernels[k].name);
        l->kernels[k].shared = (uint32_t)end;
    }
    return true;
}

/* ---- Addresses ---- */

/* Values of a function: the running thread, its static and dynamic shared memory, and the place of
 * new instructions. */
struct place_in {
    LLVMValueRef self, shared, dynamic, end;
};

static LLVMValueRef address_of(struct lower *l, struct place_in *p, const struct variable *v)
{
    LLVMValueRef base = v->dynamic ? p->dynamic : p->shared;
    LLVMValueRef at =
        LLVMBuildAdd(l->builder, base, LLVMConstInt(l->i64, v->dynamic ? 0 : v->offset, 0), "");
    at = LLVMBuildIntToPtr(l->builder, at, l->pointer, "");
    return LLVMBuildAddrSpaceCast(l->builder, at, LLVMTypeOf(v->global), "");
}

static LLVMValueRef build_constant(struct lower *l, const struct variables *v, struct place_in *p,
                                   LLVMValueRef constant);

static LLVMValueRef build_address(struct lower *l, LLVMValueRef constant, LLVMValueRef *operands,
                                  unsigned count)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(constant);
    if (LLVMIsInBounds(constant))
        return LLVMBuildInBoundsGEP2(l->builder, type, operands[0], operands + 1, count - 1, "");
    return LLVMBuildGEP2(l->builder, type, operands[0], operands + 1, count - 1, "");
}

enum { OPERANDS_MAX = 32 };

static LLVMValueRef build_expression(struct lower *l, const struct variables *v, struct place_in *p,
                                     LLVMValueRef constant)
{
    LLVMValueRef operands[OPERANDS_MAX];
    const int count = LLVMGetNumOperands(constant);
    if (count < 1 || count > OPERANDS_MAX)
        return NULL;
    for (int i = 0; i < count; i++)
        if (!(operands[i] = build_constant(l, v, p, LLVMGetOperand(constant, (unsigned)i))))
            return NULL;
    const LLVMOpcode opcode = LLVMGetConstOpcode(constant);
    if (opcode == LLVMGetElementPtr)
        return build_address(l, constant, operands, (unsigned)count);
    if (opcode == LLVMICmp)
        return LLVMBuildICmp(l->builder, LLVMGetICmpPredicate(constant), operands[0], operands[1],
                             "");
    if (LLVMIsACastInst(constant) || count == 1)
        return LLVMBuildCast(l->builder, opcode, operands[0], LLVMTypeOf(constant), "");
    return count == 2 ? LLVMBuildBinOp(l->builder, opcode, operands[0], operands[1], "") : NULL;
}

/* Makes instructions that compute a constant which contains the address of a shared variable. */
static LLVMValueRef build_constant(struct lower *l, const struct variables *v, struct place_in *p,
                                   LLVMValueRef constant)
{
    if (!find_in(v, constant, 0))
        return constant;
    if (LLVMIsAGlobalVariable(constant))
        return address_of(l, p, variable_of(v, constant));
    return LLVMIsAConstantExpr(constant) ? build_expression(l, v, p, constant) : NULL;
}

static bool begin_function(struct lower *l, LLVMValueRef function, struct place_in *p)
{
    p->self = lower_self(l, function);
    p->shared = lower_member(l, p->self, offsetof(struct dpk_gpu_thread, shared), l->i64);
    p->dynamic = lower_member(l, p->self, offsetof(struct dpk_gpu_thread, dynamic), l->i64);
    p->end = LLVMGetNextInstruction(p->dynamic);
    return true;
}

static bool replace_operand(struct lower *l, const struct variables *v, LLVMValueRef function,
                            LLVMValueRef instruction, unsigned operand, void *context)
{
    struct place_in *p = context;
    LLVMValueRef constant = LLVMGetOperand(instruction, operand);
    if (!p->self)
        begin_function(l, function, p);
    LLVMPositionBuilderBefore(l->builder, p->end);
    LLVMSetCurrentDebugLocation2(l->builder, NULL);
    LLVMValueRef value = build_constant(l, v, p, constant);
    if (!value)
        return lower_fail(l, instruction, "%s: this use of shared memory is not supported",
                          lower_name(find_in(v, constant, 0)->global));
    LLVMSetOperand(instruction, operand, value);
    return true;
}

/* Lets the code of each kernel tell of the red zones behind its variables. */
static void tell_zones(struct lower *l, const struct variables *v)
{
    uint32_t zones[2 * LOWER_ZONES_MAX];
    for (size_t k = 0; k < l->kernel_count && l->request->address; k++) {
        unsigned count = 0;
        for (size_t i = 0; i < v->count && count < LOWER_ZONES_MAX; i++) {
            const struct variable *o = &v->at[i];
            const bool has =
                o->common || (o->function && kernel_with(l, o->function) == &l->kernels[k]);
            if (o->dynamic || !has)
                continue;
            zones[2 * count] = (uint32_t)(o->offset + o->size);
            zones[2 * count++ + 1] = (uint32_t)o->zone;
        }
        if (count)
            lower_address_zones(l, l->kernels[k].run, zones, count);
    }
}

bool lower_shared(struct lower *l)
{
    struct variables v = {0};
    bool good = list_variables(l, &v);
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f && good; f = LLVMGetNextFunction(f))
        good = each_operand(l, &v, f, note_operand, NULL);
    good = good && place_all(l, &v);
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f && good; f = LLVMGetNextFunction(f)) {
        struct place_in p = {0};
        good = each_operand(l, &v, f, replace_operand, &p);
    }
    if (good)
        tell_zones(l, &v);
    free(v.at);
    return good;
}
