/* -fsanitize=thread: device code tells the emulated GPU of its accesses, which finds data races
 * (gpu/blocks/check.c). A thread's own memory and constants are left out. The pass of LLVM for its
 * ThreadSanitizer is not used, because it leaves out all memory with an address space: that of
 * __shared__ and __device__ variables. */
#include "inside.h"

#include "gpu/abi/abi.h"

#include <string.h>

enum { SPACE_CONSTANT = 4, SPACE_LOCAL = 5, DEPTH_MAX = 64 };

struct checks {
    struct lower *l;
    LLVMTypeRef access_type, at_type, how_type; /* of functions dpk_gpu_check_* */
    unsigned memcpy_id, memmove_id, memset_id;
};

/* Returns true for an address in the thread's own memory, or of a constant. */
static bool is_private(LLVMValueRef address, unsigned depth)
{
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(address));
    const unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    if (space == SPACE_CONSTANT || space == SPACE_LOCAL || LLVMIsAAllocaInst(address))
        return true;
    if (LLVMIsAGlobalVariable(address))
        return LLVMIsGlobalConstant(address);
    if (LLVMIsAArgument(address)) {
        LLVMValueRef function = LLVMGetParamParent(address);
        for (unsigned i = 0; i < LLVMCountParams(function); i++)
            if (LLVMGetParam(function, i) == address)
                return LLVMGetEnumAttributeAtIndex(function, i + 1, kind) != NULL;
        return false;
    }
    const bool passes = LLVMIsAGetElementPtrInst(address) || LLVMIsABitCastInst(address) ||
                        LLVMIsAAddrSpaceCastInst(address) || LLVMIsAConstantExpr(address);
    LLVMValueRef base = passes ? LLVMGetOperand(address, 0) : NULL;
    return base && depth < DEPTH_MAX && LLVMGetTypeKind(LLVMTypeOf(base)) == LLVMPointerTypeKind &&
           is_private(base, depth + 1);
}

static void call(struct checks *c, const char *name, LLVMTypeRef type, LLVMValueRef *arguments,
                 unsigned count)
{
    LLVMValueRef f = lower_declare(c->l, name, type);
    LLVMBuildCall2(c->l->builder, type, f, arguments, count, "");
}

static LLVMValueRef generic(struct checks *c, LLVMValueRef address)
{
    return LLVMBuildPointerCast(c->l->builder, address, c->l->pointer, "");
}

static void tell(struct checks *c, const char *name, LLVMValueRef address, LLVMValueRef size,
                 unsigned how)
{
    LLVMValueRef arguments[] = {generic(c, address),
                                LLVMBuildZExtOrBitCast(c->l->builder, size, c->l->i64, ""),
                                LLVMConstInt(c->l->i32, how, 0)};
    call(c, name, c->access_type, arguments, 3);
}

static LLVMValueRef size_of(struct checks *c, LLVMTypeRef type)
{
    return LLVMConstInt(c->l->i64, LLVMStoreSizeOfType(c->l->layout, type), 0);
}

static unsigned how_of(LLVMAtomicOrdering order)
{
    const bool both = order == LLVMAtomicOrderingAcquireRelease ||
                      order == LLVMAtomicOrderingSequentiallyConsistent;
    return (both || order == LLVMAtomicOrderingRelease ? DPK_GPU_CHECK_RELEASES : 0u) |
           (both || order == LLVMAtomicOrderingAcquire ? DPK_GPU_CHECK_ACQUIRES : 0u);
}

static void check_atomic(struct checks *c, LLVMValueRef i, LLVMValueRef address, LLVMTypeRef type,
                         unsigned how)
{
    tell(c, "dpk_gpu_check_atomic", address, size_of(c, type), how);
    if (!(how & DPK_GPU_CHECK_READS) || !(how & DPK_GPU_CHECK_ACQUIRES))
        return;
    LLVMPositionBuilderBefore(c->l->builder, LLVMGetNextInstruction(i));
    LLVMValueRef at = generic(c, address);
    call(c, "dpk_gpu_check_acquired", c->at_type, &at, 1);
}

/* A volatile access is atomic in CUDA's memory model, without an order. */
static void check_plain(struct checks *c, LLVMValueRef i, LLVMValueRef address, LLVMTypeRef type,
                        unsigned how)
{
    const LLVMAtomicOrdering order = LLVMGetOrdering(i);
    if (order != LLVMAtomicOrderingNotAtomic || LLVMGetVolatile(i))
        check_atomic(c, i, address, type, how | how_of(order));
    else
        tell(c, "dpk_gpu_check_access", address, size_of(c, type), how);
}

