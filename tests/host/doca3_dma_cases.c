/* DOCA DMA, and with it tasks and the progress engine. */
#include "doca3_dma.h"

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
    CHECK(doca_buf_set_data(x, out, 2) == OK && copy(&e, x, x) == OK); /* after itself */
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

/* A user of the map from before its stop must not access the memory that it has afterwards. */
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

/* A list of as many buffers as devices take, and of one more. */
static void lists_are_as_long_as_devices_say(void)
{
    static uint8_t bytes[256], out[256];
    struct engine e = engine_new();
    struct doca_buf_inventory *many = NULL;
    struct doca_buf *first = NULL, *next = NULL;
    uint32_t max = 0;
    CHECK(doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(dev), &max) == OK);
    CHECK(max > 1 && max < 256 && doca_buf_inventory_create(max + 1, &many) == OK);
    CHECK(doca_buf_inventory_start(many) == OK);
    struct doca_mmap *from = map_of(bytes, sizeof bytes, 0),
                     *to = map_of(out, sizeof out, WRITABLE);
    struct doca_buf *x = buf_of(&e, to, out, sizeof out, 0);
    for (uint32_t i = 0; i <= max; i++) {
        bytes[i] = (uint8_t)(i + 1);
        CHECK(doca_buf_inventory_buf_get_by_data(many, from, bytes + i, 1, &next) == OK);
        if (i == max)
            CHECK(copy(&e, first, x) == OK && data_of(x) == max);
        if (first)
            CHECK(doca_buf_chain_list(first, next) == OK);
        else
            first = next;
    }
    CHECK(memcmp(bytes, out, max) == 0 && out[max] == 0);
    CHECK(doca_buf_reset_data_len(x) == OK && copy(&e, first, x) == INVALID && data_of(x) == 0);
    CHECK(doca_buf_dec_refcount(first, NULL) == OK && doca_buf_dec_refcount(x, NULL) == OK);
    CHECK(doca_mmap_destroy(from) == OK && doca_mmap_destroy(to) == OK);
    CHECK(doca_buf_inventory_destroy(many) == OK);
    engine_destroy(&e);
}

/* The second of two buffers is gone: the first may have been copied, but neither list has changed. */
static void a_copy_that_fails_midway_leaves_lists_as_they_were(void)
{
    static uint8_t bytes[64], out[64];
    struct engine e = engine_new();
    struct doca_mmap *from = map_of(bytes, 32, 0), *gone = NULL;
    struct doca_mmap *to = map_of(out, sizeof out, WRITABLE);
    CHECK(doca_mmap_create(&gone) == OK && doca_mmap_enable_thread_safety(gone) == OK);
    CHECK(doca_mmap_set_memrange(gone, bytes + 32, 32) == OK && doca_mmap_add_dev(gone, dev) == OK);
    CHECK(doca_mmap_start(gone) == OK);
    struct doca_buf *a = buf_of(&e, from, bytes, 32, 32), *b = buf_of(&e, gone, bytes + 32, 32, 32);
    struct doca_buf *x = buf_of(&e, to, out, sizeof out, 3);
    CHECK(doca_buf_chain_list(a, b) == OK && doca_mmap_stop(gone) == OK);
    CHECK(copy(&e, a, x) == DOCA_ERROR_IO_FAILED);
    CHECK(data_of(a) == 32 && data_of(b) == 32 && data_of(x) == 3);
    CHECK(doca_buf_dec_refcount(a, NULL) == OK && doca_buf_dec_refcount(x, NULL) == OK);
    CHECK(doca_mmap_destroy(from) == OK && doca_mmap_destroy(gone) == OK);
    CHECK(doca_mmap_destroy(to) == OK);
    engine_destroy(&e);
}

/* Addresses that are not multiples of anything, and sizes around those that are copied otherwise. */
static void copies_need_no_alignment(void)
{
    static const size_t sizes[] = {1, 3, 7, 8, 9, 4095, 8192, 8193, (1 << 20) - 1, (1 << 20) + 1};
    static uint8_t bytes[(1 << 20) + 16], out[(1 << 20) + 16];
    struct engine e = engine_new();
    struct doca_mmap *from = map_of(bytes, sizeof bytes, 0),
                     *to = map_of(out, sizeof out, WRITABLE);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 >> 3);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i];
        memset(out, 0, sizeof out);
        struct doca_buf *a = buf_of(&e, from, bytes + 1, n, n), *x = buf_of(&e, to, out + 3, n, 0);
        CHECK(copy(&e, a, x) == OK && data_of(x) == n);
        CHECK(memcmp(out + 3, bytes + 1, n) == 0 && out[2] == 0 && out[3 + n] == 0);
        CHECK(doca_buf_dec_refcount(a, NULL) == OK && doca_buf_dec_refcount(x, NULL) == OK);
    }
    CHECK(doca_mmap_destroy(from) == OK && doca_mmap_destroy(to) == OK);
    engine_destroy(&e);
}

