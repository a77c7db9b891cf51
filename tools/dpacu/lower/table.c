/* Makes the list of an object's kernels and variables, and the constructor that registers the
 * list. */
#include "inside.h"

#include "gpu/abi/abi.h"

#include <stdlib.h>
#include <string.h>

static LLVMValueRef constant_of(struct lower *l, LLVMValueRef value, const char *name)
{
    LLVMValueRef g = LLVMAddGlobal(l->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(g, value);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(g, 1);
    return LLVMConstBitCast(g, l->pointer);
}

static LLVMValueRef text_of(struct lower *l, const char *text)
{
    return constant_of(l, LLVMConstStringInContext(l->context, text, (unsigned)strlen(text), 0),
                       "");
}

static LLVMValueRef number(LLVMTypeRef type, uint64_t value)
{
    return LLVMConstInt(type, value, 0);
}

static LLVMValueRef sizes_of(struct lower *l, const struct lower_kernel *k)
{
    LLVMValueRef *sizes = calloc(k->parameters + 1, sizeof *sizes);
    if (!sizes)
        return NULL;
    for (unsigned i = 0; i < k->parameters; i++)
        sizes[i] = number(l->i32, k->sizes[i]);
    LLVMValueRef list = constant_of(l, LLVMConstArray(l->i32, sizes, k->parameters), "");
    free(sizes);
    return list;
}

static LLVMValueRef describe_kernel(struct lower *l, const struct lower_kernel *k)
{
    LLVMValueRef none = LLVMConstNull(l->pointer);
    LLVMValueRef sizes = sizes_of(l, k);
    LLVMValueRef members[] = {
        text_of(l, k->name),
        LLVMConstBitCast(k->run, l->pointer),
        k->whole ? LLVMConstBitCast(k->whole, l->pointer) : none,
        sizes ? sizes : none,
        number(l->i32, k->parameters),
        number(l->i32, k->shared),
        number(l->i32, k->max_threads),
        number(l->i32, l->request->races ? DPK_GPU_KERNEL_RACES : 0),
    };
    return LLVMConstStructInContext(l->context, members, sizeof members / sizeof *members, 0);
}

/* Returns an array of descriptions, or NULL without descriptions. */
static LLVMValueRef list_of(struct lower *l, LLVMValueRef *items, size_t count)
{
    if (!count)
        return LLVMConstNull(l->pointer);
    return constant_of(l, LLVMConstArray(LLVMTypeOf(items[0]), items, (unsigned)count), "");
}

static bool is_variable(LLVMValueRef g)
{
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(g));
    return !LLVMIsDeclaration(g) && (space == 1 || space == 4);
}

static LLVMValueRef describe_variable(struct lower *l, LLVMValueRef g)
{
    static const char ours[] = "__dpk_device_";
    const char *name = lower_name(g);
    if (strncmp(name, ours, sizeof ours - 1) == 0)
        name += sizeof ours - 1;
    LLVMValueRef members[] = {
        text_of(l, name),
        LLVMConstAddrSpaceCast(
            LLVMConstBitCast(g, LLVMPointerType(l->i8, LLVMGetPointerAddressSpace(LLVMTypeOf(g)))),
            l->pointer),
        number(l->i64, LLVMABISizeOfType(l->layout, LLVMGlobalGetValueType(g)))};
    return LLVMConstStructInContext(l->context, members, 3, 0);
}

/* Makes the constructor. */
static void add_constructor(struct lower *l, LLVMValueRef module)
{
    LLVMTypeRef type = LLVMFunctionType(l->nothing, NULL, 0, 0);
    LLVMTypeRef add_type = LLVMFunctionType(l->nothing, &l->pointer, 1, 0);
    LLVMValueRef f = LLVMAddFunction(l->module, "__dpk_gpu_add", type);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMSetCurrentDebugLocation2(l->builder, NULL);
    LLVMPositionBuilderAtEnd(l->builder, LLVMAppendBasicBlockInContext(l->context, f, ""));
    LLVMBuildCall2(l->builder, add_type, lower_declare(l, "dpk_gpu_module_add", add_type), &module,
                   1, "");
    LLVMBuildRetVoid(l->builder);
    LLVMValueRef members[] = {number(l->i32, 65535), f, LLVMConstNull(l->pointer)};
    LLVMValueRef item = LLVMConstStructInContext(l->context, members, 3, 0);
    LLVMValueRef list = LLVMConstArray(LLVMTypeOf(item), &item, 1);
    LLVMValueRef g = LLVMAddGlobal(l->module, LLVMTypeOf(list), "llvm.global_ctors");
    LLVMSetLinkage(g, LLVMAppendingLinkage);
    LLVMSetInitializer(g, list);
}

bool lower_table(struct lower *l)
{
    size_t globals = 0, variables = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g))
        globals++;
    LLVMValueRef *items = calloc(globals + l->kernel_count + 1, sizeof *items);
    if (!items)
        return lower_fail(l, NULL, "out of memory");
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module), next; g && globals--; g = next) {
        next = LLVMGetNextGlobal(g);
        if (is_variable(g))
            items[variables++] = describe_variable(l, g);
    }
    LLVMValueRef variable_list = list_of(l, items, variables);
    for (size_t i = 0; i < l->kernel_count; i++)
        items[i] = describe_kernel(l, &l->kernels[i]);
    LLVMValueRef kernel_list = list_of(l, items, l->kernel_count);
    free(items);
    LLVMValueRef members[] = {number(l->i32, DPK_GPU_ABI),
                              text_of(l, l->request->id),
                              kernel_list,
                              number(l->i64, l->kernel_count),
                              variable_list,
                              number(l->i64, variables)};
    LLVMValueRef module = LLVMConstStructInContext(l->context, members, 6, 0);
    add_constructor(l, constant_of(l, module, "__dpk_gpu_module"));
    return true;
}
