/*
 * rv64: a RISC-V core, RV64IMAC + Zba, Zbb, Zbs, Zifencei and reads of the user counters (The
 * RISC-V Instruction Set Manual, Volume I, 20191213; Bit-Manipulation ISA-extensions 1.0.0), over a
 * flat, checked guest memory. It does not do I/O, has no globals and does not know the DPA. All
 * other instructions are illegal. dpakit does not add instructions: device intrinsics are calls
 * (ECALL) and FENCE.
 *
 *     struct rv64_memory *mem = rv64_memory_create(4ull << 30);
 *     rv64_memory_map(mem, 0x10000, 0x1000, RV64_R | RV64_X);
 *     rv64_memory_store(mem, 0x10000, code, code_size);       // host side, ignores permissions
 *     struct rv64_core *core = rv64_core_create(mem);
 *     struct rv64_hart hart = {.pc = 0x10000};
 *     enum rv64_stop why = rv64_run(core, &hart, 1000000);    // at most a million instructions
 *
 * Threads: one core (decoded code) and one memory serve any number of harts, each run by one
 * thread at a time. Guest atomics are host atomics.
 */
#ifndef DPK_ENGINE_RV64_RV64_H
#define DPK_ENGINE_RV64_RV64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Guest memory ----
 * One reserved host mapping [0, size) of guest addresses; nothing is committed until it is mapped
 * and touched. Pages of 4096 bytes, each with permissions. Page zero can never be mapped. */
enum { RV64_R = 1, RV64_W = 2, RV64_X = 4 };
#define RV64_PAGE 4096u

struct rv64_memory;

/* `size`: bytes, a multiple of RV64_PAGE, at most 1 << 32. Returns NULL if the host has too little
 * memory. */
struct rv64_memory *rv64_memory_create(uint64_t size);
void rv64_memory_destroy(struct rv64_memory *mem);
uint64_t rv64_memory_size(const struct rv64_memory *mem);

/* Gives whole pages [address, address+size) the permissions `access` (0 unmaps and frees them; W
 * together with X is refused). Newly mapped pages are zero. Returns false if the range is unaligned
 * or outside the memory. It may be called while harts run, and applies to their next access. Harts
 * that run translated code lose permissions only at their next rv64_run. */
bool rv64_memory_map(struct rv64_memory *mem, uint64_t address, uint64_t size, unsigned access);

/* Returns a host pointer to guest bytes [address, address+size), valid until the range is unmapped.
 * Returns NULL if not all of them are mapped with at least `access` (0: mapped at all). Code is
 * decoded once, so write to executable pages only with rv64_memory_store. */
void *rv64_memory_at(const struct rv64_memory *mem, uint64_t address, uint64_t size,
                     unsigned access);
/* Copies bytes into guest memory, without regard to permissions. Returns false if not all of the
 * range is mapped. A hart sees new code, new mappings of code, and new address tables on read-only
 * pages, from its next rv64_run or FENCE.I on. */
bool rv64_memory_store(struct rv64_memory *mem, uint64_t address, const void *from, uint64_t size);

/* Finds the first range of mapped pages at or above `from` with equal permissions. *size: bytes.
 * Returns false if there is none. */
bool rv64_memory_next(const struct rv64_memory *mem, uint64_t from, uint64_t *address,
                      uint64_t *size, unsigned *access);

/* ---- Harts ---- */

enum rv64_stop {
    RV64_STOP_BUDGET,     /* ran the budget; call again to continue */
    RV64_STOP_ECALL,      /* at an ECALL; pc is after it */
    RV64_STOP_EBREAK,     /* at an EBREAK; pc is on it */
    RV64_STOP_FAULT,      /* see hart.fault; pc is on the faulting instruction */
    RV64_STOP_BREAKPOINT, /* at a breakpoint of rv64_core_break; pc is on it */
    RV64_STOP_WATCH,      /* after an access to a watch of rv64_run_watched */
};

enum rv64_fault {
    RV64_FAULT_NONE,
    RV64_FAULT_FETCH,            /* pc outside executable memory, or odd */
    RV64_FAULT_ILLEGAL,          /* invalid instruction; fault_address has its bits */
    RV64_FAULT_LOAD,             /* read of unmapped or unreadable memory */
    RV64_FAULT_STORE,            /* write to unmapped or unwritable memory */
    RV64_FAULT_MISALIGNED_LOAD,  /* of LR; of other loads after rv64_core_set_strict */
    RV64_FAULT_MISALIGNED_STORE, /* of SC and AMOs; of other stores after rv64_core_set_strict */
};
const char *rv64_fault_name(enum rv64_fault fault); /* "store access fault" */

