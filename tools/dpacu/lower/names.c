/* Finds kernels, and renames functions of device code, because the host code of the same object has
 * functions with the same names. */
#include "inside.h"

#include <dlfcn.h>
#include <llvm-c/Comdat.h>
#include <stdlib.h>
#include <string.h>

/* Finds the kernel of a function, or adds it. */
static struct lower_kernel *kernel_of(struct lower *l, LLVMValueRef function)
{
    for (size_t i = 0; i < l->kernel_count; i++)
        if (l->kernels[i].function == function)
            return &l->kernels[i];
    if (l->kernel_count == KERNELS_MAX)
        return NULL;
    if (!l->kernels && !(l->kernels = calloc(KERNELS_MAX, sizeof *l->kernels)))
        return NULL;
    struct lower_kernel *k = &l->kernels[l->kernel_count];
    k->name = strdup(lower_name(function));
    if (!k->name)
        return NULL;
    k->function = function;
    l->kernel_count++;
    return k;
}

/* Reads an annotation: function, name, value. */
static bool read_annotation(struct lower *l, LLVMValueRef node)
{
    LLVMValueRef parts[3];
    if (LLVMGetMDNodeNumOperands(node) != 3)
        return true;
    LLVMGetMDNodeOperands(node, parts);
    unsigned size = 0;
    const char *what = LLVMGetMDString(parts[1], &size);
    LLVMValueRef function = parts[0] ? LLVMIsAFunction(parts[0]) : NULL;
    if (!what || !function || !LLVMIsAConstantInt(parts[2]) || LLVMIsDeclaration(function))
        return true;
    const bool is_kernel = strcmp(what, "kernel") == 0, is_bound = strcmp(what, "maxntidx") == 0;
    if (!is_kernel && !is_bound)
        return true;
    struct lower_kernel *k = kernel_of(l, function);
    if (!k)
        return lower_fail(l, NULL, "more than %d kernels in a source, or no memory", KERNELS_MAX);
    if (is_bound)
        k->max_threads = (uint32_t)LLVMConstIntGetZExtValue(parts[2]);
    return true;
}

bool lower_find_kernels(struct lower *l)
{
    static const char name[] = "nvvm.annotations";
    const unsigned count = LLVMGetNamedMetadataNumOperands(l->module, name);
    LLVMValueRef *nodes = calloc(count + 1, sizeof *nodes);
    bool good = nodes || lower_fail(l, NULL, "out of memory");
    if (nodes)
        LLVMGetNamedMetadataOperands(l->module, name, nodes);
    for (unsigned i = 0; i < count && good; i++)
        good = read_annotation(l, nodes[i]);
    free(nodes);
    return good;
}

static const struct {
    const char *from, *to;
} runtime_names[] = {
    {"vprintf", "dpk_gpu_vprintf"},
    {"__assert_fail", "dpk_gpu_assert"},
    {"__assertfail", "dpk_gpu_assert"},
};

static const char *runtime_name(const char *name)
{
    for (size_t i = 0; i < sizeof runtime_names / sizeof *runtime_names; i++)
        if (strcmp(name, runtime_names[i].from) == 0)
            return runtime_names[i].to;
    return NULL;
}

/* Returns true for names of the C library and of the emulated GPU. */
static bool is_known(const char *name)
{
    return strncmp(name, "llvm.", 5) == 0 || strncmp(name, "dpk_gpu_", 8) == 0 ||
           strncmp(name, "__dpk_gpu_", 10) == 0 || dlsym(RTLD_DEFAULT, name) != NULL;
}

static void prefix(LLVMValueRef value)
{
    char name[4096];
    snprintf(name, sizeof name, "__dpk_device_%s", lower_name(value));
    LLVMSetValueName2(value, name, strlen(name));
    LLVMSetVisibility(value, LLVMHiddenVisibility);
}

static bool is_local(LLVMValueRef value)
{
    const LLVMLinkage linkage = LLVMGetLinkage(value);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static bool rename_defined(struct lower *l, LLVMValueRef value)
{
    /* The host's code has groups of the same names, of which a linker keeps one. */
    LLVMSetComdat(value, NULL);
    if (is_local(value) || LLVMGetLinkage(value) == LLVMAppendingLinkage)
        return true;
    if (l->request->relocatable)
        prefix(value);
    else
        LLVMSetLinkage(value, LLVMInternalLinkage);
    return true;
}

static LLVMValueRef first_call(LLVMValueRef function)
{
    LLVMUseRef use = LLVMGetFirstUse(function);
    LLVMValueRef user = use ? LLVMGetUser(use) : NULL;
    return user && LLVMIsAInstruction(user) ? user : NULL;
}

/* Clang's library for undefined behaviour may be in the program, for host code. */
static bool rename_handler(LLVMValueRef f)
{
    static const char theirs[] = "__ubsan_handle_";
    char name[256];
    if (strncmp(lower_name(f), theirs, sizeof theirs - 1) != 0)
        return false;
    snprintf(name, sizeof name, "dpk_gpu_undefined_%s", lower_name(f) + sizeof theirs - 1);
    LLVMSetValueName2(f, name, strlen(name));
    return true;
}

static bool rename_function(struct lower *l, LLVMValueRef f)
{
    const char *name = lower_name(f);
    if (!LLVMIsDeclaration(f))
        return rename_defined(l, f);
    if (rename_handler(f))
        return true;
    const char *ours = runtime_name(name);
    if (ours) {
        LLVMSetValueName2(f, ours, strlen(ours));
        return true;
    }
    if (is_known(name) || !LLVMGetFirstUse(f))
        return true;
    if (!l->request->relocatable)
        return lower_fail(l, first_call(f),
                          "%s is not defined for the device; with -rdc=true (or -dc) it may be in "
                          "another source",
                          name);
    prefix(f);
    return true;
}

bool lower_rename(struct lower *l)
{
    static const char *const unneeded[] = {"llvm.used", "llvm.compiler.used"};
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(l->module, unneeded[i]);
        if (list)
            LLVMDeleteGlobal(list);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g)) {
        const bool shared = LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3;
        if (shared)
            continue;
        if (!LLVMIsDeclaration(g)) {
            /* Host code may write variables and constants. */
            if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 0)
                LLVMSetGlobalConstant(g, 0);
            rename_defined(l, g);
        } else if (l->request->relocatable) {
            prefix(g);
        } else if (LLVMGetFirstUse(g)) {
            return lower_fail(l, NULL,
                              "%s is not defined for the device; with -rdc=true (or -dc) "
                              "it may be in another source",
                              lower_name(g));
        }
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        if (!rename_function(l, f))
            return false;
    return true;
}
