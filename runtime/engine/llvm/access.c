/* Loads, stores and atomics. Aligned accesses to guest pages that allow them are carried out here.
 * The engine carries out the others: code for misaligned loads and stores calls it. If an access
 * faults or reaches host memory, the code is left before the instruction. */
#include "engine/llvm/emit.h"

#define B_ e->builder

/* ---- Checks ---- */

static LLVMTypeRef word_type(const struct emitter *e, unsigned log2)
{
    return (LLVMTypeRef[]){e->i8, e->i16, e->i32, e->i64}[log2];
}

LLVMValueRef llvm_emit_entry(const struct emitter *e, int64_t below, LLVMValueRef page)
{
    LLVMValueRef index = LLVMBuildSub(B_, page, llvm_emit_const(e, (uint64_t)below), "");
    return LLVMBuildGEP2(B_, e->i8, e->symbols[JIT_BASE], &index, 1, "");
}

/* Loads the entry for `address` of the table `below`. It is loaded again when the code is entered
 * again, or at the next turn of a loop that LLVM does not hoist it from. */
static LLVMValueRef permissions(const struct emitter *e, int64_t below, unsigned shift,
                                LLVMValueRef address)
{
    LLVMValueRef at =
        llvm_emit_entry(e, below, LLVMBuildLShr(B_, address, llvm_emit_const(e, shift), ""));
    LLVMValueRef access = LLVMBuildLoad2(B_, e->i8, at, "");
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(e->context, "invariant.load", 14),
                    LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, NULL, 0)));
    return access;
}

static LLVMValueRef page_access(const struct emitter *e, LLVMValueRef address)
{
    return permissions(e, RV64_ACCESS_BELOW, RV64_PAGE_SHIFT, address);
}

/* Returns whether `access` lacks `need`. A single bit tells this. */
static LLVMValueRef lacks(const struct emitter *e, LLVMValueRef access, unsigned need)
{
    const LLVMValueRef bit =
        LLVMConstInt(e->i8, need == (RV64_R | RV64_W) ? (unsigned)RV64_RW : need, false);
    return LLVMBuildICmp(B_, LLVMIntEQ, LLVMBuildAnd(B_, access, bit, ""),
                         LLVMConstInt(e->i8, 0, false), "");
}

/* Rotates `value`, so that nonzero low bits of a misaligned value come to the top. */
static LLVMValueRef rotate(struct emitter *e, LLVMValueRef value, unsigned log2)
{
    if (log2 == 0)
        return value;
    LLVMValueRef args[] = {value, value, llvm_emit_const(e, log2)};
    return llvm_emit_intrinsic(e, "llvm.fshr", e->i64, args, 3);
}

/* Goes to `cold` unless [address, address + size) is guest memory that allows `need`, and `address`
 * is a multiple of 1 << log2. */
static void check(struct emitter *e, LLVMValueRef address, uint64_t size, unsigned log2,
                  unsigned need, LLVMBasicBlockRef cold)
{
    LLVMValueRef limit = llvm_emit_const(e, (UINT64_C(1) << 32) >> log2);
    llvm_emit_unlikely(e, LLVMBuildICmp(B_, LLVMIntUGE, rotate(e, address, log2), limit, ""), cold);
    if (size <= UINT64_C(1) << log2) { /* on one page */
        llvm_emit_unlikely(e, lacks(e, page_access(e, address), need), cold);
        return;
    }
    /* The access may reach the next page. If the next piece is not allowed, although it may not be
     * part of the access, both pages are checked. */
    LLVMBasicBlockRef on = NULL;
    if (size <= RV64_NEAR) {
        LLVMValueRef near = permissions(e, RV64_NEAR_BELOW, RV64_NEAR_SHIFT, address);
        LLVMBasicBlockRef apart = llvm_emit_new_block(e, "apart");
        llvm_emit_unlikely(e, lacks(e, near, need), apart);
        on = LLVMGetInsertBlock(B_);
        LLVMPositionBuilderAtEnd(B_, apart);
    }
    LLVMValueRef last = LLVMBuildAdd(B_, address, llvm_emit_const(e, size - 1), "");
    LLVMValueRef access = LLVMBuildAnd(B_, page_access(e, address), page_access(e, last), "");
    if (on == NULL) {
        llvm_emit_unlikely(e, lacks(e, access, need), cold);
        return;
    }
    LLVMBuildCondBr(B_, lacks(e, access, need), cold, on);
    LLVMPositionBuilderAtEnd(B_, on);
}

