/* Random instructions, for the tests of rv64. */
#ifndef RV64_RANDOM_H
#define RV64_RANDOM_H

#include "rv64_guest.h"
#include "rv64_words.h"

/* Registers with a purpose: in the first test, data and code; in the second, a record and data. */
enum { BASE = S0, CODE_BASE = S1, T4 = 29, MEMORY = 30, POINTER = 31 };

/* A compressed instruction that computes in registers, and writes none that is reserved here. */
static inline uint16_t compressed(uint64_t *seed)
{
    for (;;) {
        uint16_t half = (uint16_t)random64(seed);
        struct rv64_insn insn = rv64_decode(half);
        bool plain = insn.op == OP_ADDI || insn.op == OP_ADDIW || insn.op == OP_LUI ||
                     insn.op == OP_SLLI || insn.op == OP_SRLI || insn.op == OP_SRAI ||
                     insn.op == OP_ANDI || insn.op == OP_ADD || insn.op == OP_SUB ||
                     insn.op == OP_XOR || insn.op == OP_OR || insn.op == OP_AND ||
                     insn.op == OP_ADDW || insn.op == OP_SUBW;
        bool reserved = insn.rd == BASE || insn.rd == CODE_BASE || insn.rd >= MEMORY;
        if (insn.length == 2 && plain && !reserved)
            return half;
    }
}

/* Of any row; half the time of the first, RV64I, which is what code is mostly made of. */
static inline unsigned any_row(uint64_t *seed)
{
    return below(seed, below(seed, 2) == 0 ? OP_FENCE - 1 : sizeof rows / sizeof *rows);
}

#endif
