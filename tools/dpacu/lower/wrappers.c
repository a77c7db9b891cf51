/* Functions that the emulated GPU calls. The first runs a thread of a kernel. For kernels whose
 * threads do not wait for each other, the second runs all threads of a block in loops, which the
 * compiler can vectorise. */
#include "inside.h"

#include "gpu/abi/abi.h"

#include <stdlib.h>
#include <string.h>

static void set_attribute(struct lower *l, LLVMValueRef f, const char *name, bool on)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    const LLVMAttributeIndex where = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    if (on)
        LLVMAddAttributeAtIndex(f, where, LLVMCreateEnumAttribute(l->context, kind, 0));
    else
        LLVMRemoveEnumAttributeAtIndex(f, where, kind);
}

/* Starts the debug information of the wrappers. */
static LLVMDIBuilderRef lines_of(struct lower *l, LLVMMetadataRef file)
{
    static const char producer[] = "dpacu";
    if (!l->lines) {
        l->lines = LLVMCreateDIBuilderDisallowUnresolved(l->module);
        LLVMDIBuilderCreateCompileUnit(l->lines, LLVMDWARFSourceLanguageC_plus_plus, file, producer,
                                       sizeof producer - 1, 1, "", 0, 0, "", 0,
                                       LLVMDWARFEmissionLineTablesOnly, 0, 0, 0, "", 0, "", 0);
    }
    return l->lines;
}

/* The kernel's code is inlined into the wrapper, and keeps its lines only if the wrapper has one. */
static void give_line(struct lower *l, const struct lower_kernel *k, LLVMValueRef wrapper)
{
    LLVMMetadataRef program = LLVMGetSubprogram(k->function);
    LLVMSetCurrentDebugLocation2(l->builder, NULL);
    if (!program)
        return;
    LLVMMetadataRef file = LLVMDIScopeGetFile(program);
    LLVMDIBuilderRef lines = lines_of(l, file);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(lines, file, NULL, 0, LLVMDIFlagZero);
    const unsigned line = LLVMDISubprogramGetLine(program);
    LLVMMetadataRef ours =
        LLVMDIBuilderCreateFunction(lines, file, k->name, strlen(k->name), "", 0, file, line, type,
                                    1, 1, line, LLVMDIFlagArtificial, l->request->level > 0);
    LLVMSetSubprogram(wrapper, ours);
    LLVMSetCurrentDebugLocation2(l->builder,
                                 LLVMDIBuilderCreateDebugLocation(l->context, line, 0, ours, NULL));
}

static LLVMValueRef new_function(struct lower *l, const struct lower_kernel *k, const char *what)
{
    char name[4096];
    snprintf(name, sizeof name, "__dpk_gpu_%s_%s", what, k->name);
    LLVMValueRef f = LLVMAddFunction(l->module, name, l->code);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    set_attribute(l, f, "nounwind", true);
    LLVMAppendBasicBlockInContext(l->context, f, "entry");
    LLVMPositionBuilderAtEnd(l->builder, LLVMGetEntryBasicBlock(f));
    give_line(l, k, f);
    return f;
}

/* Returns the type that is passed by value in memory, or NULL. */
static LLVMTypeRef by_value(LLVMValueRef function, unsigned parameter)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(function, parameter + 1, kind);
    return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

/* Loads the arguments of a kernel. */
static bool load_arguments(struct lower *l, const struct lower_kernel *k, LLVMValueRef wrapper,
                           LLVMValueRef *out)
{
    const unsigned count = LLVMCountParams(k->function);
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(k->function, i));
        LLVMValueRef index = LLVMConstInt(l->i64, i, 0);
        LLVMValueRef at =
            LLVMBuildInBoundsGEP2(l->builder, l->pointer, LLVMGetParam(wrapper, 1), &index, 1, "");
        at = LLVMBuildLoad2(l->builder, l->pointer, at, "");
        if (by_value(k->function, i)) {
            out[i] = LLVMBuildPointerCast(l->builder, at, type, "");
        } else if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1) {
            out[i] =
                LLVMBuildTrunc(l->builder, LLVMBuildLoad2(l->builder, l->i8, at, ""), type, "");
        } else {
            at = LLVMBuildPointerCast(l->builder, at, LLVMPointerType(type, 0), "");
            out[i] = LLVMBuildLoad2(l->builder, type, at, "");
        }
    }
    return true;
}

static void call_kernel(struct lower *l, const struct lower_kernel *k, LLVMValueRef *arguments)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(k->function);
    const unsigned count = LLVMCountParams(k->function);
    LLVMValueRef call = LLVMBuildCall2(l->builder, type, k->function, arguments, count, "");
    const unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef value = by_value(k->function, i);
        if (value)
            LLVMAddCallSiteAttribute(call, i + 1, LLVMCreateTypeAttribute(l->context, kind, value));
    }
}

