/* Finds registers that become addresses, from the last instruction of a block to the first. */
#include "engine/llvm/addresses.h"

#include "engine/llvm/groups.h"

/* Returns the registers that may become addresses before the instruction, given those after it. */
static uint32_t before(const struct rv64_insn *insn, uint32_t after)
{
    const uint32_t address = register_bit(insn->rs1);
    unsigned log2, need;
    if (llvm_access_of(insn, &log2, &need))
        return (need & RV64_W ? after : after & ~register_bit(insn->rd)) | address;
    if (is_atomic(insn) || insn->op == OP_JALR)
        return (after & ~register_bit(insn->rd)) | address;
    if (insn->op >= OP_BEQ && insn->op <= OP_BGEU)
        return after;
    if (!(after & register_bit(insn->rd)))
        return after;
    return (after & ~register_bit(insn->rd)) | address | register_bit(insn->rs2);
}

static uint32_t at_begin(const struct jit_region *r, const struct jit_block *b, uint32_t at_end)
{
    for (uint32_t i = b->count; i-- > 0;)
        at_end = before(&r->insns[b->first + i].insn, at_end);
    return at_end;
}

/* Returns the registers that the blocks after `b` use for addresses. After a call all registers are
 * loaded again. */
static uint32_t behind(const struct jit_region *r, const struct jit_block *b,
                       const uint32_t *begins)
{
    uint32_t mask = 0;
    if (b->next >= 0 && !jit_calls(r, b))
        mask |= begins[b->next];
    if (b->taken >= 0)
        mask |= begins[b->taken];
    for (uint32_t i = 0; i < b->target_count; i++)
        mask |= begins[r->targets[b->target + i]];
    return mask;
}

void llvm_addresses_find(const struct jit_region *region, uint32_t *at_end)
{
    uint32_t begins[JIT_BLOCKS_MAX] = {0};
    for (uint32_t i = 0; i < region->block_count; i++)
        at_end[i] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = region->block_count; i-- > 0;) {
            const struct jit_block *b = &region->blocks[i];
            at_end[i] = behind(region, b, begins);
            const uint32_t begin = at_begin(region, b, at_end[i]);
            changed |= begin != begins[i];
            begins[i] = begin;
        }
    }
}

void llvm_addresses_of_block(const struct jit_region *region, const struct jit_block *block,
                             uint32_t at_end, bool leads[RV64_BLOCK_MAX])
{
    for (uint32_t i = block->count; i-- > 0;) {
        const struct rv64_insn *insn = &region->insns[block->first + i].insn;
        leads[i] = (at_end & register_bit(insn->rd)) != 0;
        at_end = before(insn, at_end);
    }
}
