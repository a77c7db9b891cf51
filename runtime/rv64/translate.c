/* From guest code to a basic block. */
#include "block.h"

/* Ends a block: control may go elsewhere, or does not go on. */
static bool is_last(unsigned kind)
{
    switch (kind) {
    case OP_JAL:
    case OP_JALR:
    case OP_BEQ:
    case OP_BNE:
    case OP_BLT:
    case OP_BGE:
    case OP_BLTU:
    case OP_BGEU:
    case OP_ECALL:
    case OP_EBREAK:
    case OP_ILLEGAL:
    case OP_FENCE_I:
        return true;
    default:
        return false;
    }
}

/* Does nothing but write rd. */
static bool is_pure(unsigned kind)
{
    switch (kind) {
#define VALUE(name, value) case OP_##name:
#include "values.def"
#undef VALUE
        return true;
    default:
        return false;
    }
}

/* Simpler forms of instructions whose operands are known or do not matter. */
static void simplify(struct rv64_run *r, uint64_t pc)
{
    if (r->kind == OP_LUI) {
        r->kind = RUN_LI;
    } else if (r->kind == OP_AUIPC) {
        r->kind = RUN_LI;
        r->imm += pc;
    } else if (r->kind == OP_ADDI && r->rs1 == 0) {
        r->kind = RUN_LI;
    } else if (r->kind == OP_ADDI && r->imm == 0) {
        r->kind = RUN_MV;
    } else if (r->kind == OP_ADD && (r->rs1 == 0 || r->rs2 == 0)) {
        r->kind = RUN_MV;
        r->rs1 |= r->rs2;
    } else if (r->kind == OP_JAL && r->rd == RV64_SINK) {
        r->kind = RUN_J;
    }
}

unsigned rv64_translate(const struct rv64_memory *mem, uint64_t pc, struct rv64_block *block)
{
    struct rv64_run *out = block->run;
    uint64_t at = pc, fault_address;
    struct rv64_insn insn = {0};
    bool last = false;

    block->pc = pc;
    while (!last && block->count < RV64_BLOCK_MAX && rv64_fetch(mem, at, &insn, &fault_address)) {
        *out = (struct rv64_run){.kind = insn.op,
                                 .rd = insn.rd == 0 ? RV64_SINK : insn.rd,
                                 .rs1 = insn.rs1,
                                 .rs2 = insn.rs2,
                                 .imm = (uint64_t)(int64_t)insn.imm,
                                 .before = (uint16_t)block->count++,
                                 .offset = (uint16_t)(at - pc)};
        last = is_last(insn.op);
        block->taken_pc = at + out->imm;
        if (insn.op == OP_ILLEGAL)
            out->imm = insn.bits;
        if (!is_pure(insn.op) || insn.rd != 0) { /* hints go */
            simplify(out, at);
            out++;
        }
        at += insn.length;
    }
    block->next_pc = at;
    if (block->count == 0)
        *out++ = (struct rv64_run){.kind = RUN_FETCH_FAULT, .imm = fault_address};
    else if (!last)
        *out++ = (struct rv64_run){.kind = RUN_END};
    return (unsigned)(out - block->run);
}
