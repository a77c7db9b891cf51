/* Blocks, jumps, calls and returns. */
#include "engine/llvm/emit.h"

#include <llvm-c/DebugInfo.h>

#define B_ e->builder

void llvm_emit_load_registers(struct emitter *e, uint32_t mask)
{
    for (unsigned i = 1; i < 32; i++)
        if (mask >> i & 1)
            LLVMBuildStore(
                B_, LLVMBuildLoad2(B_, e->i64, llvm_emit_field(e, 8 * (size_t)i, e->i64), ""),
                e->x[i]);
}

void llvm_emit_store_registers(struct emitter *e, uint32_t mask)
{
    for (unsigned i = 1; i < 32; i++)
        if (mask >> i & 1)
            LLVMBuildStore(B_, llvm_emit_get(e, i), llvm_emit_field(e, 8 * (size_t)i, e->i64));
}

/* Returns from the code: the guest continues at `pc`. The hart has the registers. */
static void return_next(struct emitter *e, LLVMValueRef pc, LLVMValueRef left)
{
    LLVMValueRef next = LLVMGetUndef(e->next_type);
    next = LLVMBuildInsertValue(B_, next, pc, 0, "");
    LLVMBuildRet(B_, LLVMBuildInsertValue(B_, next, left, 1, ""));
}

static LLVMValueRef get_left(const struct emitter *e)
{
    return LLVMBuildLoad2(B_, e->i64, e->left, "");
}

static void leave_to(struct emitter *e, LLVMValueRef pc)
{
    llvm_emit_store_registers(e, e->dirty);
    return_next(e, pc, get_left(e));
}

void llvm_emit_leave(struct emitter *e)
{
    llvm_emit_store_registers(e, e->dirty);
    LLVMValueRef left =
        LLVMBuildAdd(B_, get_left(e), llvm_emit_const(e, e->block->count - e->before), "");
    uint64_t pc = e->insn != NULL ? e->insn->pc : e->block->pc;
    return_next(e, llvm_emit_const(e, pc | RV64_INSIDE), left);
}

void llvm_emit_block_begin(struct emitter *e, bool check_budget)
{
    LLVMValueRef left = get_left(e);
    if (check_budget) {
        LLVMBasicBlockRef out = llvm_emit_new_block(e, "out_of_budget");
        llvm_emit_unlikely(e, LLVMBuildICmp(B_, LLVMIntSLE, left, llvm_emit_const(e, 0), ""), out);
        LLVMBasicBlockRef on = LLVMGetInsertBlock(B_);
        LLVMPositionBuilderAtEnd(B_, out);
        leave_to(e, llvm_emit_const(e, e->block->pc));
        LLVMPositionBuilderAtEnd(B_, on);
    }
    LLVMBuildStore(B_, LLVMBuildSub(B_, left, llvm_emit_const(e, e->block->count), ""), e->left);
}

LLVMBasicBlockRef llvm_emit_destination(struct emitter *e, int32_t index, uint64_t pc)
{
    if (index >= 0)
        return (llvm_emit_is_back(e, e->block, index) ? e->back : e->blocks)[index];
    LLVMBasicBlockRef on = LLVMGetInsertBlock(B_), out = llvm_emit_new_block(e, "elsewhere");
    LLVMPositionBuilderAtEnd(B_, out);
    leave_to(e, llvm_emit_const(e, pc));
    LLVMPositionBuilderAtEnd(B_, on);
    return out;
}

LLVMValueRef llvm_emit_condition(const struct emitter *e)
{
    static const LLVMIntPredicate predicates[OP_COUNT] = {
        [OP_BEQ] = LLVMIntEQ,  [OP_BNE] = LLVMIntNE,   [OP_BLT] = LLVMIntSLT,
        [OP_BGE] = LLVMIntSGE, [OP_BLTU] = LLVMIntULT, [OP_BGEU] = LLVMIntUGE,
    };
    const struct rv64_insn *i = &e->insn->insn;
    return LLVMBuildICmp(B_, predicates[i->op], llvm_emit_get(e, i->rs1), llvm_emit_get(e, i->rs2),
                         "");
}

