/* runtime/gpu/races: accesses of threads and blocks that race, and what orders them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gpu/races/races.h"

enum { W = DPK_GPU_RACES_WRITES, R = 0, A = DPK_GPU_RACES_ATOMIC, AW = A | W, THREADS = 64 };
enum { SHARED = 0x1000, GLOBAL = 0x100000, FLAG = 0x200000, OTHER_FLAG = 0x300000 };

static struct dpk_gpu_races *grid;
static struct dpk_gpu_races_block *one, *two;
static struct dpk_gpu_race last;

static struct dpk_gpu_races_block *begin(uint64_t number)
{
    const struct dpk_gpu_races_where where = {
        .block = number, .threads = THREADS, .shared = SHARED, .shared_size = 0x100};
    return dpk_gpu_races_begin(grid, &where);
}

static int setup(void **state)
{
    (void)state;
    grid = dpk_gpu_races_new();
    one = grid ? begin(1) : NULL;
    two = grid ? begin(2) : NULL;
    return !one || !two;
}

static int teardown(void **state)
{
    (void)state;
    dpk_gpu_races_end(one);
    dpk_gpu_races_end(two);
    const bool off = dpk_gpu_races_is_partial(grid);
    dpk_gpu_races_free(grid);
    return off;
}

/* Makes an access of `size` bytes. Returns whether it races. */
static bool at_size(struct dpk_gpu_races_block *b, uint32_t thread, uint32_t how, uintptr_t address,
                    size_t size)
{
    const struct dpk_gpu_races_access a = {
        .thread = thread, .how = how, .address = address, .size = size, .place = (void *)address};
    return dpk_gpu_races_access(b, &a, &last);
}

static bool at(struct dpk_gpu_races_block *b, uint32_t thread, uint32_t how, uintptr_t address)
{
    return at_size(b, thread, how, address, 4);
}

static void accesses_race_if_one_writes_and_not_both_are_atomic(void **state)
{
    static const uint32_t hows[] = {R, W, A, AW};
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 4; j++) {
            const uintptr_t address = GLOBAL + i * 256 + j * 8 + 4;
            const bool races = (hows[i] | hows[j]) & W && !(hows[i] & hows[j] & A);
            assert_false(at(one, 3, hows[i], address));
            assert_int_equal(at(two, 5, hows[j], address), races);
            if (!races)
                continue;
            assert_true(last.now.block == 2 && last.now.thread == 5 && last.now.how == hows[j]);
            assert_true(last.before.block == 1 && last.before.thread == 3);
            assert_true(last.before.how == hows[i] && last.before.place == (void *)address);
            assert_true(last.before.address == address && last.before.size == 4 && !last.shared);
        }
}

static void only_the_same_bytes_race(void **state)
{
    (void)state;
    assert_false(at_size(one, 0, W, GLOBAL, 3));
    assert_false(at_size(one, 1, W, GLOBAL + 3, 1));
    assert_false(at_size(one, 2, W, GLOBAL + 4, 100));
    assert_true(at_size(one, 3, R, GLOBAL + 103, 1));
    assert_true(at_size(one, 4, W, GLOBAL + 2, 1));
    assert_false(at_size(one, 5, W, GLOBAL + 104, 8));
}

static void a_thread_does_not_race_with_itself(void **state)
{
    (void)state;
    assert_false(at(one, 0, W, GLOBAL));
    assert_false(at(one, 0, R, GLOBAL));
    assert_false(at(one, 0, AW, GLOBAL));
    assert_true(at(two, 0, R, GLOBAL)); /* the thread of this number of another block does */
}

static void shared_memory_is_of_a_single_block(void **state)
{
    (void)state;
    assert_false(at(one, 0, W, SHARED));
    assert_false(at(two, 1, W, SHARED));
    assert_true(at(two, 0, R, SHARED));
    assert_true(last.shared);
}

static void a_barrier_orders_a_block_alone(void **state)
{
    (void)state;
    assert_false(at(one, 0, W, SHARED));
    assert_false(at(one, 1, W, GLOBAL));
    dpk_gpu_races_barrier(one);
    dpk_gpu_races_barrier(two);
    assert_false(at(one, 9, W, SHARED));
    assert_false(at(one, 9, R, GLOBAL));
    assert_true(at(two, 9, R, GLOBAL));
    assert_true(at(one, 8, R, SHARED)); /* after the barrier */
}