static bool note_sizes(struct lower *l, struct lower_kernel *k)
{
    k->parameters = LLVMCountParams(k->function);
    k->sizes = calloc(k->parameters + 1, sizeof *k->sizes);
    for (unsigned i = 0; i < k->parameters && k->sizes; i++) {
        LLVMTypeRef type = by_value(k->function, i);
        if (!type)
            type = LLVMTypeOf(LLVMGetParam(k->function, i));
        k->sizes[i] = (uint32_t)LLVMABISizeOfType(l->layout, type);
    }
    return k->sizes || lower_fail(l, NULL, "out of memory");
}

static bool make_run(struct lower *l, struct lower_kernel *k)
{
    if (!note_sizes(l, k))
        return false;
    set_attribute(l, k->function, "alwaysinline", false);
    set_attribute(l, k->function, "noinline", true);
    LLVMValueRef *arguments = calloc(LLVMCountParams(k->function) + 1, sizeof(LLVMValueRef));
    if (!arguments)
        return lower_fail(l, NULL, "out of memory");
    k->run = new_function(l, k, "run");
    load_arguments(l, k, k->run, arguments);
    call_kernel(l, k, arguments);
    LLVMBuildRetVoid(l->builder);
    free(arguments);
    return true;
}

/* ---- Whole blocks ---- */

static bool has_attribute(LLVMValueRef f, const char *name, uint64_t *value)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef a =
        kind ? LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind)
             : NULL;
    if (a)
        *value = LLVMGetEnumAttributeValue(a);
    return a != NULL;
}

/* Returns true for a function of the C library without side effects. */
static bool is_plain(LLVMValueRef callee)
{
    uint64_t effects = 0;
    if (strcmp(lower_name(callee), "dpk_gpu_vprintf") == 0)
        return true;
    return has_attribute(callee, "readnone", &effects) ||
           (has_attribute(callee, "memory", &effects) && effects == 0);
}

static bool is_whole(LLVMValueRef function, unsigned depth);

static bool is_harmless(LLVMValueRef i, unsigned depth)
{
    unsigned offset;
    if (LLVMIsALoadInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    if (LLVMIsAAtomicCmpXchgInst(i))
        return false;
    if (LLVMIsAAtomicRMWInst(i))
        return !LLVMGetFirstUse(i);
    if (!LLVMIsACallInst(i))
        return !LLVMIsAInvokeInst(i);
    LLVMValueRef callee = lower_callee(i);
    if (!callee)
        return false;
    if (LLVMGetIntrinsicID(callee))
        return strcmp(lower_name(callee), "llvm.trap") != 0;
    if (lower_register_of(i, &offset))
        return depth == 0; /* a called function would read a single thread's registers */
    if (LLVMIsDeclaration(callee))
        return is_plain(callee);
    return depth < 8 && is_whole(callee, depth + 1);
}

static bool is_whole(LLVMValueRef function, unsigned depth)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (!is_harmless(i, depth))
                return false;
    return true;
}

bool lower_is_whole(LLVMValueRef function)
{
    return is_whole(function, 0);
}

/* A loop: `number` counts up from the first value to the end. */
struct loop {
    LLVMBasicBlockRef before, head, body, after;
    LLVMValueRef number;
};

/* Begins a loop; the builder is then in its body. */
static void begin_loop(struct lower *l, LLVMValueRef f, LLVMValueRef from, LLVMValueRef end,
                       struct loop *out)
{
    out->before = LLVMGetInsertBlock(l->builder);
    out->head = LLVMAppendBasicBlockInContext(l->context, f, "head");
    out->body = LLVMAppendBasicBlockInContext(l->context, f, "body");
    out->after = LLVMAppendBasicBlockInContext(l->context, f, "after");
    LLVMBuildBr(l->builder, out->head);
    LLVMPositionBuilderAtEnd(l->builder, out->head);
    out->number = LLVMBuildPhi(l->builder, l->i32, "");
    LLVMAddIncoming(out->number, &from, &out->before, 1);
    LLVMValueRef more = LLVMBuildICmp(l->builder, LLVMIntULT, out->number, end, "");
    LLVMBuildCondBr(l->builder, more, out->body, out->after);
    LLVMPositionBuilderAtEnd(l->builder, out->body);
}

static void end_loop(struct lower *l, struct loop *loop, unsigned step)
{
    LLVMBasicBlockRef last = LLVMGetInsertBlock(l->builder);
    LLVMValueRef next =
        LLVMBuildNUWAdd(l->builder, loop->number, LLVMConstInt(l->i32, step, 0), "");
    LLVMBuildBr(l->builder, loop->head);
    LLVMAddIncoming(loop->number, &next, &last, 1);
    LLVMPositionBuilderAtEnd(l->builder, loop->after);
}

/* Notes the first thread of a row of at most 32, for reports of faults. */
static void note_thread(struct lower *l, LLVMValueRef self, const LLVMValueRef tid[3])
{
    for (unsigned i = 0; i < 3; i++) {
        LLVMValueRef index = LLVMConstInt(l->i64, 4 * i, 0);
        LLVMValueRef at = LLVMBuildInBoundsGEP2(l->builder, l->i8, self, &index, 1, "");
        at = LLVMBuildPointerCast(l->builder, at, LLVMPointerType(l->i32, 0), "");
        LLVMSetVolatile(LLVMBuildStore(l->builder, tid[i], at), 1);
    }
}

