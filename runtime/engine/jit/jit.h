/*
 * jit: makes hot device code fast. What is often run is translated to code of the host, by LLVM
 * (libdpakit-llvm.so, loaded with the first code that is hot), in a thread of its own; nothing
 * waits for it. The interpreter is the truth: translated code returns to it before each instruction
 * that it cannot carry out, faults among them.
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
    JIT_OFF,  /* all is interpreted */
    JIT_SYNC, /* all is translated at once, and the thread that wants to run it waits: for tests */
    JIT_ON,
};

/* The mode that DPAKIT_JIT asks for: off, sync or on; JIT_ON without it. DPK_ERR_USAGE: another
 * word. */
enum dpk_status jit_mode_wanted(enum jit_mode *mode, struct dpk_error *err);

/* Gives the core a translator, before its first run. `exact`: budgets end where the interpreter
 * ends them, at each basic block, so that runs of one worker are the same instruction for
 * instruction; it is slower. */
void jit_attach(struct rv64_core *core, enum jit_mode mode, bool exact);

/* What the translator has done in this process of the host, so far. */
enum { JIT_REASONS = 8 };
struct jit_stats {
    uint64_t translated, cached,
        refused;                        /* regions: by LLVM, from files of earlier runs, neither */
    uint64_t instructions, nanoseconds; /* of the guest, by LLVM; processor time for them */
    uint64_t code_bytes;                /* of the host, of all that is translated or cached */
    struct {
        uint64_t count; /* 0: there is none */
        char text[160];
    } reasons[JIT_REASONS]; /* why regions were refused; the last one: for other reasons */
};
void jit_stats(struct jit_stats *out);

#endif
