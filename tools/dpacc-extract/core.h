/*
 * core: programs in the core file of a dead process.
 *
 * A core file has no sections. dpacc puts a descriptor of each program into the host's data
 * (tools/dpacc/embed.c). The host writes to it at its start, so that its page is in every core. It
 * has the addresses of program and crypto data. Linux omits unchanged pages of files from cores;
 * such pages are read from the file.
 */
#ifndef DPK_DPACC_EXTRACT_CORE_H
#define DPK_DPACC_EXTRACT_CORE_H

#include "base/base.h"

struct core_program {
    char name[209];
    uint64_t address;         /* address of the program in the process */
    struct dpk_buf elf, room; /* room: `.dpa_sig_<app>` with its length prefix */
};

struct core {
    struct core_program *programs;
    size_t count;
};

/* Returns true for an ELF core file. */
bool extract_core_is(const struct dpk_buf *file);
/* Finds the programs. No program is an error. */
enum dpk_status extract_core_parse(const char *path, const struct dpk_buf *file, struct core *out,
                                   struct dpk_error *err);
void extract_core_free(struct core *core);

#endif
