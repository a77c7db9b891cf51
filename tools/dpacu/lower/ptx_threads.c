/* How threads wait and end in inline PTX. */
#include "assembly.h"

#include <string.h>

bool lower_ptx_sleep(struct lower_assembly *a)
{
    struct lower_says s;
    if (!lower_ptx_says(a, 1, SAYS_TYPE, &s) || !lower_ptx_takes(a, 1))
        return false;
    LLVMValueRef time = lower_ptx_argument(a, 0, 32);
    if (!time || s.kind != 'u' || s.bits != 32)
        return time && lower_ptx_refuse(a, "this form is not supported");
    lower_ptx_call(a, "dpk_gpu_sleep", 'v', "i", &time);
    return true;
}

static bool is_opcode(const struct lower_assembly *a, const char *second, const char *third)
{
    return strcmp(ptx_part(a->now, 1), second) == 0 && strcmp(ptx_part(a->now, 2), third) == 0 &&
           a->now->part_count == (*third ? 3u : 2u);
}

static bool wait_for_warp(struct lower_assembly *a)
{
    LLVMValueRef zero = LLVMConstNull(a->l->i32);
    LLVMValueRef mask = lower_ptx_takes(a, 1) ? lower_ptx_argument(a, 0, 32) : NULL;
    LLVMValueRef arguments[] = {zero, mask, LLVMConstNull(a->l->i64), zero};
    return mask && lower_ptx_call(a, "dpk_gpu_warp", 'l', "iili", arguments);
}

bool lower_ptx_barrier(struct lower_assembly *a)
{
    const bool bar = strcmp(ptx_part(a->now, 0), "bar") == 0;
    const bool arrives = is_opcode(a, "arrive", "") || is_opcode(a, "cta", "arrive");
    if (bar && is_opcode(a, "warp", "sync"))
        return wait_for_warp(a);
    if (!arrives && !is_opcode(a, "sync", "") && !is_opcode(a, "cta", "sync"))
        return lower_ptx_refuse(a, "this form is not supported");
    const bool all = a->now->count == 1 && !arrives; /* threads of the block */
    if (!all && !lower_ptx_takes(a, 2))
        return false;
    LLVMValueRef arguments[2] = {lower_ptx_argument(a, 0, 32), LLVMConstNull(a->l->i32)};
    if (!arguments[0] || (!all && !(arguments[1] = lower_ptx_argument(a, 1, 32))))
        return false;
    lower_ptx_call(a, arrives ? "dpk_gpu_barrier_arrive" : "dpk_gpu_barrier_named", 'v', "ii",
                   arguments);
    return true;
}

bool lower_ptx_trap(struct lower_assembly *a)
{
    if (a->now->part_count != 1)
        return lower_ptx_refuse(a, "this form is not supported");
    return lower_ptx_takes(a, 0) && lower_ptx_call(a, "dpk_gpu_trap", 'v', "", NULL);
}

bool lower_ptx_active(struct lower_assembly *a)
{
    struct lower_says s;
    if (!lower_ptx_says(a, 1, SAYS_TYPE, &s) || !lower_ptx_takes(a, 1))
        return false;
    if (s.kind != 'b' || s.bits != 32)
        return lower_ptx_refuse(a, "this form is not supported");
    return lower_ptx_result(a, lower_ptx_call(a, "dpk_gpu_active", 'i', "", NULL));
}
