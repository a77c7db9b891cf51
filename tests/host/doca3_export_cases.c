/* DOCA DMA with memory that another process exported, and with very many tasks. */
#define _GNU_SOURCE /* memfd_create */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doca3_dma.h"

enum { SHARED = 2 << 20 };

/* A process that exports memory, on the host's side, and what it said: where, and the descriptor. It
 * stops its map when a byte comes, and answers with the first byte of the memory; then it ends. */
struct host {
    pid_t process;
    int tell, hear;
    uint8_t *at;
    uint8_t descriptor[256];
    size_t size;
};

static int file = -1; /* whose memory is exported, by a process that starts then; -1: none */

static uint8_t *memory_new(void)
{
    void *at =
        file < 0 ? malloc(SHARED) : mmap(NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(at && at != MAP_FAILED);
    return at;
}

static void serve(int from, int to, uint32_t permissions)
{
    uint8_t *at = memory_new();
    const void *bytes = NULL;
    struct host said = {.at = at};
    char byte;
    memset(at, 5, SHARED);
    struct doca_mmap *m = map_of(at, SHARED, permissions);
    CHECK(doca_mmap_export_pci(m, dev, &bytes, &said.size) == OK);
    memcpy(said.descriptor, bytes, said.size);
    CHECK(write(to, &said, sizeof said) == sizeof said && read(from, &byte, 1) == 1);
    CHECK(doca_mmap_stop(m) == OK && write(to, at, 1) == 1);
    while (read(from, &byte, 1) == 1)
        ;
    _exit(0);
}

static struct host host_new(uint32_t permissions)
{
    int down[2], up[2];
    struct host h;
    CHECK(pipe(down) == 0 && pipe(up) == 0);
    const pid_t process = fork();
    if (process == 0) {
        close(down[1]);
        serve(down[0], up[1], permissions);
    }
    close(down[0]);
    close(up[1]);
    CHECK(read(up[0], &h, sizeof h) == sizeof h);
    h.process = process;
    h.tell = down[1];
    h.hear = up[0];
    return h;
}

static void host_end(struct host *h)
{
    kill(h->process, SIGKILL);
    CHECK(waitpid(h->process, NULL, 0) == h->process);
    close(h->tell);
    close(h->hear);
}

static struct doca_mmap *import_of(const struct host *h)
{
    struct doca_mmap *m = NULL;
    CHECK(doca_mmap_create_from_export(NULL, h->descriptor, h->size, dev, &m) == OK);
    return m;
}

static void memory_of_another_process_is_copied_as_it_permits(void)
{
    static uint8_t out[SHARED];
    struct host open = host_new(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    struct host fixed = host_new(DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    struct engine e = engine_new();
    struct doca_mmap *to = map_of(out, SHARED, WRITABLE), *seen = import_of(&open);
    struct doca_mmap *other = import_of(&fixed);
    struct doca_buf *x = buf_of(&e, to, out, SHARED, 0),
                    *s = buf_of(&e, seen, open.at, SHARED, SHARED);
    struct doca_buf *f = buf_of(&e, other, fixed.at, SHARED, SHARED);
    uint8_t byte = 0, is = 0;
    CHECK(doca_mmap_get_from_export(seen, &is) == OK && is == 1);
    CHECK(doca_mmap_stop(seen) == IN_USE);
    CHECK(copy(&e, s, x) == OK && out[0] == 5 && out[SHARED - 1] == 5 && data_of(x) == SHARED);
    memset(out, 8, SHARED);
    CHECK(doca_buf_reset_data_len(s) == OK && copy(&e, x, s) == OK && data_of(s) == SHARED);
    CHECK(doca_buf_reset_data_len(s) == OK && copy(&e, f, s) == OK); /* from one to the other */
    CHECK(doca_buf_reset_data_len(f) == OK && copy(&e, x, f) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(data_of(f) == 0 && write(open.tell, "s", 1) == 1);
    CHECK(read(open.hear, &byte, 1) == 1 && byte == 5); /* it has stopped its map */
    CHECK(doca_buf_reset_data_len(x) == OK && copy(&e, s, x) == DOCA_ERROR_IO_FAILED);
    struct doca_buf *const all[] = {x, s, f};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(doca_buf_dec_refcount(all[i], NULL) == OK);
    CHECK(doca_mmap_destroy(to) == OK && doca_mmap_destroy(seen) == OK);
    CHECK(doca_mmap_destroy(other) == OK);
    CHECK(doca_mmap_create_from_export(NULL, open.descriptor, open.size, dev, &seen) ==
          DOCA_ERROR_NOT_FOUND); /* what it described is gone */
    host_end(&open);
    host_end(&fixed);
    engine_destroy(&e);
}

/* The owner is killed while tasks wait for their copy: they end with an error. */
static void tasks_end_when_the_owner_dies(void)
{
    static uint8_t out[SHARED];
    struct host h = host_new(DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    struct engine e = engine_new();
    struct doca_mmap *to = map_of(out, SHARED, WRITABLE), *seen = import_of(&h);
    struct doca_buf *x = buf_of(&e, to, out, SHARED, 0),
                    *s = buf_of(&e, seen, h.at, SHARED, SHARED);
    struct doca_task *task = task_new(&e, s, x, 5);
    completed = failed = 0;
    CHECK(doca_task_submit(task) == OK);
    host_end(&h);
    CHECK(doca_pe_progress(e.pe) == 1 && failed == 1 && last_status == DOCA_ERROR_IO_FAILED);
    CHECK(data_of(x) == 0 && state_of(&e) == DOCA_CTX_STATE_STOPPING);
    doca_task_free(task);
    CHECK(doca_pe_progress(e.pe) == 1 && state_of(&e) == DOCA_CTX_STATE_IDLE);
    CHECK(doca_buf_dec_refcount(x, NULL) == OK && doca_buf_dec_refcount(s, NULL) == OK);
    CHECK(doca_mmap_destroy(to) == OK && doca_mmap_destroy(seen) == OK);
    CHECK(doca_mmap_create_from_export(NULL, h.descriptor, h.size, dev, &seen) ==
          DOCA_ERROR_NOT_FOUND);
    CHECK(!seen && doca_ctx_start(e.ctx) == OK);
    engine_destroy(&e);
}

/* The file that exported memory maps is truncated while a task waits for its copy. The task ends
 * with an error, and both processes continue. */
static void memory_whose_file_is_cut_ends_tasks(void)
{
    static uint8_t out[SHARED];
    CHECK((file = memfd_create("exported", MFD_CLOEXEC)) >= 0 && ftruncate(file, SHARED) == 0);
    struct host h = host_new(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    struct engine e = engine_new();
    struct doca_mmap *to = map_of(out, SHARED, WRITABLE), *seen = import_of(&h);
    struct doca_buf *x = buf_of(&e, to, out, SHARED, 0),
                    *s = buf_of(&e, seen, h.at, SHARED, SHARED);
    CHECK(copy(&e, s, x) == OK && out[SHARED - 1] == 5);
    CHECK(ftruncate(file, SHARED / 2) == 0);
    CHECK(doca_buf_reset_data_len(x) == OK && copy(&e, s, x) == DOCA_ERROR_IO_FAILED);
    CHECK(doca_buf_set_data(x, out, SHARED) == OK && doca_buf_reset_data_len(s) == OK);
    CHECK(copy(&e, x, s) == DOCA_ERROR_IO_FAILED); /* nor is it written */
    CHECK(waitpid(h.process, NULL, WNOHANG) == 0);
    CHECK(ftruncate(file, SHARED) == 0);
    CHECK(doca_buf_reset_data_len(s) == OK && copy(&e, x, s) == OK);
    CHECK(doca_buf_dec_refcount(x, NULL) == OK && doca_buf_dec_refcount(s, NULL) == OK);
    CHECK(doca_mmap_destroy(to) == OK && doca_mmap_destroy(seen) == OK);
    host_end(&h);
    engine_destroy(&e);
    close(file);
}

/* Whatever happens to the bytes on their way, there is an error and no map; and of another version. */
static void damaged_exports_are_refused(void)
{
    struct host h = host_new(DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    struct doca_mmap *seen = NULL;
    for (size_t i = 0; i < h.size; i++) {
        h.descriptor[i] ^= 0x10;
        CHECK(doca_mmap_create_from_export(NULL, h.descriptor, h.size, dev, &seen) != OK && !seen);
        h.descriptor[i] ^= 0x10;
        CHECK(doca_mmap_create_from_export(NULL, h.descriptor, i, dev, &seen) == INVALID);
    }
    host_end(&h);
}

/* One after the other, and as many at once as there may be. */
static void ten_thousand_tasks_are_in_flight(void)
{
    enum { TASKS = 10000 };
    static uint8_t bytes[TASKS], out[TASKS];
    static struct doca_task *tasks[TASKS];
    static struct doca_buf *bufs[TASKS][2];
    struct doca_pe *pe = NULL;
    struct doca_dma *dma = NULL;
    struct doca_buf_inventory *many = NULL;
    size_t n = 0;
    struct doca_mmap *from = map_of(bytes, TASKS, 0), *to = map_of(out, TASKS, WRITABLE);
    CHECK(doca_pe_create(&pe) == OK && doca_dma_create(dev, &dma) == OK);
    struct doca_ctx *ctx = doca_dma_as_ctx(dma);
    CHECK(doca_dma_task_memcpy_set_conf(dma, on_completed, on_failed, TASKS) == OK);
    CHECK(doca_pe_connect_ctx(pe, ctx) == OK && doca_ctx_start(ctx) == OK);
    CHECK(doca_buf_inventory_create(2 * TASKS, &many) == OK &&
          doca_buf_inventory_start(many) == OK);
    completed = failed = 0;
    for (size_t i = 0; i < TASKS; i++) {
        struct doca_dma_task_memcpy *t = NULL;
        bytes[i] = (uint8_t)(i >> 3 | 1);
        CHECK(doca_buf_inventory_buf_get_by_data(many, from, bytes + i, 1, &bufs[i][0]) == OK);
        CHECK(doca_buf_inventory_buf_get_by_addr(many, to, out + i, 1, &bufs[i][1]) == OK);
        CHECK(doca_dma_task_memcpy_alloc_init(dma, bufs[i][0], bufs[i][1], (union doca_data){0},
                                              &t) == OK);
        tasks[i] = doca_dma_task_memcpy_as_task(t);
        CHECK(doca_task_submit(tasks[i]) == OK);
    }
    CHECK(doca_pe_get_num_inflight_tasks(pe, &n) == OK && n == TASKS);
    for (size_t i = 0; i < TASKS / 2; i++)
        CHECK(doca_pe_progress(pe) == 1);
    CHECK(completed == TASKS / 2 && memcmp(bytes, out, TASKS / 2) == 0 && out[TASKS / 2] == 0);
    CHECK(doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS); /* the others fail */
    while (completed + failed < TASKS)
        CHECK(doca_pe_progress(pe) == 1);
    CHECK(failed == TASKS / 2 && last_status == BAD_STATE && out[TASKS / 2] == 0);
    for (size_t i = 0; i < TASKS; i++) {
        doca_task_free(tasks[i]);
        CHECK(doca_buf_dec_refcount(bufs[i][0], NULL) == OK);
        CHECK(doca_buf_dec_refcount(bufs[i][1], NULL) == OK);
    }
    CHECK(doca_pe_progress(pe) == 1 && doca_dma_destroy(dma) == OK && doca_pe_destroy(pe) == OK);
    CHECK(doca_mmap_destroy(from) == OK && doca_mmap_destroy(to) == OK);
    CHECK(doca_buf_inventory_destroy(many) == OK);
}

const struct test_case export_cases[] = {
    CASE(memory_of_another_process_is_copied_as_it_permits),
    CASE(tasks_end_when_the_owner_dies),
    CASE(memory_whose_file_is_cut_ends_tasks),
    CASE(damaged_exports_are_refused),
    CASE(ten_thousand_tasks_are_in_flight),
    {0},
};
