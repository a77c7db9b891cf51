/* Loads, stores, fences and copies of inline PTX. */
#include "assembly.h"

#include "gpu/abi/abi.h"

#include <string.h>

LLVMAtomicOrdering lower_ptx_ordering(enum lower_order order)
{
    static const LLVMAtomicOrdering orders[] = {
        [ORDER_WEAK] = LLVMAtomicOrderingNotAtomic,
        [ORDER_VOLATILE] = LLVMAtomicOrderingMonotonic,
        [ORDER_RELAXED] = LLVMAtomicOrderingMonotonic,
        [ORDER_ACQUIRE] = LLVMAtomicOrderingAcquire,
        [ORDER_RELEASE] = LLVMAtomicOrderingRelease,
        [ORDER_ACQ_REL] = LLVMAtomicOrderingAcquireRelease,
        [ORDER_SC] = LLVMAtomicOrderingSequentiallyConsistent,
    };
    return orders[order];
}

/* ---- Addresses ---- */

/* An address of shared memory may have 32 bits, which are the low ones of its address here. The
 * block's shared memory is within 2 GB of it. */
static LLVMValueRef widen_shared(struct lower_assembly *a, LLVMValueRef low)
{
    LLVMBuilderRef b = a->l->builder;
    LLVMValueRef base = lower_ptx_member(a, offsetof(struct dpk_gpu_thread, shared), 64);
    LLVMValueRef apart = LLVMBuildSub(b, low, LLVMBuildTrunc(b, base, a->l->i32, ""), "");
    return LLVMBuildAdd(b, base, LLVMBuildSExt(b, apart, a->l->i64, ""), "");
}

static bool is_short(struct lower_assembly *a, const struct ptx_value *v)
{
    return (v->kind == PTX_OPERAND && v->index < a->count && a->operands[v->index].bits == 32) ||
           (v->kind == PTX_REGISTER && a->registers[v->index].bits == 32);
}

LLVMValueRef lower_ptx_address(struct lower_assembly *a, unsigned number, bool shared,
                               LLVMTypeRef type)
{
    const struct ptx_argument *argument = &a->now->arguments[number];
    if (number >= a->now->count || argument->form != PTX_ADDRESS) {
        lower_ptx_refuse(a, "an address in '[' and ']' is expected");
        return NULL;
    }
    const bool widens = shared && is_short(a, &argument->at[0]);
    LLVMValueRef at = lower_ptx_get(a, &argument->at[0], widens ? 32 : 64);
    if (!at)
        return NULL;
    if (widens)
        at = widen_shared(a, at);
    LLVMValueRef offset = LLVMConstInt(a->l->i64, (uint64_t)argument->offset, 1);
    at = LLVMBuildAdd(a->l->builder, at, offset, "");
    return LLVMBuildIntToPtr(a->l->builder, at, LLVMPointerType(type, 0), "");
}

/* ---- Loads and stores ---- */

static bool check_order(struct lower_assembly *a, const struct lower_says *s, enum lower_order sync)
{
    const bool scoped = s->order == ORDER_RELAXED || s->order == sync;
    if (!scoped && s->order != ORDER_WEAK && s->order != ORDER_VOLATILE)
        return lower_ptx_refuse(a, "this order is not one of the instruction");
    if (scoped != ((s->what & SAYS_SCOPE) != 0))
        return lower_ptx_refuse(a, scoped ? "it has no scope (.cta, .gpu, .sys)"
                                          : "an access without an order has no scope");
    if ((s->what & SAYS_MMIO) && (s->order != ORDER_RELAXED || !s->is_system))
        return lower_ptx_refuse(a, ".mmio is for .relaxed.sys");
    return true;
}

