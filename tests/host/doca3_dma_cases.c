/* DOCA DMA, and with it tasks and the progress engine. */
#include <doca_dma.h>

#include "doca3_world.h"

/* What callbacks were told. */
static unsigned completed, failed;
static uint64_t last_task_data, last_ctx_data;
static doca_error_t last_status;

static void note(struct doca_dma_task_memcpy *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    last_task_data = task_data.u64;
    last_ctx_data = ctx_data.u64;
    last_status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
}

static void on_completed(struct doca_dma_task_memcpy *task, union doca_data task_data,
                         union doca_data ctx_data)
{
    completed++;
    note(task, task_data, ctx_data);
}

static void on_failed(struct doca_dma_task_memcpy *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    failed++;
    note(task, task_data, ctx_data);
}

struct engine {
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_buf_inventory *inventory;
};

static struct engine engine_new(void)
{
    struct engine e = {0};
    CHECK(doca_pe_create(&e.pe) == OK && doca_dma_create(dev, &e.dma) == OK);
    e.ctx = doca_dma_as_ctx(e.dma);
    CHECK(doca_ctx_set_user_data(e.ctx, (union doca_data){.u64 = 77}) == OK);
    CHECK(doca_ctx_start(e.ctx) == DOCA_ERROR_BAD_CONFIG); /* no copies, no engine */
    CHECK(doca_dma_task_memcpy_set_conf(e.dma, on_completed, on_failed, 2) == OK);
    CHECK(doca_ctx_start(e.ctx) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_pe_connect_ctx(e.pe, e.ctx) == OK && doca_ctx_start(e.ctx) == OK);
    CHECK(doca_dma_task_memcpy_set_conf(e.dma, on_completed, on_failed, 2) == BAD_STATE);
    CHECK(doca_buf_inventory_create(16, &e.inventory) == OK);
    CHECK(doca_buf_inventory_start(e.inventory) == OK);
    return e;
}

static void engine_destroy(struct engine *e)
{
    CHECK(doca_ctx_stop(e->ctx) == OK && doca_dma_destroy(e->dma) == OK);
    CHECK(doca_pe_destroy(e->pe) == OK && doca_buf_inventory_destroy(e->inventory) == OK);
}

static struct doca_mmap *map_of(void *address, size_t size, uint32_t permissions)
{
    struct doca_mmap *m = NULL;
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_set_permissions(m, permissions) == OK);
    CHECK(doca_mmap_set_memrange(m, address, size) == OK && doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_start(m) == OK);
    return m;
}

static struct doca_buf *buf_of(struct engine *e, struct doca_mmap *m, void *address, size_t size,
                               size_t data)
{
    struct doca_buf *b = NULL;
    CHECK(doca_buf_inventory_buf_get_by_addr(e->inventory, m, address, size, &b) == OK);
    CHECK(doca_buf_set_data(b, address, data) == OK);
    return b;
}

static size_t data_of(const struct doca_buf *b)
{
    size_t n = 0;
    CHECK(doca_buf_get_data_len(b, &n) == OK);
    return n;
}

static struct doca_task *task_new(struct engine *e, struct doca_buf *from, struct doca_buf *to,
                                  uint64_t data)
{
    struct doca_dma_task_memcpy *t = NULL;
    CHECK(doca_dma_task_memcpy_alloc_init(e->dma, from, to, (union doca_data){.u64 = data}, &t) ==
          OK);
    return doca_dma_task_memcpy_as_task(t);
}

static enum doca_ctx_states state_of(const struct engine *e)
{
    enum doca_ctx_states state;
    CHECK(doca_ctx_get_state(e->ctx, &state) == OK);
    return state;
}

/* One copy; how it ended. One that failed has stopped the context, which is started again. */
static doca_error_t copy(struct engine *e, struct doca_buf *from, struct doca_buf *to)
{
    struct doca_task *t = task_new(e, from, to, 5);
    unsigned before = completed + failed;
    CHECK(doca_task_submit(t) == OK && doca_pe_progress(e->pe) == 1);
    CHECK(completed + failed == before + 1 && doca_pe_progress(e->pe) == 0);
    CHECK(last_task_data == 5 && last_ctx_data == 77 && doca_task_get_status(t) == last_status);
    doca_task_free(t);
    CHECK(doca_task_get_status(t) == INVALID);
    if (last_status == OK) {
        CHECK(state_of(e) == DOCA_CTX_STATE_RUNNING);
    } else {
        CHECK(state_of(e) == DOCA_CTX_STATE_STOPPING && doca_pe_progress(e->pe) == 1);
        CHECK(state_of(e) == DOCA_CTX_STATE_IDLE && doca_ctx_start(e->ctx) == OK);
    }
    return last_status;
}

