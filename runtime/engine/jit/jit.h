/*
 * jit: makes hot device code fast. LLVM translates hot code to host code (libdpakit-llvm.so, loaded
 * for the first hot code), on a separate thread; no other thread waits for it. The interpreter is
 * the reference: translated code returns to it before each instruction that it cannot execute,
 * including instructions that fault.
 *
 *     struct rv64_core *core = rv64_core_create(mem);
 *     jit_attach(core, JIT_ON);
 *     rv64_run(core, &hart, 32768);
 */
#ifndef DPK_ENGINE_JIT_JIT_H
#define DPK_ENGINE_JIT_JIT_H

#include "base/base.h"
#include "engine/rv64/rv64.h"

enum jit_mode {
    JIT_OFF,  /* interpret everything */
    JIT_SYNC, /* translate all code before it runs, with the running thread waiting: for tests */
    JIT_ON,
};

/* Gets the mode from DPAKIT_JIT: off, sync or on; JIT_ON if it is not set. Errors: DPK_ERR_USAGE
 * for another word. */
enum dpk_status jit_mode_wanted(enum jit_mode *mode, struct dpk_error *err);

/* Gives the core a translator. Call this before the core's first run. `exact`: budgets end at each
 * basic block, where the interpreter ends them, so that runs with one worker are equal instruction
 * by instruction; this is slower. */
void jit_attach(struct rv64_core *core, enum jit_mode mode, bool exact);

/* Statistics of the translator in this host process. */
enum { JIT_REASONS = 8 };
struct jit_stats {
    uint64_t translated, cached,
        refused;                        /* number of regions: by LLVM, from files of earlier runs, neither */
    uint64_t instructions, nanoseconds; /* guest instructions translated by LLVM; processor time for
                                         * them */
    uint64_t code_bytes;                /* bytes of host code, translated or cached */
    struct {
        uint64_t count; /* 0: entry not used */
        char text[160];
    } reasons[JIT_REASONS]; /* why regions were refused; the last entry: other reasons */
};
void jit_stats(struct jit_stats *out);

#endif
