/*
 * Runs a static riscv64 program of Linux that only writes and exits, on rv64, and says how fast:
 *     rv64_bench PROGRAM        prints what it writes, then on stderr "<instructions> <seconds>", and
 *                               in a second line what translating it took:
 *                               "<milliseconds> <milliseconds> <instructions>"
 * The seconds are CPU time of the thread that runs the program. The milliseconds are those from its
 * beginning to its first translated code, 0 if there was none; and those for so many instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "elf/elf.h"
#include "engine/jit/jit.h"
#include "engine/rv64/rv64.h"

enum { SYS_WRITE = 64, SYS_EXIT = 93, A0 = 10, A1 = 11, A2 = 12, A7 = 17, SP = 2 };
#define STACK_TOP  UINT64_C(0x80000000)
#define STACK_SIZE UINT64_C(0x100000)
#define STACK_FREE UINT64_C(0x100) /* at its end, as in processes (engine/proc/layout.h) */

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool map_segment(struct rv64_memory *mem, const struct dpk_elf *elf,
                        const struct dpk_elf_segment *s)
{
    unsigned access = (s->flags & PF_R ? RV64_R : 0u) | (s->flags & PF_W ? RV64_W : 0u) |
                      (s->flags & PF_X ? RV64_X : 0u);
    uint64_t begin = s->address & ~(uint64_t)(RV64_PAGE - 1);
    uint64_t end = (s->address + s->memory_size + RV64_PAGE - 1) & ~(uint64_t)(RV64_PAGE - 1);
    struct dpk_reader content = dpk_reader_slice(&elf->file, s->offset, s->file_size);
    return !content.failed && rv64_memory_map(mem, begin, end - begin, access) &&
           rv64_memory_store(mem, s->address, content.begin, s->file_size);
}

static bool load(struct rv64_memory *mem, const struct dpk_buf *file, uint64_t *entry)
{
    const struct dpk_elf elf = dpk_elf(file->data, file->size);
    if (elf.flaw != DPK_ELF_SOUND || elf.segments_flaw != DPK_ELF_SOUND || elf.machine != EM_RISCV)
        return false;
    for (size_t i = 0; i < elf.segment_count; i++) {
        struct dpk_elf_segment s = dpk_elf_segment(&elf, i);
        if (s.type == PT_LOAD && s.memory_size != 0 && !map_segment(mem, &elf, &s))
            return false;
    }
    *entry = elf.entry;
    return rv64_memory_map(mem, STACK_TOP - STACK_SIZE, STACK_SIZE, RV64_R | RV64_W);
}

static bool has_code(void)
{
    struct jit_stats s;
    jit_stats(&s);
    return s.code_bytes != 0;
}

/* Returns the exit code, -1 if it ended otherwise. `first`: when translated code was there; 0: never. */
static int run(struct rv64_core *core, struct rv64_memory *mem, struct rv64_hart *hart,
               double *first)
{
    for (*first = 0;;) {
        enum rv64_stop why = rv64_run(core, hart, *first == 0 ? 1 << 15 : 1 << 20);
        if (*first == 0 && has_code())
            *first = seconds(CLOCK_MONOTONIC);
        if (why == RV64_STOP_BUDGET)
            continue;
        if (why == RV64_STOP_FAULT)
            fprintf(stderr, "%s at pc %#llx\n", rv64_fault_name(hart->fault),
                    (unsigned long long)hart->pc);
        if (why != RV64_STOP_ECALL)
            return -1;
        if (hart->x[A7] == SYS_EXIT)
            return (int)(hart->x[A0] & 0xff);
        const void *text = rv64_memory_at(mem, hart->x[A1], hart->x[A2], RV64_R);
        if (hart->x[A7] != SYS_WRITE || text == NULL)
            return -1;
        fwrite(text, 1, hart->x[A2], stdout);
        hart->x[A0] = hart->x[A2];
    }
}

int main(int argc, char **argv)
{
    struct dpk_buf file = {0};
    struct dpk_error err = {0};
    struct rv64_hart hart = {.x[SP] = STACK_TOP - STACK_FREE};
    enum jit_mode mode;
    if (argc != 2) {
        fprintf(stderr, "usage: rv64_bench PROGRAM\n");
        return 2;
    }
    if (jit_mode_wanted(&mode, &err) != DPK_OK)
        return dpk_tool_fail(&err);
    if (dpk_file_read(argv[1], DPK_FILE_MAX, &file, &err) != DPK_OK)
        return dpk_tool_fail(&err);
    struct rv64_memory *mem = rv64_memory_create(UINT64_C(1) << 32);
    struct rv64_core *core = mem == NULL ? NULL : rv64_core_create(mem);
    int code = 1;
    if (core == NULL || !load(mem, &file, &hart.pc)) {
        fprintf(stderr, "rv64_bench: %s cannot be loaded\n", argv[1]);
        goto out;
    }
    jit_attach(core, mode, false);
    const double begin = seconds(CLOCK_THREAD_CPUTIME_ID), now = seconds(CLOCK_MONOTONIC);
    double first;
    struct jit_stats s;
    code = run(core, mem, &hart, &first);
    fflush(stdout);
    jit_stats(&s);
    fprintf(stderr, "%llu %.3f\n%.2f %.2f %llu\n", (unsigned long long)hart.instret,
            seconds(CLOCK_THREAD_CPUTIME_ID) - begin, first == 0 ? 0 : (first - now) * 1e3,
            (double)s.nanoseconds / 1e6, (unsigned long long)s.instructions);
out:
    if (core != NULL)
        rv64_core_destroy(core);
    rv64_memory_destroy(mem);
    dpk_buf_free(&file);
    return code < 0 ? 1 : code;
}
