/* Makes an LLVM function of a region. */
#include "engine/llvm/emit.h"

#include <string.h>

#define B_ e->builder

/* ---- Facts about the region ---- */

static uint32_t written_by(const struct emitter *e, const struct jit_block *b)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < b->count; i++)
        mask |= register_bit(e->region->insns[b->first + i].insn.rd);
    return mask;
}

/* Returns whether the block calls code. An indirect jump elsewhere is also a host call, unless LLVM
 * makes a tail call. */
static bool needs_stack(const struct emitter *e, const struct jit_block *b)
{
    if (b->end != JIT_END_JALR)
        return jit_calls(e->region, b);
    const struct rv64_insn *jalr = &jit_last(e->region, b)->insn;
    return jalr->rd != 0 || (jalr->rs1 != 1 && jalr->rs1 != 5);
}

static bool make_dirty(struct emitter *e, int32_t block, uint32_t registers)
{
    const uint32_t before = e->dirty_at[block];
    e->dirty_at[block] |= registers;
    return e->dirty_at[block] != before;
}

static void find_dirty(struct emitter *e)
{
    const struct jit_region *r = e->region;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < r->block_count; i++) {
            const struct jit_block *b = &r->blocks[i];
            const uint32_t inside = e->dirty_at[i] | written_by(e, b),
                           after = jit_calls(r, b) ? 0 : inside;
            const int32_t to[] = {b->next, b->taken};
            for (unsigned k = 0; k < 2; k++)
                changed |= to[k] >= 0 && make_dirty(e, to[k], after);
            for (uint32_t k = 0; k < b->target_count; k++)
                changed |= make_dirty(e, r->targets[b->target + k], inside);
        }
    }
}

static uint32_t used_registers(const struct emitter *e)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < e->region->insn_count; i++) {
        const struct rv64_insn *insn = &e->region->insns[i].insn;
        mask |= register_bit(insn->rd) | register_bit(insn->rs1) | register_bit(insn->rs2);
    }
    return mask;
}

/* Returns whether the budget is checked at the start of block `index`: if jumps go back to it, or
 * the region may call itself. Every cycle goes back somewhere in the same copy of a function. */
static bool checks_budget(const struct emitter *e, uint32_t index)
{
    const struct jit_region *r = e->region;
    if (e->options->every_block)
        return true;
    for (uint32_t i = 0; i < r->block_count; i++) {
        const struct jit_block *b = &r->blocks[i];
        if (index == 0 && (b->end == JIT_END_CALL || b->end == JIT_END_JALR))
            return true;
        for (uint32_t k = 0; k < b->target_count; k++)
            if ((uint32_t)r->targets[b->target + k] == index &&
                llvm_emit_is_back(e, b, (int32_t)index))
                return true;
        if (((uint32_t)b->next == index || (uint32_t)b->taken == index) &&
            llvm_emit_is_back(e, b, (int32_t)index))
            return true;
    }
    return false;
}

/* ---- The function ---- */

/* Returns at once if the host's stack is nearly full: calls of the guest are host calls. */
static void check_stack(struct emitter *e)
{
#ifdef __aarch64__
    static const char name[] = "sp";
#else
    static const char name[] = "rsp";
#endif
    unsigned id = LLVMLookupIntrinsicID("llvm.read_register", 18);
    LLVMMetadataRef text = LLVMMDStringInContext2(e->context, name, sizeof name - 1);
    LLVMValueRef reg = LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, &text, 1));
    LLVMValueRef stack =
        LLVMBuildCall2(B_, LLVMIntrinsicGetType(e->context, id, &e->i64, 1),
                       LLVMGetIntrinsicDeclaration(e->module, id, &e->i64, 1), &reg, 1, "");
    LLVMValueRef limit = LLVMBuildLoad2(
        B_, e->i64, llvm_emit_field(e, offsetof(struct rv64_hart, stack_limit), e->i64), "");
    LLVMBasicBlockRef out = llvm_emit_new_block(e, "out_of_stack");
    llvm_emit_unlikely(e, LLVMBuildICmp(B_, LLVMIntULT, stack, limit, ""), out);
    LLVMBasicBlockRef on = LLVMGetInsertBlock(B_);
    LLVMPositionBuilderAtEnd(B_, out);
    LLVMValueRef next = LLVMGetUndef(e->next_type);
    next = LLVMBuildInsertValue(B_, next, llvm_emit_const(e, e->region->blocks[0].pc), 0, "");
    LLVMBuildRet(B_, LLVMBuildInsertValue(B_, next, LLVMGetParam(e->function, 1), 1, ""));
    LLVMPositionBuilderAtEnd(B_, on);
}