/* Guest memory that a hart may access, in the form for translated code: runs of pages. */
enum {
    RV64_WINDOW_STACK, /* around the stack pointer at the start of the run */
    RV64_WINDOW_IMAGE, /* the lowest readable pages */
    RV64_WINDOW_DATA,  /* the lowest pages that are readable and writable */
    RV64_WINDOW_HEAP,  /* the highest pages that are readable and writable */
    RV64_WINDOWS,
};

/* At `begin` plus n << log2, 256 bytes are allowed if n < limit[log2]. */
struct rv64_window {
    uint64_t begin;
    uint64_t limit[4];
};

struct rv64_hart {
    uint64_t x[32]; /* x[0] stays 0 */
    uint64_t pc;
    uint64_t instret;    /* instructions retired since creation (except ECALL and EBREAK); RDCYCLE
                          * reads it too */
    uint64_t time;       /* value of RDTIME; the owner keeps it up to date */
    uint64_t misaligned; /* misaligned loads and stores since creation */
    /* LR/SC reservation: address, value and width of the LR; width 0: none. */
    uint64_t reserved_address, reserved_value;
    uint8_t reserved_width;
    /* Predecessor sets of the FENCEs that it has executed, encoded as in the instruction: 8 input,
     * 4 output, 2 read, 1 write. The reader resets it to 0. Translated code does not set it. */
    uint8_t fences;
    /* Reason of RV64_STOP_FAULT. */
    enum rv64_fault fault;
    uint64_t fault_address;
    /* Used by translated code, during a run. */
    uint64_t horizon;     /* instret at the end of the budget */
    uint64_t stack_limit; /* translated code returns if the host's stack is lower */
    uint8_t uneven;       /* translated code has returned before unexpected accesses */
    uint64_t layout;      /* rv64_memory.layout of the windows; 0: no windows yet */
    struct rv64_window window[RV64_WINDOWS];
};

struct rv64_core;

/* Makes a core with its cache of decoded blocks. `mem` must live longer than the core. */
struct rv64_core *rv64_core_create(struct rv64_memory *mem);
void rv64_core_destroy(struct rv64_core *core);

/* Makes misaligned loads and stores fault if `strict`: "The DPA does not support unaligned
 * accesses" (DPA Development, "Memory Model"). Otherwise, which is the default, they are executed,
 * because programs with such accesses run on cards: byte by byte (Volume I, 2.6), not atomically,
 * and only if all of their bytes are accessible. The address of a fault is that of the first
 * inaccessible byte. Call this before the first run. */
void rv64_core_set_strict(struct rv64_core *core, bool strict);

/* Extensions that only some DPAs have. A core without them refuses their instructions as
 * illegal. */
enum { RV64_ZBA = 1 };
/* Gives the core only these extensions; the default is all. Call this before the first run. */
void rv64_core_set_extensions(struct rv64_core *core, unsigned extensions);
/* Writes the manual's name ("sh3add") of an instruction that belongs to an optional extension.
 * Returns false for other instructions. */
#define RV64_NAME 16
bool rv64_optional_name(uint32_t bits, char out[RV64_NAME]);

/* Runs about `budget` instructions at most: to the end of the current block. Translated code
 * continues to the next backward jump or call, and to the returns of its active calls. */
enum rv64_stop rv64_run(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget);

/* Runs exactly `budget` instructions if all code is interpreted; translated code may exceed it as
 * in rv64_run. Breakpoints within the last 64 instructions may be missed. */
enum rv64_stop rv64_run_exactly(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget);
/* Same, without translated code: never more than `budget`. */
enum rv64_stop rv64_interpret(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget);

/* The reference: decodes and runs one instruction; it is written for clarity. Returns
 * RV64_STOP_BUDGET if the instruction was executed. Each instruction has the same effect as in
 * rv64_run. */
enum rv64_stop rv64_step(struct rv64_core *core, struct rv64_hart *hart);

/* ---- Translated code ----
 * A translator makes host code for hot guest code: code that is often called, returned to, or
 * jumped back to. rv64_run enters it at such places. Without a translator, all code is
 * interpreted. */
