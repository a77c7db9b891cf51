/* lib/base/pages.c: which addresses are memory of this process. */
#include "base/base.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static size_t page;

/* Two pages, of which only the first is mapped. */
static uint8_t *page_before_a_hole(int protection)
{
    uint8_t *two = mmap(NULL, 2 * page, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(two, MAP_FAILED);
    assert_int_equal(munmap(two + page, page), 0);
    return two;
}

static void a_range_is_memory_if_all_of_it_is(void **state)
{
    (void)state;
    uint8_t *at = page_before_a_hole(PROT_READ | PROT_WRITE);
    assert_true(dpk_is_mapped(at, page, true));
    assert_true(dpk_is_mapped(at + page - 4, 4, true));
    assert_false(dpk_is_mapped(at + page - 4, 5, false));
    assert_false(dpk_is_mapped(at + page, 1, false));
    assert_int_equal(munmap(at, page), 0);
    at = page_before_a_hole(PROT_READ);
    assert_true(dpk_is_mapped(at, page, false));
    assert_false(dpk_is_mapped(at, page, true));
    assert_int_equal(munmap(at, page), 0);
}

/* Frames of callers are memory; what is above the first frame, and what wraps around, is not. */
static void *look_at_frames(void *failures)
{
    volatile uint8_t local[64] = {0};
    unsigned *wrong = failures;
    *wrong += !dpk_is_mapped((const void *)local, sizeof local, true);
    *wrong += !dpk_is_mapped((const void *)&local[63], 1, false);
    *wrong += dpk_is_mapped((const void *)local, (size_t)1 << 46, false);
    *wrong += dpk_is_mapped((const void *)local, SIZE_MAX, false);
    *wrong += dpk_is_mapped(NULL, 1, false);
    return NULL;
}

static void frames_of_any_thread_are_memory(void **state)
{
    (void)state;
    unsigned wrong = 0;
    pthread_t thread;
    look_at_frames(&wrong);
    assert_int_equal(wrong, 0);
    assert_int_equal(pthread_create(&thread, NULL, look_at_frames, &wrong), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(wrong, 0);
}

/* A stack that no thread began with, as of a fiber: the kernel is asked. */
static void other_memory_is_not_taken_for_frames(void **state)
{
    (void)state;
    uint8_t *at = page_before_a_hole(PROT_READ | PROT_WRITE);
    const uintptr_t distance =
        (uintptr_t)&state > (uintptr_t)at ? (uintptr_t)&state - (uintptr_t)at : 0;
    if (distance > 0)
        assert_false(
            dpk_is_mapped(at, distance, false)); /* from the hole's page up to this frame */
    assert_int_equal(munmap(at, page), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_is_memory_if_all_of_it_is),
        cmocka_unit_test(frames_of_any_thread_are_memory),
        cmocka_unit_test(other_memory_is_not_taken_for_frames),
    };
    page = (size_t)sysconf(_SC_PAGESIZE);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
