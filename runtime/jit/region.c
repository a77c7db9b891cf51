/* Finds regions: follows jumps from a pc on. */
#include "jit/region.h"

#include <stdlib.h>

static enum jit_end end_of(const struct rv64_insn *insn)
{
    switch (insn->op) {
    case OP_JAL:
        return insn->rd == 0 ? JIT_END_JUMP : JIT_END_CALL;
    case OP_JALR:
        return JIT_END_JALR;
    case OP_BEQ:
    case OP_BNE:
    case OP_BLT:
    case OP_BGE:
    case OP_BLTU:
    case OP_BGEU:
        return JIT_END_BRANCH;
    case OP_ECALL:
    case OP_EBREAK:
    case OP_ILLEGAL:
    case OP_FENCE_I:
        return JIT_END_LEAVE;
    default:
        return JIT_END_FALL;
    }
}

/* AUIPC or LUI, then JALR on the same register: a direct call or jump. */
static void see_far_jump(const struct jit_region *r, struct jit_block *b)
{
    if (b->end != JIT_END_JALR || b->count < 2)
        return;
    const struct jit_insn *jalr = &r->insns[b->first + b->count - 1], *before = jalr - 1;
    if ((before->insn.op != OP_AUIPC && before->insn.op != OP_LUI) ||
        before->insn.rd != jalr->insn.rs1 || before->insn.rd == 0)
        return;
    b->taken_pc = ((before->insn.op == OP_AUIPC ? before->pc : 0) +
                   (uint64_t)(int64_t)before->insn.imm + (uint64_t)(int64_t)jalr->insn.imm) &
                  ~UINT64_C(1);
    b->end = jalr->insn.rd == 0 ? JIT_END_JUMP : JIT_END_CALL;
}

static void read_block(const struct rv64_core *core, struct jit_region *r, struct jit_block *b)
{
    uint64_t at = b->pc, fault_address;
    bool ended = false;
    b->first = r->insn_count;
    b->end = JIT_END_FALL;
    while (!ended && b->count < RV64_BLOCK_MAX) {
        struct jit_insn *i = &r->insns[b->first + b->count];
        if (rv64_core_breaks(core, at) || !rv64_fetch(core->mem, at, &i->insn, &fault_address))
            break;
        i->pc = at;
        b->count++;
        b->end = end_of(&i->insn);
        ended = b->end != JIT_END_FALL;
        b->taken_pc = at + (uint64_t)(int64_t)i->insn.imm;
        at += i->insn.length;
    }
    if (b->count == 0)
        b->end = JIT_END_LEAVE;
    b->next_pc = at;
    r->insn_count += b->count;
    see_far_jump(r, b);
}

/* The index of the block at `pc`, which is added if there is room. -1: there is none. */
static int32_t block_at(struct jit_region *r, uint64_t pc)
{
    for (uint32_t i = 0; i < r->block_count; i++)
        if (r->blocks[i].pc == pc)
            return (int32_t)i;
    if (r->block_count == JIT_BLOCKS_MAX || r->insn_count > JIT_INSNS_MAX)
        return -1;
    r->blocks[r->block_count] = (struct jit_block){.pc = pc, .next = -1, .taken = -1};
    return (int32_t)r->block_count++;
}

/* Follows an indirect jump to where it has led before. */
static void add_targets(struct rv64_core *core, struct jit_region *r, struct jit_block *b)
{
    uint64_t to[RV64_JUMP_TRIES];
    const struct jit_insn *jalr = &r->insns[b->first + b->count - 1];
    b->target = r->target_count;
    size_t count = rv64_core_jumps(core, jalr->pc, to, RV64_JUMP_TRIES);
    for (size_t i = 0; i < count && r->target_count < JIT_TARGETS_MAX; i++) {
        const int32_t target = block_at(r, to[i]);
        if (target < 0)
            break;
        r->targets[r->target_count++] = target;
        b->target_count++;
    }
}

bool jit_region_find(struct rv64_core *core, uint64_t pc, struct jit_region *region)
{
    struct jit_region r = {
        .blocks = calloc(JIT_BLOCKS_MAX, sizeof *r.blocks),
        .targets = calloc(JIT_TARGETS_MAX, sizeof *r.targets),
        .insns = calloc(JIT_INSNS_MAX + JIT_BLOCKS_MAX * RV64_BLOCK_MAX, sizeof *r.insns),
    };
    if (r.blocks == NULL || r.insns == NULL || r.targets == NULL) {
        jit_region_free(&r);
        return false;
    }
    (void)block_at(&r, pc);
    for (uint32_t i = 0; i < r.block_count; i++) {
        struct jit_block *b = &r.blocks[i];
        read_block(core, &r, b);
        if (b->end == JIT_END_FALL || b->end == JIT_END_BRANCH || b->end == JIT_END_CALL ||
            (b->end == JIT_END_JALR && r.insns[b->first + b->count - 1].insn.rd != 0))
            b->next = block_at(&r, b->next_pc);
        if (b->end == JIT_END_JUMP || b->end == JIT_END_BRANCH)
            b->taken = block_at(&r, b->taken_pc);
        if (b->end == JIT_END_JALR)
            add_targets(core, &r, b);
    }
    *region = r;
    return true;
}

void jit_region_free(struct jit_region *region)
{
    free(region->blocks);
    free(region->insns);
    free(region->targets);
}