static void emit_begin(struct emitter *e)
{
    bool any_calls = false;
    LLVMPositionBuilderAtEnd(B_, llvm_emit_new_block(e, "entry"));
    e->left = LLVMBuildAlloca(B_, e->i64, "left");
    for (unsigned i = 1; i < 32; i++)
        e->x[i] = LLVMBuildAlloca(B_, e->i64, "");
    for (uint32_t i = 0; i < e->region->block_count; i++)
        any_calls |= needs_stack(e, &e->region->blocks[i]);
    if (any_calls)
        check_stack(e);
    LLVMBuildStore(B_, LLVMGetParam(e->function, 1), e->left);
    llvm_emit_load_registers(e, e->used);
    for (uint32_t i = 0; i < e->region->block_count; i++)
        e->back[i] = e->blocks[i] = llvm_emit_new_block(e, "block");
    llvm_loops_begin(e);
    e->entry = LLVMGetInsertBlock(B_);
    LLVMBuildBr(B_, e->blocks[0]);
}

void llvm_emit_words_begin(struct emitter *e, uint32_t index)
{
    e->words = (struct words){0};
    if (!e->options->uneven)
        llvm_words_find(e->region, &e->region->blocks[index], &e->facts.groups[index], &e->words);
}

void llvm_emit_instruction(struct emitter *e)
{
    if (llvm_emit_value(e) || llvm_emit_access(e))
        return;
    if (e->insn->insn.op == OP_FENCE)
        LLVMBuildFence(B_, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}

static bool begins_group(const struct emitter *e)
{
    unsigned log2, need;
    return llvm_access_of(&e->insn->insn, &log2, &need) &&
           e->groups->group[e->groups->of[e->before]].first == e->before;
}

/* Emits instruction `before` of the block, after its group's check if it is the first of the
 * group. */
static void emit_checked(struct emitter *e)
{
    e->insn = &e->region->insns[e->block->first + e->before];
    if (!e->options->uneven && begins_group(e))
        llvm_emit_check(e);
    llvm_emit_instruction(e);
}

/* Returns whether the block jumps by a table whose entry has its own check. */
static bool jumps_by_table(const struct emitter *e)
{
    if (e->block->table == 0 || e->options->uneven)
        return false;
    const uint32_t load = e->region->tables[e->block->table].load;
    const struct group *const g = &e->groups->group[e->groups->of[load]];
    return g->first == load && g->accesses == 1 && g->end - g->begin == sizeof(uint64_t);
}

/* Emits the load of a table entry: an entry of the block's table needs no check, and its index
 * gives the target. The builder continues where the load is not of such an entry. */
static void emit_by_table(struct emitter *e, uint32_t count)
{
    const struct jit_table *const t = &e->region->tables[e->block->table];
    const uint8_t group = e->groups->of[t->load];
    LLVMBasicBlockRef none = llvm_emit_new_block(e, "no_entry");
    LLVMValueRef const base = llvm_emit_const(e, t->base),
                       entries = llvm_emit_const(e, t->entry_count);
    llvm_emit_unlikely(e, LLVMBuildICmp(B_, LLVMIntNE, e->table_base, base, ""), none);
    llvm_emit_unlikely(e, LLVMBuildICmp(B_, LLVMIntUGE, e->table_index, entries, ""), none);
    struct fact known[JIT_FORMS_MAX];
    const uint32_t dirty = e->dirty, last_root = e->last_root;
    memcpy(known, e->known, sizeof known);

    llvm_fact_learn(&e->known[e->groups->root_of[group]], &e->groups->group[group]);
    e->insn = &e->region->insns[e->block->first + t->load];
    llvm_emit_instruction(e);
    for (e->before = t->load + 1; e->before < count; e->before++)
        emit_checked(e);
    e->insn = jit_last(e->region, e->block);
    llvm_emit_table_jump(e);

    memcpy(e->known, known, sizeof known);
    e->dirty = dirty;
    e->last_root = last_root;
    e->before = t->load;
    LLVMPositionBuilderAtEnd(B_, none);
}

static void emit_block(struct emitter *e, uint32_t index)
{
    const struct jit_block *b = &e->region->blocks[index];
    const uint32_t count = b->end != JIT_END_FALL && b->count != 0 ? b->count - 1 : b->count;
    e->block = b;
    e->before = 0;
    e->insn = NULL;
    e->dirty = e->dirty_at[index];
    e->last_root = UINT32_MAX;
    e->groups = &e->facts.groups[index];
    llvm_addresses_of_block(e->region, b, e->addresses_at[index], e->leads);
    llvm_hints_of_block(e->region, b, e->hints_at[index], e->hint);
    memset(e->known, 0, sizeof e->known);
    memcpy(e->known, e->facts.at[index], sizeof *e->facts.at);
    LLVMPositionBuilderAtEnd(B_, e->blocks[index]);
    if (e->loops[index] != NULL) {
        LLVMBasicBlockRef checked = llvm_emit_new_block(e, "checked");
        llvm_emit_loop(e, e->loops[index], checked);
        e->block = b;
        e->before = 0;
        e->insn = NULL;
        e->dirty = e->dirty_at[index];
        e->last_root = UINT32_MAX;
        LLVMPositionBuilderAtEnd(B_, checked);
    }
    llvm_emit_words_begin(e, index);
    llvm_emit_block_begin(e, checks_budget(e, index));
    llvm_loops_enter(e);
    const struct jit_table *const table = jumps_by_table(e) ? &e->region->tables[b->table] : NULL;
    for (e->before = 0; e->before < count; e->before++) {
        if (table != NULL && e->before == table->scale)
            e->table_index = llvm_emit_get(e, table->index_reg);
        if (table != NULL && e->before == table->add)
            e->table_base = llvm_emit_get(e, table->base_reg);
        if (table != NULL && e->before == table->load)
            emit_by_table(e, count);
        emit_checked(e);
    }
    if (count < b->count)
        e->insn = &e->region->insns[b->first + count];
    llvm_emit_block_end(e);
}

void llvm_emit_function(struct emitter *e)
{
    LLVMTypeRef params[] = {e->bytes, e->i64};
    e->code_type = LLVMFunctionType(e->next_type, params, 2, false);
    e->function = LLVMAddFunction(e->module, "code", e->code_type);
    e->hart = LLVMGetParam(e->function, 0);
    static const char *const flags[] = {"noalias", "nonnull"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        LLVMAddAttributeAtIndex(
            e->function, 1,
            LLVMCreateEnumAttribute(
                e->context, LLVMGetEnumAttributeKindForName(flags[i], strlen(flags[i])), 0));
    static const char *const own[] = {"nounwind"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        LLVMAddAttributeAtIndex(
            e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
            LLVMCreateEnumAttribute(e->context,
                                    LLVMGetEnumAttributeKindForName(own[i], strlen(own[i])), 0));
    LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(e->context, "no-jump-tables", 14, "true", 4));
    LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(e->context, "no-builtins", 11, "", 0));
    e->used = used_registers(e);
    find_dirty(e);
    llvm_addresses_find(e->region, e->addresses_at);
    llvm_hints_find(e->region, e->hints_at);
    emit_begin(e);
    for (uint32_t i = 0; i < e->region->block_count; i++)
        emit_block(e, i);
}