/* ---- Windows ---- Windows do not change while the code runs, so they are loaded once. */

static LLVMValueRef load_window(const struct emitter *e, unsigned window, size_t field)
{
    const size_t at = offsetof(struct rv64_hart, window) + window * sizeof(struct rv64_window);
    return LLVMBuildLoad2(B_, e->i64, llvm_emit_field(e, at + field, e->i64), "");
}

/* Returns the start of the window: nearly always that at the time the region was found. */
static LLVMValueRef window_begin(struct emitter *e, unsigned window)
{
    const uint64_t begin = e->region->window_begin[window];
    LLVMValueRef *const value = &e->window[window].begin;
    if (*value == NULL)
        *value = begin != 0 ? llvm_emit_const(e, begin)
                            : load_window(e, window, offsetof(struct rv64_window, begin));
    return *value;
}

/* Returns the number of accesses of 1 << log2 bytes from the start of the window. */
static LLVMValueRef window_limit(struct emitter *e, unsigned window, unsigned log2)
{
    const size_t field = offsetof(struct rv64_window, limit) + log2 * sizeof(uint64_t);
    LLVMValueRef *const value = &e->window[window].limit[log2];
    if (*value != NULL)
        return *value;
    *value = load_window(e, window, field);
    if (e->region->window_begin[window] != 0) {
        LLVMValueRef begin = load_window(e, window, offsetof(struct rv64_window, begin));
        LLVMValueRef same = LLVMBuildICmp(B_, LLVMIntEQ, begin, window_begin(e, window), "");
        *value = LLVMBuildSelect(B_, same, *value, llvm_emit_const(e, 0), "");
    }
    return *value;
}

/* Does the same as check, but first tests whether the access is in the hinted window. */
static void check_by_hint(struct emitter *e, LLVMValueRef address, uint64_t size, unsigned log2,
                          unsigned need, uint8_t hint, LLVMBasicBlockRef cold)
{
    if (hint == HINT_NONE || size > RV64_NEAR) {
        check(e, address, size, log2, need, cold);
        return;
    }
    LLVMBasicBlockRef on = LLVMGetInsertBlock(B_), outside = llvm_emit_new_block(e, "outside");
    LLVMPositionBuilderBefore(B_, LLVMGetBasicBlockTerminator(e->entry));
    LLVMValueRef begin = window_begin(e, hint - 1u), limit = window_limit(e, hint - 1u, log2);
    LLVMPositionBuilderAtEnd(B_, on);
    LLVMValueRef offset = rotate(e, LLVMBuildSub(B_, address, begin, ""), log2);
    llvm_emit_unlikely(e, LLVMBuildICmp(B_, LLVMIntUGE, offset, limit, ""), outside);
    on = LLVMGetInsertBlock(B_);
    LLVMPositionBuilderAtEnd(B_, outside);
    check(e, address, size, log2, need, cold);
    LLVMBuildBr(B_, on);
    LLVMPositionBuilderAtEnd(B_, on);
}

static LLVMValueRef host_word(const struct emitter *e, LLVMValueRef address, LLVMTypeRef type)
{
    LLVMValueRef at = LLVMBuildGEP2(B_, e->i8, e->symbols[JIT_BASE], &address, 1, "");
    return LLVMBuildBitCast(B_, at, LLVMPointerType(type, 0), "");
}

/* ---- Accesses by the engine ---- */

/* Calls slow_load or slow_store, and returns the result. Leaves the code if the access faults. */
static LLVMValueRef call_engine(struct emitter *e, enum jit_symbol which, LLVMValueRef address,
                                unsigned log2, LLVMValueRef value)
{
    LLVMTypeRef types[] = {e->bytes, e->bytes, e->i64, e->i32, e->i64};
    LLVMTypeRef type = LLVMFunctionType(e->i64, types, 5, false);
    LLVMValueRef args[] = {e->symbols[JIT_CORE], LLVMBuildBitCast(B_, e->hart, e->bytes, ""),
                           address, LLVMConstInt(e->i32, log2, false), value};
    LLVMValueRef callee = LLVMBuildBitCast(B_, e->symbols[which], LLVMPointerType(type, 0), "");
    LLVMValueRef result = LLVMBuildCall2(B_, type, callee, args, 5, "");
    LLVMTypeRef int_type = LLVMIntTypeInContext(e->context, 8 * sizeof(enum rv64_fault));
    LLVMValueRef fault = LLVMBuildLoad2(
        B_, int_type, llvm_emit_field(e, offsetof(struct rv64_hart, fault), int_type), "");
    LLVMBasicBlockRef faults = llvm_emit_new_block(e, "faults");
    LLVMValueRef none = LLVMConstInt(int_type, RV64_FAULT_NONE, false);
    llvm_emit_unlikely(e, LLVMBuildICmp(B_, LLVMIntNE, fault, none, ""), faults);
    LLVMBasicBlockRef on = LLVMGetInsertBlock(B_);
    LLVMPositionBuilderAtEnd(B_, faults);
    llvm_emit_leave(e);
    LLVMPositionBuilderAtEnd(B_, on);
    return result;
}

