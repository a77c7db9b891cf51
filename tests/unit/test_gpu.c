/* gpu: memory of the emulated GPU is known by address, and streams keep the order of their work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/memory/memory.h"
#include "gpu/streams/streams.h"

#include <string.h>

/* ---- Memory ---- */

static void an_allocation_is_found_by_each_of_its_addresses(void **state)
{
    (void)state;
    struct dpk_gpu_memory m;
    char *at[3];
    for (size_t i = 0; i < 3; i++) {
        at[i] = dpk_gpu_memory_new(100 + i, DPK_GPU_MEMORY_DEVICE);
        assert_non_null(at[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_true(dpk_gpu_memory_find(at[i] + 99 + i, &m));
        assert_true(m.base == (uintptr_t)at[i] && m.size == 100 + i);
        assert_int_equal(m.kind, DPK_GPU_MEMORY_DEVICE);
        assert_false(dpk_gpu_memory_find(at[i] + 100 + i, &m));
        assert_false(dpk_gpu_memory_find(at[i] - 1, &m));
    }
    assert_int_equal(dpk_gpu_memory_used(), 303);
    assert_false(dpk_gpu_memory_free(at[1] + 1, DPK_GPU_MEMORY_DEVICE));
    assert_false(dpk_gpu_memory_free(at[1], DPK_GPU_MEMORY_HOST));
    assert_true(dpk_gpu_memory_free(at[1], DPK_GPU_MEMORY_DEVICE));
    assert_false(dpk_gpu_memory_free(at[1], DPK_GPU_MEMORY_DEVICE));
    assert_false(dpk_gpu_memory_find(at[1], &m));
    dpk_gpu_memory_reset();
    assert_int_equal(dpk_gpu_memory_used(), 0);
    assert_false(dpk_gpu_memory_find(at[0], &m));
}

static void memory_has_an_end(void **state)
{
    (void)state;
    assert_null(dpk_gpu_memory_new(0, DPK_GPU_MEMORY_DEVICE));
    assert_null(dpk_gpu_memory_new(SIZE_MAX, DPK_GPU_MEMORY_HOST));
    assert_null(dpk_gpu_memory_new(DPK_GPU_MEMORY_TOTAL + 1, DPK_GPU_MEMORY_DEVICE));
    char *half = dpk_gpu_memory_new(DPK_GPU_MEMORY_TOTAL / 2, DPK_GPU_MEMORY_MANAGED);
    assert_non_null(half);
    assert_null(dpk_gpu_memory_new(DPK_GPU_MEMORY_TOTAL / 2 + 1, DPK_GPU_MEMORY_DEVICE));
    void *host = dpk_gpu_memory_new(4096, DPK_GPU_MEMORY_HOST);
    assert_non_null(host);
    dpk_gpu_memory_reset(); /* the host's memory stays */
    assert_true(dpk_gpu_memory_free(host, DPK_GPU_MEMORY_HOST));
}

static void hidden_memory_has_two_addresses(void **state)
{
    (void)state;
    struct dpk_gpu_memory m, found;
    const size_t align = (size_t)1 << 21;
    assert_true(dpk_gpu_memory_new_aligned(5000, align, DPK_GPU_MEMORY_HIDDEN, &m));
    assert_true(m.base % align == 0 && m.bus && (uintptr_t)m.bus != m.base);
    char *at = (char *)m.base, *bus = m.bus;
    assert_ptr_equal(dpk_gpu_memory_bus(at + 4999), bus + 4999);
    assert_ptr_equal(dpk_gpu_memory_bus(bus), bus);
    bus[4999] = 7;
    assert_false(dpk_gpu_memory_admit(at + 5000));
    assert_false(dpk_gpu_memory_admit(bus));
    assert_true(dpk_gpu_memory_admit(at + 1) && dpk_gpu_memory_admit(at));
    assert_true(dpk_gpu_memory_find(at, &found) && found.open);
    assert_int_equal(at[4999], 7);
    dpk_gpu_memory_hide();
    assert_true(dpk_gpu_memory_find(at, &found) && !found.open);
    assert_int_equal(dpk_gpu_memory_used(), 5000);
    assert_true(dpk_gpu_memory_free(at, DPK_GPU_MEMORY_HIDDEN));
    assert_int_equal(dpk_gpu_memory_used(), 0);
    assert_true(dpk_gpu_memory_new_aligned(64, 1, DPK_GPU_MEMORY_MAPPED, &m));
    assert_ptr_equal(dpk_gpu_memory_bus((char *)m.base), (char *)m.base);
    dpk_gpu_memory_reset(); /* the host's memory stays */
    assert_true(dpk_gpu_memory_free((char *)m.base, DPK_GPU_MEMORY_MAPPED));
}

static void memory_of_others_is_noted_once(void **state)
{
    (void)state;
    static char bytes[64];
    struct dpk_gpu_memory m;
    assert_false(dpk_gpu_memory_note(bytes, 0, DPK_GPU_MEMORY_REGISTERED));
    assert_false(dpk_gpu_memory_note(bytes, SIZE_MAX, DPK_GPU_MEMORY_REGISTERED));
    assert_false(dpk_gpu_memory_note(bytes, 8, DPK_GPU_MEMORY_DEVICE));
    assert_true(dpk_gpu_memory_note(bytes + 16, 16, DPK_GPU_MEMORY_REGISTERED));
    assert_false(dpk_gpu_memory_note(bytes, 17, DPK_GPU_MEMORY_REGISTERED));
    assert_false(dpk_gpu_memory_note(bytes + 31, 1, DPK_GPU_MEMORY_VARIABLE));
    assert_true(dpk_gpu_memory_note(bytes, 16, DPK_GPU_MEMORY_VARIABLE));
    assert_true(dpk_gpu_memory_find(bytes + 15, &m) && m.kind == DPK_GPU_MEMORY_VARIABLE);
    assert_false(dpk_gpu_memory_free(bytes, DPK_GPU_MEMORY_VARIABLE));
    assert_false(dpk_gpu_memory_forget(bytes, DPK_GPU_MEMORY_REGISTERED));
    assert_true(dpk_gpu_memory_forget(bytes, DPK_GPU_MEMORY_VARIABLE));
    assert_true(dpk_gpu_memory_forget(bytes + 16, DPK_GPU_MEMORY_REGISTERED));
}

/* ---- Streams ---- */

struct order {
    _Atomic unsigned count;
    unsigned seen[64];
};
struct entry {
    struct order *order;
    unsigned number;
};

static void note(void *context)
{
    struct entry *e = context;
    e->order->seen[atomic_fetch_add(&e->order->count, 1)] = e->number;
}

static void work_of_a_stream_is_done_in_order(void **state)
{
    (void)state;
    struct dpk_stream *s = NULL;
    struct order order = {0};
    struct entry entries[50];
    uint32_t words[2][6] = {{0}};
    assert_int_equal(dpk_stream_create(0, &s), 0);
    for (unsigned i = 0; i < 50; i++) {
        entries[i] = (struct entry){&order, i};
        assert_int_equal(dpk_stream_call(s, note, &entries[i]), 0);
    }
    const struct dpk_stream_fill fill = {
        .to = words[0], .value = 0x01020304, .size = 4, .count = 2, .rows = 2, .pitch = 12};
    const struct dpk_stream_copy copy = {.to = words[1] + 1,
                                         .from = words[0],
                                         .width = 8,
                                         .rows = 2,
                                         .to_pitch = 8,
                                         .from_pitch = 12};
    assert_int_equal(dpk_stream_fill(s, &fill), 0);
    assert_int_equal(dpk_stream_copy(s, &copy), 0);
    assert_int_equal(dpk_stream_wait(s), 0);
    assert_int_equal(dpk_stream_query(s), 0);
    for (unsigned i = 0; i < 50; i++)
        assert_int_equal(order.seen[i], i);
    static const uint32_t filled[6] = {0x01020304, 0x01020304, 0, 0x01020304, 0x01020304, 0};
    static const uint32_t copied[6] = {0, 0x01020304, 0x01020304, 0x01020304, 0x01020304, 0};
    assert_memory_equal(words[0], filled, sizeof filled);
    assert_memory_equal(words[1], copied, sizeof copied);
    assert_int_equal(dpk_stream_destroy(s), 0);
}

static void a_stream_waits_for_an_event_of_another(void **state)
{
    (void)state;
    struct dpk_stream *first = NULL, *second = NULL;
    struct dpk_gpu_event *done = NULL, *later = NULL;
    struct order order = {0};
    struct entry entries[2] = {{&order, 1}, {&order, 2}};
    int64_t apart = -1;
    assert_int_equal(dpk_stream_create(DPK_STREAM_NON_BLOCKING, &first), 0);
    assert_int_equal(dpk_stream_create(DPK_STREAM_NON_BLOCKING, &second), 0);
    assert_int_equal(dpk_gpu_event_create(&done), 0);
    assert_int_equal(dpk_gpu_event_create(&later), 0);
    assert_int_equal(dpk_stream_call(first, note, &entries[0]), 0);
    assert_int_equal(dpk_gpu_event_record(done, first), 0);
    assert_int_equal(dpk_stream_wait_event(second, done), 0);
    assert_int_equal(dpk_stream_call(second, note, &entries[1]), 0);
    assert_int_equal(dpk_gpu_event_record(later, second), 0);
    assert_int_equal(dpk_gpu_event_wait(later), 0);
    assert_true(order.count == 2 && order.seen[0] == 1 && order.seen[1] == 2);
    assert_int_equal(dpk_gpu_event_query(done), 0);
    assert_int_equal(dpk_gpu_event_elapsed(done, later, &apart), 0);
    assert_true(apart >= 0);
    assert_int_equal(dpk_gpu_event_destroy(done), 0);
    assert_int_equal(dpk_gpu_event_destroy(later), 0);
    assert_int_equal(dpk_stream_destroy(first), 0);
    assert_int_equal(dpk_stream_destroy(second), 0);
}

static void handles_of_what_is_gone_are_refused(void **state)
{
    (void)state;
    struct dpk_stream *s = NULL;
    struct dpk_gpu_event *e = NULL;
    unsigned flags;
    assert_int_equal(dpk_stream_create(0, &s), 0);
    assert_int_equal(dpk_gpu_event_create(&e), 0);
    assert_int_equal(dpk_stream_destroy(s), 0);
    assert_int_equal(dpk_gpu_event_destroy(e), 0);
    assert_int_equal(dpk_stream_wait(s), DPK_GPU_INVALID_HANDLE);
    assert_int_equal(dpk_stream_flags(s, &flags), DPK_GPU_INVALID_HANDLE);
    assert_int_equal(dpk_stream_destroy(s), DPK_GPU_INVALID_HANDLE);
    assert_int_equal(dpk_gpu_event_wait(e), DPK_GPU_INVALID_HANDLE);
    assert_int_equal(dpk_gpu_event_record(e, NULL), DPK_GPU_INVALID_HANDLE);
    assert_int_equal(dpk_gpu_failed(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocation_is_found_by_each_of_its_addresses),
        cmocka_unit_test(memory_has_an_end),
        cmocka_unit_test(hidden_memory_has_two_addresses),
        cmocka_unit_test(memory_of_others_is_noted_once),
        cmocka_unit_test(work_of_a_stream_is_done_in_order),
        cmocka_unit_test(a_stream_waits_for_an_event_of_another),
        cmocka_unit_test(handles_of_what_is_gone_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
