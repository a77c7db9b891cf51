/* Finds the tables of indirect jumps, which compilers make for a switch. */
#include "engine/jit/region.h"

/* Returns the index of the last instruction before `before` in the block that writes `reg`, or
 * -1. */
static int32_t writer(const struct jit_region *r, const struct jit_block *b, uint32_t before,
                      uint8_t reg)
{
    for (uint32_t i = before; i-- > 0;)
        if (r->insns[b->first + i].insn.rd == reg)
            return (int32_t)i;
    return -1;
}

/* Returns the value of `reg` at instruction `at`: computed in the block by AUIPC or LUI and ADDI,
 * or the value in a hart. */
static uint64_t value_of(const struct jit_region *r, const struct jit_block *b, uint32_t at,
                         uint8_t reg, const uint64_t x[32])
{
    const int32_t i = writer(r, b, at, reg);
    if (i < 0)
        return x[reg];
    const struct jit_insn *const by = &r->insns[b->first + (uint32_t)i];
    const uint64_t imm = (uint64_t)(int64_t)by->insn.imm;
    switch (by->insn.op) {
    case OP_LUI:
        return imm;
    case OP_AUIPC:
        return by->pc + imm;
    case OP_ADDI:
        return value_of(r, b, (uint32_t)i, by->insn.rs1, x) + imm;
    default:
        return 0;
    }
}

/* Returns whether instruction `add` adds an index and a base, and fills in these parts. */
static bool find_sum(const struct jit_region *r, const struct jit_block *b, uint32_t add,
                     struct jit_table *t)
{
    const struct rv64_insn *const insn = &r->insns[b->first + add].insn;
    t->add = t->scale = add;
    t->index_reg = insn->rs1;
    t->base_reg = insn->rs2;
    if (insn->op == OP_SH3ADD)
        return true;
    if (insn->op != OP_ADD)
        return false;
    const uint8_t sides[] = {insn->rs1, insn->rs2};
    for (unsigned i = 0; i < 2; i++) {
        const int32_t at = writer(r, b, add, sides[i]);
        if (at < 0 || sides[i] == 0)
            continue;
        const struct rv64_insn *const shift = &r->insns[b->first + (uint32_t)at].insn;
        if (shift->op != OP_SLLI || shift->imm != 3)
            continue;
        t->scale = (uint32_t)at;
        t->index_reg = shift->rs1;
        t->base_reg = sides[1 - i];
        return t->base_reg != sides[i];
    }
    return false;
}

/* Finds the instructions of a table jump. `base` gets its value for `x`. */
static bool find_instructions(const struct jit_region *r, const struct jit_block *b,
                              const uint64_t x[32], struct jit_table *t)
{
    const struct rv64_insn *const jump = &jit_last(r, b)->insn;
    if (b->end != JIT_END_JALR || b->target_count == 0 || jump->rd != 0 || jump->rs1 == 0 ||
        jump->imm != 0)
        return false;
    const int32_t load = writer(r, b, b->count - 1, jump->rs1);
    if (load < 0)
        return false;
    const struct rv64_insn *const ld = &r->insns[b->first + (uint32_t)load].insn;
    const int32_t add =
        ld->op == OP_LD && ld->rs1 != 0 ? writer(r, b, (uint32_t)load, ld->rs1) : -1;
    if (add < 0 || !find_sum(r, b, (uint32_t)add, t))
        return false;
    t->load = (uint32_t)load;
    t->base = value_of(r, b, t->add, t->base_reg, x);
    t->address = t->base + (uint64_t)(int64_t)ld->imm;
    return true;
}

/* Reads an entry of a table. Returns false if it is not mapped or may change. */
static bool read_entry(const struct rv64_core *core, uint64_t address, uint64_t *to)
{
    const uint8_t *const at = rv64_memory_at(core->mem, address, sizeof *to, RV64_R);
    if (at == NULL || address % sizeof *to != 0 || (rv64_page_access(core->mem, address) & RV64_W))
        return false;
    *to = __atomic_load_n((const rv64_u64 *)at, __ATOMIC_RELAXED);
    return true;
}

/* Returns the target of block `b` that begins at `pc`, or -1. */
static int32_t target_at(const struct jit_region *r, const struct jit_block *b, uint64_t pc)
{
    for (uint32_t i = 0; i < b->target_count; i++)
        if (r->blocks[r->targets[b->target + i]].pc == pc)
            return r->targets[b->target + i];
    return -1;
}

/* Reads the table as long as its entries point to code, and keeps it up to the last entry that
 * leads to a target. */
static bool read_table(const struct rv64_core *core, struct jit_region *r,
                       const struct jit_block *b, struct jit_table *t)
{
    uint64_t to;
    const uint32_t room = JIT_TARGETS_MAX - r->target_count;
    t->entry = r->target_count;
    t->entry_count = 0;
    for (uint32_t i = 0; i < JIT_ENTRIES_MAX && i < room; i++) {
        if (!read_entry(core, t->address + 8 * (uint64_t)i, &to) || to % 2 != 0 ||
            rv64_memory_at(core->mem, to, 2, RV64_X) == NULL)
            break;
        r->targets[t->entry + i] = target_at(r, b, to);
        if (r->targets[t->entry + i] >= 0)
            t->entry_count = i + 1;
    }
    r->target_count += t->entry_count;
    return t->entry_count != 0;
}

void jit_tables_find(const struct rv64_core *core, const uint64_t x[32], struct jit_region *region)
{
    for (uint32_t i = 0; i < region->block_count && region->table_count < JIT_TABLES_MAX - 1; i++) {
        struct jit_block *const b = &region->blocks[i];
        struct jit_table *const t = &region->tables[region->table_count + 1];
        if (find_instructions(region, b, x, t) && read_table(core, region, b, t))
            b->table = ++region->table_count;
    }
}