void llvm_emit_keep_rolled(const struct emitter *e, LLVMValueRef jump)
{
    static const char never[] = "llvm.loop.unroll.disable";
    LLVMMetadataRef option = LLVMMDStringInContext2(e->context, never, sizeof never - 1);
    LLVMMetadataRef self = LLVMTemporaryMDNode(e->context, NULL, 0);
    LLVMMetadataRef options[] = {self, LLVMMDNodeInContext2(e->context, &option, 1)};
    LLVMMetadataRef loop = LLVMMDNodeInContext2(e->context, options, 2);
    LLVMMetadataReplaceAllUsesWith(self, loop); /* each loop has its own name */
    LLVMSetMetadata(jump, LLVMGetMDKindIDInContext(e->context, "llvm.loop", 9),
                    LLVMMetadataAsValue(e->context, loop));
}

/* Keeps the loop rolled if `jump` goes back to a block of the region. */
static void keep_rolled_to(const struct emitter *e, LLVMValueRef jump, int32_t to)
{
    if (to >= 0 && llvm_emit_is_back(e, e->block, to))
        llvm_emit_keep_rolled(e, jump);
}

static void branch(struct emitter *e)
{
    LLVMBasicBlockRef taken = llvm_emit_destination(e, e->block->taken, e->block->taken_pc);
    LLVMBasicBlockRef next = llvm_emit_destination(e, e->block->next, e->block->next_pc);
    LLVMValueRef jump = LLVMBuildCondBr(B_, llvm_emit_condition(e), taken, next);
    keep_rolled_to(e, jump, e->block->taken);
    keep_rolled_to(e, jump, e->block->next);
}

/* ---- Calls ---- At each call and each return the hart has the registers. */

/* Returns the code at a guest address, given its offset in the table, or NULL. */
static LLVMValueRef code_at(struct emitter *e, LLVMValueRef offset)
{
    LLVMTypeRef pointer = LLVMPointerType(e->code_type, 0);
    LLVMValueRef byte = LLVMBuildShl(B_, offset, llvm_emit_const(e, 2), "");
    LLVMValueRef at = LLVMBuildGEP2(B_, e->i8, e->symbols[JIT_SLOTS], &byte, 1, "");
    at = LLVMBuildBitCast(B_, at, LLVMPointerType(pointer, 0), "");
    LLVMValueRef code = LLVMBuildLoad2(B_, pointer, at, "");
    LLVMSetOrdering(code, LLVMAtomicOrderingAcquire); /* also acquires the code's constants */
    LLVMSetAlignment(code, 8);
    return code;
}

/* Calls the code of the guest address `target`. Leaves if that is not translated. */
static LLVMValueRef call(struct emitter *e, LLVMValueRef target)
{
    LLVMBasicBlockRef out = llvm_emit_new_block(e, "not_translated");
    LLVMValueRef offset = LLVMBuildSub(B_, target, llvm_emit_const(e, e->options->begin), "");
    llvm_emit_unlikely(
        e, LLVMBuildICmp(B_, LLVMIntUGE, offset, llvm_emit_const(e, e->options->size), ""), out);
    LLVMValueRef code = code_at(e, offset);
    llvm_emit_unlikely(e, LLVMBuildIsNull(B_, code, ""), out);
    LLVMBasicBlockRef on = LLVMGetInsertBlock(B_);
    LLVMPositionBuilderAtEnd(B_, out);
    return_next(e, target, get_left(e));
    LLVMPositionBuilderAtEnd(B_, on);
    return LLVMBuildCall2(B_, e->code_type, code, (LLVMValueRef[]){e->hart, get_left(e)}, 2, "");
}