#define WRITABLE DOCA_ACCESS_FLAG_LOCAL_READ_WRITE

static void copies_append_to_the_destination(void)
{
    char text[16] = "one two three", out[16] = "> ............";
    struct engine e = engine_new();
    struct doca_mmap *from = map_of(text, 13, 0), *to = map_of(out, 16, WRITABLE);
    struct doca_buf *a = buf_of(&e, from, text, 4, 4), *b = buf_of(&e, from, text + 4, 9, 3);
    struct doca_buf *x = buf_of(&e, to, out, 5, 2), *y = buf_of(&e, to, out + 8, 8, 0);
    CHECK(doca_buf_chain_list(a, b) == OK && doca_buf_chain_list(x, y) == OK);
    CHECK(copy(&e, a, x) == OK && completed == 1 && failed == 0);
    CHECK(memcmp(out, "> one...", 8) == 0);
    CHECK(memcmp(out + 8, " two", 4) == 0 && data_of(x) == 5 && data_of(y) == 4);
    CHECK(data_of(a) == 4 && data_of(b) == 3);
    CHECK(copy(&e, a, x) == INVALID); /* four more fit */
    CHECK(data_of(x) == 5 && data_of(y) == 4 && out[12] == '.');
    CHECK(doca_buf_dec_refcount(a, NULL) == OK && doca_buf_dec_refcount(x, NULL) == OK);
    CHECK(doca_mmap_destroy(from) == OK && doca_mmap_destroy(to) == OK);
    engine_destroy(&e);
}

/* As RDMA does: a map is on the devices that it was given, and on no other. */
static void copies_want_maps_of_their_device(void)
{
    char text[8] = "abcdefg", out[8] = {0};
    const void *bytes = NULL;
    size_t size = 0;
    struct engine e = engine_new();
    struct doca_mmap *mine = map_of(text, 8, 0), *to = map_of(out, 8, WRITABLE);
    struct doca_mmap *maps[4] = {mine, to}, *foreign = NULL, *seen = NULL;
    CHECK(doca_mmap_create(&foreign) == OK && doca_mmap_add_dev(foreign, other_dev) == OK);
    CHECK(doca_mmap_set_permissions(foreign, WRITABLE | DOCA_ACCESS_FLAG_PCI_READ_ONLY) == OK);
    CHECK(doca_mmap_set_memrange(foreign, text, 8) == OK && doca_mmap_start(foreign) == OK);
    struct doca_buf *a = buf_of(&e, mine, text, 8, 8), *x = buf_of(&e, to, out, 8, 0);
    struct doca_buf *f = buf_of(&e, foreign, text, 8, 8), *g = buf_of(&e, foreign, text, 8, 0);
    CHECK(copy(&e, f, x) == DOCA_ERROR_NOT_PERMITTED && out[0] == 0 && data_of(x) == 0);
    CHECK(copy(&e, x, g) == DOCA_ERROR_IO_FAILED); /* nothing to copy */
    CHECK(copy(&e, a, g) == DOCA_ERROR_NOT_PERMITTED && data_of(g) == 0);
    /* An export of it is for the device that it was imported with. */
    CHECK(doca_mmap_export_pci(foreign, other_dev, &bytes, &size) == OK);
    CHECK(doca_mmap_create_from_export(NULL, bytes, size, dev, &seen) == OK);
    struct doca_buf *s = buf_of(&e, seen, text, 8, 8);
    CHECK(copy(&e, s, x) == OK && memcmp(out, text, 8) == 0);
    struct doca_buf *const all[] = {a, x, f, g, s};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(doca_buf_dec_refcount(all[i], NULL) == OK);
    maps[2] = foreign;
    maps[3] = seen;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        CHECK(doca_mmap_destroy(maps[i]) == OK);
    engine_destroy(&e);
}

