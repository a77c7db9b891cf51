/* Expands compressed instructions to 32-bit instructions (Volume I, chapter 16: RV64C). */
#include "insn.h"

enum { X0 = 0, RA = 1, SP = 2 };
enum { ILLEGAL = 0 };

/* The 32-bit instructions to which compressed instructions expand: opcode, funct3 and funct7. */
enum {
    LW = 0x2003,
    LD = 0x3003,
    SW = 0x2023,
    SD = 0x3023,
    ADDI = 0x0013,
    ADDIW = 0x001b,
    SLLI = 0x1013,
    SRLI = 0x5013,
    SRAI = 0x40005013,
    ANDI = 0x7013,
    ADD = 0x0033,
    SUB = 0x40000033,
    XOR = 0x4033,
    OR = 0x6033,
    AND = 0x7033,
    ADDW = 0x003b,
    SUBW = 0x4000003b,
    LUI = 0x0037,
    JAL = 0x006f,
    JALR = 0x0067,
    BEQ = 0x0063,
    BNE = 0x1063,
    EBREAK = 0x00100073,
};

/* Returns bits [high:low] of `c`, moved to bit `to`. */
static uint32_t part(uint32_t c, unsigned high, unsigned low, unsigned to)
{
    return ((c >> low) & ((UINT32_C(2) << (high - low)) - 1)) << to;
}

/* rd', rs1' and rs2' are x8 to x15. */
static uint32_t narrow(uint32_t c, unsigned low)
{
    return 8 + part(c, low + 2, low, 0);
}

static uint32_t sign_extend(uint32_t value, unsigned width)
{
    uint32_t sign = UINT32_C(1) << (width - 1);
    return (value ^ sign) - sign;
}

static uint32_t r_type(uint32_t base, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return base | rs2 << 20 | rs1 << 15 | rd << 7;
}

static uint32_t i_type(uint32_t base, uint32_t rd, uint32_t rs1, uint32_t imm)
{
    return base | (imm & 0xfff) << 20 | rs1 << 15 | rd << 7;
}

static uint32_t s_type(uint32_t base, uint32_t rs1, uint32_t rs2, uint32_t imm)
{
    return base | part(imm, 11, 5, 25) | rs2 << 20 | rs1 << 15 | part(imm, 4, 0, 7);
}

static uint32_t b_type(uint32_t base, uint32_t rs1, uint32_t rs2, uint32_t imm)
{
    return base | part(imm, 12, 12, 31) | part(imm, 10, 5, 25) | rs2 << 20 | rs1 << 15 |
           part(imm, 4, 1, 8) | part(imm, 11, 11, 7);
}

static uint32_t j_type(uint32_t base, uint32_t rd, uint32_t imm)
{
    return base | part(imm, 20, 20, 31) | part(imm, 10, 1, 21) | part(imm, 11, 11, 20) |
           part(imm, 19, 12, 12) | rd << 7;
}

static uint32_t expand_quadrant_0(uint32_t c)
{
    uint32_t rd = narrow(c, 2), rs1 = narrow(c, 7);
    uint32_t word = part(c, 12, 10, 3) | part(c, 6, 6, 2) | part(c, 5, 5, 6);
    uint32_t doubleword = part(c, 12, 10, 3) | part(c, 6, 5, 6);
    uint32_t stack = part(c, 12, 11, 4) | part(c, 10, 7, 6) | part(c, 6, 6, 2) | part(c, 5, 5, 3);

    switch (c >> 13) {
    case 0: /* C.ADDI4SPN; an immediate of zero is reserved, and zero bits alone are illegal */
        return stack == 0 ? ILLEGAL : i_type(ADDI, rd, SP, stack);
    case 2: /* C.LW */
        return i_type(LW, rd, rs1, word);
    case 3: /* C.LD */
        return i_type(LD, rd, rs1, doubleword);
    case 6: /* C.SW */
        return s_type(SW, rs1, rd, word);
    case 7: /* C.SD */
        return s_type(SD, rs1, rd, doubleword);
    default: /* C.FLD, C.FSD, reserved */
        return ILLEGAL;
    }
}

/* funct3 = 100 of quadrant 1. */
static uint32_t expand_arithmetic(uint32_t c)
{
    static const uint32_t register_ops[] = {SUB, XOR, OR, AND, SUBW, ADDW, ILLEGAL, ILLEGAL};
    uint32_t rd = narrow(c, 7);
    uint32_t imm = part(c, 12, 12, 5) | part(c, 6, 2, 0);

    switch (part(c, 11, 10, 0)) {
    case 0: /* C.SRLI; a shift by zero is a hint */
        return i_type(SRLI, rd, rd, imm);
    case 1: /* C.SRAI */
        return i_type(SRAI, rd, rd, imm);
    case 2: /* C.ANDI */
        return i_type(ANDI, rd, rd, sign_extend(imm, 6));
    default: {
        uint32_t base = register_ops[part(c, 12, 12, 2) | part(c, 6, 5, 0)];
        return base == ILLEGAL ? ILLEGAL : r_type(base, rd, rd, narrow(c, 2));
    }
    }
}