/* The elements of operand `number`: as many as the vector has. */
static const struct ptx_argument *elements(struct lower_assembly *a, unsigned number,
                                           const struct lower_says *s)
{
    const struct ptx_argument *argument = &a->now->arguments[number];
    const enum ptx_form form = s->vector > 1 ? PTX_VECTOR : PTX_PLAIN;
    if (argument->form == form && argument->count == s->vector)
        return argument;
    lower_ptx_refuse(a, "the number of elements is not the vector's");
    return NULL;
}

static LLVMValueRef element_at(struct lower_assembly *a, LLVMValueRef base, unsigned number,
                               LLVMTypeRef type)
{
    LLVMValueRef index = LLVMConstInt(a->l->i64, number, 0);
    return LLVMBuildInBoundsGEP2(a->l->builder, type, base, &index, 1, "");
}

/* Statements that are volatile stay where and as often as they are. */
static void set_order(struct lower_assembly *a, LLVMValueRef access, const struct lower_says *s)
{
    LLVMSetOrdering(access, lower_ptx_ordering(s->order));
    LLVMSetVolatile(access, s->order == ORDER_VOLATILE || (s->what & SAYS_MMIO) ||
                                (s->order == ORDER_WEAK && a->is_volatile && !(s->what & SAYS_NC)));
    LLVMSetAlignment(access, s->bits / 8);
}

bool lower_ptx_load(struct lower_assembly *a)
{
    struct lower_says s;
    if (!lower_ptx_says(a, 1,
                        SAYS_ORDER | SAYS_SCOPE | SAYS_SPACE | SAYS_VECTOR | SAYS_TYPE | SAYS_HINT |
                            SAYS_MMIO | SAYS_NC,
                        &s) ||
        !lower_ptx_takes(a, s.policy ? 3 : 2) || !check_order(a, &s, ORDER_ACQUIRE))
        return false;
    LLVMTypeRef type = lower_ptx_int(a, s.bits);
    LLVMValueRef at = lower_ptx_address(a, 1, s.shared, type), loaded[PTX_VECTOR_MAX];
    const struct ptx_argument *to = at ? elements(a, 0, &s) : NULL;
    for (unsigned i = 0; to && i < s.vector; i++) {
        loaded[i] = LLVMBuildLoad2(a->l->builder, type, element_at(a, at, i, type), "");
        set_order(a, loaded[i], &s);
    }
    for (unsigned i = 0; to && i < s.vector; i++)
        if (!lower_ptx_set_wide(a, &to->at[i], loaded[i], s.kind == 's'))
            return false;
    return to != NULL;
}

static bool store(struct lower_assembly *a, const struct lower_says *s)
{
    LLVMTypeRef type = lower_ptx_int(a, s->bits);
    LLVMValueRef at = lower_ptx_address(a, 0, s->shared, type);
    const struct ptx_argument *from = at ? elements(a, 1, s) : NULL;
    for (unsigned i = 0; from && i < s->vector; i++) {
        LLVMValueRef value = lower_ptx_get_low(a, &from->at[i], s->bits);
        if (!value)
            return false;
        value = LLVMBuildStore(a->l->builder, value, element_at(a, at, i, type));
        set_order(a, value, s);
    }
    return from != NULL;
}

/* st.async.mmio.release.sys.global.b64: the NIC sees it after all that was written before. */
static bool store_async(struct lower_assembly *a)
{
    struct lower_says s;
    if (!lower_ptx_says(a, 2, SAYS_ORDER | SAYS_SCOPE | SAYS_SPACE | SAYS_TYPE | SAYS_MMIO, &s) ||
        !lower_ptx_takes(a, 2))
        return false;
    if (s.order != ORDER_RELEASE || !(s.what & SAYS_SCOPE) || s.shared)
        return lower_ptx_refuse(a, "this form is not supported");
    return store(a, &s);
}