enum { TID = offsetof(struct dpk_gpu_thread, tid), NTID = offsetof(struct dpk_gpu_thread, ntid) };
enum { REGISTERS = sizeof(struct dpk_gpu_thread) };

/* Computes, in the innermost body, the registers whose values differ from thread to thread. */
static void compute_registers(struct lower *l, const LLVMValueRef tid[3], const LLVMValueRef n[3],
                              LLVMValueRef *out)
{
    LLVMValueRef rows = LLVMBuildMul(l->builder, tid[2], n[1], "");
    rows = LLVMBuildAdd(l->builder, rows, tid[1], "");
    LLVMValueRef linear = LLVMBuildMul(l->builder, rows, n[0], "");
    linear = LLVMBuildAdd(l->builder, linear, tid[0], "");
    for (unsigned i = 0; i < 3; i++)
        out[TID + 4 * i] = tid[i];
    out[offsetof(struct dpk_gpu_thread, lane)] =
        LLVMBuildAnd(l->builder, linear, LLVMConstInt(l->i32, 31, 0), "");
    out[offsetof(struct dpk_gpu_thread, warp)] =
        LLVMBuildLShr(l->builder, linear, LLVMConstInt(l->i32, 5, 0), "");
}

static void minimum(struct lower *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef *out)
{
    *out = LLVMBuildSelect(l->builder, LLVMBuildICmp(l->builder, LLVMIntULT, a, b, ""), a, b, "");
}

/* Makes the loops. The innermost loop calls the kernel. `registers` receives the values that the
 * kernel's inlined code uses. */
static bool build_whole(struct lower *l, struct lower_kernel *k, LLVMValueRef *registers)
{
    LLVMValueRef *arguments = calloc(LLVMCountParams(k->function) + 1, sizeof(LLVMValueRef));
    if (!arguments)
        return lower_fail(l, NULL, "out of memory");
    k->whole = new_function(l, k, "whole");
    LLVMValueRef self = LLVMGetParam(k->whole, 0), zero = LLVMConstNull(l->i32), n[3], end;
    load_arguments(l, k, k->whole, arguments);
    for (unsigned i = 0; i < 3; i++)
        n[i] = lower_member(l, self, NTID + 4 * i, l->i32);
    struct loop z, y, row, x;
    begin_loop(l, k->whole, zero, n[2], &z);
    begin_loop(l, k->whole, zero, n[1], &y);
    begin_loop(l, k->whole, zero, n[0], &row);
    const LLVMValueRef first[3] = {row.number, y.number, z.number};
    note_thread(l, self, first);
    end = LLVMBuildAdd(l->builder, row.number, LLVMConstInt(l->i32, 32, 0), "");
    minimum(l, end, n[0], &end);
    begin_loop(l, k->whole, row.number, end, &x);
    const LLVMValueRef tid[3] = {x.number, y.number, z.number};
    compute_registers(l, tid, n, registers);
    call_kernel(l, k, arguments);
    end_loop(l, &x, 1);
    end_loop(l, &row, 32);
    end_loop(l, &y, 1);
    end_loop(l, &z, 1);
    LLVMBuildRetVoid(l->builder);
    free(arguments);
    return true;
}

static void replace_registers(struct lower *l, LLVMValueRef whole, const LLVMValueRef *registers)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(whole); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            unsigned offset;
            next = LLVMGetNextInstruction(i);
            if (!lower_register_of(i, &offset) || !registers[offset])
                continue;
            LLVMReplaceAllUsesWith(i, registers[offset]);
            LLVMInstructionEraseFromParent(i);
        }
    (void)l;
}

bool lower_wholes(struct lower *l)
{
    LLVMValueRef(*registers)[REGISTERS] = calloc(l->kernel_count + 1, sizeof *registers);
    bool good = registers || lower_fail(l, NULL, "out of memory");
    for (size_t i = 0; i < l->kernel_count && good; i++)
        if (l->request->level && !l->request->address && is_whole(l->kernels[i].function, 0))
            good = build_whole(l, &l->kernels[i], registers[i]);
    for (size_t i = 0; i < l->kernel_count; i++) {
        set_attribute(l, l->kernels[i].function, "noinline", false);
        set_attribute(l, l->kernels[i].function, "optnone", false);
        set_attribute(l, l->kernels[i].function, "alwaysinline", true);
    }
    good = good && lower_runs_passes(l, "always-inline");
    for (size_t i = 0; i < l->kernel_count && good; i++)
        if (l->kernels[i].whole)
            replace_registers(l, l->kernels[i].whole, registers[i]);
    free(registers);
    if (l->lines)
        LLVMDIBuilderFinalize(l->lines);
    return good;
}

bool lower_wrappers(struct lower *l)
{
    bool good = true;
    for (size_t i = 0; i < l->kernel_count && good; i++)
        good = make_run(l, &l->kernels[i]);
    return good;
}
