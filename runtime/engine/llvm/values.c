/* Makes LLVM values of instructions that only compute rd. */
#include "engine/llvm/emit.h"

#include <string.h>

#define B_ e->builder

static LLVMValueRef narrow(const struct emitter *e, LLVMValueRef v)
{
    return LLVMBuildTrunc(B_, v, e->i32, "");
}
static LLVMValueRef widen(const struct emitter *e, LLVMValueRef v)
{
    return LLVMBuildSExt(B_, v, e->i64, "");
}
static LLVMValueRef flag(const struct emitter *e, LLVMIntPredicate p, LLVMValueRef a,
                         LLVMValueRef b)
{
    return LLVMBuildZExt(B_, LLVMBuildICmp(B_, p, a, b, ""), e->i64, "");
}
static LLVMValueRef pick(const struct emitter *e, LLVMIntPredicate p, LLVMValueRef a,
                         LLVMValueRef b)
{
    return LLVMBuildSelect(B_, LLVMBuildICmp(B_, p, a, b, ""), a, b, "");
}

/* Returns the low 5 or 6 bits of a shift amount, which has the type of the shifted value. */
static LLVMValueRef amount(const struct emitter *e, LLVMValueRef by, unsigned bits)
{
    return LLVMBuildAnd(B_, by, LLVMConstInt(LLVMTypeOf(by), bits - 1, false), "");
}

LLVMValueRef llvm_emit_intrinsic(const struct emitter *e, const char *name, LLVMTypeRef type,
                                 LLVMValueRef *args, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);
    return LLVMBuildCall2(B_, LLVMIntrinsicGetType(e->context, id, &type, 1), f, args, count, "");
}

static LLVMValueRef rotate(const struct emitter *e, const char *name, LLVMValueRef v,
                           LLVMValueRef by)
{
    LLVMValueRef args[] = {v, v, by};
    return llvm_emit_intrinsic(e, name, LLVMTypeOf(v), args, 3);
}

/* llvm.ctlz and llvm.cttz of 0 are the width. */
static LLVMValueRef count_zeros(const struct emitter *e, const char *name, LLVMValueRef v)
{
    LLVMValueRef args[] = {v, LLVMConstInt(e->i1, 0, false)};
    return LLVMBuildZExt(B_, llvm_emit_intrinsic(e, name, LLVMTypeOf(v), args, 2), e->i64, "");
}
static LLVMValueRef population(const struct emitter *e, LLVMValueRef v)
{
    return LLVMBuildZExt(B_, llvm_emit_intrinsic(e, "llvm.ctpop", LLVMTypeOf(v), &v, 1), e->i64,
                         "");
}

static LLVMValueRef product_high(const struct emitter *e, LLVMValueRef a, bool a_signed,
                                 LLVMValueRef b, bool b_signed)
{
    LLVMTypeRef wide = LLVMIntTypeInContext(e->context, 128);
    a = a_signed ? LLVMBuildSExt(B_, a, wide, "") : LLVMBuildZExt(B_, a, wide, "");
    b = b_signed ? LLVMBuildSExt(B_, b, wide, "") : LLVMBuildZExt(B_, b, wide, "");
    LLVMValueRef high =
        LLVMBuildLShr(B_, LLVMBuildMul(B_, a, b, ""), LLVMConstInt(wide, 64, false), "");
    return LLVMBuildTrunc(B_, high, e->i64, "");
}

/* Table 7.1 of the manual: neither division by zero nor overflow traps. Both are undefined in LLVM,
 * so the divisor is replaced by 1 first. */
