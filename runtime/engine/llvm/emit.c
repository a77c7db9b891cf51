/* The smallest parts of code: constants, registers, fields of the hart, blocks. */
#include "engine/llvm/emit.h"

#define B_ e->builder

LLVMValueRef llvm_emit_const(const struct emitter *e, uint64_t value)
{
    return LLVMConstInt(e->i64, value, false);
}

LLVMValueRef llvm_emit_field(const struct emitter *e, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef index = llvm_emit_const(e, offset);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(B_, e->i8, e->hart, &index, 1, "");
    return LLVMBuildBitCast(B_, at, LLVMPointerType(type, 0), "");
}

LLVMValueRef llvm_emit_get(const struct emitter *e, unsigned reg)
{
    return reg == 0 ? llvm_emit_const(e, 0) : LLVMBuildLoad2(B_, e->i64, e->x[reg], "");
}

void llvm_emit_set(struct emitter *e, unsigned reg, LLVMValueRef value)
{
    if (reg == 0)
        return;
    LLVMBuildStore(B_, value, e->x[reg]);
    e->dirty |= UINT32_C(1) << reg;
}

LLVMBasicBlockRef llvm_emit_new_block(const struct emitter *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

void llvm_emit_unlikely(struct emitter *e, LLVMValueRef condition, LLVMBasicBlockRef cold)
{
    LLVMBasicBlockRef on = llvm_emit_new_block(e, "");
    LLVMValueRef jump = LLVMBuildCondBr(B_, condition, cold, on);
    LLVMMetadataRef weights[] = {
        LLVMMDStringInContext2(e->context, "branch_weights", 14),
        LLVMValueAsMetadata(LLVMConstInt(e->i32, 1, false)),
        LLVMValueAsMetadata(LLVMConstInt(e->i32, 100000, false)),
    };
    LLVMSetMetadata(jump, LLVMGetMDKindIDInContext(e->context, "prof", 4),
                    LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, weights, 3)));
    LLVMPositionBuilderAtEnd(B_, on);
}

bool llvm_emit_is_back(const struct emitter *e, const struct jit_block *from, int32_t to)
{
    const struct jit_block *target = &e->region->blocks[to];
    return target->copy == from->copy && target->pc <= from->pc;
}
