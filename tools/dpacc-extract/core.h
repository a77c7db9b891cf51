/*
 * core: programs in the memory of a process that died.
 *
 * A core file has no sections. Every program that dpacc made leaves a descriptor in the data of its
 * host (tools/dpacc/embed.c), written to when the host starts, so that the page is in every core.
 * It says where program and crypto data lie. Where those pages are left out of the core, as Linux
 * does with what can be had from a file, they are read from that file.
 */
#ifndef DPK_DPACC_EXTRACT_CORE_H
#define DPK_DPACC_EXTRACT_CORE_H

#include "base/base.h"

struct core_program {
    char name[209];
    uint64_t address;         /* of the program in the process */
    struct dpk_buf elf, room; /* room: `.dpa_sig_<app>`, length prefix and all */
};

struct core {
    struct core_program *programs;
    size_t count;
};

/* Is it an ELF core file? */
bool core_is(const struct dpk_buf *file);
/* None at all is an error. */
enum dpk_status core_parse(const char *path, const struct dpk_buf *file, struct core *out,
                           struct dpk_error *err);
void core_free(struct core *core);

#endif
