/*
 * rv64: a RISC-V core, RV64IMAC + Zba, Zbb, Zbs, Zifencei and reads of the user counters (The
 * RISC-V Instruction Set Manual, Volume I, 20191213; Bit-Manipulation ISA-extensions 1.0.0), over a
 * flat, checked guest memory. It does no I/O, has no globals and does not know the DPA. All other
 * instructions are illegal. dpakit has no instructions of its own: device intrinsics are calls
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

/* `size`: bytes, a multiple of RV64_PAGE, at most 1 << 32. NULL: the host has no room for it. */
struct rv64_memory *rv64_memory_create(uint64_t size);
void rv64_memory_destroy(struct rv64_memory *mem);
uint64_t rv64_memory_size(const struct rv64_memory *mem);

/* Gives whole pages [address, address+size) the permissions `access` (0 unmaps and frees them; W
 * together with X is refused). Newly mapped pages are zero. False: the range is unaligned or not
 * within the memory. It may be called while harts run, and applies to their next access; what it
 * takes away, to the next rv64_run of those that run translated code. */
bool rv64_memory_map(struct rv64_memory *mem, uint64_t address, uint64_t size, unsigned access);

/* Returns a pointer of the host to guest bytes [address, address+size). NULL: not all of them are
 * mapped with at least `access` (0: mapped at all). The pointer is valid until the range is
 * unmapped. Code is decoded once, so write to executable pages only with rv64_memory_store. */
void *rv64_memory_at(const struct rv64_memory *mem, uint64_t address, uint64_t size,
                     unsigned access);
/* Copies bytes into guest memory without regard to permissions. False: not all of the range is
 * mapped. A hart sees new code, new mappings of code, and new tables of addresses on pages that
 * are only read, from its next rv64_run or FENCE.I on. */
bool rv64_memory_store(struct rv64_memory *mem, uint64_t address, const void *from, uint64_t size);

/* Finds the first range of mapped pages at or above `from` that have the same permissions. *size:
 * bytes. False: there is none. */
bool rv64_memory_next(const struct rv64_memory *mem, uint64_t from, uint64_t *address,
                      uint64_t *size, unsigned *access);

/* ---- Harts ---- */

enum rv64_stop {
    RV64_STOP_BUDGET,     /* ran the instructions it was given; call again to go on */
    RV64_STOP_ECALL,      /* at an ECALL; pc is behind it */
    RV64_STOP_EBREAK,     /* at an EBREAK; pc is on it */
    RV64_STOP_FAULT,      /* hart.fault says what; pc is on the faulting instruction */
    RV64_STOP_BREAKPOINT, /* at a breakpoint of rv64_core_break; pc is on it */
    RV64_STOP_WATCH,      /* behind an access to what rv64_run_watched watches */
};

enum rv64_fault {
    RV64_FAULT_NONE,
    RV64_FAULT_FETCH,            /* pc outside executable memory, or odd */
    RV64_FAULT_ILLEGAL,          /* no such instruction; fault_address has its bits */
    RV64_FAULT_LOAD,             /* read of unmapped or unreadable memory */
    RV64_FAULT_STORE,            /* write to unmapped or unwritable memory */
    RV64_FAULT_MISALIGNED_LOAD,  /* LR; other loads if rv64_core_set_strict says so */
    RV64_FAULT_MISALIGNED_STORE, /* SC and AMOs; other stores likewise */
};
const char *rv64_fault_name(enum rv64_fault fault); /* "store access fault" */

/* Guest memory that a hart may access, as translated code sees it: runs of pages. */
enum {
    RV64_WINDOW_STACK, /* around the stack pointer, where the run begins */
    RV64_WINDOW_IMAGE, /* the lowest pages that may be read */
    RV64_WINDOW_DATA,  /* the lowest that may be read and written */
    RV64_WINDOW_HEAP,  /* the highest that may */
    RV64_WINDOWS,
};

