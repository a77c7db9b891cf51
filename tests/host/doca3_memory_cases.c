/* Memory of DPA code: maps without a device, arrays of buffers, external pointers, posted copies. */
#include <doca_version.h>

#include "doca3_memory.h"

doca_dpa_func_t sum_buf, move_buf, load_external, copy_memory, copy_buf, next_of, wait_for_event;

/* ---- Maps ---- */

static void the_version_is_that_of_the_interface(void)
{
    char text[16];
    snprintf(text, sizeof text, "%d.%d.%d", DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH);
    CHECK(strcmp(doca_version(), text) == 0 && strcmp(doca_version_runtime(), text) == 0);
#if !DOCA_VERSION_LTE_CURRENT(2, 9, 0) || !DOCA_VERSION_GTE_CURRENT(3, 9, 0) ||                    \
    DOCA_VERSION_EQ_CURRENT(2, 9, 9)
#error "versions do not compare"
#endif
}

static void dpa_memory_is_on_the_devices_of_its_context(void)
{
    struct doca_dpa *dpa = dpa_new(), *extended = NULL;
    const uint64_t at = memory_of(dpa, 64);
    struct doca_mmap *m = map_of(dpa, at, 64);
    const void *bytes = NULL;
    size_t size = 0;
    doca_dpa_dev_mmap_t handle = 0;
    map_handle(m, dev);
    CHECK(doca_mmap_dev_get_dpa_handle(m, other_dev, &handle) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_mmap_export_rdma(m, dev, &bytes, &size) == OK);
    CHECK(doca_mmap_export_rdma(m, other_dev, &bytes, &size) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_mmap_stop(m) == OK &&
          doca_mmap_add_dev(m, dev) == OK); /* may be said all the same */
    CHECK(doca_mmap_start(m) == OK && doca_mmap_destroy(m) == OK);
    CHECK(doca_dpa_device_extend(dpa, other_dev, &extended) == OK);
    m = map_of(extended, at, 64);
    map_handle(m, dev);
    map_handle(m, other_dev);
    CHECK(doca_mmap_destroy(m) == OK);
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_set_memrange(m, &size, sizeof size) == OK);
    CHECK(doca_mmap_start(m) == DOCA_ERROR_BAD_CONFIG); /* host memory needs a device */
    CHECK(doca_mmap_destroy(m) == OK);
    CHECK(doca_dpa_destroy(extended) == OK && doca_dpa_destroy(dpa) == OK);
}

