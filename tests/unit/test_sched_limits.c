/* runtime/engine/sched: harts that run, share a unit or block for too long. */
#include "sched_world.h"

static void running_too_long_is_told_to_the_owner(void **state)
{
    static struct guest g;
    (void)state;
    group.limit = SECOND / 1000;
    guest(&g, NULL);
    g.hart.ran = 0;
    start(&g, 0, 0);
    for (unsigned i = 0; i < 20000 && state_of(&g) != HART_FAILED; i++)
        usleep(1000); /* its slices sleep, and take little of a processor */
    assert_int_equal(state_of(&g), HART_FAILED);
    assert_int_equal(g.overran, 1);
    assert_int_equal(g.why, SCHED_OVERRUN_RAN);
}

static void hart_may_have_a_limit_of_its_own(void **state)
{
    static struct guest g, other;
    (void)state;
    group.limit = SECOND / 1000;
    start(guest(&other, three_slices), 0, 0);
    guest(&g, NULL)->hart.limit = 60 * SECOND;
    start(&g, 0, 0);
    while (g.slices < 100) /* each takes more than a hundredth of the group's limit */
        usleep(1000);
    assert_int_equal(g.overran, 0);
    sched_lock();
    g.hart.limit = SECOND / 1000;
    sched_unlock();
    reaches(&g, HART_FAILED);
    assert_int_equal(g.why, SCHED_OVERRUN_RAN);
}

static void sharing_too_long_is_told_to_the_owner(void **state)
{
    static struct guest g;
    uint64_t together = 60 * SECOND * SCHED_SHARE * 2;
    (void)state;
    guest(&g, NULL)->hart.share = &together;
    start(&g, 0, 0);
    reaches(&g, HART_FAILED);
    assert_int_equal(g.why, SCHED_OVERRUN_SHARE);
}

static void blocking_too_long_is_told_to_the_owner(void **state)
{
    static const enum slice_end waits[] = {SLICE_BLOCKED};
    static struct sched_counter never;
    static struct guest g;
    (void)state;
    group.limit = SECOND / 100;
    sched_counter_init(&never);
    guest(&g, waits)->counter = &never;
    start(&g, 0, 0);
    reaches(&g, HART_FAILED);
    assert_int_equal(g.why, SCHED_OVERRUN_BLOCKED);
    assert_ptr_equal(g.hart.awaited, &never);
}

static void debugged_group_has_no_limit(void **state)
{
    static const enum slice_end waits[] = {SLICE_BLOCKED, SLICE_DONE};
    static struct sched_counter counter;
    static struct guest g;
    (void)state;
    group.limit = SECOND / 100;
    group.debugged = true;
    sched_counter_init(&counter);
    guest(&g, waits)->counter = &counter;
    start(&g, 0, 0);
    usleep(50000);
    assert_int_equal(state_of(&g), HART_BLOCKED);
    sched_lock();
    sched_counter_set(&counter, 1);
    sched_unlock();
    reaches(&g, HART_IDLE);
    assert_int_equal(g.overran, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHED_TEST(running_too_long_is_told_to_the_owner),
        SCHED_TEST(hart_may_have_a_limit_of_its_own),
        SCHED_TEST(sharing_too_long_is_told_to_the_owner),
        SCHED_TEST(blocking_too_long_is_told_to_the_owner),
        SCHED_TEST(debugged_group_has_no_limit),
    };
    return cmocka_run_group_tests_name("sched_limits", tests, NULL, NULL);
}