/* From `begin` plus n << log2 on, 256 bytes are allowed if n < limit[log2]. */
struct rv64_window {
    uint64_t begin;
    uint64_t limit[4];
};

struct rv64_hart {
    uint64_t x[32]; /* x[0] stays 0 */
    uint64_t pc;
    uint64_t instret;    /* instructions retired since creation (ECALL and EBREAK do not);
                         RDCYCLE reads it too */
    uint64_t time;       /* what RDTIME reads; the owner keeps it up to date */
    uint64_t misaligned; /* misaligned loads and stores since creation */
    /* LR/SC reservation: address, value and width seen by LR; width 0: none. */
    uint64_t reserved_address, reserved_value;
    uint8_t reserved_width;
    /* Sets of operations before the FENCEs that it has passed, as the instruction has them: 8 input,
     * 4 output, 2 read, 1 write. Whoever asks sets it to 0. Translated code does not tell. */
    uint8_t fences;
    /* Why it stopped with RV64_STOP_FAULT. */
    enum rv64_fault fault;
    uint64_t fault_address;
    /* For translated code, during a run. */
    uint64_t horizon;     /* instret when the budget is used up */
    uint64_t stack_limit; /* translated code returns if the host's stack reaches below it */
    uint8_t uneven;       /* translated code has returned before accesses that it did not expect */
    uint64_t layout;      /* rv64_memory.layout when the windows were found; 0: they were not */
    struct rv64_window window[RV64_WINDOWS];
};

struct rv64_core;

/* Makes a core with its cache of decoded blocks. It uses `mem`, which must live longer. */
struct rv64_core *rv64_core_create(struct rv64_memory *mem);
void rv64_core_destroy(struct rv64_core *core);

/* Misaligned loads and stores fault if `strict`: "The DPA does not support unaligned accesses" (DPA
 * Development, "Memory Model"). If not, which is how a core begins, they are carried out, since
 * programs that make them run on cards: byte by byte (Volume I, 2.6), not as one, and only if all
 * of their bytes are accessible; the address of a fault is that of the first byte that is not.
 * Before the first run. */
void rv64_core_set_strict(struct rv64_core *core, bool strict);

/* Extensions that not every DPA has. A core without them refuses their instructions as illegal. */
enum { RV64_ZBA = 1 };
/* Gives the core these extensions alone; it begins with all of them. Before the first run. */
void rv64_core_set_extensions(struct rv64_core *core, unsigned extensions);
/* Writes the manual's name ("sh3add") of an instruction that only cores with an extension have.
 * False: `bits` are another one. */
#define RV64_NAME 16
bool rv64_optional_name(uint32_t bits, char out[RV64_NAME]);

/* Runs at most about `budget` instructions: to the end of the current block; translated code goes on
 * to the next jump back or call, and to the returns of calls that it is in. */
enum rv64_stop rv64_run(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget);

/* Runs `budget` instructions, and no more if all code is interpreted; translated code may exceed it as
 * in rv64_run. Breakpoints within the last 64 may not be seen. */
enum rv64_stop rv64_run_exactly(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget);
/* The same without translated code: never more than `budget`. */
enum rv64_stop rv64_interpret(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget);

/* The reference: decodes and runs one instruction; it is written for clarity. Returns
 * RV64_STOP_BUDGET if the instruction has run. Each instruction does the same as in rv64_run. */
enum rv64_stop rv64_step(struct rv64_core *core, struct rv64_hart *hart);

/* ---- Translated code ----
 * A translator makes code of the host for guest code that is hot: which is often called, returned
 * to, or jumped back to. rv64_run enters it at such places. Without a translator, all is
 * interpreted. */
struct rv64_next {
    uint64_t pc;  /* where the guest goes on; RV64_INSIDE is set if that is within a basic block */
    int64_t left; /* of the budget */
};
#define RV64_INSIDE UINT64_C(1)
/* Runs the guest from a pc on with a budget of `left` instructions. The hart's registers, but for
 * pc and instret, are those of the guest at the call and at the return. It returns before an
 * instruction that it cannot carry out, a fault among them: within a basic block, and even if
 * nothing is left, since rv64_run carries out whole blocks. */