bool lower_ptx_store(struct lower_assembly *a)
{
    struct lower_says s;
    if (strcmp(ptx_part(a->now, 1), "async") == 0)
        return store_async(a);
    return lower_ptx_says(a, 1,
                          SAYS_ORDER | SAYS_SCOPE | SAYS_SPACE | SAYS_VECTOR | SAYS_TYPE |
                              SAYS_HINT | SAYS_MMIO,
                          &s) &&
           lower_ptx_takes(a, s.policy ? 3 : 2) && check_order(a, &s, ORDER_RELEASE) &&
           store(a, &s);
}

/* ---- Fences ---- */

static bool build_fence(struct lower_assembly *a, LLVMAtomicOrdering ordering)
{
    LLVMBuildFence(a->l->builder, ordering, 0, "");
    return true;
}

/* Joins the parts of an opcode, from number `from` on, by dots. */
struct joined {
    char text[sizeof((struct ptx_instruction *)0)->opcode];
};
static struct joined join(const struct ptx_instruction *i, unsigned from)
{
    struct joined out = {""};
    for (unsigned k = from; k < i->part_count; k++) {
        const size_t size = strlen(out.text);
        snprintf(out.text + size, sizeof out.text - size, "%s%s", k > from ? "." : "",
                 ptx_part(i, k));
    }
    return out;
}

/* All threads see memory in the same way here, so a fence of proxies is a fence of threads. */
static bool is_proxy(const struct ptx_instruction *i)
{
    static const char *const kinds[] = {"proxy.alias", "proxy.async", "proxy.async.global",
                                        "proxy.async.shared::cta", "mbarrier_init.release.cluster"};
    const struct joined kind = join(i, 1);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kind.text, kinds[k]) == 0)
            return true;
    return false;
}

bool lower_ptx_fence(struct lower_assembly *a)
{
    struct lower_says s;
    if (!lower_ptx_takes(a, 0))
        return false;
    if (is_proxy(a->now))
        return build_fence(a, LLVMAtomicOrderingSequentiallyConsistent);
    if (!lower_ptx_says(a, 1, SAYS_ORDER | SAYS_SCOPE, &s))
        return false;
    if (!(s.what & SAYS_SCOPE))
        return lower_ptx_refuse(a, "it has no scope (.cta, .gpu, .sys)");
    if (!(s.what & SAYS_ORDER))
        s.order = ORDER_ACQ_REL;
    if (s.order < ORDER_ACQUIRE)
        return lower_ptx_refuse(a, "this order is not one of the instruction");
    return build_fence(a, lower_ptx_ordering(s.order));
}

bool lower_ptx_membar(struct lower_assembly *a)
{
    const char *scope = ptx_part(a->now, 1);
    const bool known =
        a->now->part_count == 2 &&
        (strcmp(scope, "cta") == 0 || strcmp(scope, "gl") == 0 || strcmp(scope, "sys") == 0);
    if (!known && !is_proxy(a->now))
        return lower_ptx_refuse(a, "this form is not supported");
    return lower_ptx_takes(a, 0) && build_fence(a, LLVMAtomicOrderingSequentiallyConsistent);
}

/* ---- Copies ---- */

static bool copy(struct lower_assembly *a, bool to_shared, bool from_shared, LLVMValueRef size)
{
    LLVMValueRef to = lower_ptx_address(a, 0, to_shared, a->l->i8);
    LLVMValueRef from = to ? lower_ptx_address(a, 1, from_shared, a->l->i8) : NULL;
    if (!from)
        return false;
    LLVMBuildMemCpy(a->l->builder, to, 1, from, 1, size);
    return true;
}

/* Gets the size of a bulk copy that has so many operands; NULL after an error. */
static LLVMValueRef bulk_size(struct lower_assembly *a, unsigned operands)
{
    LLVMValueRef size = lower_ptx_takes(a, operands) ? lower_ptx_argument(a, 2, 32) : NULL;
    if (!size || !LLVMIsAConstantInt(size) || LLVMConstIntGetZExtValue(size) % 16 == 0)
        return size;
    lower_ptx_refuse(a, "the size is not a multiple of 16");
    return NULL;
}