static void copies_reach_memory_of_the_dpa(void)
{
    static uint64_t words[2000];
    uint64_t back = 0;
    doca_dpa_dev_uintptr_t at = 0;
    struct doca_dpa *dpa = dpa_new();
    struct engine e = engine_new();
    struct doca_mmap *from = map_of(words, sizeof words, 0), *to = NULL;
    words[1999] = 42;
    CHECK(doca_dpa_mem_alloc(dpa, sizeof words, &at) == OK && doca_mmap_create(&to) == OK);
    CHECK(doca_mmap_set_dpa_memrange(to, dpa, at, sizeof words) == OK);
    CHECK(doca_mmap_set_permissions(to, WRITABLE) == OK && doca_mmap_add_dev(to, dev) == OK);
    CHECK(doca_mmap_start(to) == OK);
    struct doca_buf *a = buf_of(&e, from, words, sizeof words, sizeof words);
    struct doca_buf *x = buf_of(&e, to, (void *)(uintptr_t)at, sizeof words, 0);
    CHECK(copy(&e, a, x) == OK);
    CHECK(doca_dpa_d2h_memcpy(dpa, &back, at + 1999 * 8, 8) == OK && back == 42);
    CHECK(doca_buf_reset_data_len(x) == OK && doca_dpa_destroy(dpa) == OK);
    CHECK(copy(&e, a, x) == DOCA_ERROR_IO_FAILED && data_of(x) == 0);
    CHECK(doca_buf_dec_refcount(a, NULL) == OK && doca_buf_dec_refcount(x, NULL) == OK);
    CHECK(doca_mmap_destroy(from) == OK && doca_mmap_destroy(to) == OK);
    engine_destroy(&e);
}

/* What is exported over PCIe is copied as its owner permits. */
static void copies_do_what_maps_permit(void)
{
    char text[8] = "abcdefg", out[8] = {0};
    const void *bytes = NULL;
    size_t size = 0;
    struct engine e = engine_new();
    struct doca_mmap *secret = map_of(text, 8, DOCA_ACCESS_FLAG_RDMA_READ);
    struct doca_mmap *open = map_of(text, 8, DOCA_ACCESS_FLAG_PCI_READ_ONLY | WRITABLE);
    struct doca_mmap *to = map_of(out, 8, WRITABLE), *fixed = map_of(out, 8, 0), *seen = NULL;
    struct doca_buf *x = buf_of(&e, to, out, 8, 0), *r = buf_of(&e, fixed, out, 8, 0);
    struct doca_buf *a = buf_of(&e, open, text, 8, 8);
    CHECK(copy(&e, a, r) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_mmap_export_rdma(secret, dev, &bytes, &size) == OK);
    CHECK(doca_mmap_create_from_export(NULL, bytes, size, dev, &seen) == OK);
    struct doca_buf *s = buf_of(&e, seen, text, 8, 8);
    CHECK(copy(&e, s, x) == DOCA_ERROR_NOT_PERMITTED && data_of(x) == 0);
    CHECK(doca_buf_dec_refcount(s, NULL) == OK && doca_mmap_destroy(seen) == OK);
    CHECK(doca_mmap_export_pci(open, dev, &bytes, &size) == OK);
    CHECK(doca_mmap_create_from_export(NULL, bytes, size, dev, &seen) == OK);
    s = buf_of(&e, seen, text, 8, 8);
    CHECK(copy(&e, s, x) == OK && memcmp(out, text, 8) == 0);
    CHECK(doca_buf_set_data(x, out, 8) == OK && doca_buf_set_data(s, text, 0) == OK);
    CHECK(copy(&e, x, s) == DOCA_ERROR_NOT_PERMITTED);                 /* it is for reading */
    CHECK(doca_buf_set_data(x, out, 2) == OK && copy(&e, x, x) == OK); /* behind itself */
    CHECK(doca_buf_set_data(x, out + 2, 2) == OK);
    struct doca_buf *before = buf_of(&e, to, out, 8, 1);
    CHECK(copy(&e, x, before) == INVALID); /* out + 1 ... overlaps */
    CHECK(doca_buf_dec_refcount(a, NULL) == OK);
    struct doca_buf *const all[] = {x, r, s, before};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(doca_buf_dec_refcount(all[i], NULL) == OK);
    struct doca_mmap *const maps[] = {secret, open, to, fixed, seen};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        CHECK(doca_mmap_destroy(maps[i]) == OK);
    engine_destroy(&e);
}

