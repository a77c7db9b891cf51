/* Private to rv64: decoded instructions. */
#ifndef DPK_ENGINE_RV64_INSN_H
#define DPK_ENGINE_RV64_INSN_H

#include "core.h"

enum rv64_op {
    OP_ILLEGAL,
#define OP(name, format, match) OP_##name,
#include "ops.def"
#undef OP
    OP_COUNT,
};

struct rv64_insn {
    uint8_t op;           /* enum rv64_op */
    uint8_t rd, rs1, rs2; /* 0 if the instruction does not have it */
    uint8_t length;       /* 2 or 4 bytes */
    int32_t imm;   /* as in the manual: sign-extended, shifted into place; or the shift amount */
    uint32_t bits; /* as fetched, 16 or 32 of them */
};

/* Returns the 32-bit instruction for a compressed instruction. 0, which is illegal, if there is
 * none. */
uint32_t rv64_expand(uint16_t bits);

/* Decodes the instruction, of any extension, that starts with the low 16 bits of `bits`. OP_ILLEGAL
 * if there is none. */
struct rv64_insn rv64_decode(uint32_t bits);

/* Fetches and decodes an instruction; OP_ILLEGAL if the core does not have it. Returns false if the
 * address is odd or not in executable memory; *fault_address is the first address that could not be
 * read. */
bool rv64_fetch(const struct rv64_core *core, uint64_t pc, struct rv64_insn *insn,
                uint64_t *fault_address);

#endif