static LLVMValueRef address_of(const struct emitter *e)
{
    return LLVMBuildAdd(B_, llvm_emit_get(e, e->insn->insn.rs1),
                        llvm_emit_const(e, (uint64_t)(int64_t)e->insn->insn.imm), "");
}

void llvm_emit_check(struct emitter *e)
{
    const uint8_t index = e->groups->of[e->before];
    const struct group *g = &e->groups->group[index];
    struct fact *known = &e->known[e->groups->root_of[index]];
    const enum fact_says says = llvm_fact_covers(known, g);
    llvm_fact_learn(known, g);
    if (says == FACT_ALL)
        return;
    LLVMBasicBlockRef cold = llvm_emit_new_block(e, "uneven"), on;
    LLVMValueRef begin =
        LLVMBuildAdd(B_, llvm_emit_get(e, e->insn->insn.rs1),
                     llvm_emit_const(e, (uint64_t)(g->begin - e->groups->base[e->before])), "");
    if (says == FACT_ALLOWED) {
        LLVMValueRef bits = llvm_emit_const(e, (UINT64_C(1) << g->log2) - 1);
        bits = LLVMBuildAnd(B_, begin, bits, "");
        llvm_emit_unlikely(e, LLVMBuildICmp(B_, LLVMIntNE, bits, llvm_emit_const(e, 0), ""), cold);
    } else {
        const uint8_t hint = llvm_hint_for(e->hint[e->before], g->need);
        check_by_hint(e, begin, (uint64_t)(g->end - g->begin), g->log2, g->need, hint, cold);
    }
    on = LLVMGetInsertBlock(B_);
    LLVMPositionBuilderAtEnd(B_, cold);
    LLVMBuildStore(B_, LLVMConstInt(e->i8, 1, false),
                   llvm_emit_field(e, offsetof(struct rv64_hart, uneven), e->i8));
    llvm_emit_leave(e);
    LLVMPositionBuilderAtEnd(B_, on);
}

/* An address must be the value that was checked, so LLVM must not load it twice. So such loads are
 * unordered atomics, which LLVM does not repeat, or frozen if they are not aligned, as words are.
 * Loads of the same bytes must stay in order (RVWMO's coherence). LLVM may reorder only loads at
 * known distances. Between others is a compiler fence, which also keeps loads in their loops. In
 * turns of loops that are taken at once, no address depends on a load. */
static LLVMValueRef load_fast(struct emitter *e, LLVMValueRef address, LLVMTypeRef type,
                              unsigned align, bool leads)
{
    const uint32_t root = e->groups->root_of[e->groups->of[e->before]];
    if (!e->unchecked && e->last_root != root)
        LLVMBuildFence(B_, LLVMAtomicOrderingAcquireRelease, true, "");
    e->last_root = root;
    LLVMValueRef value = LLVMBuildLoad2(B_, type, host_word(e, address, type), "");
    LLVMSetAlignment(value, align);
    if (e->unchecked || !leads)
        return value;
    if (8 * align != LLVMGetIntTypeWidth(type))
        return LLVMBuildFreeze(B_, value, "");
    LLVMSetOrdering(value, LLVMAtomicOrderingUnordered);
    return value;
}

/* ---- Words that are read byte by byte ---- */

static LLVMTypeRef type_of_word(const struct emitter *e, const struct word *w)
{
    return w->size == 2 ? e->i16 : w->size == 4 ? e->i32 : e->i64;
}

static bool word_leads(const struct emitter *e, uint8_t number)
{
    for (uint32_t i = 0; i < e->block->count; i++)
        if (e->words.of[i] == number && e->leads[i])
            return true;
    return false;
}

/* Returns the byte of a word that the current instruction loads. The first instruction of the word
 * loads the word. */
