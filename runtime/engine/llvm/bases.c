/* An access is to the host's base + a guest address. If the address is a sum with a part that is
 * constant in the region, that part is added to the base once, at the region's entry. Then a single
 * host instruction reaches an element of a table by its index: base + part, index. The check before
 * still uses the guest address. */
#include "engine/llvm/emit.h"

static bool is_in(LLVMValueRef value, LLVMBasicBlockRef block)
{
    return LLVMIsAInstruction(value) != NULL && LLVMGetInstructionParent(value) == block;
}

/* Returns whether `value` is a sum of two parts, in any order. */
static bool is_sum(LLVMValueRef value, LLVMValueRef part[2])
{
    if (LLVMIsAInstruction(value) == NULL || LLVMGetInstructionOpcode(value) != LLVMAdd)
        return false;
    part[0] = LLVMGetOperand(value, 0);
    part[1] = LLVMGetOperand(value, 1);
    return true;
}

static LLVMValueRef add_to(const struct emitter *e, LLVMValueRef pointer, LLVMValueRef by)
{
    return LLVMBuildGEP2(e->builder, e->i8, pointer, &by, 1, "");
}

/* Shares the base of `at`, which is a pointer into guest memory. */
static void share_base(const struct emitter *e, LLVMValueRef at, LLVMBasicBlockRef entry)
{
    LLVMValueRef part[2], inner[2], constant = NULL;
    if (LLVMGetNumOperands(at) != 2 || LLVMGetOperand(at, 0) != e->symbols[JIT_BASE] ||
        !is_sum(LLVMGetOperand(at, 1), part))
        return;
    if (LLVMIsAConstantInt(part[1]) != NULL && is_sum(part[0], inner)) {
        constant = part[1];
        part[0] = inner[0];
        part[1] = inner[1];
    }
    const unsigned same = is_in(part[0], entry) ? 0 : 1;
    if (!is_in(part[same], entry) || is_in(part[1 - same], entry) ||
        LLVMIsAConstantInt(part[1 - same]) != NULL)
        return;
    LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(entry));
    LLVMValueRef base = add_to(e, e->symbols[JIT_BASE], part[same]);
    LLVMPositionBuilderBefore(e->builder, at);
    LLVMValueRef to = add_to(e, base, part[1 - same]);
    if (constant != NULL)
        to = add_to(e, to, constant);
    LLVMReplaceAllUsesWith(at, to);
    LLVMInstructionEraseFromParent(at);
}

void llvm_bases_share(const struct emitter *e)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(e->function);
    for (LLVMBasicBlockRef block = LLVMGetNextBasicBlock(entry); block != NULL;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i != NULL; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMGetInstructionOpcode(i) == LLVMGetElementPtr)
                share_base(e, i, entry);
        }
}
