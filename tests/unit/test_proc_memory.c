/* runtime/engine/proc: the heap, copies and fills, events. */
#include "dpa.h"

#include "engine/proc/heap.h"

/* ---- Heap ---- */

static void allocations_are_aligned_and_apart(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    uint64_t last_end = 0x80000000;
    for (uint64_t size = 1; size < 300; size += 7) {
        uint64_t at = 0;
        assert_int_equal(dpk_heap_alloc(p, size, &at, NULL), DPK_OK);
        assert_int_equal(at % 64, 0);
        assert_true(at >= last_end);
        last_end = at + size;
    }
    dpk_process_destroy(p);
}

static void heap_runs_out_with_an_error(void **state)
{
    (void)state;
    struct dpk_process *p = process_with(&(struct dpk_process_options){.heap_size = 65536});
    struct dpk_error err = {0};
    uint64_t at = 1, a, b;
    assert_int_equal(dpk_heap_alloc(p, 65537, &at, &err), DPK_ERR_NOMEM);
    assert_int_equal(at, 0);
    assert_string_equal(err.message, "heap: no room for 65537 bytes, 0 of 65536 in use");
    assert_int_equal(dpk_heap_alloc(p, UINT64_MAX, &at, NULL), DPK_ERR_NOMEM);
    assert_int_equal(dpk_heap_alloc(p, 32768, &a, NULL), DPK_OK);
    assert_int_equal(dpk_heap_alloc(p, 32768, &b, NULL), DPK_OK);
    assert_int_equal(dpk_heap_alloc(p, 1, &at, NULL), DPK_ERR_NOMEM);
    /* Neighbours join when they are given back, in either order. */
    assert_int_equal(dpk_heap_free(p, a, NULL), DPK_OK);
    assert_int_equal(dpk_heap_free(p, b, NULL), DPK_OK);
    assert_int_equal(dpk_heap_alloc(p, 65536, &at, NULL), DPK_OK);
    dpk_process_destroy(p);
}

static void heap_of_impossible_size_is_refused(void **state)
{
    (void)state;
    struct dpk_image *image = kernels_image();
    struct dpk_process *p = NULL;
    struct dpk_process_options options = {.heap_size = 1ull << 31};
    assert_int_equal(dpk_process_create(image, &options, &p, NULL), DPK_ERR_RANGE);
    options.heap_size = UINT64_MAX;
    assert_int_equal(dpk_process_create(image, &options, &p, NULL), DPK_ERR_RANGE);
    assert_null(p);
    dpk_image_free(image);
}

static void memory_that_was_not_allocated_is_not_there(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    assert_int_equal(dpk_fill(p, 0x80000000, 0, 8, NULL), DPK_ERR_RANGE);
    uint64_t at = buffer(p, 4096);
    assert_int_equal(dpk_fill(p, at + 4096, 0, 8, NULL), DPK_ERR_RANGE);
    buffer(p, 100000);
    set_word(p, at + 4096 + 99992, 5);
    assert_int_equal(word(p, at + 4096 + 99992), 5);
    dpk_process_destroy(p);
}

static void freeing_twice_or_elsewhere_is_an_error(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    uint64_t at = buffer(p, 100);
    assert_int_equal(dpk_heap_alloc(p, 0, &at, NULL), DPK_ERR_RANGE);
    at = buffer(p, 100);
    assert_int_equal(dpk_heap_free(p, at + 64, NULL), DPK_ERR_RANGE);
    assert_int_equal(dpk_heap_free(p, 0, NULL), DPK_ERR_RANGE);
    assert_int_equal(dpk_heap_free(p, at, NULL), DPK_OK);
    assert_int_equal(dpk_heap_free(p, at, NULL), DPK_ERR_RANGE);
    dpk_process_destroy(p);
}

static void heap_tells_its_use(void **state)
{
    (void)state;
    struct dpk_process *p = process_with(&(struct dpk_process_options){.heap_size = 100000});
    struct dpk_heap_info info;
    buffer(p, 100);
    dpk_heap_info(p, &info);
    assert_int_equal(info.base, 0x80000000);
    assert_int_equal(info.size, 102400); /* whole pages */
    assert_int_equal(info.requested, 100);
    assert_int_equal(info.allocated, 128);
    dpk_process_destroy(p);
}

/* A heap against a map of its granules: no two allocations share one, and in the end the whole heap
 * is one piece again. */