static void a_new_map_may_be_written_locally(void)
{
    static uint64_t words[8] = {1, 2, 3};
    struct doca_dpa *dpa = dpa_new();
    struct doca_mmap *m = NULL;
    struct doca_buf_arr *array = NULL;
    doca_dpa_dev_buf_arr_t handle = 0;
    const void *bytes = NULL;
    size_t size = 0;
    uint64_t sum = 0;
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_set_memrange(m, words, sizeof words) == OK && doca_mmap_start(m) == OK);
    CHECK(doca_mmap_export_rdma(m, dev, &bytes, &size) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_mmap_export_pci(m, dev, &bytes, &size) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_buf_arr_create(1, &array) == OK &&
          doca_buf_arr_set_params(array, m, sizeof words, 0) == OK);
    CHECK(doca_buf_arr_set_target_dpa(array, dpa) == OK && doca_buf_arr_start(array) == OK);
    CHECK(doca_buf_arr_get_dpa_handle(array, &handle) == OK);
    CHECK(doca_dpa_rpc(dpa, &sum_buf, &sum, handle, UINT64_C(0)) == OK && sum == 6);
    CHECK(words[0] == 2 && words[2] == 4);
    CHECK(doca_buf_arr_destroy(array) == OK && doca_mmap_destroy(m) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

/* ---- Buffers ---- */

static void buffers_of_an_array_lie_one_behind_the_other(void)
{
    uint64_t words[16], sum = 0, good = 0;
    struct doca_dpa *dpa = dpa_new();
    const uint64_t at = memory_of(dpa, 64);
    struct doca_mmap *m = map_of(NULL, (uintptr_t)words, sizeof words), *d = map_of(dpa, at, 64);
    struct array a = array_of(dpa, m, 3, 32, 16), b = array_of(dpa, d, 8, 8, 0);
    for (unsigned i = 0; i < 16; i++)
        words[i] = i;
    CHECK(doca_dpa_rpc(dpa, &sum_buf, &sum, a.handle, UINT64_C(0)) == OK && sum == 2 + 3 + 4 + 5);
    CHECK(doca_dpa_rpc(dpa, &sum_buf, &sum, a.handle, UINT64_C(2)) == OK &&
          sum == 10 + 11 + 12 + 13);
    CHECK(words[1] == 1 && words[2] == 3 && words[6] == 6 && words[13] == 14 && words[14] == 14);
    CHECK(doca_dpa_rpc(dpa, &sum_buf, &sum, b.handle, UINT64_C(7)) == OK && sum == 0);
    CHECK(word_at(dpa, at + 56) == 1 && word_at(dpa, at + 48) == 0);
    CHECK(doca_dpa_rpc(dpa, &move_buf, &good, a.handle, UINT64_C(1), at, UINT64_C(64),
                       map_handle(d, dev)) == OK &&
          good == 1);
    CHECK(doca_dpa_rpc(dpa, &sum_buf, &sum, a.handle, UINT64_C(1)) == OK && sum == 1);
    CHECK(word_at(dpa, at + 56) == 2);
    CHECK(doca_buf_arr_destroy(a.array) == OK && doca_buf_arr_destroy(b.array) == OK);
    CHECK(doca_mmap_destroy(m) == OK && doca_mmap_destroy(d) == OK && doca_dpa_destroy(dpa) == OK);
}

static void arrays_are_of_memory_that_the_map_has(void)
{
    uint64_t words[8], handle = 0;
    struct doca_dpa *dpa = dpa_new();
    struct doca_mmap *m = map_of(NULL, (uintptr_t)words, sizeof words);
    struct doca_buf_arr *a = NULL;
    CHECK(doca_buf_arr_create(0, &a) == INVALID && doca_buf_arr_create(SIZE_MAX, &a) == INVALID);
    CHECK(doca_buf_arr_create(8, &a) == OK && doca_buf_arr_start(a) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_buf_arr_set_params(a, m, 0, 0) == INVALID);
    CHECK(doca_buf_arr_set_target_dpa(a, dpa) == OK);
    CHECK(doca_buf_arr_start(a) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_buf_arr_set_params(a, m, 8, 1) == OK && doca_buf_arr_start(a) == INVALID);
    CHECK(doca_buf_arr_set_params(a, m, 9, 0) == OK && doca_buf_arr_start(a) == INVALID);
    CHECK(doca_buf_arr_set_params(a, m, 8, UINT64_MAX) == OK && doca_buf_arr_start(a) == INVALID);
    CHECK(doca_buf_arr_set_params(a, m, SIZE_MAX / 4, 0) == OK && doca_buf_arr_start(a) == INVALID);
    CHECK(doca_buf_arr_get_dpa_handle(a, &handle) == BAD_STATE &&
          doca_buf_arr_stop(a) == BAD_STATE);
    CHECK(doca_buf_arr_set_params(a, m, 8, 0) == OK && doca_buf_arr_start(a) == OK);
    CHECK(doca_buf_arr_start(a) == BAD_STATE && doca_buf_arr_set_params(a, m, 8, 0) == BAD_STATE);
    CHECK(doca_buf_arr_set_target_dpa(a, dpa) == BAD_STATE && doca_buf_arr_stop(a) == OK);
    CHECK(doca_mmap_stop(m) == OK && doca_buf_arr_start(a) == BAD_STATE);
    CHECK(doca_mmap_start(m) == OK && doca_buf_arr_start(a) == OK);
    CHECK(doca_dpa_stop(dpa) == OK && doca_buf_arr_get_dpa_handle(a, &handle) == BAD_STATE);
    CHECK(doca_buf_arr_destroy(a) == OK && doca_mmap_destroy(m) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void buffers_end_with_their_map(void)
{
    uint64_t words[8] = {0}, sum = 0;
    struct doca_dpa *dpa = dpa_new();
    struct doca_mmap *m = map_of(NULL, (uintptr_t)words, sizeof words);
    struct array a = array_of(dpa, m, 8, 8, 0);
    CHECK(doca_mmap_stop(m) == OK && doca_mmap_start(m) == OK);
    CHECK(doca_dpa_rpc(dpa, &sum_buf, &sum, a.handle, UINT64_C(0)) == BAD_STATE);
    CHECK(doca_buf_arr_destroy(a.array) == OK && doca_mmap_destroy(m) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void a_thread_reaches_memory_of_the_device_that_it_set(void)
{
    uint64_t word = 7, result = 0;
    struct doca_dpa *dpa = dpa_new(), *extended = NULL;
    struct doca_mmap *m = NULL;
    doca_dpa_dev_t base = 0, other = 0;
    CHECK(doca_dpa_device_extend(dpa, other_dev, &extended) == OK);
    CHECK(doca_dpa_get_dpa_handle(dpa, &base) == OK);
    CHECK(doca_dpa_get_dpa_handle(extended, &other) == OK);
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_add_dev(m, other_dev) == OK);
    CHECK(doca_mmap_set_memrange(m, &word, sizeof word) == OK && doca_mmap_start(m) == OK);
    const uint32_t handle = map_handle(m, other_dev);
    CHECK(doca_dpa_rpc(dpa, &load_external, &result, other, handle, (uint64_t)(uintptr_t)&word) ==
              OK &&
          result == 7);
    CHECK(doca_dpa_rpc(dpa, &load_external, &result, base, handle, (uint64_t)(uintptr_t)&word) ==
          BAD_STATE);
    CHECK(doca_mmap_destroy(m) == OK && doca_dpa_destroy(extended) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

/* ---- Copies ---- */

struct copies {
    struct doca_dpa_completion *queue;
    struct doca_dpa_async_ops *ops;
    uint64_t queue_handle, handle;
};

static struct copies copies_new(struct doca_dpa *dpa, uint64_t user_data)
{
    struct copies c = {0};
    unsigned int size = 0;
    uint64_t told = 0;
    CHECK(doca_dpa_completion_create(dpa, 4, &c.queue) == OK);
    CHECK(doca_dpa_completion_start(c.queue) == OK);
    CHECK(doca_dpa_completion_get_dpa_handle(c.queue, &c.queue_handle) == OK);
    CHECK(doca_dpa_async_ops_create(dpa, 0, 0, &c.ops) == INVALID);
    CHECK(doca_dpa_async_ops_create(dpa, 16, user_data, &c.ops) == OK);
    CHECK(doca_dpa_async_ops_start(c.ops) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_dpa_async_ops_attach(c.ops, c.queue) == OK);
    CHECK(doca_dpa_async_ops_get_dpa_handle(c.ops, &c.handle) == BAD_STATE);
    CHECK(doca_dpa_async_ops_start(c.ops) == OK && doca_dpa_async_ops_start(c.ops) == BAD_STATE);
    CHECK(doca_dpa_async_ops_attach(c.ops, c.queue) == BAD_STATE);
    CHECK(doca_dpa_async_ops_get_queue_size(c.ops, &size) == OK && size == 16);
    CHECK(doca_dpa_async_ops_get_user_data(c.ops, &told) == OK && told == user_data);
    CHECK(doca_dpa_async_ops_get_dpa_handle(c.ops, &c.handle) == OK && c.handle != 0);
    CHECK(doca_dpa_completion_stop(c.queue) == IN_USE);
    return c;
}

static void copies_destroy(struct copies *c)
{
    CHECK(doca_dpa_async_ops_stop(c->ops) == OK && doca_dpa_async_ops_stop(c->ops) == BAD_STATE);
    CHECK(doca_dpa_async_ops_destroy(c->ops) == OK);
    CHECK(doca_dpa_async_ops_destroy(c->ops) == INVALID);
    CHECK(doca_dpa_completion_stop(c->queue) == OK && doca_dpa_completion_destroy(c->queue) == OK);
}

static uint64_t next(struct doca_dpa *dpa, const struct copies *c)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(dpa, &next_of, &result, c->queue_handle) == OK);
    return result;
}

#define COMPLETION(type, index, user_data)                                                         \
    ((uint64_t)(type) << 56 | (uint64_t)(index) << 32 | (user_data))

static void posted_copies_complete_in_order(void)
{
    uint64_t words[8] = {1, 2, 3, 4}, result = 0;
    const uint64_t from = (uintptr_t)words;
    struct doca_dpa *dpa = dpa_new();
    const uint64_t at = memory_of(dpa, 64);
    struct doca_mmap *m = map_of(NULL, from, sizeof words), *d = map_of(dpa, at, 64);
    const uint32_t host = map_handle(m, dev), device = map_handle(d, dev);
    struct array a = array_of(dpa, m, 2, 32, 0);
    struct copies c = copies_new(dpa, UINT64_C(0x100000005));
    CHECK(next(dpa, &c) == NONE);
    CHECK(doca_dpa_rpc(dpa, &copy_memory, &result, c.handle, device, at, host, from, UINT64_C(32),
                       1u) == OK);
    CHECK(next(dpa, &c) == COMPLETION(DONE, 0, 5) && word_at(dpa, at + 24) == 4);
    CHECK(doca_dpa_rpc(dpa, &copy_buf, &result, c.handle, a.handle, UINT64_C(1), UINT64_C(0), 3u) ==
          OK);
    CHECK(next(dpa, &c) == NONE && words[4] == 1 && words[7] == 4); /* not to be reported */
    CHECK(doca_dpa_rpc(dpa, &copy_memory, &result, c.handle, device, at, host, from + 56,
                       UINT64_C(16), 3u) == OK); /* beyond the end: always reported */
    CHECK(next(dpa, &c) == COMPLETION(FAILED, 2, 5) && word_at(dpa, at) == 1);
    CHECK(doca_dpa_rpc(dpa, &copy_memory, &result, c.handle, host, from, host, from + 32,
                       UINT64_C(0), 0u) == OK);
    CHECK(next(dpa, &c) == COMPLETION(DONE, 3, 5));
    copies_destroy(&c);
    CHECK(doca_dpa_rpc(dpa, &copy_memory, &result, c.handle, host, from, host, from, UINT64_C(8),
                       0u) == BAD_STATE);
    CHECK(doca_buf_arr_destroy(a.array) == OK);
    CHECK(doca_mmap_destroy(m) == OK && doca_mmap_destroy(d) == OK && doca_dpa_destroy(dpa) == OK);
}

/* DOCA 2.7 to 2.9 ask for a completion with 1, and with 0 for none: nobody takes those. */
static void copies_without_flags_fill_no_queue(void)
{
    uint64_t words[2] = {1, 2}, result = 0;
    struct doca_dpa *dpa = dpa_new();
    struct doca_mmap *m = map_of(NULL, (uintptr_t)words, sizeof words);
    const uint32_t host = map_handle(m, dev);
    struct copies c = copies_new(dpa, 5);
    for (unsigned i = 0; i < 40; i++) /* of which 4 have room */
        CHECK(doca_dpa_rpc(dpa, &copy_memory, &result, c.handle, host, (uintptr_t)words, host,
                           (uintptr_t)(words + 1), UINT64_C(8), 0u) == OK);
    CHECK(words[0] == 2 && doca_dpa_peek_at_last_error(dpa) == OK);
    for (unsigned i = 0; i < 4; i++)
        CHECK(next(dpa, &c) == COMPLETION(DONE, i, 5));
    CHECK(next(dpa, &c) == NONE);
    CHECK(doca_dpa_rpc(dpa, &copy_memory, &result, c.handle, host, (uintptr_t)words, host,
                       (uintptr_t)(words + 1), UINT64_C(8), 1u) == OK);
    CHECK(next(dpa, &c) == COMPLETION(DONE, 40, 5));
    copies_destroy(&c);
    CHECK(doca_mmap_destroy(m) == OK && doca_dpa_destroy(dpa) == OK);
}

static void copies_belong_to_one_context(void)
{
    struct doca_dpa *dpa = dpa_new(), *second = dpa_new();
    struct copies c = copies_new(dpa, 1);
    struct doca_dpa_completion *foreign = NULL;
    uint64_t result = 0, handle = 0;
    CHECK(doca_dpa_completion_create(second, 4, &foreign) == OK);
    CHECK(doca_dpa_async_ops_stop(c.ops) == OK);
    CHECK(doca_dpa_async_ops_attach(c.ops, foreign) == INVALID);
    CHECK(doca_dpa_async_ops_start(c.ops) == OK);
    CHECK(doca_dpa_rpc(second, &copy_memory, &result, c.handle, 0u, UINT64_C(0), 0u, UINT64_C(0),
                       UINT64_C(0), 0u) == BAD_STATE);
    CHECK(doca_dpa_stop(dpa) == OK);
    CHECK(doca_dpa_async_ops_get_dpa_handle(c.ops, &handle) == BAD_STATE);
    CHECK(doca_dpa_async_ops_stop(c.ops) == BAD_STATE); /* it went with its context */
    CHECK(doca_dpa_async_ops_destroy(c.ops) == OK);
    CHECK(doca_dpa_completion_destroy(c.queue) == OK);
    CHECK(doca_dpa_completion_destroy(foreign) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK && doca_dpa_destroy(second) == OK);
}

/* The next completion, which may take a moment. */
static uint64_t soon(struct doca_dpa *dpa, const struct copies *c)
{
    uint64_t found = NONE;
    for (int i = 0; i < 1000 && (found = next(dpa, c)) == NONE; i++)
        pause_ms(5);
    return found;
}

static void post_wait(struct doca_dpa *dpa, const struct copies *c, uint64_t event, uint64_t value,
                      unsigned differs)
{
    uint64_t result = 1;
    CHECK(doca_dpa_rpc(dpa, &wait_for_event, &result, c->handle, event, value, differs) == OK);
}

static void posted_waits_complete_in_their_turn(void)
{
    uint64_t words[2] = {7, 0}, result = 0;
    struct doca_dpa *dpa = dpa_new();
    struct doca_mmap *m = map_of(NULL, (uintptr_t)words, sizeof words);
    const uint32_t host = map_handle(m, dev);
    struct doca_sync_event *e = event_new(dpa, CPU, DPA);
    const uint64_t event = handle_of(e, dpa);
    struct copies c = copies_new(dpa, 5);
    post_wait(dpa, &c, event, 3, 0);
    CHECK(doca_dpa_rpc(dpa, &copy_memory, &result, c.handle, host, (uint64_t)(uintptr_t)&words[1],
                       host, (uint64_t)(uintptr_t)&words[0], UINT64_C(8), 1u) == OK);
    post_wait(dpa, &c, event, 4, 1);
    CHECK(doca_sync_event_update_set(e, 3) == OK);
    pause_ms(50);
    CHECK(next(dpa, &c) == NONE &&
          words[1] == 0); /* it is not above 3, and the copy waits for it */
    CHECK(doca_sync_event_update_set(e, 4) == OK);
    CHECK(soon(dpa, &c) == COMPLETION(DONE, 0, 5));
    CHECK(soon(dpa, &c) == COMPLETION(DONE, 1, 5) && words[1] == 7);
    pause_ms(50);
    CHECK(next(dpa, &c) == NONE); /* it is 4 */
    CHECK(doca_sync_event_update_set(e, 0) == OK);
    CHECK(soon(dpa, &c) == COMPLETION(DONE, 2, 5));
    post_wait(dpa, &c, event, 1, 1); /* is so already */
    CHECK(next(dpa, &c) == COMPLETION(DONE, 3, 5));
    post_wait(dpa, &c, event + 1000, 0, 0);
    CHECK(next(dpa, &c) == COMPLETION(FAILED, 4, 5)); /* not an event */
    post_wait(dpa, &c, event, 9, 0);
    copies_destroy(&c); /* with a wait under way */
    CHECK(doca_sync_event_update_set(e, 10) == OK);
    CHECK(doca_mmap_destroy(m) == OK && doca_sync_event_destroy(e) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void a_wait_goes_with_its_context(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *e = event_new(dpa, CPU, DPA);
    struct copies c = copies_new(dpa, 1);
    uint64_t result = 0;
    const uint64_t event = handle_of(e, dpa);
    for (int i = 0; i < 16; i++)
        post_wait(dpa, &c, event, 9, 0);
    CHECK(doca_dpa_rpc(dpa, &wait_for_event, &result, c.handle, event, UINT64_C(9), 0u) ==
          BAD_STATE); /* more than the queue has places */
    CHECK(doca_dpa_stop(dpa) == OK);
    CHECK(doca_sync_event_update_set(e, 10) == OK);
    pause_ms(20);
    CHECK(doca_dpa_async_ops_destroy(c.ops) == OK && doca_dpa_completion_destroy(c.queue) == OK);
    CHECK(doca_sync_event_destroy(e) == OK && doca_dpa_destroy(dpa) == OK);
}

/* ---- Buffers, tables, and what was set ---- */

static void buffers_go_to_the_dpa_and_back(void)
{
    enum { SIZE = 40000, HALF = SIZE / 2 };
    static uint8_t from[SIZE], to[SIZE];
    struct doca_dpa *dpa = dpa_new();
    const uint64_t at = memory_of(dpa, SIZE);
    struct doca_mmap *out = map_of(NULL, (uintptr_t)from, SIZE);
    struct doca_mmap *in = map_of(NULL, (uintptr_t)to, SIZE);
    struct doca_buf_inventory *bufs = NULL;
    struct doca_buf *a = NULL, *b = NULL, *c = NULL;
    size_t size = 0;
    for (unsigned i = 0; i < SIZE; i++)
        from[i] = (uint8_t)(i * 7 / 3);
    CHECK(doca_buf_inventory_create(4, &bufs) == OK && doca_buf_inventory_start(bufs) == OK);
    CHECK(doca_buf_inventory_buf_get_by_data(bufs, out, from, HALF, &a) == OK);
    CHECK(doca_buf_inventory_buf_get_by_data(bufs, out, from + HALF, HALF, &b) == OK);
    CHECK(doca_buf_chain_list(a, b) == OK);
    CHECK(doca_buf_inventory_buf_get_by_addr(bufs, in, to, SIZE, &c) == OK);
    CHECK(doca_dpa_h2d_buf_memcpy(dpa, at, a, SIZE + 1) == INVALID);
    CHECK(doca_dpa_h2d_buf_memcpy(dpa, 16, a, SIZE) == INVALID);
    CHECK(doca_dpa_h2d_buf_memcpy(dpa, at, a, SIZE) == OK);
    CHECK(doca_dpa_d2h_buf_memcpy(dpa, c, 16, 8) == INVALID);
    CHECK(doca_buf_get_data_len(c, &size) == OK && size == 0);
    CHECK(doca_dpa_d2h_buf_memcpy(dpa, c, at, SIZE) == OK);
    CHECK(doca_buf_get_data_len(c, &size) == OK && size == SIZE);
    CHECK(memcmp(from, to, SIZE) == 0);
    CHECK(doca_dpa_d2h_buf_memcpy(dpa, c, at, 1) != OK); /* it is full */
    CHECK(doca_buf_get_data_len(c, &size) == OK && size == SIZE);
    CHECK(doca_buf_dec_refcount(a, NULL) == OK && doca_buf_dec_refcount(c, NULL) == OK);
    CHECK(doca_buf_inventory_destroy(bufs) == OK);
    CHECK(doca_mmap_destroy(out) == OK && doca_mmap_destroy(in) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void tables_give_values_by_keys(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_dpa_hash_table *t = NULL;
    doca_dpa_dev_hash_table_t h = 0;
    uint64_t value = 0;
    CHECK(doca_dpa_hash_table_create(dpa, 0, &t) == INVALID);
    CHECK(doca_dpa_hash_table_create(dpa, 1u << 20 | 1, &t) == INVALID && !t);
    CHECK(doca_dpa_hash_table_create(dpa, 100, &t) == OK);
    CHECK(doca_dpa_hash_table_get_dpa_handle(t, &h) == OK);
    CHECK(doca_dpa_rpc(dpa, &look_up, &value, h, 100u, 99u) == OK && value == 0);
    for (unsigned key = 0; key < 100; key++)
        CHECK(doca_dpa_rpc(dpa, &look_up, &value, h, 0u, key) == OK &&
              value == (key % 3 == 0 ? 0 : key + 1));
    CHECK(doca_dpa_rpc(dpa, &look_up, &value, h, 101u, 0u) == BAD_STATE); /* it is full */
    CHECK(doca_dpa_stop(dpa) == OK && doca_dpa_hash_table_get_dpa_handle(t, &h) == BAD_STATE);
    CHECK(doca_dpa_start(dpa) == OK && doca_dpa_hash_table_get_dpa_handle(t, &h) == BAD_STATE);
    CHECK(doca_dpa_rpc(dpa, &look_up, &value, h, 0u, 0u) == BAD_STATE); /* of the earlier run */
    CHECK(doca_dpa_hash_table_destroy(t) == OK && doca_dpa_destroy(dpa) == OK);
}

static void what_was_set_is_told(void)
{
    char text[64] = "";
    uint32_t size = sizeof text, number = 0, again = 0;
    struct doca_dpa *dpa = dpa_idle();
    struct doca_dpa_thread *t = NULL, *of = NULL;
    struct doca_dpa_completion *queue = NULL;
    struct doca_dpa_eu_affinity *affinity = NULL;
    const struct doca_dpa_eu_affinity *set = NULL;
    doca_dpa_dev_log_level_t level = DOCA_DPA_DEV_LOG_LEVEL_DISABLE;
    doca_dpa_func_t *func = NULL;
    doca_dpa_dev_uintptr_t storage = 0;
    uint64_t arg = 0;
    CHECK(doca_dpa_app_get_name(dpa_test_app, text, &size) == OK);
    CHECK(strcmp(text, "dpa_test_app") == 0 && size == sizeof "dpa_test_app");
    size = 4;
    CHECK(doca_dpa_app_get_name(dpa_test_app, text, &size) == INVALID && size > 4);
    CHECK(doca_dpa_log_file_get_path(dpa, text, &size) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_dpa_trace_file_set_path(dpa, "trace") == OK);
    CHECK(doca_dpa_trace_file_get_path(dpa, text, &size) == OK && strcmp(text, "trace") == 0);
    CHECK(doca_dpa_set_log_level(dpa, DOCA_DPA_DEV_LOG_LEVEL_ERROR) == OK);
    CHECK(doca_dpa_get_log_level(dpa, &level) == OK && level == DOCA_DPA_DEV_LOG_LEVEL_ERROR);
    CHECK(doca_dpa_get_uar_id(dpa, &number) == OK && doca_dpa_get_uar_id(dpa, &again) == OK);
    CHECK(number == again && doca_dpa_start(dpa) == OK);

    CHECK(doca_dpa_thread_create(dpa, &t) == OK);
    CHECK(doca_dpa_thread_get_affinity(t, &set) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_dpa_thread_set_func_arg(t, &thread_kernel, 5) == OK);
    CHECK(doca_dpa_thread_get_func_arg(t, &func, &arg) == OK && func == &thread_kernel && arg == 5);
    CHECK(doca_dpa_thread_set_local_storage(t, 640) == OK);
    CHECK(doca_dpa_thread_get_local_storage(t, &storage) == OK && storage == 640);
    CHECK(doca_dpa_eu_affinity_create(dpa, &affinity) == OK);
    CHECK(doca_dpa_eu_affinity_set(affinity, 1) == OK);
    CHECK(doca_dpa_thread_set_affinity(t, affinity) == OK);
    CHECK(doca_dpa_thread_get_affinity(t, &set) == OK && set == affinity);
    CHECK(doca_dpa_eu_affinity_destroy(affinity) == OK);
    CHECK(doca_dpa_thread_get_affinity(t, &set) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_dpa_thread_get_id(t, &number) == BAD_STATE);
    CHECK(doca_dpa_thread_start(t) == OK && doca_dpa_thread_get_id(t, &number) == OK);

    CHECK(doca_dpa_completion_create(dpa, 4, &queue) == OK);
    CHECK(doca_dpa_completion_get_thread(queue, &of) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_dpa_completion_set_thread(queue, t) == OK);
    CHECK(doca_dpa_completion_get_thread(queue, &of) == OK && of == t);
    CHECK(doca_dpa_thread_destroy(t) == OK);
    CHECK(doca_dpa_completion_get_thread(queue, &of) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_dpa_completion_destroy(queue) == OK && doca_dpa_destroy(dpa) == OK);
}

const struct test_case memory_cases[] = {
    CASE(buffers_go_to_the_dpa_and_back),
    CASE(tables_give_values_by_keys),
    CASE(what_was_set_is_told),
    CASE(the_version_is_that_of_the_interface),
    CASE(dpa_memory_is_on_the_devices_of_its_context),
    CASE(a_new_map_may_be_written_locally),
    CASE(buffers_of_an_array_lie_one_behind_the_other),
    CASE(arrays_are_of_memory_that_the_map_has),
    CASE(buffers_end_with_their_map),
    CASE(a_thread_reaches_memory_of_the_device_that_it_set),
    CASE(posted_copies_complete_in_order),
    CASE(copies_without_flags_fill_no_queue),
    CASE(copies_belong_to_one_context),
    CASE(posted_waits_complete_in_their_turn),
    CASE(a_wait_goes_with_its_context),
    {0},
};
