/* What a copy of doca_dma costs: dma_bench FIGURE prints one number.
 *
 *     copy | memcpy          GB/s, 1 MiB at a time, through 64 MiB on each side
 *     import | export        the same from, and to, memory that another process exported
 *     bare-import            the same by the kernel alone: process_vm_readv
 *     hot-copy, hot-memcpy, hot-import   the same 1 MiB again and again
 *     tasks N                millions of 64-byte tasks a second, N of them submitted at once
 *     contexts N             the same of N contexts, each of which has one task submitted
 *     import-task            microseconds of a 64-byte task from another process
 *
 * Times are of the processor, user and system, so other programs on the machine count less. */
#define _GNU_SOURCE
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dma.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "doca_bench.h"

enum { MIB = 1 << 20, BLOCKS = 64, ROUNDS = 4, SMALL = 64 };

static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_dma *dma;
static struct doca_buf_inventory *inventory;
static unsigned ended;
static pid_t other_process;

static double seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static void on_end(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    TRY(doca_task_get_status(doca_dma_task_memcpy_as_task(task)));
    ended++;
}

static uint8_t *memory(uint8_t value)
{
    uint8_t *at = mmap(NULL, (size_t)BLOCKS * MIB, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        exit(1);
    memset(at, value, (size_t)BLOCKS * MIB);
    return at;
}

/* `dma` is another context of the engine. */
static void start_context(uint32_t tasks)
{
    TRY(doca_dma_create(dev, &dma));
    TRY(doca_dma_task_memcpy_set_conf(dma, on_end, on_end, tasks));
    TRY(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
    TRY(doca_ctx_start(doca_dma_as_ctx(dma)));
}

static void start(uint32_t tasks)
{
    TRY(doca_pe_create(&pe));
    start_context(tasks);
    TRY(doca_buf_inventory_create(2 * tasks, &inventory));
    TRY(doca_buf_inventory_start(inventory));
}

static struct doca_mmap *map_of(uint8_t *at)
{
    struct doca_mmap *m = NULL;
    TRY(doca_mmap_create(&m));
    TRY(doca_mmap_set_permissions(m, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                         DOCA_ACCESS_FLAG_PCI_READ_WRITE));
    TRY(doca_mmap_set_memrange(m, at, (size_t)BLOCKS * MIB));
    TRY(doca_mmap_add_dev(m, dev));
    TRY(doca_mmap_start(m));
    return m;
}

/* A map of memory that a child of this process exports until this one ends. */
static struct doca_mmap *map_of_other(uint8_t **at)
{
    struct doca_mmap *m = NULL;
    int up[2], down[2];
    uint8_t bytes[1024];
    if (pipe(up) != 0 || pipe(down) != 0)
        exit(1);
    if ((other_process = fork()) == 0) {
        const void *descriptor;
        size_t size;
        char end;
        dev = first_device();
        *at = memory(3);
        close(down[1]);
        TRY(doca_mmap_export_pci(map_of(*at), dev, &descriptor, &size));
        if (write(up[1], at, sizeof *at) < 0 || write(up[1], descriptor, size) < 0)
            exit(1);
        _exit(read(down[0], &end, 1) != 0);
    }
    dev = first_device();
    if (read(up[0], at, sizeof *at) != sizeof *at)
        exit(1);
    const ssize_t size = read(up[0], bytes, sizeof bytes);
    TRY(doca_mmap_create_from_export(NULL, bytes, size < 0 ? 0 : (size_t)size, dev, &m));
    return m;
}

static struct doca_task *task_of(struct doca_mmap *from, uint8_t *a, struct doca_mmap *to,
                                 uint8_t *b, size_t size, struct doca_buf **into)
{
    struct doca_buf *source = NULL;
    struct doca_dma_task_memcpy *task = NULL;
    TRY(doca_buf_inventory_buf_get_by_data(inventory, from, a, size, &source));
    TRY(doca_buf_inventory_buf_get_by_addr(inventory, to, b, size, into));
    TRY(doca_dma_task_memcpy_alloc_init(dma, source, *into, (union doca_data){0}, &task));
    return doca_dma_task_memcpy_as_task(task);
}

static void run(struct doca_task **tasks, struct doca_buf **into, unsigned count)
{
    ended = 0;
    for (unsigned i = 0; i < count; i++) {
        TRY(doca_buf_reset_data_len(into[i]));
        TRY(doca_task_submit(tasks[i]));
    }
    while (ended < count)
        (void)doca_pe_progress(pe);
}

/* GB/s of copies of 1 MiB, each of its own `blocks`; the best of some rounds. */
static double large(struct doca_mmap *from, uint8_t *a, struct doca_mmap *to, uint8_t *b,
                    unsigned blocks)
{
    struct doca_task *tasks[BLOCKS];
    struct doca_buf *into[BLOCKS];
    double best = 1e9;
    start(BLOCKS);
    for (size_t i = 0; i < BLOCKS; i++)
        tasks[i] = task_of(from, a + i % blocks * MIB, to, b + i % blocks * MIB, MIB, &into[i]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const double begin = seconds();
        run(tasks, into, BLOCKS);
        const double took = seconds() - begin;
        best = took < best ? took : best;
    }
    return (double)BLOCKS * MIB / best * 1e-9;
}

static void copy_bare(uint8_t *from, uint8_t *to)
{
    const struct iovec theirs = {from, MIB}, mine = {to, MIB};
    if (!other_process)
        memcpy(to, from, MIB);
    else if (process_vm_readv(other_process, &mine, 1, &theirs, 1, 0) != MIB)
        exit(1);
    __asm__ volatile("" ::: "memory");
}

static double bare(uint8_t *a, uint8_t *b, unsigned blocks)
{
    double best = 1e9;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const double begin = seconds();
        for (size_t i = 0; i < BLOCKS; i++)
            copy_bare(a + i % blocks * MIB, b + i % blocks * MIB);
        const double took = seconds() - begin;
        best = took < best ? took : best;
    }
    return (double)BLOCKS * MIB / best * 1e-9;
}

/* Seconds of a 64-byte task, with `count` of them submitted at once: `spread`, each has a context of
 * its own. */
static double small(struct doca_mmap *from, uint8_t *a, struct doca_mmap *to, uint8_t *b,
                    unsigned count, bool spread)
{
    struct doca_task **tasks = calloc(count, sizeof *tasks);
    struct doca_buf **into = calloc(count, sizeof *into);
    const unsigned batches = 400000 / count;
    double best = 1e9;
    if (!tasks || !into)
        exit(1);
    start(count);
    for (size_t i = 0; i < count; i++) {
        if (spread && i > 0)
            start_context(1);
        tasks[i] = task_of(from, a + i * SMALL, to, b + i * SMALL, SMALL, &into[i]);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        const double begin = seconds();
        for (unsigned i = 0; i < batches; i++)
            run(tasks, into, count);
        const double took = (seconds() - begin) / ((double)batches * count);
        best = took < best ? took : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const bool hot = strncmp(what, "hot-", 4) == 0;
    const bool foreign = strstr(what, "import") || strstr(what, "export");
    const unsigned blocks = hot ? 1 : BLOCKS;
    uint8_t *own = memory(1), *other = NULL;
    struct doca_mmap *theirs = foreign ? map_of_other(&other) : NULL;
    if (!foreign) {
        dev = first_device();
        theirs = map_of(other = memory(2));
    }
    struct doca_mmap *mine = map_of(own);
    what += hot ? 4 : 0;
    const bool spread = strcmp(what, "contexts") == 0;
    if ((spread || strcmp(what, "tasks") == 0) && argc > 2)
        printf("%.3f\n", 1e-6 / small(theirs, other, mine, own, (unsigned)atoi(argv[2]), spread));
    else if (strcmp(what, "import-task") == 0)
        printf("%.3f\n", 1e6 * small(theirs, other, mine, own, 32, false));
    else if (strcmp(what, "memcpy") == 0 || strcmp(what, "bare-import") == 0)
        printf("%.3f\n", bare(other, own, blocks));
    else if (strcmp(what, "copy") == 0 || strcmp(what, "import") == 0)
        printf("%.3f\n", large(theirs, other, mine, own, blocks));
    else if (strcmp(what, "export") == 0)
        printf("%.3f\n", large(mine, own, theirs, other, blocks));
    else
        return 2;
    return 0;
}