/* Who knew the map, and its memory, before it was stopped must not reach what it has after that. */
static void a_map_that_is_started_again_is_another_one_to_others(void)
{
    char text[16] = "public, private", out[8] = {0};
    const void *bytes = NULL;
    uint8_t known[256];
    size_t size = 0;
    doca_dpa_dev_mmap_t before = 0, after = 0;
    struct engine e = engine_new();
    struct doca_mmap *m = map_of(text, 8, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    struct doca_mmap *to = map_of(out, 8, WRITABLE), *seen = NULL;
    struct doca_buf *x = buf_of(&e, to, out, 8, 0);
    CHECK(doca_mmap_dev_get_dpa_handle(m, dev, &before) == OK);
    CHECK(doca_mmap_export_pci(m, dev, &bytes, &size) == OK && size <= sizeof known);
    memcpy(known, bytes, size);
    CHECK(doca_mmap_stop(m) == OK && doca_mmap_set_memrange(m, text, 16) == OK);
    CHECK(doca_mmap_dev_get_dpa_handle(m, dev, &after) == BAD_STATE);
    CHECK(doca_mmap_start(m) == OK && doca_mmap_dev_get_dpa_handle(m, dev, &after) == OK);
    CHECK(after != 0 && after != before);
    CHECK(doca_mmap_create_from_export(NULL, known, size, dev, &seen) == OK);
    struct doca_buf *s = buf_of(&e, seen, text, 8, 8);
    CHECK(copy(&e, s, x) == DOCA_ERROR_IO_FAILED && out[0] == 0);
    CHECK(doca_buf_dec_refcount(s, NULL) == OK && doca_mmap_destroy(seen) == OK);
    CHECK(doca_mmap_export_pci(m, dev, &bytes, &size) == OK);
    CHECK(doca_mmap_create_from_export(NULL, bytes, size, dev, &seen) == OK);
    s = buf_of(&e, seen, text + 8, 8, 8);
    CHECK(copy(&e, s, x) == OK && memcmp(out, text + 8, 8) == 0);
    CHECK(doca_buf_dec_refcount(s, NULL) == OK && doca_buf_dec_refcount(x, NULL) == OK);
    CHECK(doca_mmap_destroy(seen) == OK && doca_mmap_destroy(m) == OK);
    CHECK(doca_mmap_destroy(to) == OK);
    engine_destroy(&e);
}

static enum doca_ctx_states states[8];
static unsigned state_count;

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states before, enum doca_ctx_states after)
{
    CHECK(user_data.u64 == 77 && ctx && before != after && state_count < 8);
    states[state_count++] = after;
}

static void tasks_end_before_their_context(void)
{
    char text[8] = "abcdefg", out[8] = {0};
    struct engine e = engine_new();
    struct doca_dma_task_memcpy *third = NULL;
    enum doca_ctx_states state;
    struct doca_mmap *m = map_of(text, 8, 0), *to = map_of(out, 8, WRITABLE);
    struct doca_buf *a = buf_of(&e, m, text, 8, 8), *x = buf_of(&e, to, out, 8, 0);
    struct doca_task *first = task_new(&e, a, x, 1), *second = task_new(&e, a, x, 2);
    CHECK(doca_ctx_set_state_changed_cb(e.ctx, on_state) == OK);
    CHECK(doca_dma_task_memcpy_alloc_init(e.dma, a, x, (union doca_data){0}, &third) ==
              DOCA_ERROR_NO_MEMORY &&
          !third);
    CHECK(doca_task_get_status(first) == BAD_STATE && doca_task_submit(first) == OK);
    CHECK(doca_task_get_status(first) == DOCA_ERROR_IN_PROGRESS);
    CHECK(doca_task_submit(first) == BAD_STATE && doca_task_submit(second) == OK);
    doca_task_free(second); /* nobody is told of it */
    CHECK(doca_ctx_stop(e.ctx) == DOCA_ERROR_IN_PROGRESS && doca_dma_destroy(e.dma) == IN_USE);
    CHECK(doca_pe_progress(e.pe) == 1 && failed == 1 && last_task_data == 1);
    CHECK(last_status == BAD_STATE && doca_task_submit(first) == BAD_STATE);
    CHECK(doca_pe_progress(e.pe) == 1 && failed == 1 && completed == 0 && data_of(x) == 0);
    CHECK(doca_pe_progress(e.pe) == 0 && doca_ctx_stop(e.ctx) == DOCA_ERROR_IN_PROGRESS);
    doca_task_free(first);
    CHECK(doca_pe_progress(e.pe) == 1 && doca_pe_progress(e.pe) == 0);
    CHECK(doca_ctx_get_state(e.ctx, &state) == OK && state == DOCA_CTX_STATE_IDLE);
    CHECK(doca_ctx_start(e.ctx) == OK && state_count == 3);
    CHECK(states[0] == DOCA_CTX_STATE_STOPPING && states[1] == DOCA_CTX_STATE_IDLE);
    CHECK(doca_buf_dec_refcount(a, NULL) == OK && doca_buf_dec_refcount(x, NULL) == OK);
    CHECK(doca_mmap_destroy(m) == OK && doca_mmap_destroy(to) == OK);
    engine_destroy(&e);
}

