/* Translates guest code to basic blocks. */
#include "block.h"

/* Returns whether an instruction ends a block: it may jump or stop. */
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

/* Returns whether an instruction only writes rd. */
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

/* Replaces an instruction with a simpler instruction if its operands are known or do not matter. */
static void simplify(struct rv64_run *r, uint64_t pc)
{
    if (r->kind == OP_AUIPC)
        r->imm += pc;
    if (r->kind == OP_LUI || r->kind == OP_AUIPC || (r->kind == OP_ADDI && r->rs1 == 0)) {
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

/* Folds `first`, a RUN_LI just before `r`, into `r`, as for LUI and ADDI, or AUIPC and JALR.
 * Returns whether `first` is no longer needed. */
static bool fold(const struct rv64_run *first, struct rv64_run *r, struct rv64_block *block)
{
    if (first->kind != RUN_LI || r->rs1 != first->rd)
        return false;
    switch (r->kind) {
    case OP_ADDI:
        r->kind = RUN_LI;
        r->imm += first->imm;
        break;
    case OP_ADDIW:
        r->kind = RUN_LI;
        r->imm = (uint64_t)(int32_t)(first->imm + r->imm);
        break;
    case OP_JALR:
        r->kind = r->rd == RV64_SINK ? RUN_J : OP_JAL;
        block->taken_pc = (first->imm + r->imm) & ~UINT64_C(1);
        break;
    default:
        return false;
    }
    return r->rd == first->rd;
}

/* Returns the operation that does both `first` and `second`, or `first` if there is none. */
static unsigned pair(unsigned first, unsigned second)
{
    switch (first << 8 | second) {
#define PAIR(a, b)                                                                                 \
    case RUN_##a << 8 | RUN_##b:                                                                   \
        return RUN_##a##_##b;
#include "pairs.def"
#undef PAIR
    default:
        return first;
    }
}

static void pair_up(struct rv64_run *run, unsigned count)
{
    for (unsigned i = 0; i + 1 < count; i++) {
        unsigned kind = pair(run[i].kind, run[i + 1].kind);
        bool found = kind != run[i].kind;
        run[i].kind = (uint8_t)kind;
        i += found;
    }
}

unsigned rv64_translate(const struct rv64_core *core, uint64_t pc, struct rv64_block *block)
{
    struct rv64_run *out = block->run;
    uint64_t at = pc, fault_address = pc;
    struct rv64_insn insn = {0};
    bool last = false;

    block->pc = pc;
    while (!last && block->count < RV64_BLOCK_MAX && !rv64_core_breaks(core, at) &&
           rv64_fetch(core, at, &insn, &fault_address)) {
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
        at += insn.length;
        if (is_pure(insn.op) && insn.rd == 0) /* a hint */
            continue;
        simplify(out, at - insn.length);
        if (out > block->run && fold(out - 1, out, block)) {
            out[-1] = out[0];
            continue;
        }
        out++;
    }
    block->next_pc = at;
    if (block->count == 0 && rv64_core_breaks(core, pc))
        *out++ = (struct rv64_run){.kind = RUN_BREAKPOINT};
    else if (block->count == 0)
        *out++ = (struct rv64_run){.kind = RUN_FETCH_FAULT, .imm = fault_address};
    else if (!last)
        *out++ = (struct rv64_run){.kind = RUN_END};
    unsigned count = (unsigned)(out - block->run);
    pair_up(block->run, count);
    return count;
}