static LLVMValueRef quotient(const struct emitter *e, LLVMValueRef a, LLVMValueRef b,
                             bool is_signed, bool remainder)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    const LLVMValueRef one = LLVMConstInt(type, 1, false), zero = LLVMConstInt(type, 0, false),
                       ones = LLVMConstAllOnes(type);
    LLVMValueRef by_zero = LLVMBuildICmp(B_, LLVMIntEQ, b, zero, "");
    LLVMValueRef special = by_zero, by_ones = NULL;
    if (is_signed) {
        by_ones = LLVMBuildICmp(B_, LLVMIntEQ, b, ones, "");
        special = LLVMBuildOr(B_, by_zero, by_ones, "");
    }
    LLVMValueRef safe = LLVMBuildSelect(B_, special, one, b, "");
    LLVMValueRef result =
        is_signed ? (remainder ? LLVMBuildSRem(B_, a, safe, "") : LLVMBuildSDiv(B_, a, safe, ""))
                  : (remainder ? LLVMBuildURem(B_, a, safe, "") : LLVMBuildUDiv(B_, a, safe, ""));
    if (is_signed)
        result =
            LLVMBuildSelect(B_, by_ones, remainder ? zero : LLVMBuildNeg(B_, a, ""), result, "");
    return LLVMBuildSelect(B_, by_zero, remainder ? a : ones, result, "");
}

static LLVMValueRef or_combine(const struct emitter *e, LLVMValueRef v)
{
    const LLVMValueRef low7 = llvm_emit_const(e, UINT64_C(0x7f7f7f7f7f7f7f7f));
    LLVMValueRef sum = LLVMBuildAdd(B_, LLVMBuildAnd(B_, v, low7, ""), low7, "");
    LLVMValueRef high =
        LLVMBuildAnd(B_, LLVMBuildOr(B_, sum, v, ""), LLVMBuildNot(B_, low7, ""), "");
    LLVMValueRef ones = LLVMBuildLShr(B_, high, llvm_emit_const(e, 7), "");
    return LLVMBuildMul(B_, ones, llvm_emit_const(e, 0xff), "");
}

static LLVMValueRef extend(const struct emitter *e, LLVMValueRef v, LLVMTypeRef from, bool sign)
{
    v = LLVMBuildTrunc(B_, v, from, "");
    return sign ? LLVMBuildSExt(B_, v, e->i64, "") : LLVMBuildZExt(B_, v, e->i64, "");
}

static LLVMValueRef bit(const struct emitter *e, LLVMValueRef number)
{
    return LLVMBuildShl(B_, llvm_emit_const(e, 1), amount(e, number, 64), "");
}

static LLVMValueRef shift_add(const struct emitter *e, LLVMValueRef a, unsigned by, LLVMValueRef b)
{
    return LLVMBuildAdd(B_, LLVMBuildShl(B_, a, llvm_emit_const(e, by), ""), b, "");
}

/* Returns the number of instructions that have retired before the current one. */
static LLVMValueRef retired(const struct emitter *e)
{
    LLVMValueRef horizon = LLVMBuildLoad2(
        B_, e->i64, llvm_emit_field(e, offsetof(struct rv64_hart, horizon), e->i64), "");
    LLVMValueRef left = LLVMBuildLoad2(B_, e->i64, e->left, "");
    LLVMValueRef at_block = LLVMBuildSub(B_, horizon, left, "");
    return LLVMBuildSub(B_, at_block, llvm_emit_const(e, e->block->count - e->before), "");
}