/* C.ADDI16SP and C.LUI. An immediate of zero is reserved. */
static uint32_t expand_lui(uint32_t c)
{
    uint32_t rd = part(c, 11, 7, 0);
    uint32_t upper = part(c, 12, 12, 17) | part(c, 6, 2, 12);
    uint32_t stack = part(c, 12, 12, 9) | part(c, 6, 6, 4) | part(c, 5, 5, 6) | part(c, 4, 3, 7) |
                     part(c, 2, 2, 5);
    if (upper == 0)
        return ILLEGAL;
    if (rd == SP)
        return i_type(ADDI, SP, SP, sign_extend(stack, 10));
    return LUI | sign_extend(upper, 18) | rd << 7;
}

static uint32_t expand_quadrant_1(uint32_t c)
{
    uint32_t rd = part(c, 11, 7, 0);
    uint32_t imm = sign_extend(part(c, 12, 12, 5) | part(c, 6, 2, 0), 6);
    uint32_t jump = part(c, 12, 12, 11) | part(c, 11, 11, 4) | part(c, 10, 9, 8) |
                    part(c, 8, 8, 10) | part(c, 7, 7, 6) | part(c, 6, 6, 7) | part(c, 5, 3, 1) |
                    part(c, 2, 2, 5);
    uint32_t branch = part(c, 12, 12, 8) | part(c, 11, 10, 3) | part(c, 6, 5, 6) |
                      part(c, 4, 3, 1) | part(c, 2, 2, 5);

    switch (c >> 13) {
    case 0: /* C.ADDI, C.NOP */
        return i_type(ADDI, rd, rd, imm);
    case 1: /* C.ADDIW */
        return rd == X0 ? ILLEGAL : i_type(ADDIW, rd, rd, imm);
    case 2: /* C.LI */
        return i_type(ADDI, rd, X0, imm);
    case 3:
        return expand_lui(c);
    case 4:
        return expand_arithmetic(c);
    case 5: /* C.J */
        return j_type(JAL, X0, sign_extend(jump, 12));
    case 6: /* C.BEQZ */
        return b_type(BEQ, narrow(c, 7), X0, sign_extend(branch, 9));
    default: /* C.BNEZ */
        return b_type(BNE, narrow(c, 7), X0, sign_extend(branch, 9));
    }
}

/* funct3 = 100 of quadrant 2. */
static uint32_t expand_jump_or_move(uint32_t c)
{
    uint32_t rd = part(c, 11, 7, 0), rs2 = part(c, 6, 2, 0);
    bool high = (c >> 12 & 1) != 0;

    if (rs2 != 0) /* C.ADD, C.MV */
        return r_type(ADD, rd, high ? rd : X0, rs2);
    if (rd != 0) /* C.JALR, C.JR */
        return i_type(JALR, high ? RA : X0, rd, 0);
    return high ? EBREAK : ILLEGAL;
}

static uint32_t expand_quadrant_2(uint32_t c)
{
    uint32_t rd = part(c, 11, 7, 0), rs2 = part(c, 6, 2, 0);
    uint32_t load_word = part(c, 12, 12, 5) | part(c, 6, 4, 2) | part(c, 3, 2, 6);
    uint32_t load_doubleword = part(c, 12, 12, 5) | part(c, 6, 5, 3) | part(c, 4, 2, 6);
    uint32_t store_word = part(c, 12, 9, 2) | part(c, 8, 7, 6);
    uint32_t store_doubleword = part(c, 12, 10, 3) | part(c, 9, 7, 6);

    switch (c >> 13) {
    case 0: /* C.SLLI */
        return i_type(SLLI, rd, rd, part(c, 12, 12, 5) | part(c, 6, 2, 0));
    case 2: /* C.LWSP */
        return rd == X0 ? ILLEGAL : i_type(LW, rd, SP, load_word);
    case 3: /* C.LDSP */
        return rd == X0 ? ILLEGAL : i_type(LD, rd, SP, load_doubleword);
    case 4:
        return expand_jump_or_move(c);
    case 6: /* C.SWSP */
        return s_type(SW, SP, rs2, store_word);
    case 7: /* C.SDSP */
        return s_type(SD, SP, rs2, store_doubleword);
    default: /* C.FLDSP, C.FSDSP, reserved */
        return ILLEGAL;
    }
}

uint32_t rv64_expand(uint16_t bits)
{
    switch (bits & 3) {
    case 0:
        return expand_quadrant_0(bits);
    case 1:
        return expand_quadrant_1(bits);
    case 2:
        return expand_quadrant_2(bits);
    default:
        return ILLEGAL;
    }
}