static LLVMValueRef load_byte(struct emitter *e, LLVMValueRef address)
{
    const uint8_t number = e->words.of[e->before];
    const struct word *const w = &e->words.word[number - 1];
    const LLVMTypeRef type = type_of_word(e, w);
    if (w->first == e->before) {
        LLVMValueRef begin =
            LLVMBuildAdd(B_, address, llvm_emit_const(e, (uint64_t)w->distance), "");
        e->word[number - 1] = load_fast(e, begin, type, 1, word_leads(e, number));
    }
    LLVMValueRef bits = LLVMConstInt(type, 8u * e->words.byte[e->before], false);
    return LLVMBuildTrunc(B_, LLVMBuildLShr(B_, e->word[number - 1], bits, ""), e->i8, "");
}

LLVMValueRef llvm_emit_joined_word(const struct emitter *e)
{
    const uint8_t number = e->words.joined[e->before];
    const struct word *const w = &e->words.word[number - 1];
    LLVMValueRef value = e->word[number - 1];
    if (w->big)
        value = llvm_emit_intrinsic(e, "llvm.bswap", type_of_word(e, w), &value, 1);
    value =
        w->is_signed ? LLVMBuildSExt(B_, value, e->i64, "") : LLVMBuildZExt(B_, value, e->i64, "");
    return LLVMBuildShl(B_, value, llvm_emit_const(e, w->shift), "");
}

/* ---- Loads and stores ---- */

/* Loads aligned bytes that were checked. */
static LLVMValueRef load_checked(struct emitter *e, LLVMValueRef address, unsigned log2)
{
    if (e->words.of[e->before] != 0)
        return load_byte(e, address);
    return load_fast(e, address, word_type(e, log2), 1u << log2, e->leads[e->before]);
}

/* Checks one access. The engine carries out misaligned accesses. */
static LLVMValueRef load_uneven(struct emitter *e, LLVMValueRef address, unsigned log2)
{
    LLVMBasicBlockRef cold = llvm_emit_new_block(e, "slow_load"),
                      done = llvm_emit_new_block(e, "loaded");
    check(e, address, UINT64_C(1) << log2, log2, RV64_R, cold);
    e->last_root = UINT32_MAX;
    LLVMValueRef fast = load_fast(e, address, word_type(e, log2), 1u << log2, e->leads[e->before]);
    LLVMBasicBlockRef fast_end = LLVMGetInsertBlock(B_);
    LLVMBuildBr(B_, done);

    LLVMPositionBuilderAtEnd(B_, cold);
    LLVMValueRef slow = call_engine(e, JIT_LOAD, address, log2, llvm_emit_const(e, 0));
    slow = LLVMBuildTrunc(B_, slow, word_type(e, log2), "");
    LLVMBasicBlockRef slow_end = LLVMGetInsertBlock(B_);
    LLVMBuildBr(B_, done);

    LLVMPositionBuilderAtEnd(B_, done);
    LLVMValueRef value = LLVMBuildPhi(B_, word_type(e, log2), "");
    LLVMAddIncoming(value, (LLVMValueRef[]){fast, slow}, (LLVMBasicBlockRef[]){fast_end, slow_end},
                    2);
    return value;
}

static void load(struct emitter *e, unsigned log2, bool is_signed)
{
    LLVMValueRef value = (e->options->uneven ? load_uneven : load_checked)(e, address_of(e), log2);
    llvm_emit_set(e, e->insn->insn.rd,
                  is_signed ? LLVMBuildSExt(B_, value, e->i64, "")
                            : LLVMBuildZExt(B_, value, e->i64, ""));
}

