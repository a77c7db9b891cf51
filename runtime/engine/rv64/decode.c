/* Decodes instructions (Volume I, chapter 24; Bit-Manipulation 1.0.0). */
#include "insn.h"

#include <ctype.h>
#include <stdio.h>

enum format {
    FORMAT_R,
    FORMAT_I,
    FORMAT_S,
    FORMAT_B,
    FORMAT_U,
    FORMAT_J,
    FORMAT_SHIFT5,  /* I with funct7 and a 5-bit shift amount */
    FORMAT_SHIFT6,  /* I with funct6 and a 6-bit shift amount */
    FORMAT_UNARY,   /* R with rs2 as part of the function */
    FORMAT_AMO,     /* R with aq and rl free */
    FORMAT_LR,      /* AMO with rs2 = 0 */
    FORMAT_COUNTER, /* CSR read: bit 13 is set in CSRRS, CSRRC, CSRRSI and CSRRCI; rs1 = 0 */
    FORMAT_NONE,    /* opcode and funct3; no operands */
    FORMAT_EXACT,
};

enum { RD = 1, RS1 = 2, RS2 = 4 };

static const struct {
    uint32_t mask;     /* the bits that identify an instruction */
    uint8_t registers; /* its registers, of rd, rs1 and rs2 */
} formats[] = {
    [FORMAT_R] = {0xfe00707f, RD | RS1 | RS2},
    [FORMAT_I] = {0x0000707f, RD | RS1},
    [FORMAT_S] = {0x0000707f, RS1 | RS2},
    [FORMAT_B] = {0x0000707f, RS1 | RS2},
    [FORMAT_U] = {0x0000007f, RD},
    [FORMAT_J] = {0x0000007f, RD},
    [FORMAT_SHIFT5] = {0xfe00707f, RD | RS1},
    [FORMAT_SHIFT6] = {0xfc00707f, RD | RS1},
    [FORMAT_UNARY] = {0xfff0707f, RD | RS1},
    [FORMAT_AMO] = {0xf800707f, RD | RS1 | RS2},
    [FORMAT_LR] = {0xf9f0707f, RD | RS1},
    [FORMAT_COUNTER] = {0xfffFa07f, RD},
    [FORMAT_NONE] = {0x0000707f, 0},
    [FORMAT_EXACT] = {0xffffffff, 0},
};

static const struct {
    uint32_t match;
    uint8_t format, op;
} table[] = {
#define OP(name, format, match) {match, FORMAT_##format, OP_##name},
#include "ops.def"
#undef OP
};

/* Returns bits [high:low] of an instruction. */
static uint32_t field(uint32_t bits, unsigned high, unsigned low)
{
    return (bits >> low) & ((UINT32_C(2) << (high - low)) - 1);
}

static int32_t sign_extend(uint32_t value, unsigned width)
{
    uint32_t sign = UINT32_C(1) << (width - 1);
    return (int32_t)((value ^ sign) - sign);
}

static int32_t immediate(uint32_t bits, enum format format)
{
    switch (format) {
    case FORMAT_I:
        return sign_extend(field(bits, 31, 20), 12);
    case FORMAT_S:
        return sign_extend(field(bits, 31, 25) << 5 | field(bits, 11, 7), 12);
    case FORMAT_B:
        return sign_extend(field(bits, 31, 31) << 12 | field(bits, 7, 7) << 11 |
                               field(bits, 30, 25) << 5 | field(bits, 11, 8) << 1,
                           13);
    case FORMAT_U:
        return (int32_t)(bits & 0xfffff000);
    case FORMAT_J:
        return sign_extend(field(bits, 31, 31) << 20 | field(bits, 19, 12) << 12 |
                               field(bits, 20, 20) << 11 | field(bits, 30, 21) << 1,
                           21);
    case FORMAT_SHIFT5:
        return (int32_t)field(bits, 24, 20);
    case FORMAT_SHIFT6:
        return (int32_t)field(bits, 25, 20);
    default:
        return 0;
    }
}

unsigned rv64_instruction_length(uint16_t first_half)
{
    return (first_half & 3) == 3 ? 4 : 2;
}

struct rv64_insn rv64_decode(uint32_t bits)
{
    struct rv64_insn insn = {.op = OP_ILLEGAL, .bits = bits, .length = 4};
    if (rv64_instruction_length((uint16_t)bits) == 2) {
        insn.length = 2;
        insn.bits = bits & 0xffff;
        bits = rv64_expand((uint16_t)bits);
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if ((bits & formats[table[i].format].mask) != table[i].match)
            continue;
        insn.op = table[i].op;
        const uint8_t has = formats[table[i].format].registers;
        insn.rd = has & RD ? (uint8_t)field(bits, 11, 7) : 0;
        insn.rs1 = has & RS1 ? (uint8_t)field(bits, 19, 15) : 0;
        insn.rs2 = has & RS2 ? (uint8_t)field(bits, 24, 20) : 0;
        insn.imm = immediate(bits, table[i].format);
        break;
    }
    return insn;
}

static bool fetch_half(const struct rv64_memory *mem, uint64_t address, uint16_t *half)
{
    if (address % 2 != 0 || address >= mem->size || !(rv64_page_access(mem, address) & RV64_X))
        return false;
    *half = __atomic_load_n((const rv64_u16 *)(mem->base + address), __ATOMIC_RELAXED);
    return true;
}

static bool is_zba(unsigned op)
{
    switch (op) {
#define OP(name, format, match) case OP_##name:
#include "zba.def"
#undef OP
        return true;
    default:
        return false;
    }
}

bool rv64_optional_name(uint32_t bits, char out[RV64_NAME])
{
    static const char *const names[OP_COUNT] = {
#define OP(name, format, match) [OP_##name] = #name,
#include "zba.def"
#undef OP
    };
    const struct rv64_insn insn = rv64_decode(bits);
    if (!is_zba(insn.op))
        return false;
    snprintf(out, RV64_NAME, "%s", names[insn.op]);
    for (char *c = out; *c != '\0'; c++)
        *c = *c == '_' ? '.' : (char)tolower((unsigned char)*c);
    return true;
}

bool rv64_fetch(const struct rv64_core *core, uint64_t pc, struct rv64_insn *insn,
                uint64_t *fault_address)
{
    const struct rv64_memory *mem = core->mem;
    uint16_t low, high = 0;
    *fault_address = pc;
    if (!fetch_half(mem, pc, &low))
        return false;
    *fault_address = pc + 2;
    if (rv64_instruction_length(low) == 4 && !fetch_half(mem, pc + 2, &high))
        return false;
    *insn = rv64_decode((uint32_t)high << 16 | low);
    if (!(core->extensions & RV64_ZBA) && is_zba(insn->op))
        *insn = (struct rv64_insn){.op = OP_ILLEGAL, .bits = insn->bits, .length = insn->length};
    return true;
}