static void threads_that_meet_are_ordered_with_each_other(void **state)
{
    static const uint32_t first[] = {0, 1, 2}, second[] = {2, 3};
    (void)state;
    for (uintptr_t i = 0; i < 4; i++)
        assert_false(at(one, 0, W, SHARED + 8 * i));
    dpk_gpu_races_meet(one, first, 3);
    assert_false(at(one, 1, R, SHARED));
    assert_true(at(one, 3, R, SHARED + 8));
    dpk_gpu_races_meet(one, second, 2); /* 3 knows by 2 */
    assert_false(at(one, 3, R, SHARED + 16));
    assert_true(at(one, 4, R, SHARED + 16));
    assert_false(at(one, 2, W, SHARED + 32));
    assert_true(at(one, 3, R, SHARED + 32));
}

static void fences_and_an_atomic_variable_pass_on_what_a_thread_knows(void **state)
{
    (void)state;
    assert_false(at(one, 0, W, GLOBAL));
    assert_false(at(one, 1, W, GLOBAL + 8));
    dpk_gpu_races_fence(one, 0, true, true);
    dpk_gpu_races_store(one, 0, FLAG, false);
    assert_false(at(one, 0, W, GLOBAL + 16)); /* after the fence */
    dpk_gpu_races_load(two, 7, FLAG, false);
    assert_true(at(two, 7, R, GLOBAL)); /* no fence yet */
    assert_false(at(one, 0, W, GLOBAL + 24));
    dpk_gpu_races_fence(two, 7, true, true);
    assert_false(at(two, 7, W, GLOBAL));
    assert_true(at(two, 7, R, GLOBAL + 8)); /* thread 1 of block 1 had not met thread 0 */
    assert_true(at(two, 7, R, GLOBAL + 16));
    assert_true(at(two, 6, R, GLOBAL));
}

static void without_a_fence_of_the_writer_nothing_is_passed_on(void **state)
{
    (void)state;
    assert_false(at(one, 0, W, GLOBAL));
    dpk_gpu_races_store(one, 0, FLAG, false);
    dpk_gpu_races_load(two, 7, FLAG, false);
    dpk_gpu_races_fence(two, 7, true, true);
    assert_true(at(two, 7, R, GLOBAL));
}

static void a_barrier_passes_on_to_the_block_what_a_thread_acquires(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < THREADS; i++)
        assert_false(at(one, i, W, GLOBAL + 4 * i));
    dpk_gpu_races_barrier(one);
    dpk_gpu_races_store(one, 0, FLAG, true);
    dpk_gpu_races_load(two, 7, FLAG, true);
    assert_true(at(two, 8, R, GLOBAL));
    dpk_gpu_races_barrier(two);
    for (uint32_t i = 1; i < THREADS; i++)
        assert_false(at(two, i, R, GLOBAL + 4 * i));
    struct dpk_gpu_races_block *three = begin(3);
    assert_non_null(three);
    dpk_gpu_races_store(two, 9, OTHER_FLAG, true); /* knowledge of block 1 goes on */
    dpk_gpu_races_load(three, 0, OTHER_FLAG, true);
    assert_false(at(three, 0, R, GLOBAL + 4));
    dpk_gpu_races_end(three);
}

static void many_variables_are_acquired_by_a_fence(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 40; i++) {
        assert_false(at(one, i, W, GLOBAL + 8 * i));
        dpk_gpu_races_store(one, i, FLAG + 8 * i, true);
    }
    for (uint32_t i = 0; i < 40; i++)
        dpk_gpu_races_load(two, 0, FLAG + 8 * i, false);
    dpk_gpu_races_fence(two, 0, false, true);
    for (uint32_t i = 0; i < 40; i++)
        assert_false(at(two, 0, R, GLOBAL + 8 * i));
}

