#include "inside.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <string.h>

static bool read_module(struct lower *l)
{
    LLVMMemoryBufferRef buffer = NULL;
    char *text = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(l->request->bitcode, &buffer, &text) != 0) {
        lower_fail(l, NULL, "%s: %s", l->request->bitcode, text);
        LLVMDisposeMessage(text);
        return false;
    }
    const bool good = LLVMParseBitcodeInContext2(l->context, buffer, &l->module) == 0;
    LLVMDisposeMemoryBuffer(buffer);
    return good || lower_fail(l, NULL, "%s: clang and the LLVM of dpacu are of different versions",
                              l->request->bitcode);
}

static bool make_machine(struct lower *l)
{
    char *triple = LLVMGetDefaultTargetTriple(), *text = NULL;
    LLVMTargetRef target = NULL;
    static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                                 LLVMCodeGenLevelDefault,
                                                 LLVMCodeGenLevelAggressive};
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    if (LLVMGetTargetFromTriple(triple, &target, &text) == 0)
        l->machine = LLVMCreateTargetMachine(target, triple, "", "", levels[l->request->level % 4],
                                             LLVMRelocPIC, LLVMCodeModelDefault);
    if (l->machine) {
        l->layout = LLVMCreateTargetDataLayout(l->machine);
        LLVMSetTarget(l->module, triple);
        LLVMSetModuleDataLayout(l->module, l->layout);
    } else {
        lower_fail(l, NULL, "LLVM: %s", text ? text : "no code for this processor");
    }
    LLVMDisposeMessage(text);
    LLVMDisposeMessage(triple);
    return l->machine != NULL;
}

static void make_types(struct lower *l)
{
    l->builder = LLVMCreateBuilderInContext(l->context);
    l->i8 = LLVMInt8TypeInContext(l->context);
    l->i32 = LLVMInt32TypeInContext(l->context);
    l->i64 = LLVMInt64TypeInContext(l->context);
    l->nothing = LLVMVoidTypeInContext(l->context);
    l->pointer = LLVMPointerType(l->i8, 0);
    LLVMTypeRef parameters[] = {l->pointer, LLVMPointerType(l->pointer, 0)};
    l->code = LLVMFunctionType(l->nothing, parameters, 2, 0);
}

/* Attributes that clang has for NVIDIA's processors. */
static void strip_attributes(struct lower *l)
{
    static const char *const names[] = {"target-cpu", "target-features", "frame-pointer",
                                        "nvvm.annotations_transplanted", "uniform-work-group-size"};
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                             names[i], (unsigned)strlen(names[i]));
}

static bool write_object(struct lower *l)
{
    char *text = NULL;
    if (LLVMTargetMachineEmitToFile(l->machine, l->module, (char *)(uintptr_t)l->request->object,
                                    LLVMObjectFile, &text) == 0)
        return true;
    lower_fail(l, NULL, "%s: %s", l->request->object, text);
    LLVMDisposeMessage(text);
    return false;
}

static bool optimise(struct lower *l)
{
    static const char *const passes[] = {"always-inline", "default<O1>", "default<O2>",
                                         "default<O3>"};
    return lower_runs_passes(l, passes[l->request->level % 4]);
}

/* Since LLVM 18 the pass without options ends the process if one iteration does not reach the
 * fixpoint. */
#if LLVM_VERSION_MAJOR >= 18
#define COMBINE "instcombine<no-verify-fixpoint>"
#else
#define COMBINE "instcombine"
#endif

/* Inlines small functions first, so that later steps see everything that a kernel does. */
static bool inline_first(struct lower *l)
{
    return lower_runs_passes(l, l->request->level
                                    ? "function(sroa,early-cse,simplifycfg),cgscc(inline),"
                                      "function(sroa,early-cse," COMBINE ",simplifycfg)"
                                    : "always-inline");
}

enum dpk_status lower_object(const struct lower_request *request, struct dpk_error *err)
{
    struct lower l = {.request = request, .err = err, .context = LLVMContextCreate()};
    bool good = read_module(&l) && make_machine(&l);
    if (good) {
        make_types(&l);
        strip_attributes(&l);
        good = lower_find_kernels(&l) && lower_ptx(&l) && lower_rename(&l) && lower_wrappers(&l) &&
               lower_address_mark(&l) && inline_first(&l) && lower_checks(&l) && lower_polls(&l) &&
               lower_runs_passes(&l, "always-inline") && lower_wholes(&l) && lower_shared(&l) &&
               lower_registers(&l) && lower_table(&l) && optimise(&l) && lower_address_checks(&l) &&
               write_object(&l);
    }
    const char *dump = getenv("DPACU_DUMP");
    if (dump && l.module)
        LLVMPrintModuleToFile(l.module, dump, NULL);
    for (size_t i = 0; i < l.kernel_count; i++) {
        free(l.kernels[i].name);
        free(l.kernels[i].sizes);
    }
    free(l.kernels);
    if (l.lines)
        LLVMDisposeDIBuilder(l.lines);
    if (l.builder)
        LLVMDisposeBuilder(l.builder);
    if (l.layout)
        LLVMDisposeTargetData(l.layout);
    if (l.module)
        LLVMDisposeModule(l.module);
    if (l.machine)
        LLVMDisposeTargetMachine(l.machine);
    LLVMContextDispose(l.context);
    return good ? DPK_OK : err->status;
}
