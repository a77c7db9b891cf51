/* Shared by the sources that lower device code: each file does one step. */
#ifndef DPK_DPACU_LOWER_INSIDE_H
#define DPK_DPACU_LOWER_INSIDE_H

#include "lower.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

enum { KERNELS_MAX = 4096 };

struct lower_kernel {
    LLVMValueRef function, run, whole; /* run: one thread; whole: a block, or NULL */
    char *name;                        /* its name in host code */
    uint32_t shared, max_threads, parameters;
    uint32_t *sizes; /* bytes of each parameter in the host's list of arguments */
};

struct lower {
    const struct lower_request *request;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTargetMachineRef machine;
    LLVMTargetDataRef layout;
    LLVMTypeRef i8, i32, i64, pointer, nothing; /* pointer is i8 * */
    LLVMTypeRef code;                           /* type of dpk_gpu_code */
    LLVMDIBuilderRef lines;                     /* debug information of wrappers, or NULL */
    struct lower_kernel *kernels;
    size_t kernel_count;
    struct dpk_error *err;
};

/* Each step returns false after an error, which is in l->err. */
bool lower_fail(struct lower *l, LLVMValueRef where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the name of a value, or "". */
const char *lower_name(LLVMValueRef value);
/* Returns true for a call of the function with this name. */
bool lower_calls(LLVMValueRef instruction, const char *name);
/* Returns the function that an instruction calls, or NULL. */
LLVMValueRef lower_callee(LLVMValueRef instruction);
/* Returns the function with this name. Declares it if it does not exist. */
LLVMValueRef lower_declare(struct lower *l, const char *name, LLVMTypeRef type);
/* Runs passes of LLVM over the module. */
bool lower_runs_passes(struct lower *l, const char *passes);

/* ---- names.c: finds kernels, and gives functions and variables the names that linkers see ---- */
bool lower_find_kernels(struct lower *l);
bool lower_rename(struct lower *l);

/* ---- assembly.c: makes code of inline PTX ---- */
bool lower_ptx(struct lower *l);

/* ---- registers.c: what a thread knows about itself ---- */
/* Loads the running thread at the beginning of a function. */
LLVMValueRef lower_self(struct lower *l, LLVMValueRef function);
/* Loads a member of the thread at `offset`, before the position of the builder. */
LLVMValueRef lower_member(struct lower *l, LLVMValueRef self, unsigned offset, LLVMTypeRef type);
/* Returns true for a call that gets a member of the thread. */
bool lower_register_of(LLVMValueRef instruction, unsigned *offset);
bool lower_registers(struct lower *l);
/* Inserts counters of polls, so that threads which poll yield. */
bool lower_polls(struct lower *l);

/* ---- checks.c: calls that tell of accesses to memory, for the check of races ---- */
bool lower_checks(struct lower *l);

/* ---- address.c: for AddressSanitizer ---- */
enum { LOWER_ZONES_MAX = 256 };
/* Marks functions, before they are optimised. */
bool lower_address_mark(struct lower *l);
/* Lets a wrapper tell of red zones in shared memory: pairs of offset and size. */
void lower_address_zones(struct lower *l, LLVMValueRef run, const uint32_t *zones, unsigned count);
/* Adds the checks, after all other steps. */
bool lower_address_checks(struct lower *l);

/* ---- wrappers.c: the functions that the emulated GPU calls ---- */
bool lower_wrappers(struct lower *l);
bool lower_wholes(struct lower *l);
bool lower_is_whole(LLVMValueRef function);

/* ---- shared.c ---- */
bool lower_shared(struct lower *l);

/* ---- table.c: the list of kernels and variables ---- */
bool lower_table(struct lower *l);

#endif