/* Continues after a call if the guest has returned there. Otherwise leaves. */
static void after_call(struct emitter *e, LLVMValueRef next)
{
    LLVMBasicBlockRef out = llvm_emit_new_block(e, "elsewhere");
    LLVMValueRef pc = LLVMBuildExtractValue(B_, next, 0, "");
    llvm_emit_unlikely(
        e, LLVMBuildICmp(B_, LLVMIntNE, pc, llvm_emit_const(e, e->block->next_pc), ""), out);
    LLVMBasicBlockRef on = LLVMGetInsertBlock(B_);
    LLVMPositionBuilderAtEnd(B_, out);
    LLVMBuildRet(B_, next);
    LLVMPositionBuilderAtEnd(B_, on);
    LLVMBuildStore(B_, LLVMBuildExtractValue(B_, next, 1, ""), e->left);
    e->dirty = 0;
    if (e->block->next >= 0)
        llvm_emit_load_registers(e, e->used);
    LLVMBuildBr(B_, llvm_emit_destination(e, e->block->next, e->block->next_pc));
}

/* Jumps to the label `index`, which is less than `size`. */
static void jump_by(struct emitter *e, LLVMValueRef *labels, uint64_t size, LLVMValueRef index,
                    const LLVMBasicBlockRef *to, uint32_t count)
{
    const LLVMTypeRef type = LLVMArrayType(e->bytes, (unsigned)size);
    LLVMValueRef table = LLVMAddGlobal(e->module, type, "");
    LLVMSetInitializer(table, LLVMConstArray(e->bytes, labels, (unsigned)size));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(B_, type, table,
                                            (LLVMValueRef[]){llvm_emit_const(e, 0), index}, 2, "");
    LLVMValueRef jump = LLVMBuildIndirectBr(B_, LLVMBuildLoad2(B_, e->bytes, at, ""), count);
    for (uint32_t i = 0; i < count; i++)
        LLVMAddDestination(jump, to[i]);
}

/* Jumps to `target` if it is a target of the block. Otherwise the builder continues. A table has a
 * label for each halfword between the first and the last target. */
static void jump_within(struct emitter *e, LLVMValueRef target)
{
    enum { TABLE_MAX = 8192 };
    const struct jit_region *r = e->region;
    const int32_t *const targets = &r->targets[e->block->target];
    const uint32_t count = e->block->target_count;
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t pc = r->blocks[targets[i]].pc;
        low = pc < low ? pc : low;
        high = pc > high ? pc : high;
    }
    const uint64_t size = (high - low) / 2 + 1;
    if (size > TABLE_MAX)
        return;
    LLVMValueRef labels[TABLE_MAX];
    LLVMBasicBlockRef to[RV64_JUMP_TRIES + 1];
    LLVMBasicBlockRef other = llvm_emit_new_block(e, "other"), inside;
    for (uint64_t i = 0; i < size; i++)
        labels[i] = LLVMBlockAddress(e->function, other);
    to[count] = other;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = e->blocks[targets[i]];
        labels[(r->blocks[targets[i]].pc - low) / 2] = LLVMBlockAddress(e->function, to[i]);
    }
    LLVMValueRef index = LLVMBuildSub(B_, target, llvm_emit_const(e, low), "");
    inside = llvm_emit_new_block(e, "inside");
    LLVMBuildCondBr(B_, LLVMBuildICmp(B_, LLVMIntULE, index, llvm_emit_const(e, high - low), ""),
                    inside, other);
    LLVMPositionBuilderAtEnd(B_, inside);
    index = LLVMBuildLShr(B_, index, llvm_emit_const(e, 1), "");
    jump_by(e, labels, size, index, to, count + 1);
    LLVMPositionBuilderAtEnd(B_, other);
}

static LLVMValueRef jalr_target(const struct emitter *e)
{
    const struct rv64_insn *i = &e->insn->insn;
    LLVMValueRef target = LLVMBuildAdd(B_, llvm_emit_get(e, i->rs1),
                                       llvm_emit_const(e, (uint64_t)(int64_t)i->imm), "");
    return LLVMBuildAnd(B_, target, llvm_emit_const(e, ~UINT64_C(1)), "");
}

/* Returns from a copy, nearly always to the code after its call. */
static void copy_return(struct emitter *e)
{
    LLVMValueRef target = jalr_target(e);
    LLVMBasicBlockRef out = llvm_emit_new_block(e, "elsewhere");
    LLVMValueRef other =
        LLVMBuildICmp(B_, LLVMIntNE, target, llvm_emit_const(e, e->block->next_pc), "");
    llvm_emit_unlikely(e, other, out);
    LLVMBuildBr(B_, llvm_emit_destination(e, e->block->next, e->block->next_pc));
    LLVMPositionBuilderAtEnd(B_, out);
    leave_to(e, target);
}