static void store_fast(struct emitter *e, LLVMValueRef address, unsigned log2, LLVMValueRef value)
{
    LLVMValueRef word = LLVMBuildTrunc(B_, value, word_type(e, log2), "");
    LLVMValueRef done = LLVMBuildStore(B_, word, host_word(e, address, word_type(e, log2)));
    if (!e->unchecked)
        LLVMSetOrdering(done, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(done, 1u << log2);
    e->last_root = UINT32_MAX;
}

static void store_uneven(struct emitter *e, LLVMValueRef address, unsigned log2, LLVMValueRef value)
{
    LLVMBasicBlockRef cold = llvm_emit_new_block(e, "slow_store"),
                      done = llvm_emit_new_block(e, "stored");
    check(e, address, UINT64_C(1) << log2, log2, RV64_W, cold);
    store_fast(e, address, log2, value);
    LLVMBuildBr(B_, done);
    LLVMPositionBuilderAtEnd(B_, cold);
    (void)call_engine(e, JIT_STORE, address, log2, value);
    LLVMBuildBr(B_, done);
    LLVMPositionBuilderAtEnd(B_, done);
}

/* ---- Atomics ---- */

/* Returns the word of an atomic. Leaves the code if the access faults. */
static LLVMValueRef atomic_word(struct emitter *e, unsigned log2, unsigned need)
{
    LLVMValueRef address = llvm_emit_get(e, e->insn->insn.rs1);
    LLVMBasicBlockRef cold = llvm_emit_new_block(e, "bad_atomic");
    check(e, address, UINT64_C(1) << log2, log2, need, cold);
    e->last_root = UINT32_MAX;
    LLVMBasicBlockRef on = LLVMGetInsertBlock(B_);
    LLVMPositionBuilderAtEnd(B_, cold);
    llvm_emit_leave(e);
    LLVMPositionBuilderAtEnd(B_, on);
    return host_word(e, address, word_type(e, log2));
}

static void set_extended(struct emitter *e, LLVMValueRef word)
{
    llvm_emit_set(e, e->insn->insn.rd,
                  LLVMTypeOf(word) == e->i64 ? word : LLVMBuildSExt(B_, word, e->i64, ""));
}

/* Adds the fence of .aq after an atomic that writes: on some hosts later accesses wait only for its
 * load, but .aq orders them after its write, too. */
static void acquire(struct emitter *e)
{
    if (e->split_atomics && (e->insn->insn.bits >> 26 & 1))
        LLVMBuildFence(B_, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}

static void amo(struct emitter *e, unsigned log2, LLVMAtomicRMWBinOp op)
{
    LLVMValueRef at = atomic_word(e, log2, RV64_R | RV64_W);
    LLVMValueRef operand =
        LLVMBuildTrunc(B_, llvm_emit_get(e, e->insn->insn.rs2), word_type(e, log2), "");
    set_extended(e, LLVMBuildAtomicRMW(B_, op, at, operand,
                                       LLVMAtomicOrderingSequentiallyConsistent, false));
    acquire(e);
}

static LLVMValueRef reserved(const struct emitter *e, size_t offset)
{
    return llvm_emit_field(e, offset, e->i64);
}

static LLVMValueRef reserved_width(const struct emitter *e)
{
    return llvm_emit_field(e, offsetof(struct rv64_hart, reserved_width), e->i8);
}

static void load_reserved(struct emitter *e, unsigned log2)
{
    LLVMValueRef at = atomic_word(e, log2, RV64_R);
    if (e->insn->insn.bits >> 25 & 1) /* .rl: after the hart's earlier accesses */
        LLVMBuildFence(B_, LLVMAtomicOrderingSequentiallyConsistent, false, "");
    LLVMValueRef seen = LLVMBuildLoad2(B_, word_type(e, log2), at, "");
    LLVMSetOrdering(seen, LLVMAtomicOrderingSequentiallyConsistent);
    LLVMSetAlignment(seen, 1u << log2);
    LLVMBuildStore(B_, llvm_emit_get(e, e->insn->insn.rs1),
                   reserved(e, offsetof(struct rv64_hart, reserved_address)));
    LLVMBuildStore(B_, LLVMBuildZExt(B_, seen, e->i64, ""),
                   reserved(e, offsetof(struct rv64_hart, reserved_value)));
    LLVMBuildStore(B_, LLVMConstInt(e->i8, UINT64_C(1) << log2, false), reserved_width(e));
    set_extended(e, seen);
}

static void store_conditional(struct emitter *e, unsigned log2)
{
    LLVMValueRef at = atomic_word(e, log2, RV64_W);
    LLVMValueRef address =
        LLVMBuildLoad2(B_, e->i64, reserved(e, offsetof(struct rv64_hart, reserved_address)), "");
    LLVMValueRef width = LLVMBuildLoad2(B_, e->i8, reserved_width(e), "");
    LLVMValueRef mine = LLVMBuildAnd(
        B_,
        LLVMBuildICmp(B_, LLVMIntEQ, width, LLVMConstInt(e->i8, UINT64_C(1) << log2, false), ""),
        LLVMBuildICmp(B_, LLVMIntEQ, address, llvm_emit_get(e, e->insn->insn.rs1), ""), "");
    LLVMBuildStore(B_, LLVMConstInt(e->i8, 0, false), reserved_width(e));
    LLVMBasicBlockRef before = LLVMGetInsertBlock(B_), try = llvm_emit_new_block(e, "try"),
                      done = llvm_emit_new_block(e, "tried");
    LLVMBuildCondBr(B_, mine, try, done);

    LLVMPositionBuilderAtEnd(B_, try);
    LLVMValueRef old =
        LLVMBuildLoad2(B_, e->i64, reserved(e, offsetof(struct rv64_hart, reserved_value)), "");
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(
        B_, at, LLVMBuildTrunc(B_, old, word_type(e, log2), ""),
        LLVMBuildTrunc(B_, llvm_emit_get(e, e->insn->insn.rs2), word_type(e, log2), ""),
        LLVMAtomicOrderingSequentiallyConsistent, LLVMAtomicOrderingSequentiallyConsistent, false);
    LLVMValueRef failed =
        LLVMBuildZExt(B_, LLVMBuildNot(B_, LLVMBuildExtractValue(B_, pair, 1, ""), ""), e->i64, "");
    LLVMBuildBr(B_, done);

    LLVMPositionBuilderAtEnd(B_, done);
    LLVMValueRef result = LLVMBuildPhi(B_, e->i64, "");
    LLVMAddIncoming(result, (LLVMValueRef[]){llvm_emit_const(e, 1), failed},
                    (LLVMBasicBlockRef[]){before, try}, 2);
    llvm_emit_set(e, e->insn->insn.rd, result);
    acquire(e);
}

static bool emit_atomic(struct emitter *e)
{
    static const struct {
        uint8_t op, log2;
        LLVMAtomicRMWBinOp what;
    } amos[] = {
        {OP_AMOSWAP_W, 2, LLVMAtomicRMWBinOpXchg}, {OP_AMOSWAP_D, 3, LLVMAtomicRMWBinOpXchg},
        {OP_AMOADD_W, 2, LLVMAtomicRMWBinOpAdd},   {OP_AMOADD_D, 3, LLVMAtomicRMWBinOpAdd},
        {OP_AMOXOR_W, 2, LLVMAtomicRMWBinOpXor},   {OP_AMOXOR_D, 3, LLVMAtomicRMWBinOpXor},
        {OP_AMOAND_W, 2, LLVMAtomicRMWBinOpAnd},   {OP_AMOAND_D, 3, LLVMAtomicRMWBinOpAnd},
        {OP_AMOOR_W, 2, LLVMAtomicRMWBinOpOr},     {OP_AMOOR_D, 3, LLVMAtomicRMWBinOpOr},
        {OP_AMOMIN_W, 2, LLVMAtomicRMWBinOpMin},   {OP_AMOMIN_D, 3, LLVMAtomicRMWBinOpMin},
        {OP_AMOMAX_W, 2, LLVMAtomicRMWBinOpMax},   {OP_AMOMAX_D, 3, LLVMAtomicRMWBinOpMax},
        {OP_AMOMINU_W, 2, LLVMAtomicRMWBinOpUMin}, {OP_AMOMINU_D, 3, LLVMAtomicRMWBinOpUMin},
        {OP_AMOMAXU_W, 2, LLVMAtomicRMWBinOpUMax}, {OP_AMOMAXU_D, 3, LLVMAtomicRMWBinOpUMax},
    };
    const unsigned op = e->insn->insn.op;
    for (size_t i = 0; i < sizeof amos / sizeof *amos; i++)
        if (amos[i].op == op) {
            amo(e, amos[i].log2, amos[i].what);
            return true;
        }
    if (op == OP_LR_W || op == OP_LR_D)
        load_reserved(e, op == OP_LR_W ? 2 : 3);
    else if (op == OP_SC_W || op == OP_SC_D)
        store_conditional(e, op == OP_SC_W ? 2 : 3);
    else
        return false;
    return true;
}

bool llvm_emit_access(struct emitter *e)
{
    const unsigned op = e->insn->insn.op;
    unsigned log2, need;
    if (!llvm_access_of(&e->insn->insn, &log2, &need))
        return emit_atomic(e);
    if (need & RV64_W)
        (e->options->uneven ? store_uneven : store_fast)(e, address_of(e), log2,
                                                         llvm_emit_get(e, e->insn->insn.rs2));
    else
        load(e, log2, op == OP_LB || op == OP_LH || op == OP_LW || op == OP_LD);
    return true;
}