static void a_context_that_is_started_again_takes_a_task_again_and_again(void)
{
    char text[8] = "abcdefg", out[8] = {0};
    struct engine e = engine_new();
    struct doca_mmap *m = map_of(text, 8, 0), *to = map_of(out, 8, WRITABLE);
    struct doca_buf *a = buf_of(&e, m, text, 8, 8), *x = buf_of(&e, to, out, 8, 0);
    CHECK(doca_ctx_stop(e.ctx) == OK && doca_ctx_start(e.ctx) == OK);
    struct doca_task *task = task_new(&e, a, x, 1);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(doca_buf_reset_data_len(x) == OK && doca_task_submit(task) == OK);
        CHECK(doca_pe_progress(e.pe) == 1 && completed == i + 1);
    }
    doca_task_free(task);
    doca_task_free(task);
    CHECK(doca_buf_dec_refcount(a, NULL) == OK && doca_buf_dec_refcount(x, NULL) == OK);
    CHECK(doca_mmap_destroy(m) == OK && doca_mmap_destroy(to) == OK);
    engine_destroy(&e);
}

static void lists_are_chained_and_split(void)
{
    char bytes[12];
    struct engine e = engine_new();
    struct doca_mmap *m = map_of(bytes, 12, WRITABLE);
    struct doca_buf *b[3], *at = NULL;
    union doca_data data = {.u64 = 0};
    uint8_t is = 9;
    uint32_t count = 0;
    for (int i = 0; i < 3; i++)
        CHECK(doca_buf_inventory_buf_get_by_args(e.inventory, m, bytes + 4 * i, 4,
                                                 bytes + 4 * i + 1, 2, &b[i]) == OK);
    CHECK(doca_buf_inventory_buf_get_by_args(e.inventory, m, bytes, 4, bytes + 3, 2, &at) ==
          INVALID);
    CHECK(doca_buf_inventory_buf_get_by_args(e.inventory, m, bytes + 4, 4, bytes, 1, &at) ==
          INVALID);
    CHECK(data_of(b[1]) == 2 && doca_buf_set_data_len(b[1], 3) == OK && data_of(b[1]) == 3);
    CHECK(doca_buf_set_data_len(b[1], 4) == INVALID && data_of(b[1]) == 3); /* data is at 1 */
    CHECK(doca_buf_is_in_list(b[0], &is) == OK && is == 0);
    CHECK(doca_buf_chain_list(b[0], b[1]) == OK && doca_buf_chain_list(b[0], b[2]) == OK);
    CHECK(doca_buf_is_in_list(b[0], &is) == OK && is == 1);
    CHECK(doca_buf_is_first_in_list(b[0], &is) == OK && is == 1);
    CHECK(doca_buf_is_first_in_list(b[1], &is) == OK && is == 0);
    CHECK(doca_buf_is_last_in_list(b[1], &is) == OK && is == 0);
    CHECK(doca_buf_is_last_in_list(b[2], &is) == OK && is == 1);
    CHECK(doca_buf_get_last_in_list(b[0], &at) == OK && at == b[2]);
    CHECK(doca_buf_unchain_list(b[0], b[0]) == INVALID);
    CHECK(doca_buf_unchain_list(b[1], b[2]) == INVALID); /* not a whole list */
    CHECK(doca_buf_unchain_list(b[0], b[1]) == OK && doca_buf_unchain_list(b[0], b[1]) == INVALID);
    CHECK(doca_buf_get_list_len(b[0], &count) == OK && count == 1);
    CHECK(doca_buf_get_list_len(b[1], &count) == OK && count == 2);
    CHECK(doca_buf_dec_refcount(b[1], NULL) == OK && doca_buf_dec_refcount(b[2], NULL) == INVALID);
    CHECK(doca_buf_dec_refcount(b[0], NULL) == OK);
    CHECK(doca_buf_inventory_set_user_data(e.inventory, (union doca_data){.u64 = 8}) == OK);
    CHECK(doca_buf_inventory_get_user_data(e.inventory, &data) == OK && data.u64 == 8);
    CHECK(doca_mmap_destroy(m) == OK);
    engine_destroy(&e);
}

const struct test_case dma_cases[] = {
    CASE(copies_append_to_the_destination),
    CASE(copies_want_maps_of_their_device),
    CASE(copies_reach_memory_of_the_dpa),
    CASE(copies_do_what_maps_permit),
    CASE(a_map_that_is_started_again_is_another_one_to_others),
    CASE(tasks_end_before_their_context),
    CASE(a_context_that_is_started_again_takes_a_task_again_and_again),
    CASE(lists_are_chained_and_split),
    {0},
};
