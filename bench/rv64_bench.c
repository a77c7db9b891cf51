/*
 * Runs a static riscv64 program of Linux that only writes and exits, on rv64, and says how fast:
 *     rv64_bench PROGRAM        prints what it writes, then on stderr "<instructions> <seconds>"
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "rv64/rv64.h"

enum { SYS_WRITE = 64, SYS_EXIT = 93, A0 = 10, A1 = 11, A2 = 12, A7 = 17, SP = 2 };
#define STACK_TOP  UINT64_C(0x80000000)
#define STACK_SIZE UINT64_C(0x100000)

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool map_segment(struct rv64_memory *mem, const struct dpk_buf *file, const Elf64_Phdr *p)
{
    unsigned access = (p->p_flags & PF_R ? RV64_R : 0u) | (p->p_flags & PF_W ? RV64_W : 0u) |
                      (p->p_flags & PF_X ? RV64_X : 0u);
    uint64_t begin = p->p_vaddr & ~(uint64_t)(RV64_PAGE - 1);
    uint64_t end = (p->p_vaddr + p->p_memsz + RV64_PAGE - 1) & ~(uint64_t)(RV64_PAGE - 1);
    if (p->p_filesz > file->size || p->p_offset > file->size - p->p_filesz)
        return false;
    return rv64_memory_map(mem, begin, end - begin, access) &&
           rv64_memory_store(mem, p->p_vaddr, file->data + p->p_offset, p->p_filesz);
}

static bool load(struct rv64_memory *mem, const struct dpk_buf *file, uint64_t *entry)
{
    Elf64_Ehdr e;
    if (file->size < sizeof e)
        return false;
    memcpy(&e, file->data, sizeof e);
    if (memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || e.e_machine != EM_RISCV)
        return false;
    struct dpk_reader whole = dpk_reader(file->data, file->size);
    for (unsigned i = 0; i < e.e_phnum; i++) {
        Elf64_Phdr p;
        struct dpk_reader r = dpk_reader_slice(&whole, e.e_phoff + i * sizeof p, sizeof p);
        const uint8_t *bytes = dpk_read_bytes(&r, sizeof p);
        if (bytes == NULL)
            return false;
        memcpy(&p, bytes, sizeof p);
        if (p.p_type == PT_LOAD && p.p_memsz != 0 && !map_segment(mem, file, &p))
            return false;
    }
    *entry = e.e_entry;
    return rv64_memory_map(mem, STACK_TOP - STACK_SIZE, STACK_SIZE, RV64_R | RV64_W);
}

/* Returns the exit code, -1 if it ended otherwise. */
static int run(struct rv64_core *core, struct rv64_memory *mem, struct rv64_hart *hart)
{
    for (;;) {
        enum rv64_stop why = rv64_run(core, hart, 1 << 20);
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
    struct rv64_hart hart = {.x[SP] = STACK_TOP};
    if (argc != 2) {
        fprintf(stderr, "usage: rv64_bench PROGRAM\n");
        return 2;
    }
    if (dpk_file_read(argv[1], DPK_FILE_MAX, &file, &err) != DPK_OK)
        return dpk_tool_fail(&err);
    struct rv64_memory *mem = rv64_memory_create(UINT64_C(1) << 32);
    struct rv64_core *core = mem == NULL ? NULL : rv64_core_create(mem);
    int code = 1;
    if (core == NULL || !load(mem, &file, &hart.pc)) {
        fprintf(stderr, "rv64_bench: %s cannot be loaded\n", argv[1]);
        goto out;
    }
    double begin = seconds();
    code = run(core, mem, &hart);
    fflush(stdout);
    fprintf(stderr, "%llu %.3f\n", (unsigned long long)hart.instret, seconds() - begin);
out:
    if (core != NULL)
        rv64_core_destroy(core);
    rv64_memory_destroy(mem);
    dpk_buf_free(&file);
    return code < 0 ? 1 : code;
}