static void random_use_keeps_the_heap_sound(void **state)
{
    (void)state;
    enum { GRANULES = 2048, LIVE = 500 };
    struct heap *h = proc_heap_create(0x80000000, GRANULES * 64);
    static uint8_t map[GRANULES];
    struct {
        uint64_t at, size;
    } live[LIVE] = {{0}};
    uint64_t random = 12345;
    unsigned refused = 0;
    for (unsigned step = 0; step < 200000; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned i = (unsigned)(random >> 33) % LIVE;
        if (live[i].size) {
            assert_int_equal(proc_heap_free(h, live[i].at, NULL), DPK_OK);
            memset(map + (live[i].at - 0x80000000) / 64, 0, (live[i].size + 63) / 64);
            live[i].size = 0;
            continue;
        }
        uint64_t size = 1 + (random >> 45) % 1500;
        if (proc_heap_alloc(h, size, &live[i].at, NULL) != DPK_OK) {
            refused++;
            continue;
        }
        live[i].size = size;
        for (uint64_t g = 0; g < (size + 63) / 64; g++)
            assert_int_equal(map[(live[i].at - 0x80000000) / 64 + g]++, 0);
    }
    assert_true(refused > 0);
    for (unsigned i = 0; i < LIVE; i++)
        if (live[i].size)
            assert_int_equal(proc_heap_free(h, live[i].at, NULL), DPK_OK);
    uint64_t all;
    assert_int_equal(proc_heap_requested(h), 0);
    assert_int_equal(proc_heap_taken(h), 0);
    assert_int_equal(proc_heap_alloc(h, GRANULES * 64, &all, NULL), DPK_OK);
    proc_heap_destroy(h);
}

/* ---- Copies and fills ---- */

static void copies_and_fills_reach_the_program(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    uint8_t bytes[100], back[100];
    for (unsigned i = 0; i < 100; i++)
        bytes[i] = (uint8_t)i;
    uint64_t at = buffer(p, 100);
    assert_int_equal(dpk_copy_in(p, at, bytes, 100, NULL), DPK_OK);
    assert_int_equal(rpc(p, "sum", at, 100), 99 * 100 / 2);
    assert_int_equal(dpk_copy_out(p, back, at, 100, NULL), DPK_OK);
    assert_memory_equal(back, bytes, 100);
    assert_int_equal(dpk_fill(p, at + 10, 3, 20, NULL), DPK_OK);
    assert_int_equal(rpc(p, "sum", at + 10, 20), 60);
    assert_int_equal(rpc(p, "sum", at + 9, 1), 9);
    dpk_process_destroy(p);
}

static void copies_outside_memory_are_refused(void **state)
{
    (void)state;
    struct dpk_process *p = process_with(&(struct dpk_process_options){.heap_size = 8192});
    uint8_t bytes[64] = {0};
    struct dpk_error err = {0};
    struct dpk_call add = function(p, "add");
    buffer(p, 8192);
    const uint64_t bad[] = {0,
                            8,
                            0x80000000 - 8,
                            0x80002000 - 63,
                            0x80002000,
                            1ull << 32,
                            (1ull << 32) - 8,
                            UINT64_MAX,
                            UINT64_MAX - 63,
                            0x3fffffff,
                            0x40000000};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(dpk_copy_in(p, bad[i], bytes, 64, &err), DPK_ERR_RANGE);
        assert_non_null(strstr(err.message, "not writable memory of the process"));
        assert_int_equal(dpk_copy_out(p, bytes, bad[i], 64, &err), DPK_ERR_RANGE);
        assert_int_equal(dpk_fill(p, bad[i], 1, 64, &err), DPK_ERR_RANGE);
    }
    assert_int_equal(dpk_copy_in(p, add.function, bytes, 4, &err), DPK_ERR_RANGE); /* code */
    assert_int_equal(dpk_copy_out(p, bytes, add.function, 4, &err), DPK_OK);
    assert_int_equal(dpk_copy_in(p, 0x80000000, bytes, UINT64_MAX, &err), DPK_ERR_RANGE);
    dpk_process_destroy(p);
}

static void refused_copy_writes_nothing(void **state)
{
    (void)state;
    struct dpk_process *p = process_with(&(struct dpk_process_options){.heap_size = 4096});
    uint8_t ones[128];
    memset(ones, 1, sizeof ones);
    assert_int_equal(buffer(p, 4096), 0x80000000);
    assert_int_equal(dpk_copy_in(p, 0x80001000 - 64, ones, 128, NULL), DPK_ERR_RANGE);
    assert_int_equal(dpk_fill(p, 0x80001000 - 64, 1, 128, NULL), DPK_ERR_RANGE);
    assert_int_equal(rpc(p, "sum", 0x80000000, 4096), 0);
    dpk_process_destroy(p);
}