static void an_atomic_variable_in_shared_memory_orders_its_block_alone(void **state)
{
    (void)state;
    assert_false(at(one, 0, W, GLOBAL));
    dpk_gpu_races_store(one, 0, SHARED + 8, true);
    dpk_gpu_races_load(one, 1, SHARED + 8, true);
    assert_false(at(one, 1, R, GLOBAL));
    dpk_gpu_races_load(two, 1, SHARED + 8, true);
    assert_true(at(two, 1, R, GLOBAL));
}

static void a_barrier_of_the_grid_orders_all_blocks(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++)
        dpk_gpu_races_barrier(one); /* their times differ */
    assert_false(at(one, 0, W, GLOBAL));
    assert_false(at(two, 1, W, GLOBAL + 8));
    dpk_gpu_races_grid_arrive(one);
    dpk_gpu_races_grid_arrive(two);
    dpk_gpu_races_grid_meet(two);
    dpk_gpu_races_grid_leave(two);
    assert_false(at(two, 5, W, GLOBAL));
    dpk_gpu_races_grid_leave(one);
    assert_false(at(one, 5, R, GLOBAL + 8));
    assert_true(at(one, 5, R, GLOBAL));
}

static void memory_that_is_given_back_is_forgotten(void **state)
{
    (void)state;
    assert_false(at_size(one, 0, W, GLOBAL, 64));
    dpk_gpu_races_forget(one, GLOBAL, 64);
    dpk_gpu_races_forget(one, GLOBAL + (64 << 20), 64); /* was never accessed */
    assert_false(at_size(two, 1, W, GLOBAL, 64));
    assert_true(at_size(one, 1, W, GLOBAL + 63, 1));
}

static void accesses_that_cannot_be_are_left_out(void **state)
{
    (void)state;
    assert_false(at_size(one, 0, W, GLOBAL, 0));
    assert_false(at_size(one, 0, W, UINTPTR_MAX - 4, 8));
    assert_false(at_size(one, THREADS, W, GLOBAL, 4));
    assert_false(at_size(one, 1, W, GLOBAL, 4));
}

/* A worker's part: its block writes memory of its own, counts atomically, and passes on what it knows. */
static void *work(void *context)
{
    struct dpk_gpu_races_block *b = context;
    const uintptr_t own = GLOBAL + (b == one ? 0 : 0x10000);
    size_t races = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        const struct dpk_gpu_races_access mine = {
            .thread = i % THREADS, .how = W, .address = own + 4 * (i % THREADS), .size = 4};
        const struct dpk_gpu_races_access counts = {
            .thread = i % THREADS, .how = AW, .address = FLAG, .size = 4};
        struct dpk_gpu_race race;
        races += dpk_gpu_races_access(b, &mine, &race) + dpk_gpu_races_access(b, &counts, &race);
        dpk_gpu_races_fence(b, i % THREADS, true, true);
        dpk_gpu_races_store(b, i % THREADS, FLAG, false);
        dpk_gpu_races_load(b, i % THREADS, FLAG, i % 2);
        if (i % 100 == 0)
            dpk_gpu_races_barrier(b);
    }
    return (void *)races;
}

static void blocks_run_at_once(void **state)
{
    (void)state;
    pthread_t other;
    void *races = NULL;
    assert_int_equal(pthread_create(&other, NULL, work, two), 0);
    assert_null(work(one));
    assert_int_equal(pthread_join(other, &races), 0);
    assert_null(races);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(accesses_race_if_one_writes_and_not_both_are_atomic),
        TEST(only_the_same_bytes_race),
        TEST(a_thread_does_not_race_with_itself),
        TEST(shared_memory_is_of_a_single_block),
        TEST(a_barrier_orders_a_block_alone),
        TEST(threads_that_meet_are_ordered_with_each_other),
        TEST(fences_and_an_atomic_variable_pass_on_what_a_thread_knows),
        TEST(without_a_fence_of_the_writer_nothing_is_passed_on),
        TEST(a_barrier_passes_on_to_the_block_what_a_thread_acquires),
        TEST(many_variables_are_acquired_by_a_fence),
        TEST(an_atomic_variable_in_shared_memory_orders_its_block_alone),
        TEST(a_barrier_of_the_grid_orders_all_blocks),
        TEST(memory_that_is_given_back_is_forgotten),
        TEST(accesses_that_cannot_be_are_left_out),
        TEST(blocks_run_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
