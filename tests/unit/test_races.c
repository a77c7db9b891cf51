/* runtime/engine/races: accesses that race, and synchronization that orders them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/races/races.h"

enum { R = 0, W = RACES_WRITES, AR = RACES_ATOMIC, AW = RACES_ATOMIC | RACES_WRITES };
#define KEY UINT64_C(0x500000000)

static struct races *r;
static struct race last;

static int setup(void **state)
{
    (void)state;
    r = races_create();
    return r == NULL;
}

static int teardown(void **state)
{
    (void)state;
    races_destroy(r);
    return 0;
}

/* An access at `address`. Each access of a test has its own line, so each race is reported. */
static bool at(unsigned thread, uint64_t address, uint64_t size, unsigned how)
{
    static uint32_t place = 1000;
    const struct races_access a = {thread, address, size, how, place++};
    return races_access(r, &a, &last);
}

static void accesses_race_if_one_writes_and_not_both_are_atomic(void **state)
{
    static const unsigned hows[] = {R, W, AR, AW};
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 4; j++) {
            const uint64_t address = 0x10000 + i * 256 + j * 8;
            const bool races = (hows[i] | hows[j]) & W && !(hows[i] & hows[j] & AR);
            assert_false(at(1, address, 8, hows[i]));
            assert_int_equal(at(2, address, 8, hows[j]), races);
            if (races) {
                assert_int_equal(last.now.thread, 2);
                assert_int_equal(last.before.thread, 1);
                assert_int_equal(last.before.how, hows[i]);
                assert_int_equal(last.before.address, address);
                assert_int_equal(last.before.size, 8);
            }
        }
}

static void only_the_same_bytes_race(void **state)
{
    (void)state;
    assert_false(at(1, 0x1000, 4, W));
    assert_false(at(2, 0x1004, 4, W));
    assert_true(at(3, 0x1003, 2, R));  /* races with two accesses; one race is reported */
    assert_false(at(1, 0x2007, 2, W)); /* the access covers two granules */
    assert_false(at(2, 0x2000, 7, W));
    assert_false(at(2, 0x2009, 7, W));
    assert_true(at(2, 0x2008, 1, R));
    assert_false(at(1, 0x3000, 100000, W));
    assert_true(at(2, 0x3000 + 99999, 1, R));
    assert_false(at(2, 0x3000 + 100000, 1, R));
}

static void a_thread_does_not_race_with_itself(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++)
        assert_false(at(1, 0x1000 + i % 8, 1, i & 1));
}

static void what_is_released_and_acquired_is_in_order(void **state)
{
    (void)state;
    assert_false(at(1, 0x1000, 8, W));
    races_release(r, 1, KEY);
    assert_false(at(1, 0x1008, 8, W)); /* after the release */
    races_acquire(r, 2, KEY);
    assert_false(at(2, 0x1000, 8, W));
    assert_true(at(2, 0x1008, 8, W));
    races_acquire(r, 3, KEY + 8); /* acquires another object */
    assert_true(at(3, 0x1000, 8, R));
}

static void order_goes_on_from_thread_to_thread(void **state)
{
    (void)state;
    assert_false(at(1, 0x1000, 8, W));
    for (unsigned t = 1; t < 2000; t++) {
        races_release(r, t, KEY + t);
        races_acquire(r, t + 1, KEY + t);
    }
    assert_false(at(2000, 0x1000, 8, W));
    assert_true(at(5, 0x1000, 8, R)); /* thread 5 is not ordered after thread 2000 */
}

static void atomics_order_by_release_and_acquire_alone(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t data = 0x1000 + i * 16, flag = 0x2000 + i * 16;
        const bool release = i & 1, acquire = i & 2;
        assert_false(at(1, data, 8, W));
        races_store(r, 1, flag, release);
        races_load(r, 2, flag, acquire);
        assert_int_equal(at(2, data, 8, R), !(release && acquire));
    }
}

static void fences_order_relaxed_atomics(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned t = 10 + 2 * i;
        const uint64_t data = 0x1000 + i * 16, flag = 0x2000 + i * 16;
        assert_false(at(t, data, 8, W));
        if (i & 1)
            races_fence(r, t, true, false);
        races_store(r, t, flag, false);
        races_load(r, t + 1, flag, false);
        if (i & 2)
            races_fence(r, t + 1, false, true);
        assert_int_equal(at(t + 1, data, 8, R), i != 3);
    }
}

static void a_load_that_is_told_before_counts_at_the_fence(void **state)
{
    (void)state;
    races_load_soon(r, 2, 0x2000); /* announces the load ... */
    assert_false(at(1, 0x1000, 8, W));
    races_fence(r, 1, true, false);
    races_store(r, 1, 0x2000, false);
    races_fence(r, 2, false, true); /* ... which happened before this fence */
    assert_false(at(2, 0x1000, 8, R));
}

