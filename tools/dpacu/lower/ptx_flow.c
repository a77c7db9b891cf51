/* Jumps and predicates of inline PTX. A statement with them becomes a function, which is inlined
 * later: its instructions need blocks of their own. */
#include "assembly.h"

#include <string.h>

bool lower_ptx_flows(const struct ptx *ptx)
{
    for (unsigned i = 0; i < ptx->count; i++)
        if (ptx->instructions[i].guarded || ptx->instructions[i].jumps)
            return true;
    return false;
}

/* ---- The function ---- */

static LLVMTypeRef type_of_function(struct lower_assembly *a)
{
    LLVMTypeRef types[PTX_OPERANDS_MAX];
    const unsigned count = LLVMGetNumArgOperands(a->call);
    for (unsigned i = 0; i < count && i < PTX_OPERANDS_MAX; i++)
        types[i] = LLVMTypeOf(LLVMGetOperand(a->call, i));
    return LLVMFunctionType(LLVMTypeOf(a->call), types,
                            count < PTX_OPERANDS_MAX ? count : PTX_OPERANDS_MAX, 0);
}

static void add_attribute(struct lower_assembly *a, const char *name)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(a->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(a->l->context, kind, 0));
}

void lower_ptx_begin_function(struct lower_assembly *a)
{
    a->function = LLVMAddFunction(a->l->module, "dpacu_ptx", type_of_function(a));
    LLVMSetLinkage(a->function, LLVMInternalLinkage);
    add_attribute(a, "alwaysinline");
    add_attribute(a, "nounwind");
    LLVMPositionBuilderAtEnd(a->l->builder,
                             LLVMAppendBasicBlockInContext(a->l->context, a->function, ""));
    LLVMSetCurrentDebugLocation2(a->l->builder, NULL); /* it gets that of the call */
}

LLVMValueRef lower_ptx_call_function(struct lower_assembly *a)
{
    LLVMValueRef arguments[PTX_OPERANDS_MAX];
    LLVMTypeRef type = type_of_function(a);
    const unsigned count = LLVMCountParams(a->function);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetOperand(a->call, i);
    LLVMPositionBuilderBefore(a->l->builder, a->call);
    LLVMSetCurrentDebugLocation2(a->l->builder, LLVMInstructionGetDebugLoc(a->call));
    return LLVMBuildCall2(a->l->builder, type, a->function, arguments, count, "");
}

static void keep(struct lower_assembly *a, struct lower_slot *slot)
{
    if (slot->immediate)
        return;
    slot->variable = LLVMBuildAlloca(a->l->builder, slot->type, "");
    LLVMBuildStore(a->l->builder, slot->value ? slot->value : LLVMConstNull(slot->type),
                   slot->variable);
}

void lower_ptx_keep(struct lower_assembly *a)
{
    for (unsigned i = 0; i < a->count; i++)
        keep(a, &a->operands[i]);
    for (unsigned i = 0; i < a->ptx.register_count; i++)
        keep(a, &a->registers[i]);
}

/* ---- Its blocks ---- */

static LLVMBasicBlockRef new_block(struct lower_assembly *a)
{
    return LLVMAppendBasicBlockInContext(a->l->context, a->function, "");
}

/* Gets whether the guard lets the instruction be done; NULL after an error. */
static LLVMValueRef condition_of(struct lower_assembly *a)
{
    LLVMValueRef value = lower_ptx_get(a, &a->now->guard, 1);
    return value && a->now->negated ? LLVMBuildNot(a->l->builder, value, "") : value;
}

/* Continues in `to`, or in the next block if the instruction's guard does not let it. */
static bool go_to(struct lower_assembly *a, LLVMBasicBlockRef to, LLVMBasicBlockRef next)
{
    if (!a->now->guarded) {
        LLVMBuildBr(a->l->builder, to);
        return true;
    }
    LLVMValueRef condition = condition_of(a);
    if (condition)
        LLVMBuildCondBr(a->l->builder, condition, to, next);
    return condition != NULL;
}

static bool build_one(struct lower_assembly *a, LLVMBasicBlockRef *targets)
{
    if (!a->now->jumps && !a->now->guarded)
        return lower_ptx_instruction_now(a);
    LLVMBasicBlockRef next = new_block(a);
    LLVMBasicBlockRef to = a->now->jumps ? targets[a->now->target] : new_block(a);
    if (!go_to(a, to, next))
        return false;
    if (!a->now->jumps) {
        LLVMPositionBuilderAtEnd(a->l->builder, to);
        if (!lower_ptx_instruction_now(a))
            return false;
        LLVMBuildBr(a->l->builder, next);
    }
    LLVMPositionBuilderAtEnd(a->l->builder, next);
    return true;
}

bool lower_ptx_flow(struct lower_assembly *a)
{
    LLVMBasicBlockRef targets[PTX_INSTRUCTIONS_MAX + 1] = {NULL};
    for (unsigned i = 0; i < a->ptx.count; i++) {
        const struct ptx_instruction *now = &a->ptx.instructions[i];
        if (now->jumps && !targets[now->target])
            targets[now->target] = new_block(a);
    }
    for (unsigned i = 0; i <= a->ptx.count; i++) {
        if (targets[i]) {
            LLVMBuildBr(a->l->builder, targets[i]);
            LLVMPositionBuilderAtEnd(a->l->builder, targets[i]);
        }
        a->now = i < a->ptx.count ? &a->ptx.instructions[i] : NULL;
        if (a->now && !build_one(a, targets))
            return false;
    }
    return true;
}
