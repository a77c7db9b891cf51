/* Functions that all steps use. */
#include "inside.h"

#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

bool lower_fail(struct lower *l, LLVMValueRef where, const char *format, ...)
{
    char text[512], place[320] = "";
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    unsigned size = 0;
    const unsigned line = where ? LLVMGetDebugLocLine(where) : 0;
    const char *file = line ? LLVMGetDebugLocFilename(where, &size) : NULL;
    if (file)
        snprintf(place, sizeof place, "%.*s:%u: ", (int)size, file, line);
    dpk_fail(l->err, DPK_ERR_FORMAT, "%s%s", place, text);
    return false;
}

const char *lower_name(LLVMValueRef value)
{
    size_t size = 0;
    const char *name = value ? LLVMGetValueName2(value, &size) : NULL;
    return name ? name : "";
}

LLVMValueRef lower_callee(LLVMValueRef instruction)
{
    if (!LLVMIsACallInst(instruction))
        return NULL;
    return LLVMIsAFunction(LLVMGetCalledValue(instruction));
}

bool lower_calls(LLVMValueRef instruction, const char *name)
{
    return strcmp(lower_name(lower_callee(instruction)), name) == 0;
}

LLVMValueRef lower_declare(struct lower *l, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(l->module, name);
    return function ? function : LLVMAddFunction(l->module, name, type);
}

bool lower_runs_passes(struct lower *l, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, l->request->level >= 2);
    LLVMPassBuilderOptionsSetSLPVectorization(options, l->request->level >= 2);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, l->request->level >= 2);
    LLVMPassBuilderOptionsSetLoopUnrolling(options, l->request->level >= 2);
    LLVMErrorRef error = LLVMRunPasses(l->module, passes, l->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    char *text = LLVMGetErrorMessage(error);
    lower_fail(l, NULL, "LLVM: %s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}
