/*
 * debug: what makes the runtime visible: source lines of addresses, core files, the remote protocol
 * of GDB, traces, and where other processes of the same user find this one. Knows no scheduler:
 * whoever has threads describes them by the structures below (dpaos does).
 *
 *     struct dpk_line at;
 *     if (dpk_line_find(image, pc, &at))
 *         ... "%s:%u", at.file, at.line ...
 *     dpk_core_write("dpa.core", &core, &err);       // gdb-multiarch PROGRAM.elf dpa.core
 */
#ifndef DPK_DEBUG_H
#define DPK_DEBUG_H

#include "base/base.h"
#include "loader/loader.h"
#include "rv64/rv64.h"

/* ---- Source lines -------------------------------------------------------------------------------
 */

struct dpk_line {
    char file[256]; /* as the compiler was given it, cleaned for printing */
    unsigned line;
};

/* The line of the instruction at `pc`, from .debug_line (DWARF 5 and 4, section 6.2). False: not
 * known, or the table is damaged: the program brought it, nothing in it is believed. */
bool dpk_line_find(const struct dpk_image *image, uint64_t pc, struct dpk_line *out);

/* ---- Core files ---------------------------------------------------------------------------------
 */

struct dpk_core_thread {
    unsigned id; /* not 0 */
    int signal;  /* number of Linux; 0: it was not this thread's fault */
    uint64_t x[32], pc;
};

struct dpk_core {
    const struct dpk_core_thread *threads; /* the first is the one to look at */
    size_t count;
    const struct rv64_memory *memory;
};

/* Writes an ELF core (ET_CORE of RISC-V, NT_PRSTATUS as Linux lays it out for riscv64, one for each
 * thread; one PT_LOAD for each run of mapped pages). Pages of zeros are holes of the file. Whole or
 * not at all; mode 0600, for memory may hold secrets. */
enum dpk_status dpk_core_write(const char *path, const struct dpk_core *core,
                               struct dpk_error *err);

#endif
