/* Shared by the sources that make code of inline PTX: a statement, and what its instructions say.
 * Values are integers of the size of their register; floats are their bits. */
#ifndef DPK_DPACU_LOWER_ASSEMBLY_H
#define DPK_DPACU_LOWER_ASSEMBLY_H

#include "inside.h"

#include "dpacu/ptx/ptx.h"

/* An operand of the statement, or a register that it declares. */
struct lower_slot {
    LLVMValueRef value;    /* NULL: nothing was written */
    LLVMValueRef variable; /* a place in memory that has the value; NULL: `value` is it */
    LLVMTypeRef type;      /* integer */
    unsigned bits;
    bool immediate; /* a constant of any size */
};

struct lower_assembly {
    struct lower *l;
    LLVMValueRef call;     /* the statement */
    LLVMValueRef function; /* of a statement with jumps or predicates: its code; else NULL */
    bool is_volatile;
    struct lower_slot operands[PTX_OPERANDS_MAX];
    unsigned outputs, count;
    struct lower_slot registers[PTX_REGISTERS_MAX];
    struct ptx ptx;
    const struct ptx_instruction *now;
};

/* What the parts of an opcode say. */
enum lower_order {
    ORDER_WEAK,
    ORDER_VOLATILE,
    ORDER_RELAXED,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_ACQ_REL,
    ORDER_SC
};
enum {
    SAYS_ORDER = 1,
    SAYS_SCOPE = 2,
    SAYS_SPACE = 4,
    SAYS_VECTOR = 8,
    SAYS_TYPE = 16,
    SAYS_HINT = 32,
    SAYS_MMIO = 64,
    SAYS_NC = 128
};
struct lower_says {
    unsigned what; /* SAYS_* that stand there */
    enum lower_order order;
    bool shared, is_system, policy;
    unsigned vector;
    char kind; /* of the type: 'b', 'u', 's', 'f'; 'p' for a predicate */
    unsigned bits;
};

/* ---- ptx_flow.c: statements with jumps and predicates, which become functions of their own ---- */
bool lower_ptx_flows(const struct ptx *ptx);
/* Makes the function, and lets the builder write it. */
void lower_ptx_begin_function(struct lower_assembly *a);
/* Keeps operands and registers in variables, since instructions may be done several times. */
void lower_ptx_keep(struct lower_assembly *a);
/* Makes code of all instructions. */
bool lower_ptx_flow(struct lower_assembly *a);
/* Calls the function in the place of the statement. Returns what it returns. */
LLVMValueRef lower_ptx_call_function(struct lower_assembly *a);

/* ---- assembly.c ---- */
/* Makes code of the instruction `a->now`. */
bool lower_ptx_instruction_now(struct lower_assembly *a);

/* ---- ptx_registers.c ---- */
/* Reads the register of a thread at `offset` of struct dpk_gpu_thread. */
LLVMValueRef lower_ptx_member(struct lower_assembly *a, unsigned offset, unsigned bits);
/* Calls a function of the emulated GPU. `parameters` has a letter for each: 'i' 32 bits, 'l' 64; so
 * has `result`, or 'v' for none. */
LLVMValueRef lower_ptx_call(struct lower_assembly *a, const char *name, char result,
                            const char *parameters, LLVMValueRef *arguments);
/* Reads %laneid and the like; NULL for a register that is not known. */
LLVMValueRef lower_ptx_special(struct lower_assembly *a, const char *name);

/* ---- ptx_values.c ---- */
/* Reports the instruction. Returns false. */
bool lower_ptx_refuse(struct lower_assembly *a, const char *why);
/* Reads the parts of the opcode from number `from` on. Others than `allowed` are an error. */
bool lower_ptx_says(struct lower_assembly *a, unsigned from, unsigned allowed,
                    struct lower_says *out);
/* Reads a type as "u32". */
bool lower_ptx_type(const char *part, struct lower_says *out);
/* Requires that many operands. */
bool lower_ptx_takes(struct lower_assembly *a, unsigned count);

/* Gets a value of `bits`; NULL after an error. lower_ptx_get_low also takes the low bits of a larger
 * one. */
LLVMValueRef lower_ptx_get(struct lower_assembly *a, const struct ptx_value *v, unsigned bits);
LLVMValueRef lower_ptx_get_low(struct lower_assembly *a, const struct ptx_value *v, unsigned bits);
/* Gets the plain operand `number` of the instruction. */
LLVMValueRef lower_ptx_argument(struct lower_assembly *a, unsigned number, unsigned bits);
/* Sets a value; lower_ptx_set_wide also extends it to a larger one. */
bool lower_ptx_set(struct lower_assembly *a, const struct ptx_value *v, LLVMValueRef value);
bool lower_ptx_set_wide(struct lower_assembly *a, const struct ptx_value *v, LLVMValueRef value,
                        bool is_signed);
/* Sets the plain operand 0 of the instruction. */
bool lower_ptx_result(struct lower_assembly *a, LLVMValueRef value);
LLVMTypeRef lower_ptx_int(struct lower_assembly *a, unsigned bits);

/* ---- Instructions; each returns false after an error ---- */
typedef bool lower_ptx_instruction(struct lower_assembly *a);
/* ptx_memory.c */
lower_ptx_instruction lower_ptx_load, lower_ptx_store, lower_ptx_fence, lower_ptx_membar,
    lower_ptx_copy, lower_ptx_prefetch;
/* ptx_atomics.c */
lower_ptx_instruction lower_ptx_atom, lower_ptx_red;
/* The address of operand `number`, as a pointer to a type; NULL after an error. */
LLVMValueRef lower_ptx_address(struct lower_assembly *a, unsigned number, bool shared,
                               LLVMTypeRef type);
LLVMAtomicOrdering lower_ptx_ordering(enum lower_order order);
/* ptx_compute.c */
lower_ptx_instruction lower_ptx_arithmetic, lower_ptx_move, lower_ptx_permute, lower_ptx_convert,
    lower_ptx_convert_address, lower_ptx_compare, lower_ptx_select;
/* ptx_mbarrier.c */
lower_ptx_instruction lower_ptx_mbarrier;
/* Tells the barrier at operand `number` that bytes have come. */
bool lower_ptx_complete(struct lower_assembly *a, unsigned number, LLVMValueRef size);
/* ptx_threads.c */
lower_ptx_instruction lower_ptx_sleep, lower_ptx_barrier, lower_ptx_trap, lower_ptx_active;

#endif