static LLVMValueRef read_time(const struct emitter *e)
{
    LLVMValueRef v = LLVMBuildLoad2(
        B_, e->i64, llvm_emit_field(e, offsetof(struct rv64_hart, time), e->i64), "");
    LLVMSetOrdering(v, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(v, 8);
    return v;
}

/* Returns the value of rd for operands `a` and `b` of 32 bits, or NULL for another instruction. */
static LLVMValueRef value32(const struct emitter *e, LLVMValueRef a, LLVMValueRef b,
                            LLVMValueRef imm)
{
    switch (e->insn->insn.op) {
    case OP_ADDIW:
        return LLVMBuildAdd(B_, a, imm, "");
    case OP_SLLIW:
        return LLVMBuildShl(B_, a, imm, "");
    case OP_SRLIW:
        return LLVMBuildLShr(B_, a, imm, "");
    case OP_SRAIW:
        return LLVMBuildAShr(B_, a, imm, "");
    case OP_ADDW:
        return LLVMBuildAdd(B_, a, b, "");
    case OP_SUBW:
        return LLVMBuildSub(B_, a, b, "");
    case OP_SLLW:
        return LLVMBuildShl(B_, a, amount(e, b, 32), "");
    case OP_SRLW:
        return LLVMBuildLShr(B_, a, amount(e, b, 32), "");
    case OP_SRAW:
        return LLVMBuildAShr(B_, a, amount(e, b, 32), "");
    case OP_MULW:
        return LLVMBuildMul(B_, a, b, "");
    case OP_DIVW:
        return quotient(e, a, b, true, false);
    case OP_DIVUW:
        return quotient(e, a, b, false, false);
    case OP_REMW:
        return quotient(e, a, b, true, true);
    case OP_REMUW:
        return quotient(e, a, b, false, true);
    case OP_ROLW:
        return rotate(e, "llvm.fshl", a, b);
    case OP_RORW:
        return rotate(e, "llvm.fshr", a, b);
    case OP_RORIW:
        return rotate(e, "llvm.fshr", a, imm);
    default:
        return NULL;
    }
}

static LLVMValueRef value64(const struct emitter *e, LLVMValueRef a, LLVMValueRef b,
                            LLVMValueRef imm)
{
    switch (e->insn->insn.op) {
    case OP_LUI:
        return imm;
    case OP_AUIPC:
        return llvm_emit_const(e, e->insn->pc + (uint64_t)(int64_t)e->insn->insn.imm);
    case OP_ADDI:
        return LLVMBuildAdd(B_, a, imm, "");
    case OP_SLTI:
        return flag(e, LLVMIntSLT, a, imm);
    case OP_SLTIU:
        return flag(e, LLVMIntULT, a, imm);
    case OP_XORI:
        return LLVMBuildXor(B_, a, imm, "");
    case OP_ORI:
        return LLVMBuildOr(B_, a, imm, "");
    case OP_ANDI:
        return LLVMBuildAnd(B_, a, imm, "");
    case OP_SLLI:
        return LLVMBuildShl(B_, a, imm, "");
    case OP_SRLI:
        return LLVMBuildLShr(B_, a, imm, "");
    case OP_SRAI:
        return LLVMBuildAShr(B_, a, imm, "");
    case OP_ADD:
        return LLVMBuildAdd(B_, a, b, "");
    case OP_SUB:
        return LLVMBuildSub(B_, a, b, "");
    case OP_SLL:
        return LLVMBuildShl(B_, a, amount(e, b, 64), "");
    case OP_SLT:
        return flag(e, LLVMIntSLT, a, b);
    case OP_SLTU:
        return flag(e, LLVMIntULT, a, b);
    case OP_XOR:
        return LLVMBuildXor(B_, a, b, "");
    case OP_SRL:
        return LLVMBuildLShr(B_, a, amount(e, b, 64), "");
    case OP_SRA:
        return LLVMBuildAShr(B_, a, amount(e, b, 64), "");
    case OP_OR:
        return e->words.joined[e->before] != 0 ? llvm_emit_joined_word(e)
                                               : LLVMBuildOr(B_, a, b, "");
    case OP_AND:
        return LLVMBuildAnd(B_, a, b, "");
    case OP_MUL:
        return LLVMBuildMul(B_, a, b, "");
    case OP_MULH:
        return product_high(e, a, true, b, true);
    case OP_MULHSU:
        return product_high(e, a, true, b, false);
    case OP_MULHU:
        return product_high(e, a, false, b, false);
    case OP_DIV:
        return quotient(e, a, b, true, false);
    case OP_DIVU:
        return quotient(e, a, b, false, false);
    case OP_REM:
        return quotient(e, a, b, true, true);
    case OP_REMU:
        return quotient(e, a, b, false, true);
    case OP_RDCYCLE:
    case OP_RDINSTRET:
        return retired(e);
    case OP_RDTIME:
        return read_time(e);
    default:
        return NULL;
    }
}

static LLVMValueRef value_zb(const struct emitter *e, LLVMValueRef a, LLVMValueRef b,
                             LLVMValueRef imm)
{
    switch (e->insn->insn.op) {
    case OP_ADD_UW:
        return LLVMBuildAdd(B_, extend(e, a, e->i32, false), b, "");
    case OP_SH1ADD:
        return shift_add(e, a, 1, b);
    case OP_SH2ADD:
        return shift_add(e, a, 2, b);
    case OP_SH3ADD:
        return shift_add(e, a, 3, b);
    case OP_SH1ADD_UW:
        return shift_add(e, extend(e, a, e->i32, false), 1, b);
    case OP_SH2ADD_UW:
        return shift_add(e, extend(e, a, e->i32, false), 2, b);
    case OP_SH3ADD_UW:
        return shift_add(e, extend(e, a, e->i32, false), 3, b);
    case OP_SLLI_UW:
        return LLVMBuildShl(B_, extend(e, a, e->i32, false), imm, "");
    case OP_ANDN:
        return LLVMBuildAnd(B_, a, LLVMBuildNot(B_, b, ""), "");
    case OP_ORN:
        return LLVMBuildOr(B_, a, LLVMBuildNot(B_, b, ""), "");
    case OP_XNOR:
        return LLVMBuildNot(B_, LLVMBuildXor(B_, a, b, ""), "");
    case OP_CLZ:
        return count_zeros(e, "llvm.ctlz", a);
    case OP_CLZW:
        return count_zeros(e, "llvm.ctlz", narrow(e, a));
    case OP_CTZ:
        return count_zeros(e, "llvm.cttz", a);
    case OP_CTZW:
        return count_zeros(e, "llvm.cttz", narrow(e, a));
    case OP_CPOP:
        return population(e, a);
    case OP_CPOPW:
        return population(e, narrow(e, a));
    case OP_MAX:
        return pick(e, LLVMIntSGT, a, b);
    case OP_MAXU:
        return pick(e, LLVMIntUGT, a, b);
    case OP_MIN:
        return pick(e, LLVMIntSLT, a, b);
    case OP_MINU:
        return pick(e, LLVMIntULT, a, b);
    case OP_SEXT_B:
        return extend(e, a, e->i8, true);
    case OP_SEXT_H:
        return extend(e, a, e->i16, true);
    case OP_ZEXT_H:
        return extend(e, a, e->i16, false);
    case OP_ROL:
        return rotate(e, "llvm.fshl", a, b);
    case OP_ROR:
        return rotate(e, "llvm.fshr", a, b);
    case OP_RORI:
        return rotate(e, "llvm.fshr", a, imm);
    case OP_ORC_B:
        return or_combine(e, a);
    case OP_REV8:
        return llvm_emit_intrinsic(e, "llvm.bswap", e->i64, &a, 1);
    case OP_BCLR:
        return LLVMBuildAnd(B_, a, LLVMBuildNot(B_, bit(e, b), ""), "");
    case OP_BCLRI:
        return LLVMBuildAnd(B_, a, LLVMBuildNot(B_, bit(e, imm), ""), "");
    case OP_BEXT:
        return LLVMBuildAnd(B_, LLVMBuildLShr(B_, a, amount(e, b, 64), ""), llvm_emit_const(e, 1),
                            "");
    case OP_BEXTI:
        return LLVMBuildAnd(B_, LLVMBuildLShr(B_, a, imm, ""), llvm_emit_const(e, 1), "");
    case OP_BINV:
        return LLVMBuildXor(B_, a, bit(e, b), "");
    case OP_BINVI:
        return LLVMBuildXor(B_, a, bit(e, imm), "");
    case OP_BSET:
        return LLVMBuildOr(B_, a, bit(e, b), "");
    case OP_BSETI:
        return LLVMBuildOr(B_, a, bit(e, imm), "");
    default:
        return NULL;
    }
}

bool llvm_emit_value(struct emitter *e)
{
    const struct rv64_insn *i = &e->insn->insn;
    LLVMValueRef a = llvm_emit_get(e, i->rs1), b = llvm_emit_get(e, i->rs2);
    LLVMValueRef imm = llvm_emit_const(e, (uint64_t)(int64_t)i->imm);
    LLVMValueRef value = value64(e, a, b, imm);
    if (value == NULL)
        value = value_zb(e, a, b, imm);
    if (value == NULL) {
        value = value32(e, narrow(e, a), narrow(e, b), narrow(e, imm));
        if (value != NULL)
            value = widen(e, value);
    }
    if (value == NULL)
        return false;
    llvm_emit_set(e, i->rd, value);
    return true;
}
