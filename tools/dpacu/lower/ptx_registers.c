/* What inline PTX asks about its thread. */
#include "assembly.h"

#include "gpu/abi/abi.h"

#include <string.h>

static LLVMTypeRef type_of(struct lower_assembly *a, char letter)
{
    return letter == 'v' ? a->l->nothing : letter == 'l' ? a->l->i64 : a->l->i32;
}

LLVMValueRef lower_ptx_call(struct lower_assembly *a, const char *name, char result,
                            const char *parameters, LLVMValueRef *arguments)
{
    LLVMTypeRef types[4];
    const unsigned count = (unsigned)strlen(parameters);
    for (unsigned i = 0; i < count && i < 4; i++)
        types[i] = type_of(a, parameters[i]);
    LLVMTypeRef type = LLVMFunctionType(type_of(a, result), types, count, 0);
    LLVMValueRef f = lower_declare(a->l, name, type);
    return LLVMBuildCall2(a->l->builder, type, f, arguments, count, "");
}

LLVMValueRef lower_ptx_member(struct lower_assembly *a, unsigned offset, unsigned bits)
{
    char name[32];
    snprintf(name, sizeof name, "__dpk_gpu_u%u_%u", bits, offset);
    return lower_ptx_call(a, name, bits == 64 ? 'l' : 'i', "", NULL);
}

/* ---- Special registers ---- */

static LLVMValueRef high_half(struct lower_assembly *a, LLVMValueRef value)
{
    LLVMBuilderRef b = a->l->builder;
    value = LLVMBuildLShr(b, value, LLVMConstInt(a->l->i64, 32, 0), "");
    return LLVMBuildTrunc(b, value, a->l->i32, "");
}

static LLVMValueRef clock_of(struct lower_assembly *a, const char *name)
{
    static const struct {
        const char *name, *function;
        char part; /* of the value: all, low, high */
    } clocks[] = {
        {"clock64", "dpk_gpu_clock", 'a'},
        {"clock", "dpk_gpu_clock", 'l'},
        {"clock_hi", "dpk_gpu_clock", 'h'},
        {"globaltimer", "dpk_gpu_globaltimer", 'a'},
        {"globaltimer_lo", "dpk_gpu_globaltimer", 'l'},
        {"globaltimer_hi", "dpk_gpu_globaltimer", 'h'},
    };
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (strcmp(name, clocks[i].name) == 0) {
            LLVMValueRef all = lower_ptx_call(a, clocks[i].function, 'l', "", NULL);
            return clocks[i].part == 'a'   ? all
                   : clocks[i].part == 'h' ? high_half(a, all)
                                           : LLVMBuildTrunc(a->l->builder, all, a->l->i32, "");
        }
    return NULL;
}

/* Lanes of the warp that are equal to the thread's, before or behind it. */
static LLVMValueRef lane_mask(struct lower_assembly *a, const char *kind)
{
    LLVMBuilderRef b = a->l->builder;
    LLVMValueRef lane = lower_ptx_member(a, offsetof(struct dpk_gpu_thread, lane), 32);
    LLVMValueRef equal = LLVMBuildShl(b, LLVMConstInt(a->l->i32, 1, 0), lane, "");
    LLVMValueRef before = LLVMBuildSub(b, equal, LLVMConstInt(a->l->i32, 1, 0), "");
    if (strcmp(kind, "eq") == 0)
        return equal;
    if (strcmp(kind, "lt") == 0)
        return before;
    if (strcmp(kind, "ge") == 0)
        return LLVMBuildNot(b, before, "");
    if (strcmp(kind, "le") == 0)
        return LLVMBuildOr(b, before, equal, "");
    return strcmp(kind, "gt") == 0 ? LLVMBuildNot(b, LLVMBuildOr(b, before, equal, ""), "") : NULL;
}

LLVMValueRef lower_ptx_special(struct lower_assembly *a, const char *name)
{
    static const struct {
        const char *name;
        unsigned offset, bits;
    } members[] = {
        {"tid.x", offsetof(struct dpk_gpu_thread, tid), 32},
        {"tid.y", offsetof(struct dpk_gpu_thread, tid) + 4, 32},
        {"tid.z", offsetof(struct dpk_gpu_thread, tid) + 8, 32},
        {"ntid.x", offsetof(struct dpk_gpu_thread, ntid), 32},
        {"ntid.y", offsetof(struct dpk_gpu_thread, ntid) + 4, 32},
        {"ntid.z", offsetof(struct dpk_gpu_thread, ntid) + 8, 32},
        {"ctaid.x", offsetof(struct dpk_gpu_thread, ctaid), 32},
        {"ctaid.y", offsetof(struct dpk_gpu_thread, ctaid) + 4, 32},
        {"ctaid.z", offsetof(struct dpk_gpu_thread, ctaid) + 8, 32},
        {"nctaid.x", offsetof(struct dpk_gpu_thread, nctaid), 32},
        {"nctaid.y", offsetof(struct dpk_gpu_thread, nctaid) + 4, 32},
        {"nctaid.z", offsetof(struct dpk_gpu_thread, nctaid) + 8, 32},
        {"laneid", offsetof(struct dpk_gpu_thread, lane), 32},
        {"warpid", offsetof(struct dpk_gpu_thread, warp), 32},
        {"smid", offsetof(struct dpk_gpu_thread, sm), 32},
        {"nsmid", offsetof(struct dpk_gpu_thread, sms), 32},
        {"dynamic_smem_size", offsetof(struct dpk_gpu_thread, dynamic_size), 32},
        {"gridid", offsetof(struct dpk_gpu_thread, grid), 64},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(name, members[i].name) == 0)
            return lower_ptx_member(a, members[i].offset, members[i].bits);
    if (strncmp(name, "lanemask_", 9) == 0)
        return lane_mask(a, name + 9);
    return clock_of(a, name);
}