static void check_call(struct checks *c, LLVMValueRef i)
{
    LLVMValueRef callee = lower_callee(i);
    const unsigned id = callee ? LLVMGetIntrinsicID(callee) : 0;
    if (lower_calls(i, "free") && LLVMGetNumArgOperands(i) == 1) {
        LLVMValueRef at = generic(c, LLVMGetOperand(i, 0));
        call(c, "dpk_gpu_check_freed", c->at_type, &at, 1);
    }
    const bool copies = id && (id == c->memcpy_id || id == c->memmove_id);
    if (!copies && (!id || id != c->memset_id))
        return;
    LLVMValueRef to = LLVMGetOperand(i, 0), from = LLVMGetOperand(i, 1);
    LLVMValueRef size = LLVMGetOperand(i, 2);
    if (copies && !is_private(from, 0))
        tell(c, "dpk_gpu_check_access", from, size, DPK_GPU_CHECK_READS);
    if (!is_private(to, 0))
        tell(c, "dpk_gpu_check_access", to, size, DPK_GPU_CHECK_WRITES);
}

/* The C interface of LLVM 14 does not give the order of a fence. */
static void check_fence(struct checks *c, LLVMValueRef i)
{
    char *text = LLVMPrintValueToString(i);
    const bool alone = strstr(text, "syncscope(\"singlethread\")") != NULL;
    const LLVMAtomicOrdering order = strstr(text, "fence acquire") ? LLVMAtomicOrderingAcquire
                                     : strstr(text, "fence release")
                                         ? LLVMAtomicOrderingRelease
                                         : LLVMAtomicOrderingSequentiallyConsistent;
    LLVMDisposeMessage(text);
    LLVMValueRef how = LLVMConstInt(c->l->i32, how_of(order), 0);
    if (!alone)
        call(c, "dpk_gpu_check_fence", c->how_type, &how, 1);
}

static void check_change(struct checks *c, LLVMValueRef i, LLVMAtomicOrdering order)
{
    LLVMValueRef address = LLVMGetOperand(i, 0);
    if (!is_private(address, 0))
        check_atomic(c, i, address, LLVMTypeOf(LLVMGetOperand(i, 1)),
                     DPK_GPU_CHECK_READS | DPK_GPU_CHECK_WRITES | how_of(order));
}

static void check_instruction(struct checks *c, LLVMValueRef i)
{
    LLVMPositionBuilderBefore(c->l->builder, i);
    LLVMSetCurrentDebugLocation2(c->l->builder, LLVMInstructionGetDebugLoc(i));
    if (LLVMIsALoadInst(i)) {
        if (!is_private(LLVMGetOperand(i, 0), 0))
            check_plain(c, i, LLVMGetOperand(i, 0), LLVMTypeOf(i), DPK_GPU_CHECK_READS);
    } else if (LLVMIsAStoreInst(i)) {
        if (!is_private(LLVMGetOperand(i, 1), 0))
            check_plain(c, i, LLVMGetOperand(i, 1), LLVMTypeOf(LLVMGetOperand(i, 0)),
                        DPK_GPU_CHECK_WRITES);
    } else if (LLVMIsAAtomicRMWInst(i)) {
        check_change(c, i, LLVMGetOrdering(i));
    } else if (LLVMIsAAtomicCmpXchgInst(i)) {
        check_change(c, i, LLVMGetCmpXchgSuccessOrdering(i));
    } else if (LLVMIsAFenceInst(i)) {
        check_fence(c, i);
    } else if (LLVMIsACallInst(i)) {
        check_call(c, i);
    }
}

/* The calls change memory that the attributes of a function may exclude. */
static void strip_attributes(LLVMValueRef f)
{
    static const char *const names[] = {
        "readnone", "readonly",    "writeonly", "argmemonly", "inaccessiblememonly",
        "memory",   "speculatable"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        if (kind)
            LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
    }
}

static void check_function(struct checks *c, LLVMValueRef f)
{
    strip_attributes(f);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            check_instruction(c, i);
        }
}

bool lower_checks(struct lower *l)
{
    static const char wrapper[] = "__dpk_gpu_run_"; /* reads the kernel's arguments */
    LLVMTypeRef access[] = {l->pointer, l->i64, l->i32};
    struct checks c = {.l = l,
                       .access_type = LLVMFunctionType(l->nothing, access, 3, 0),
                       .at_type = LLVMFunctionType(l->nothing, &l->pointer, 1, 0),
                       .how_type = LLVMFunctionType(l->nothing, &l->i32, 1, 0),
                       .memcpy_id = LLVMLookupIntrinsicID("llvm.memcpy", 11),
                       .memmove_id = LLVMLookupIntrinsicID("llvm.memmove", 12),
                       .memset_id = LLVMLookupIntrinsicID("llvm.memset", 11)};
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f && l->request->races;
         f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && strncmp(lower_name(f), wrapper, sizeof wrapper - 1) != 0)
            check_function(&c, f);
    return true;
}