struct rv64_next {
    uint64_t pc;  /* where the guest continues; RV64_INSIDE is set if that is inside a basic
                   * block */
    int64_t left; /* rest of the budget */
};
#define RV64_INSIDE UINT64_C(1)
/* Runs the guest from a pc on, with a budget of `left` instructions. At the call and at the return,
 * the hart's registers, except pc and instret, are the guest's. The code returns before an
 * instruction that it cannot execute, including a fault: then possibly inside a basic block, and
 * even if the budget is used up, because rv64_run executes whole blocks. */
typedef struct rv64_next rv64_code(struct rv64_hart *hart, int64_t left);

/* Translations of one state of the guest's code, by the pc of their first instruction. */
struct rv64_entries {
    uint64_t begin, size;     /* guest addresses [begin, begin + size) */
    _Atomic(rv64_code *) *at; /* at[(pc - begin) / 2]; NULL if there is no code */
};
struct rv64_translator {
    /* Makes the table for the guest's present code. It is released when the code changes or the
     * core is destroyed. If it returns NULL, the code stays interpreted. */
    struct rv64_entries *(*begin)(void *context, struct rv64_core *core);
    void (*release)(struct rv64_entries *entries);
    /* Reports that the code at `pc` is hot; `entries` may get its translation later. Until then,
     * this is called again at each power of two of `heat`, the number of times that the place was
     * reached. `x`: the 32 registers of a hart at this place. */
    void (*hot)(void *context, struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                const uint64_t *x, uint32_t heat);
    /* Reports that the code at `pc` often makes misaligned accesses; its translation may not expect
     * them. */
    void (*uneven)(void *context, struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                   const uint64_t *x);
    uint32_t heat; /* number of times that makes a place hot, at least 1 */
    void *context;
};
/* Call this before the first run. The translator must live longer than the core. */
void rv64_core_set_translator(struct rv64_core *core, const struct rv64_translator *translator);

/* ---- External memory ----
 * The guest's own memory ends below RV64_EXTERNAL_BASE: rv64_run and rv64_step fault at higher
 * addresses. rv64_step_external executes an instruction that accesses host memory there. */
#define RV64_EXTERNAL_BASE (UINT64_C(1) << 60)

struct rv64_external {
    /* Returns the host address, a multiple of `width`, of `width` (1, 2, 4, 8) bytes. `address` is
     * a multiple of `width`, too. If it returns NULL, the access faults. `access`: RV64_R, RV64_W
     * or both. It is called at most once for an instruction. The memory is not used after
     * rv64_step_external has returned. */
    void *(*find)(void *context, uint64_t address, unsigned width, unsigned access);
    void *context;
};
/* Runs one instruction like rv64_step, with external memory. */
enum rv64_stop rv64_step_external(struct rv64_core *core, struct rv64_hart *hart,
                                  const struct rv64_external *external);

/* ---- For debuggers ----
 * A breakpoint ends a block when blocks are made. Guest memory is not written. Breakpoints and
 * watches that are not set cost no time. rv64_step ignores breakpoints. */
#define RV64_BREAKS_MAX 256

/* Sets or removes a breakpoint; a hart sees the change at its next rv64_run. Returns false if there
 * are RV64_BREAKS_MAX breakpoints already. */
bool rv64_core_break(struct rv64_core *core, uint64_t address, bool on);

struct rv64_watch {
    uint64_t address, size; /* bytes of guest memory */
    unsigned access;        /* RV64_R, RV64_W or both */
};

/* Like rv64_run, but slow: it stops after the first instruction that accesses one of the `count`
 * watches. *hit: index of the watch. It also stops at breakpoints. */
enum rv64_stop rv64_run_watched(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget,
                                const struct rv64_watch *watches, size_t count, size_t *hit);
/* Like rv64_step, but returns RV64_STOP_WATCH if the instruction accessed a watch. */
enum rv64_stop rv64_step_watched(struct rv64_core *core, struct rv64_hart *hart,
                                 const struct rv64_watch *watches, size_t count, size_t *hit);

/* Finds the memory that the instruction at the hart's pc will store to, unless it faults. Returns
 * false if it stores nothing. */
bool rv64_next_store(const struct rv64_core *core, const struct rv64_hart *hart, uint64_t *address,
                     uint64_t *size);

/* Length in bytes, 2 or 4, of the instruction that begins with `first_half`. */
unsigned rv64_instruction_length(uint16_t first_half);

#endif