/* A copy may be done at once: nobody may change its source before it is waited for. */
static bool copy_bulk(struct lower_assembly *a, bool policy)
{
    LLVMValueRef size = bulk_size(a, policy ? 4 : 3);
    return size && copy(a, false, true, size);
}

/* From global to shared memory; a barrier in memory is told of the bytes. */
static bool copy_bulk_in(struct lower_assembly *a, bool policy)
{
    LLVMValueRef size = bulk_size(a, policy ? 5 : 4);
    return size && copy(a, true, false, size) && lower_ptx_complete(a, 3, size);
}

static bool copy_small(struct lower_assembly *a)
{
    if (!lower_ptx_takes(a, 3))
        return false;
    LLVMValueRef size = lower_ptx_argument(a, 2, 32);
    if (!size)
        return false;
    const uint64_t bytes = LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return lower_ptx_refuse(a, "the size is not 4, 8 or 16");
    return copy(a, true, false, size);
}

bool lower_ptx_copy(struct lower_assembly *a)
{
    enum what { BULK = 1, BULK_POLICY, BULK_IN, BULK_IN_POLICY, SMALL, COMMIT, WAIT, WAIT_ALL };
#define BULK_INTO(space) "cp.async.bulk." space ".global.mbarrier::complete_tx::bytes"
    static const struct {
        const char *opcode;
        enum what what;
    } forms[] = {
        {"cp.async.bulk.global.shared::cta.bulk_group", BULK},
        {"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint", BULK_POLICY},
        {BULK_INTO("shared::cta"), BULK_IN},
        {BULK_INTO("shared::cluster"), BULK_IN},
        {BULK_INTO("shared::cta") ".L2::cache_hint", BULK_IN_POLICY},
        {BULK_INTO("shared::cluster") ".L2::cache_hint", BULK_IN_POLICY},
        {"cp.async.ca.shared.global", SMALL},
        {"cp.async.cg.shared.global", SMALL},
        {"cp.async.ca.shared::cta.global", SMALL},
        {"cp.async.cg.shared::cta.global", SMALL},
        {"cp.async.bulk.commit_group", COMMIT},
        {"cp.async.commit_group", COMMIT},
        {"cp.async.bulk.wait_group", WAIT},
        {"cp.async.bulk.wait_group.read", WAIT},
        {"cp.async.wait_group", WAIT},
        {"cp.async.wait_all", WAIT_ALL},
    };
    const struct joined opcode = join(a->now, 0);
    enum what what = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(opcode.text, forms[i].opcode) == 0)
            what = forms[i].what;
    switch (what) {
    case BULK:
    case BULK_POLICY:
        return copy_bulk(a, what == BULK_POLICY);
    case BULK_IN:
    case BULK_IN_POLICY:
        return copy_bulk_in(a, what == BULK_IN_POLICY);
    case SMALL:
        return copy_small(a);
    case COMMIT:
    case WAIT_ALL:
        return lower_ptx_takes(a, 0);
    case WAIT:
        return lower_ptx_takes(a, 1) && lower_ptx_argument(a, 0, 32);
    }
    return lower_ptx_refuse(a, "this form is not supported");
}

/* A prefetch makes no code: the host's processor fills its caches itself. */
bool lower_ptx_prefetch(struct lower_assembly *a)
{
    const char *last = ptx_part(a->now, a->now->part_count - 1);
    const char *space = ptx_part(a->now, 1);
    const bool level = strcmp(last, "L1") == 0 || strcmp(last, "L2") == 0;
    const bool known = strcmp(space, "global") == 0 || strcmp(space, "local") == 0;
    if (!level || a->now->part_count > 3 || (a->now->part_count == 3 && !known))
        return lower_ptx_refuse(a, "this form is not supported");
    return lower_ptx_takes(a, 1) && lower_ptx_address(a, 0, false, a->l->i8);
}
