/* Registers of a thread: members of struct dpk_gpu_thread. The headers declare a function for each
 * member. Its name has the member's size and offset: __dpk_gpu_u32_0() is threadIdx.x. */
#include "inside.h"

#include "gpu/abi/abi.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

LLVMValueRef lower_member(struct lower *l, LLVMValueRef self, unsigned offset, LLVMTypeRef type)
{
    LLVMValueRef index = LLVMConstInt(l->i64, offset, 0);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(l->builder, l->i8, self, &index, 1, "");
    at = LLVMBuildPointerCast(l->builder, at, LLVMPointerType(type, 0), "");
    return LLVMBuildLoad2(l->builder, type, at, "");
}

static LLVMValueRef self_variable(struct lower *l)
{
    LLVMValueRef self = LLVMGetNamedGlobal(l->module, "dpk_gpu_self");
    if (!self) {
        self = LLVMAddGlobal(l->module, l->pointer, "dpk_gpu_self");
        LLVMSetThreadLocalMode(self, LLVMInitialExecTLSModel);
    }
    return self;
}

/* Moves the builder after the allocas of a function, which must stay first, because optimisers look
 * for them there. */
static void go_to_beginning(struct lower *l, LLVMValueRef function)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(l->builder, first);
}

LLVMValueRef lower_self(struct lower *l, LLVMValueRef function)
{
    LLVMValueRef variable = self_variable(l);
    go_to_beginning(l, function);
    LLVMSetCurrentDebugLocation2(l->builder, NULL);
    return LLVMBuildLoad2(l->builder, l->pointer, variable, "self");
}

bool lower_register_of(LLVMValueRef instruction, unsigned *offset)
{
    const char *name = lower_name(lower_callee(instruction));
    char *end = NULL;
    if (strncmp(name, "__dpk_gpu_u32_", 14) != 0 && strncmp(name, "__dpk_gpu_u64_", 14) != 0)
        return false;
    const unsigned long value = strtoul(name + 14, &end, 10);
    if (*end || value + 4 > sizeof(struct dpk_gpu_thread))
        return false;
    *offset = (unsigned)value;
    return true;
}

/* Loads each member once, at the beginning of the function. */
static void load_registers(struct lower *l, LLVMValueRef function)
{
    LLVMValueRef self = NULL, loaded[sizeof(struct dpk_gpu_thread)] = {NULL};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            unsigned offset;
            next = LLVMGetNextInstruction(i);
            if (!lower_register_of(i, &offset))
                continue;
            if (!self)
                self = lower_self(l, function);
            if (!loaded[offset]) {
                LLVMPositionBuilderBefore(l->builder, LLVMGetNextInstruction(self));
                loaded[offset] = lower_member(l, self, offset, LLVMTypeOf(i));
            }
            LLVMReplaceAllUsesWith(i, loaded[offset]);
            LLVMInstructionEraseFromParent(i);
        }
}

bool lower_registers(struct lower *l)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            load_registers(l, f);
    return true;
}

/* ---- Polls ---- */

/* Counts a poll; calls dpk_gpu_yield after many. */
static LLVMValueRef make_poll(struct lower *l)
{
    LLVMTypeRef type = LLVMFunctionType(l->nothing, NULL, 0, 0);
    LLVMValueRef poll = LLVMAddFunction(l->module, "__dpk_gpu_poll", type);
    LLVMSetLinkage(poll, LLVMInternalLinkage);
    const unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMAddAttributeAtIndex(poll, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(l->context, kind, 0));
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(l->context, poll, "");
    LLVMBasicBlockRef many = LLVMAppendBasicBlockInContext(l->context, poll, "");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(l->context, poll, "");
    LLVMSetCurrentDebugLocation2(l->builder, NULL);
    LLVMPositionBuilderAtEnd(l->builder, entry);
    LLVMValueRef self = LLVMBuildLoad2(l->builder, l->pointer, self_variable(l), "");
    LLVMValueRef index = LLVMConstInt(l->i64, offsetof(struct dpk_gpu_thread, polls), 0);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(l->builder, l->i8, self, &index, 1, "");
    at = LLVMBuildPointerCast(l->builder, at, LLVMPointerType(l->i32, 0), "");
    LLVMValueRef left = LLVMBuildLoad2(l->builder, l->i32, at, "");
    left = LLVMBuildSub(l->builder, left, LLVMConstInt(l->i32, 1, 0), "");
    LLVMBuildStore(l->builder, left, at);
    LLVMBuildCondBr(l->builder,
                    LLVMBuildICmp(l->builder, LLVMIntSLT, left, LLVMConstNull(l->i32), ""), many,
                    end);
    LLVMPositionBuilderAtEnd(l->builder, many);
    LLVMBuildCall2(l->builder, type, lower_declare(l, "dpk_gpu_yield", type), NULL, 0, "");
    LLVMBuildBr(l->builder, end);
    LLVMPositionBuilderAtEnd(l->builder, end);
    LLVMBuildRetVoid(l->builder);
    return poll;
}

/* A loop may wait for another thread by these instructions. */
static bool may_poll(LLVMValueRef i)
{
    if (LLVMIsALoadInst(i))
        return LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    return LLVMIsAAtomicCmpXchgInst(i) || (LLVMIsAAtomicRMWInst(i) && LLVMGetFirstUse(i));
}

bool lower_polls(struct lower *l)
{
    LLVMValueRef poll = NULL;
    LLVMTypeRef type = LLVMFunctionType(l->nothing, NULL, 0, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && f != poll;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (!may_poll(i))
                    continue;
                if (!poll)
                    poll = make_poll(l);
                LLVMPositionBuilderBefore(l->builder, LLVMGetNextInstruction(i));
                LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(i));
                LLVMBuildCall2(l->builder, type, poll, NULL, 0, "");
            }
    return true;
}
