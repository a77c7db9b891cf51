/* A forward dataflow from the registers of a hart. The first hint for a place stays. */
#include "engine/llvm/hints.h"

#include <string.h>

#include "engine/llvm/groups.h"

/* Registers that functions preserve: sp, gp, tp, s0 to s11. */
static const uint32_t kept_by_calls = UINT32_C(0x0ffc031c);

enum { IMAGE = RV64_WINDOW_IMAGE + 1, DATA = RV64_WINDOW_DATA + 1 };

uint8_t llvm_hint_for(uint8_t hint, unsigned need)
{
    return hint == IMAGE && (need & RV64_W) ? DATA : hint;
}

/* A constant address of the program is in its image. */
static uint8_t of_constant(uint64_t value)
{
    return value >= RV64_PAGE && value <= UINT32_MAX ? IMAGE : HINT_NONE;
}

/* Returns what rd points to after the instruction. */
static uint8_t result(const struct jit_region *r, const struct jit_insn *at,
                      const uint8_t before[32])
{
    const struct rv64_insn *const insn = &at->insn;
    const uint8_t a = before[insn->rs1], b = before[insn->rs2];
    switch (insn->op) {
    case OP_LUI:
        return of_constant((uint64_t)(int64_t)insn->imm);
    case OP_AUIPC:
        return of_constant(at->pc + (uint64_t)(int64_t)insn->imm);
    case OP_ADDI:
    case OP_ANDI:
    case OP_SUB:
        return a;
    case OP_ADD:
    case OP_AND:
    case OP_OR:
        return a != HINT_NONE ? a : b;
    case OP_SH1ADD:
    case OP_SH2ADD:
    case OP_SH3ADD:
        return b;
    case OP_LD: /* probably the new pointer is near an earlier pointer */
        return r->points_to[insn->rd];
    default:
        return HINT_NONE;
    }
}

static void follow(const struct jit_region *r, const struct jit_insn *at, uint8_t hints[32])
{
    unsigned log2, need = 0;
    (void)llvm_access_of(&at->insn, &log2, &need);
    if (at->insn.rd != 0 && !(need & RV64_W))
        hints[at->insn.rd] = result(r, at, hints);
}

void llvm_hints_of_block(const struct jit_region *region, const struct jit_block *block,
                         const uint8_t at[32], uint8_t out[RV64_BLOCK_MAX])
{
    uint8_t hints[32];
    memcpy(hints, at, sizeof hints);
    for (uint32_t i = 0; i < block->count; i++) {
        const struct jit_insn *const insn = &region->insns[block->first + i];
        out[i] = hints[insn->insn.rs1];
        follow(region, insn, hints);
    }
}

static bool pass(uint8_t to[32], const uint8_t from[32], uint32_t registers)
{
    bool changed = false;
    for (unsigned reg = 1; reg < 32; reg++)
        if (to[reg] == HINT_NONE && from[reg] != HINT_NONE && (registers >> reg & 1)) {
            to[reg] = from[reg];
            changed = true;
        }
    return changed;
}

/* Passes the hints after block `index` to the blocks that follow. */
static bool pass_on(const struct jit_region *r, uint32_t index, uint8_t (*at)[32])
{
    const struct jit_block *const b = &r->blocks[index];
    uint8_t after[32];
    bool changed = false;
    memcpy(after, at[index], sizeof after);
    for (uint32_t i = 0; i < b->count; i++)
        follow(r, &r->insns[b->first + i], after);
    if (b->next >= 0)
        changed |= pass(at[b->next], after, jit_calls(r, b) ? kept_by_calls : UINT32_MAX);
    if (b->taken >= 0)
        changed |= pass(at[b->taken], after, UINT32_MAX);
    for (uint32_t i = 0; i < b->target_count; i++)
        changed |= pass(at[r->targets[b->target + i]], after, UINT32_MAX);
    return changed;
}

void llvm_hints_find(const struct jit_region *region, uint8_t (*at)[32])
{
    memset(at, 0, region->block_count * sizeof *at);
    memcpy(at[0], region->points_to, sizeof *at);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < region->block_count; i++)
            changed |= pass_on(region, i, at);
    }
}
