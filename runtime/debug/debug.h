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

#endif