static void each_pair_of_places_is_told_once(void **state)
{
    struct races_access a = {1, 0x1000, 8, W, 500}, b = {2, 0x1000, 8, W, 600};
    (void)state;
    assert_false(races_access(r, &a, &last));
    assert_true(races_access(r, &b, &last));
    assert_false(races_access(r, &a, &last));
    assert_false(races_access(r, &b, &last));
    a.address = b.address = 0x9000;
    assert_false(races_access(r, &b, &last));
    assert_false(races_access(r, &a, &last));
}

static void many_readers_do_not_hide_a_write(void **state)
{
    (void)state;
    for (unsigned t = 1; t < 100; t++)
        assert_false(at(t, 0x1000, 8, R));
    assert_true(at(100, 0x1000, 8, W));
    races_release(r, 100, KEY);
    for (unsigned t = 1; t < 100; t++) {
        races_acquire(r, t, KEY);
        assert_false(at(t, 0x1000, 8, R));
    }
    assert_true(at(101, 0x1000, 4, R));
}

static void who_is_outside_orders_and_does_not_race(void **state)
{
    (void)state;
    assert_false(at(1, 0x1000, 8, W));
    races_read_outside(r, 0x1000, 8);
    races_acquire(r, 2, RACES_OUTSIDE);
    assert_false(at(2, 0x1000, 8, W));
    races_written_outside(r, 0x2000, 8);
    assert_false(at(3, 0x2000, 8, R)); /* thread 3 is now ordered after everything outside */
    assert_true(at(3, 0x1000, 8, R));  /* a race with thread 1, not with thread 2 */
    assert_false(at(1, 0x3000, 8, W));
    races_read_outside(r, 0x3000, 4);
    assert_false(at(4, 0x2000, 4, R));
    assert_false(at(4, 0x3000, 4, W));
    assert_false(at(1, 0x200000, 8, W)); /* a large range is only forgotten */
    races_written_outside(r, 0x200000, 1 << 20);
    assert_false(at(5, 0x200000, 8, W));
}

static void new_memory_has_no_past(void **state)
{
    (void)state;
    assert_false(at(1, 0x1000, 64, W));
    races_forget(r, 0x1004, 8);
    assert_false(at(2, 0x1004, 8, W));
    assert_true(at(2, 0x1000, 4, W));
    assert_true(at(2, 0x100c, 4, W));
    races_forget(r, 0, RACES_END);
    assert_false(at(3, 0x1000, 64, W));
}

static void what_is_no_memory_is_not_noted(void **state)
{
    (void)state;
    for (unsigned t = 1; t < 3; t++) {
        assert_false(at(t, RACES_END, 8, W));
        assert_false(at(t, RACES_END - 4, 8, W));
        assert_false(at(t, 0x1000, 0, W));
        assert_false(at(t, 0x1000, UINT64_MAX, W));
        assert_false(at(t, UINT64_MAX, 1, W));
    }
    races_forget(r, UINT64_MAX, UINT64_MAX);
    races_written_outside(r, RACES_END - 1, 2);
    assert_false(at(1, RACES_END - 8, 8, W));
    assert_true(at(2, RACES_END - 1, 1, W));
}

static void objects_without_end_only_hide_races(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100000; i++)
        races_store(r, 1 + (unsigned)(i % 3), 0x100000 + i * 8, true);
    assert_false(at(1, 0x1000, 8, W));
    assert_true(at(2, 0x1000, 8, W));
}

static void *work(void *thread)
{
    const unsigned t = (unsigned)(uintptr_t)thread;
    for (unsigned i = 0; i < 5000; i++) {
        const struct races_access mine = {t, 0x10000 + t * 8, 8, W, t},
                                  shared = {t, 0x9000, 8, AW, t};
        struct race race;
        if (races_access(r, &mine, &race))
            return thread;
        races_store(r, t, 0x9000, true);
        if (races_access(r, &shared, &race))
            return thread;
        races_load(r, t, 0x9000, true);
        races_fence(r, t, true, true);
    }
    return NULL;
}

static void threads_of_the_host_may_call_at_once(void **state)
{
    pthread_t threads[4];
    void *result;
    (void)state;
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(i + 1)), 0);
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(threads[i], &result);
        assert_null(result);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(accesses_race_if_one_writes_and_not_both_are_atomic),
        TEST(only_the_same_bytes_race),
        TEST(a_thread_does_not_race_with_itself),
        TEST(what_is_released_and_acquired_is_in_order),
        TEST(order_goes_on_from_thread_to_thread),
        TEST(atomics_order_by_release_and_acquire_alone),
        TEST(fences_order_relaxed_atomics),
        TEST(a_load_that_is_told_before_counts_at_the_fence),
        TEST(each_pair_of_places_is_told_once),
        TEST(many_readers_do_not_hide_a_write),
        TEST(who_is_outside_orders_and_does_not_race),
        TEST(new_memory_has_no_past),
        TEST(what_is_no_memory_is_not_noted),
        TEST(objects_without_end_only_hide_races),
        TEST(threads_of_the_host_may_call_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
