/* Barriers in memory, and copies that tell them of their bytes. */
#include "assembly.h"

#include <string.h>

/* An instruction of one of these forms; the rest of its opcode are order, scope, memory and type. */
enum form { INIT, INVALIDATE, ARRIVE, ARRIVE_EXPECT, EXPECT, COMPLETE, TEST, TEST_PARITY, PENDING };
static const struct form_of {
    const char *second, *third; /* parts of the opcode; third may be NULL */
    enum form form;
    unsigned least, most; /* operands */
} forms[] = {
    {"init", NULL, INIT, 2, 2},
    {"inval", NULL, INVALIDATE, 1, 1},
    {"arrive", "expect_tx", ARRIVE_EXPECT, 3, 3},
    {"arrive", NULL, ARRIVE, 2, 3},
    {"expect_tx", NULL, EXPECT, 2, 2},
    {"complete_tx", NULL, COMPLETE, 2, 2},
    {"test_wait", "parity", TEST_PARITY, 3, 3},
    {"test_wait", NULL, TEST, 3, 3},
    {"try_wait", "parity", TEST_PARITY, 3, 4},
    {"try_wait", NULL, TEST, 3, 4},
    {"pending_count", NULL, PENDING, 2, 2},
};

static const struct form_of *form_of(const struct ptx_instruction *now)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(ptx_part(now, 1), forms[i].second) == 0 &&
            (!forms[i].third || strcmp(ptx_part(now, 2), forms[i].third) == 0))
            return &forms[i];
    return NULL;
}

/* Gets the address of the barrier in operand `number`, as an integer. */
static LLVMValueRef barrier_at(struct lower_assembly *a, unsigned number, bool shared)
{
    LLVMValueRef at = lower_ptx_address(a, number, shared, a->l->i64);
    return at ? LLVMBuildPtrToInt(a->l->builder, at, a->l->i64, "") : NULL;
}

static bool change(struct lower_assembly *a, const char *name, bool shared)
{
    LLVMValueRef arguments[] = {barrier_at(a, 0, shared), NULL};
    if (!arguments[0] || !(arguments[1] = lower_ptx_argument(a, 1, 32)))
        return false;
    lower_ptx_call(a, name, 'v', "li", arguments);
    return true;
}

static bool arrive(struct lower_assembly *a, bool shared, bool expects)
{
    LLVMValueRef one = LLVMConstInt(a->l->i32, 1, 0), none = LLVMConstNull(a->l->i32);
    LLVMValueRef number = a->now->count == 3 ? lower_ptx_argument(a, 2, 32) : one;
    LLVMValueRef at = number ? barrier_at(a, 1, shared) : NULL;
    LLVMValueRef arguments[] = {at, expects ? one : number, expects ? number : none};
    return at &&
           lower_ptx_result(a, lower_ptx_call(a, "dpk_gpu_mbarrier_arrive", 'l', "lii", arguments));
}

/* Gets the parity of the phase that a thread waits for: operand 2, or a part of a state. */
static LLVMValueRef parity_of(struct lower_assembly *a, bool by_parity)
{
    LLVMBuilderRef b = a->l->builder;
    if (by_parity)
        return lower_ptx_argument(a, 2, 32);
    LLVMValueRef state = lower_ptx_argument(a, 2, 64);
    if (!state)
        return NULL;
    state = LLVMBuildLShr(b, state, LLVMConstInt(a->l->i64, 63, 0), "");
    return LLVMBuildTrunc(b, state, a->l->i32, "");
}

static bool test(struct lower_assembly *a, bool shared, bool by_parity)
{
    LLVMValueRef parity = parity_of(a, by_parity);
    LLVMValueRef arguments[] = {parity ? barrier_at(a, 1, shared) : NULL, parity};
    if (!arguments[0])
        return false;
    LLVMValueRef done = lower_ptx_call(a, "dpk_gpu_mbarrier_test", 'i', "li", arguments);
    LLVMTypeRef bit = lower_ptx_int(a, 1);
    return lower_ptx_result(a, LLVMBuildTrunc(a->l->builder, done, bit, ""));
}

static bool pending(struct lower_assembly *a)
{
    LLVMBuilderRef b = a->l->builder;
    LLVMValueRef state = lower_ptx_argument(a, 1, 64);
    if (!state)
        return false;
    state = LLVMBuildAnd(b, state, LLVMConstInt(a->l->i64, 0xfffff, 0), "");
    return lower_ptx_result(a, LLVMBuildTrunc(b, state, a->l->i32, ""));
}

static bool build(struct lower_assembly *a, enum form form, bool shared)
{
    switch (form) {
    case INIT:
        return change(a, "dpk_gpu_mbarrier_init", shared);
    case INVALIDATE:
        return barrier_at(a, 0, shared) != NULL;
    case ARRIVE:
    case ARRIVE_EXPECT:
        return arrive(a, shared, form == ARRIVE_EXPECT);
    case EXPECT:
        return change(a, "dpk_gpu_mbarrier_expect", shared);
    case COMPLETE:
        return change(a, "dpk_gpu_mbarrier_complete", shared);
    case TEST:
    case TEST_PARITY:
        return test(a, shared, form == TEST_PARITY);
    case PENDING:
        return pending(a);
    }
    return false;
}

bool lower_ptx_mbarrier(struct lower_assembly *a)
{
    struct lower_says s;
    const struct form_of *f = form_of(a->now);
    if (!f)
        return lower_ptx_refuse(a, "this form is not supported");
    if (!lower_ptx_says(a, f->third ? 3 : 2, SAYS_ORDER | SAYS_SCOPE | SAYS_SPACE | SAYS_TYPE, &s))
        return false;
    if (s.kind != 'b' || s.bits != 64 || ((s.what & SAYS_SPACE) && !s.shared))
        return lower_ptx_refuse(a, "this form is not supported");
    if (a->now->count < f->least || a->now->count > f->most)
        return lower_ptx_refuse(a, "wrong number of operands");
    return build(a, f->form, s.shared);
}

bool lower_ptx_complete(struct lower_assembly *a, unsigned number, LLVMValueRef size)
{
    LLVMValueRef arguments[] = {barrier_at(a, number, true), size};
    if (!arguments[0])
        return false;
    lower_ptx_call(a, "dpk_gpu_mbarrier_complete", 'v', "li", arguments);
    return true;
}