static void jump_elsewhere(struct emitter *e, LLVMValueRef target)
{
    llvm_emit_store_registers(e, e->dirty);
    LLVMValueRef next = call(e, target);
    LLVMSetTailCall(next, true);
    LLVMBuildRet(B_, next);
}

void llvm_emit_table_jump(struct emitter *e)
{
    const struct jit_region *r = e->region;
    const struct jit_table *const t = &r->tables[e->block->table];
    const struct jit_block *const b = e->block;
    const LLVMBasicBlockRef other = llvm_emit_new_block(e, "other");
    LLVMBasicBlockRef to[RV64_JUMP_TRIES + 1];
    LLVMValueRef labels[JIT_ENTRIES_MAX];
    to[b->target_count] = other;
    for (uint32_t k = 0; k < b->target_count; k++)
        to[k] = e->blocks[r->targets[b->target + k]];
    for (uint32_t i = 0; i < t->entry_count; i++) {
        const int32_t block = r->targets[t->entry + i];
        labels[i] = LLVMBlockAddress(e->function, block < 0 ? other : e->blocks[block]);
    }
    jump_by(e, labels, t->entry_count, e->table_index, to, b->target_count + 1);
    LLVMPositionBuilderAtEnd(B_, other);
    jump_elsewhere(e, jalr_target(e));
}

/* Goes to the block's copy of the called function. Without a copy the builder continues. */
static void call_copies(struct emitter *e, LLVMValueRef target)
{
    const struct jit_region *r = e->region;
    for (uint32_t i = 0; i < e->block->target_count; i++) {
        const int32_t copy = r->targets[e->block->target + i];
        LLVMBasicBlockRef other = llvm_emit_new_block(e, "other");
        LLVMValueRef same =
            LLVMBuildICmp(B_, LLVMIntEQ, target, llvm_emit_const(e, r->blocks[copy].pc), "");
        LLVMBuildCondBr(B_, same, e->blocks[copy], other);
        LLVMPositionBuilderAtEnd(B_, other);
    }
}

static void jalr(struct emitter *e)
{
    const struct rv64_insn *i = &e->insn->insn;
    LLVMValueRef target = jalr_target(e);
    if (i->rd == 0 && (i->rs1 == 1 || i->rs1 == 5)) {
        leave_to(e, target); /* a return */
        return;
    }
    if (i->rd == 0) {
        if (e->block->target_count != 0)
            jump_within(e, target);
        jump_elsewhere(e, target);
        return;
    }
    llvm_emit_set(e, i->rd, llvm_emit_const(e, e->block->next_pc));
    call_copies(e, target);
    llvm_emit_store_registers(e, e->dirty);
    after_call(e, call(e, target));
}

void llvm_emit_block_end(struct emitter *e)
{
    switch (e->block->end) {
    case JIT_END_FALL:
        LLVMBuildBr(B_, llvm_emit_destination(e, e->block->next, e->block->next_pc));
        break;
    case JIT_END_JUMP:
        keep_rolled_to(
            e, LLVMBuildBr(B_, llvm_emit_destination(e, e->block->taken, e->block->taken_pc)),
            e->block->taken);
        break;
    case JIT_END_BRANCH:
        branch(e);
        break;
    case JIT_END_CALL:
        llvm_emit_set(e, e->insn->insn.rd, llvm_emit_const(e, e->block->next_pc));
        llvm_emit_store_registers(e, e->dirty);
        after_call(e, call(e, llvm_emit_const(e, e->block->taken_pc)));
        break;
    case JIT_END_JALR:
        jalr(e);
        break;
    case JIT_END_INLINE:
        llvm_emit_set(e, e->insn->insn.rd, llvm_emit_const(e, e->insn->pc + e->insn->insn.length));
        LLVMBuildBr(B_, e->blocks[e->block->taken]);
        break;
    case JIT_END_RETURN:
        copy_return(e);
        break;
    case JIT_END_LEAVE:
        llvm_emit_leave(e);
        break;
    }
}
