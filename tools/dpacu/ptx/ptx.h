/*
 * ptx: the text of an inline assembly statement, as instructions. It knows the grammar, but no
 * instruction. Before, ptx_escape makes clang take what nvcc takes.
 *
 *     struct ptx ptx;
 *     if (ptx_parse("ld.acquire.sys.b32 $0, [$1];", 28, &ptx, &err) == DPK_OK)
 *         ptx_part(&ptx.instructions[0], 1);      // "acquire"
 */
#ifndef DPK_DPACU_PTX_PTX_H
#define DPK_DPACU_PTX_PTX_H

#include "base/base.h"

enum {
    PTX_INSTRUCTIONS_MAX = 64,
    PTX_REGISTERS_MAX = 64,
    PTX_ARGUMENTS_MAX = 5,
    PTX_VECTOR_MAX = 4,
    PTX_PARTS_MAX = 12,
    PTX_NAME_MAX = 32,
    PTX_OPERANDS_MAX = 30,
    PTX_LABELS_MAX = 32,
    PTX_SCOPES_MAX = 32,
    PTX_LABEL_MAX = 64,
};

enum ptx_kind {
    PTX_OPERAND,  /* $3: an operand of the statement */
    PTX_REGISTER, /* a register that the text declares */
    PTX_SPECIAL,  /* %laneid */
    PTX_NUMBER,
    PTX_SINK, /* _: a result that nobody needs */
};

struct ptx_value {
    enum ptx_kind kind;
    unsigned index;          /* of the operand or register */
    uint64_t number;         /* negative numbers as in two's complement */
    char name[PTX_NAME_MAX]; /* of a special register, without '%' */
};

/* a; [a+8]; {a, b} */
struct ptx_argument {
    enum ptx_form { PTX_PLAIN, PTX_ADDRESS, PTX_VECTOR } form;
    struct ptx_value at[PTX_VECTOR_MAX];
    unsigned count;
    int64_t offset; /* of an address, in bytes */
};

struct ptx_instruction {
    char text[80];                /* as it is written, cut after 79 bytes, for messages */
    char opcode[128];             /* parts, each with a NUL */
    uint8_t parts[PTX_PARTS_MAX]; /* where they begin */
    unsigned part_count;
    struct ptx_argument arguments[PTX_ARGUMENTS_MAX];
    unsigned count;
    bool guarded, negated; /* @p or @!p: it is done only if the predicate is true, or false */
    struct ptx_value guard;
    bool jumps;
    unsigned target; /* of a jump: the number of an instruction, or the number of all */
};

struct ptx_register {
    char name[PTX_NAME_MAX]; /* empty after the end of its block */
    unsigned bits;           /* 8 to 64; 1: a predicate */
};

/* Where jumps go. It is known in its block {} and in those inside. */
struct ptx_label {
    char name[PTX_LABEL_MAX];
    unsigned at; /* number of the instruction behind it */
    unsigned scope;
};

struct ptx {
    struct ptx_register registers[PTX_REGISTERS_MAX];
    unsigned register_count;
    struct ptx_instruction instructions[PTX_INSTRUCTIONS_MAX];
    unsigned count;
    struct ptx_label labels[PTX_LABELS_MAX];
    unsigned label_count;
};

/* Reads `size` bytes of text, in which "$3" is an operand, as LLVM writes them. Errors:
 * DPK_ERR_FORMAT for a text that is not an instruction, or exceeds the limits above; the message
 * names the instruction. */
enum dpk_status ptx_parse(const char *text, size_t size, struct ptx *out, struct dpk_error *err);
/* Returns a part of the opcode, which '.' separates, or "" behind the last. */
const char *ptx_part(const struct ptx_instruction *i, unsigned part);

/* Writes source text behind its preprocessor with "%%laneid" for each "%laneid" in an assembly
 * statement with operands. Returns whether it has changed something. `out` may have failed. */
bool ptx_escape(const char *text, size_t size, struct dpk_buf *out);

#endif