static void memory_can_be_read_after_a_fault(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    uint64_t at = buffer(p, 8), value = 0;
    set_word(p, at, 77);
    assert_int_equal(try_rpc(p, "illegal", 0, 0, 0, NULL, NULL), DPK_ERR_FAULT);
    assert_int_equal(dpk_copy_out(p, &value, at, 8, NULL), DPK_OK);
    assert_int_equal(value, 77);
    assert_int_equal(dpk_copy_in(p, at, &value, 8, NULL), DPK_ERR_FAULT);
    assert_int_equal(dpk_fill(p, at, 0, 8, NULL), DPK_ERR_FAULT);
    assert_int_equal(dpk_heap_free(p, at, NULL), DPK_OK);
    assert_int_equal(dpk_heap_alloc(p, 8, &at, NULL), DPK_ERR_FAULT);
    dpk_process_destroy(p);
}

/* ---- Events ---- */

static void event_counts_on_the_host(void **state)
{
    (void)state;
    struct dpk_event *e = dpk_event_create();
    assert_int_equal(dpk_event_get(e), 0);
    assert_int_equal(dpk_event_add(e, 5), 0);
    assert_int_equal(dpk_event_add(e, 5), 5);
    assert_int_equal(dpk_event_get(e), 10);
    dpk_event_set(e, 3);
    assert_int_equal(dpk_event_get(e), 3);
    dpk_event_release(e);
}

static void event_handle_is_the_same_every_time(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *events[40];
    uint64_t handles[40];
    for (unsigned i = 0; i < 40; i++) {
        events[i] = dpk_event_create();
        handles[i] = handle(events[i], p);
        assert_true(handles[i] != 0);
        for (unsigned k = 0; k < i; k++)
            assert_true(handles[k] != handles[i]);
    }
    for (unsigned i = 0; i < 40; i++) {
        assert_int_equal(handle(events[i], p), handles[i]);
        dpk_event_set(events[i], 100 + i);
        assert_int_equal(rpc(p, "event_get", handles[i], 0), 100 + i);
        dpk_event_release(events[i]); /* the process still has it */
        assert_int_equal(rpc(p, "event_add", handles[i], 1), 100 + i);
    }
    dpk_process_destroy(p);
}

static void device_updates_wake_the_host(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *e = dpk_event_create();
    launch(p, (struct kernel){"event_add", {handle(e, p), 1}, .threads = 50});
    wait_gt(e, 49, p);
    assert_int_equal(dpk_event_get(e), 50);
    launch(p, (struct kernel){"event_set", {handle(e, p), 1000}, .threads = 1});
    wait_gt(e, 999, p);
    dpk_process_destroy(p);
    dpk_event_release(e);
}

static void host_and_device_answer_each_other(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *e = dpk_event_create();
    launch(p, (struct kernel){"ping_pong", {handle(e, p), 1999}, .threads = 1});
    for (uint64_t n = 0; n < 2000; n += 2) {
        dpk_event_add(e, 1);
        wait_gt(e, n + 1, p);
    }
    drain(p);
    assert_int_equal(dpk_event_get(e), 2000);
    dpk_process_destroy(p);
    dpk_event_release(e);
}

static void device_wait_honours_threshold_and_mask(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *e = dpk_event_create(), *done = dpk_event_create();
    launch(p, (struct kernel){"event_wait", {handle(e, p), 2, 0xff}, .complete = done});
    dpk_event_set(e, 2);     /* not above */
    dpk_event_set(e, 0x301); /* above, but not under the mask */
    assert_int_equal(dpk_event_wait_gt(done, 0, UINT64_MAX, p, 30, NULL), DPK_ERR_TIMEOUT);
    dpk_event_set(e, 0x303);
    wait_gt(done, 0, p);
    dpk_process_destroy(p);
    dpk_event_release(e);
    dpk_event_release(done);
}

