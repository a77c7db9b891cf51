/* -fsanitize=address: LLVM's pass checks accesses to memory and puts red zones around variables of a
 * stack; red zones between variables in shared memory are told to the emulated GPU
 * (gpu/blocks/address.c). */
#include "inside.h"

#include <llvm-c/Support.h>

#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <string.h>

enum { SPACE_GLOBAL = 1, SPACE_CONSTANT = 4 };

bool lower_address_mark(struct lower *l)
{
    static const char name[] = "sanitize_address";
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f && l->request->address;
         f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(l->context, kind, 0));
    return true;
}

void lower_address_zones(struct lower *l, LLVMValueRef run, const uint32_t *zones, unsigned count)
{
    enum { NUMBERS_MAX = 2 * LOWER_ZONES_MAX };
    LLVMValueRef numbers[NUMBERS_MAX];
    LLVMTypeRef parameters[] = {LLVMPointerType(l->i32, 0), l->i32};
    LLVMTypeRef type = LLVMFunctionType(l->nothing, parameters, 2, 0);
    for (unsigned i = 0; i < 2 * count; i++)
        numbers[i] = LLVMConstInt(l->i32, zones[i], 0);
    LLVMValueRef list = LLVMConstArray(l->i32, numbers, 2 * count);
    LLVMValueRef table = LLVMAddGlobal(l->module, LLVMTypeOf(list), "");
    LLVMSetInitializer(table, list);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(table, 1);
    LLVMValueRef arguments[] = {LLVMConstBitCast(table, parameters[0]),
                                LLVMConstInt(l->i32, count, 0)};
    lower_self(l, run); /* goes to the beginning */
    LLVMBuildCall2(l->builder, type, lower_declare(l, "dpk_gpu_address_zones", type), arguments, 2,
                   "");
}

/* The pass leaves out addresses with an address space: that of __shared__ and __device__. */
static void cast_operand(struct lower *l, LLVMValueRef i, unsigned operand)
{
    LLVMValueRef at = LLVMGetOperand(i, operand);
    LLVMTypeRef type = LLVMTypeOf(at);
    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind || !LLVMGetPointerAddressSpace(type))
        return;
    LLVMPositionBuilderBefore(l->builder, i);
    LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(i));
#if LLVM_VERSION_MAJOR >= 15
    LLVMTypeRef plain = l->pointer;
#else
    LLVMTypeRef plain = LLVMPointerType(LLVMGetElementType(type), 0);
#endif
    LLVMSetOperand(i, operand, LLVMBuildAddrSpaceCast(l->builder, at, plain, ""));
}

static void cast_addresses(struct lower *l, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
                cast_operand(l, i, 0);
            else if (LLVMIsAStoreInst(i))
                cast_operand(l, i, 1);
        }
}

/* Makes a variable of __device__ or __constant__ a plain one: the pass puts no red zone behind others. */
static void make_plain(struct lower *l, LLVMValueRef g)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(g);
    LLVMValueRef plain = LLVMAddGlobal(l->module, type, "");
    LLVMSetInitializer(plain, LLVMGetInitializer(g));
    LLVMSetLinkage(plain, LLVMGetLinkage(g));
    LLVMSetVisibility(plain, LLVMGetVisibility(g));
    LLVMSetAlignment(plain, LLVMGetAlignment(g));
    LLVMReplaceAllUsesWith(g, LLVMConstAddrSpaceCast(plain, LLVMTypeOf(g)));
    size_t size = 0;
    char *name = strdup(LLVMGetValueName2(g, &size));
    LLVMDeleteGlobal(g);
    if (name)
        LLVMSetValueName2(plain, name, size);
    free(name);
}

static void make_all_plain(struct lower *l)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module), next; g; g = next) {
        const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(g));
        next = LLVMGetNextGlobal(g);
        if (!LLVMIsDeclaration(g) && (space == SPACE_GLOBAL || space == SPACE_CONSTANT))
            make_plain(l, g);
    }
}

bool lower_address_checks(struct lower *l)
{
    /* The pass has no parameter for it: variables of a thread stay on its own stack, where reports find
     * them, and are not copied to memory that AddressSanitizer keeps for functions that returned. */
    static const char *const options[] = {"dpacu", "-asan-use-after-return=never"};
    if (!l->request->address)
        return true;
    LLVMParseCommandLineOptions(2, options, NULL);
    make_all_plain(l);
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        cast_addresses(l, f);
#if LLVM_VERSION_MAJOR >= 15
    return lower_runs_passes(l, "asan");
#else
    return lower_runs_passes(l, "require<asan-globals-md>,asan-module");
#endif
}
