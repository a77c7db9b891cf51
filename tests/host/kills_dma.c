/* Two processes, each of which exports memory, and copies from and to the other's memory. */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dma.h>
#include <doca_pe.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "kills.h"

#define OK     DOCA_SUCCESS
#define ROUNDS 4
#define LARGE  ((size_t)1 << 18)
#define RIGHTS (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE)

static struct doca_dev *dev;
static struct doca_mmap *map;
static char memory[3 * LARGE]; /* what it gives, what it gets, what the other one puts there */
static unsigned completed, failed;

static void begin(struct talker *t)
{
    struct doca_devinfo **list;
    uint32_t count = 0;
    CHECK(doca_devinfo_create_list(&list, &count) == OK && count > 0);
    CHECK(doca_dev_open(list[0], &dev) == OK && doca_devinfo_destroy_list(list) == OK);
    step(t);
    memset(memory, t->first ? 'a' : 'b', LARGE);
    CHECK(doca_mmap_create(&map) == OK && doca_mmap_set_permissions(map, RIGHTS) == OK);
    CHECK(doca_mmap_set_memrange(map, memory, sizeof memory) == OK);
    CHECK(doca_mmap_add_dev(map, dev) == OK && doca_mmap_start(map) == OK);
    step(t);
}

static void end(struct talker *t)
{
    CHECK(doca_mmap_destroy(map) == OK);
    step(t);
    CHECK(doca_dev_close(dev) == OK);
}

/* Something failed: that must be because the other one dies, which takes a moment to be seen. */
static void must_be_alone(const struct talker *t)
{
    for (int i = 0; i < 3000 && !is_alone(t); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    CHECK(is_alone(t));
}

static struct doca_pe *pe;
static struct doca_dma *dma;
static struct doca_buf_inventory *inventory;

static void on_completed(struct doca_dma_task_memcpy *task, union doca_data a, union doca_data b)
{
    (void)task, (void)a, (void)b;
    completed++;
}

static void on_failed(struct doca_dma_task_memcpy *task, union doca_data a, union doca_data b)
{
    (void)task, (void)a, (void)b;
    failed++;
}

static void engine_begin(struct talker *t)
{
    CHECK(doca_pe_create(&pe) == OK && doca_dma_create(dev, &dma) == OK);
    CHECK(doca_dma_task_memcpy_set_conf(dma, on_completed, on_failed, 1) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)) == OK);
    CHECK(doca_ctx_start(doca_dma_as_ctx(dma)) == OK);
    CHECK(doca_buf_inventory_create(2, &inventory) == OK);
    CHECK(doca_buf_inventory_start(inventory) == OK);
    step(t);
}

static void engine_end(struct talker *t)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_RUNNING;
    doca_ctx_stop(doca_dma_as_ctx(dma)); /* after a failure it does so itself */
    while (doca_ctx_get_state(doca_dma_as_ctx(dma), &state) == OK && state != DOCA_CTX_STATE_IDLE)
        (void)doca_pe_progress(pe);
    step(t);
    CHECK(doca_dma_destroy(dma) == OK && doca_pe_destroy(pe) == OK);
    CHECK(doca_buf_inventory_destroy(inventory) == OK);
    step(t);
}

/* A copy of a third of it. False: the other one is dead. */
static bool copy(struct talker *t, struct doca_mmap *from, void *a, struct doca_mmap *to, void *b)
{
    struct doca_buf *source, *target;
    struct doca_dma_task_memcpy *task;
    CHECK(doca_buf_inventory_buf_get_by_data(inventory, from, a, LARGE, &source) == OK);
    CHECK(doca_buf_inventory_buf_get_by_addr(inventory, to, b, LARGE, &target) == OK);
    CHECK(doca_dma_task_memcpy_alloc_init(dma, source, target, (union doca_data){0}, &task) == OK);
    const unsigned before = completed;
    step(t);
    CHECK(doca_task_submit(doca_dma_task_memcpy_as_task(task)) == OK);
    while (completed == before && failed == 0)
        if (!doca_pe_progress(pe))
            wait_a_bit(t);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    CHECK(doca_buf_dec_refcount(source, NULL) == OK && doca_buf_dec_refcount(target, NULL) == OK);
    step(t);
    if (failed > 0)
        must_be_alone(t);
    return failed == 0;
}

static void copy_all(struct talker *t, struct doca_mmap *theirs)
{
    const char its = t->first ? 'b' : 'a';
    void *at = NULL;
    size_t size = 0;
    CHECK(doca_mmap_get_memrange(theirs, &at, &size) == OK && size == sizeof memory);
    for (unsigned i = 0; i < ROUNDS; i++) {
        memset(memory + LARGE, 0, LARGE);
        if (!copy(t, theirs, at, map, memory + LARGE))
            return;
        CHECK(memory[LARGE] == its && memory[2 * LARGE - 1] == its);
        if (!copy(t, map, memory, theirs, (char *)at + 2 * LARGE))
            return;
    }
}

static void talk(struct talker *t)
{
    const void *descriptor;
    struct doca_mmap *theirs;
    char its[WORD_MAX];
    size_t size, got;
    CHECK(doca_mmap_export_pci(map, dev, &descriptor, &size) == OK);
    step(t);
    if (!trade(t, descriptor, size, its, &got))
        return;
    step(t);
    if (doca_mmap_create_from_export(NULL, its, got, dev, &theirs) != OK)
        return must_be_alone(t);
    step(t);
    engine_begin(t);
    copy_all(t, theirs);
    engine_end(t);
    CHECK(doca_mmap_destroy(theirs) == OK);
    step(t);
    trade(t, "end", 3, its, &got); /* its memory stays until the other one has copied, too */
}

void talk_by_copies(struct talker *t)
{
    begin(t);
    talk(t);
    end(t);
}