/* What the device can do, which is at least 4096 bytes; a list counts as one copy. */
static void a_larger_task_is_taken_and_fails(void)
{
    uint64_t most = 0;
    CHECK(doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(dev), &most) == OK);
    printf("at most %llu\n", (unsigned long long)most);
    fflush(stdout);
    const size_t n = (size_t)most;
    uint8_t *bytes = calloc(2, n + 1);
    CHECK(bytes != NULL);
    memset(bytes, 7, n + 1);
    struct engine e = engine_new();
    struct doca_mmap *map = map_of(bytes, 2 * n + 2, WRITABLE);
    for (size_t more = 0; more < 3; more++) { /* 0: it fits; 2: two parts that do not */
        uint8_t *to = bytes + n + 1;
        const size_t first = more == 2 ? n - 1 : n + more;
        struct doca_buf *a = buf_of(&e, map, bytes, first, first),
                        *x = buf_of(&e, map, to, n + 1, 0);
        if (more == 2)
            CHECK(doca_buf_chain_list(a, buf_of(&e, map, bytes + first, 2, 2)) == OK);
        memset(to, 0, n + 1);
        CHECK(copy(&e, a, x) == (more ? DOCA_ERROR_IO_FAILED : OK));
        CHECK(data_of(x) == (more ? 0 : n) && to[n - 1] == (more ? 0 : 7));
        CHECK(doca_buf_dec_refcount(a, NULL) == OK && doca_buf_dec_refcount(x, NULL) == OK);
    }
    CHECK(doca_mmap_destroy(map) == OK);
    engine_destroy(&e);
    free(bytes);
}

/* Prints what the side of its card says to an import. */
static void an_import_is_for_one_side(void)
{
    static uint8_t bytes[64];
    const void *descriptor = NULL;
    size_t size = 0;
    uint8_t able = 2;
    struct doca_mmap *map = map_of(bytes, sizeof bytes, DOCA_ACCESS_FLAG_PCI_READ_WRITE), *seen;
    CHECK(doca_mmap_export_pci(map, dev, &descriptor, &size) == OK);
    const doca_error_t result = doca_mmap_create_from_export(NULL, descriptor, size, dev, &seen);
    CHECK(doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(dev), &able) == OK);
    printf("able %u: %s\n", able, doca_error_get_name(result));
    CHECK((result == OK) == (seen != NULL) && doca_mmap_destroy(map) == OK);
    CHECK(!seen || doca_mmap_destroy(seen) == OK);
}

static void copies_are_for_the_cpu_alone(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_dma *dma = NULL;
    struct doca_gpu_dma *gpu = (void *)&dma;
    uint32_t max = 0;
    CHECK(doca_dma_create(dev, &dma) == OK);
    CHECK(doca_dma_get_gpu_handle(dma, &gpu) == DOCA_ERROR_NOT_SUPPORTED && !gpu);
    CHECK(doca_dma_get_gpu_handle(dma, NULL) == INVALID);
    CHECK(doca_dma_get_gpu_handle((void *)&max, &gpu) == INVALID);
    CHECK(doca_ctx_set_datapath_on_dpa(doca_dma_as_ctx(dma), dpa) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_ctx_set_datapath_on_gpu(doca_dma_as_ctx(dma), (void *)&max) == INVALID);
    CHECK(doca_dma_cap_get_max_num_tasks(dma, &max) == OK && max >= 10000);
    CHECK(doca_dma_task_memcpy_set_conf(dma, on_completed, on_failed, max + 1) == INVALID);
    CHECK(doca_dma_task_memcpy_set_conf(dma, on_completed, on_failed, max) == OK);
    CHECK(doca_dma_destroy(dma) == OK && doca_dpa_destroy(dpa) == OK);
}

/* ---- The life of tasks ---- */

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
    doca_task_free(second); /* nobody is notified */
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
    CASE(lists_are_as_long_as_devices_say),
    CASE(a_copy_that_fails_midway_leaves_lists_as_they_were),
    CASE(copies_need_no_alignment),
    CASE(an_import_is_for_one_side),
    CASE(a_larger_task_is_taken_and_fails),
    CASE(copies_are_for_the_cpu_alone),
    {0},
};