static void host_wait_honours_mask_and_timeout(void **state)
{
    (void)state;
    struct dpk_event *e = dpk_event_create();
    struct dpk_error err = {0};
    dpk_event_set(e, 0x105);
    assert_int_equal(dpk_event_wait_gt(e, 4, 0xff, NULL, PATIENCE_MS, &err), DPK_OK);
    assert_int_equal(dpk_event_wait_gt(e, 5, 0xff, NULL, 20, &err), DPK_ERR_TIMEOUT);
    assert_string_equal(err.message, "event: not above 5 after 20 ms");
    dpk_event_release(e);
}

static unsigned blocked_threads(struct dpk_process *p)
{
    struct dpk_thread_info info[100];
    unsigned count = 0;
    for (size_t n = dpk_process_threads(p, info, 100); n > 0; n--)
        count += strcmp(info[n - 1].state, "blocked") == 0;
    return count;
}

static void waiting_threads_use_no_processor(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *go = dpk_event_create(), *done = dpk_event_create();
    launch(p, (struct kernel){"event_wait", {handle(go, p), 0, ~0ull}, 100, .complete = done});
    assert_true(comes_true(blocked_threads(p) == 100));
    uint64_t before = dpk_process_instructions(p);
    double used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    assert_int_equal(dpk_event_wait_gt(done, 0, UINT64_MAX, p, 300, NULL), DPK_ERR_TIMEOUT);
    assert_int_equal(dpk_process_instructions(p), before);
    assert_true(seconds(CLOCK_PROCESS_CPUTIME_ID) - used < 0.15);
    dpk_event_set(go, 1);
    wait_gt(done, 0, p);
    dpk_process_destroy(p);
    dpk_event_release(go);
    dpk_event_release(done);
}

static void launch_waits_for_its_event_and_tells_of_its_end(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *go = dpk_event_create(), *done = dpk_event_create();
    uint64_t log = buffer(p, 1024);
    launch(p, (struct kernel){"append", {log, 1}, 4, go, done, 4, 10, .set = true});
    launch(p, (struct kernel){"append", {log, 2}, 2, done, done, 9, 7, .set = false});
    dpk_event_set(go, 4); /* not above */
    assert_int_equal(dpk_event_wait_gt(done, 0, UINT64_MAX, p, 30, NULL), DPK_ERR_TIMEOUT);
    assert_int_equal(word(p, log), 0);
    dpk_event_set(go, 5);
    wait_gt(done, 16, p);
    assert_int_equal(dpk_event_get(done), 17);
    assert_int_equal(word(p, log), 6);
    dpk_event_release(go);
    dpk_event_release(done);
    dpk_process_destroy(p);
}

static void events_join_processes(void **state)
{
    (void)state;
    struct dpk_process *a = process(), *b = process();
    struct dpk_event *e = dpk_event_create(), *f = dpk_event_create();
    handle(f, b); /* the handles of one event differ between processes */
    launch(b, (struct kernel){"event_wait", {handle(e, b), 2, ~0ull}, .complete = f});
    launch(a, (struct kernel){"event_add", {handle(e, a), 1}, .threads = 3});
    wait_gt(f, 0, b);
    dpk_process_destroy(a);
    dpk_process_destroy(b);
    dpk_event_release(e);
    dpk_event_release(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_and_apart),
        cmocka_unit_test(heap_runs_out_with_an_error),
        cmocka_unit_test(heap_of_impossible_size_is_refused),
        cmocka_unit_test(memory_that_was_not_allocated_is_not_there),
        cmocka_unit_test(freeing_twice_or_elsewhere_is_an_error),
        cmocka_unit_test(heap_tells_its_use),
        cmocka_unit_test(random_use_keeps_the_heap_sound),
        cmocka_unit_test(copies_and_fills_reach_the_program),
        cmocka_unit_test(copies_outside_memory_are_refused),
        cmocka_unit_test(refused_copy_writes_nothing),
        cmocka_unit_test(memory_can_be_read_after_a_fault),
        cmocka_unit_test(event_counts_on_the_host),
        cmocka_unit_test(event_handle_is_the_same_every_time),
        cmocka_unit_test(device_updates_wake_the_host),
        cmocka_unit_test(host_and_device_answer_each_other),
        cmocka_unit_test(device_wait_honours_threshold_and_mask),
        cmocka_unit_test(host_wait_honours_mask_and_timeout),
        cmocka_unit_test(waiting_threads_use_no_processor),
        cmocka_unit_test(launch_waits_for_its_event_and_tells_of_its_end),
        cmocka_unit_test(events_join_processes),
    };
    return cmocka_run_group_tests_name("proc memory and events", tests, NULL, NULL);
}