typedef struct rv64_next rv64_code(struct rv64_hart *hart, int64_t left);

/* The translations of one state of the guest's code, by the pc of their first instruction. */
struct rv64_entries {
    uint64_t begin, size;     /* guest addresses [begin, begin + size) */
    _Atomic(rv64_code *) *at; /* at[(pc - begin) / 2]; NULL: none */
};
struct rv64_translator {
    /* Makes the table for the guest's code as it is. It is released when the code changes or the
     * core goes. NULL: the code stays interpreted. */
    struct rv64_entries *(*begin)(void *context, struct rv64_core *core);
    void (*release)(struct rv64_entries *entries);
    /* The code at `pc` is hot: sooner or later, `entries` may have it. While it is not there, this is
     * called again at each power of two of `heat`, which says how often the place was reached. `x`: the
     * registers of a hart that is there, 32 of them. */
    void (*hot)(void *context, struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                const uint64_t *x, uint32_t heat);
    /* The code at `pc` often makes misaligned accesses; it may have been translated without that. */
    void (*uneven)(void *context, struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                   const uint64_t *x);
    uint32_t heat; /* how often a place is reached before it is hot, at least 1 */
    void *context;
};
/* Before the first run. The translator must live longer than the core. */
void rv64_core_set_translator(struct rv64_core *core, const struct rv64_translator *translator);

/* ---- External memory ---- The guest's own memory ends below RV64_EXTERNAL_BASE: rv64_run and
 * rv64_step fault at higher addresses. rv64_step_external carries out an instruction that reaches
 * memory of the host there. */
#define RV64_EXTERNAL_BASE (UINT64_C(1) << 60)

struct rv64_external {
    /* Returns the host address of `width` (1, 2, 4, 8) bytes, a multiple of `width`, as `address`
     * is. NULL: the access faults. `access`: RV64_R, RV64_W or both. It is called at most once for
     * an instruction. The memory is not used after rv64_step_external has returned. */
    void *(*find)(void *context, uint64_t address, unsigned width, unsigned access);
    void *context;
};
/* Runs one instruction as rv64_step does, with external memory. */
enum rv64_stop rv64_step_external(struct rv64_core *core, struct rv64_hart *hart,
                                  const struct rv64_external *external);

/* ---- For debuggers ----
 * A breakpoint ends a block when blocks are made. Nothing is written to guest memory, and without
 * breakpoints and watches nothing is slower. rv64_step ignores breakpoints. */
#define RV64_BREAKS_MAX 256

/* Sets or removes a breakpoint, for a hart from its next rv64_run on. False: there are
 * RV64_BREAKS_MAX already. */
bool rv64_core_break(struct rv64_core *core, uint64_t address, bool on);

struct rv64_watch {
    uint64_t address, size; /* bytes of guest memory */
    unsigned access;        /* RV64_R, RV64_W or both */
};

/* Does what rv64_run does, slowly, and stops behind the first instruction that accesses one of the
 * `count` watches. *hit: which. It stops at breakpoints as well. */
enum rv64_stop rv64_run_watched(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget,
                                const struct rv64_watch *watches, size_t count, size_t *hit);
/* Does what rv64_step does, and returns RV64_STOP_WATCH if the instruction accessed a watch. */
enum rv64_stop rv64_step_watched(struct rv64_core *core, struct rv64_hart *hart,
                                 const struct rv64_watch *watches, size_t count, size_t *hit);

/* The memory that the instruction at the hart's pc will store to, or not if it faults. False: it
 * stores nothing. */
bool rv64_next_store(const struct rv64_core *core, const struct rv64_hart *hart, uint64_t *address,
                     uint64_t *size);

/* Length in bytes, 2 or 4, of the instruction that begins with `first_half`. */
unsigned rv64_instruction_length(uint16_t first_half);

#endif
