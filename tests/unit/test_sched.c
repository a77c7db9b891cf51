/* runtime/engine/sched: how harts run, wait, are held and end; host threads that wait for them; timers. */
#include "sched_world.h"

#include <time.h>

/* ---- Running ---- */

static void hart_runs_slices_until_it_is_done(void **state)
{
    static struct guest g;
    (void)state;
    start(guest(&g, three_slices), 0, 0);
    reaches(&g, HART_IDLE);
    assert_int_equal(g.ended, 1);
    assert_int_equal(g.value, 3);
    assert_int_equal(g.hart.retired, 30);
    assert_int_equal(group.instructions, 30);
}

static void hart_may_start_again_when_it_ends(void **state)
{
    static struct guest g;
    (void)state;
    guest(&g, three_slices)->again = true;
    start(&g, 0, 0);
    while (sched_lock(), g.ended < 2)
        sched_unlock(), usleep(100);
    sched_unlock();
    reaches(&g, HART_IDLE);
    assert_int_equal(g.value, 3);
}

static uint64_t processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* Workers with many calls poll for the next call. No call is lost, and after the last call the
 * workers sleep. */
static void workers_are_idle_soon_after_many_calls(void **state)
{
    static const enum slice_end script[] = {SLICE_DONE};
    static struct guest g;
    (void)state;
    guest(&g, script);
    for (unsigned i = 1; i <= 2000; i++) {
        g.slices = 0;
        start(&g, 0, 0);
        while (state_of(&g) != HART_IDLE)
            continue;
        assert_int_equal(g.ended, i);
        if (i % 100 == 0)
            usleep(i); /* the call comes before or after the workers sleep */
    }
    usleep(20000);
    const uint64_t before = processor_time();
    usleep(100000);
    assert_true(processor_time() - before < SECOND / 100);
}

static void blocked_hart_runs_when_its_counter_is_above_the_threshold(void **state)
{
    static const enum slice_end script[] = {SLICE_BLOCKED, SLICE_DONE};
    static struct sched_counter counter;
    static struct guest g;
    (void)state;
    sched_counter_init(&counter);
    guest(&g, script)->counter = &counter;
    start(&g, 0, 0);
    reaches(&g, HART_BLOCKED);
    sched_lock();
    sched_counter_set(&counter, 0);
    assert_int_equal(g.hart.state, HART_BLOCKED);
    sched_counter_set(&counter, 1);
    assert_int_equal(g.hart.state, HART_READY);
    sched_unlock();
    reaches(&g, HART_IDLE);
    assert_int_equal(g.value, 2);
}

/* ---- Units ---- */

static void hart_waits_for_a_unit_of_its_range(void **state)
{
    static struct guest first, second, third;
    (void)state;
    start(guest(&first, NULL), 0, 1);
    start(guest(&second, NULL), 0, 1);
    start(guest(&third, three_slices), 0, 2);
    assert_int_equal(state_of(&second), HART_WAITS_UNIT);
    reaches(&third, HART_IDLE); /* the other unit was free */
    assert_int_equal(second.slices, 0);
    sched_lock();
    sched_hart_stop(&first.hart);
    sched_unlock();
    while (second.slices == 0)
        usleep(100);
    assert_int_equal(second.hart.unit, 0);
    assert_int_equal(state_of(&first), HART_IDLE);
}

/* ---- Holding, stopping, ending ---- */

static void held_group_stands_still_until_it_is_released(void **state)
{
    static struct guest running, held;
    (void)state;
    start(guest(&running, NULL), 0, 0);
    reaches(&running, HART_RUNNING);
    sched_lock();
    sched_group_hold(&group);
    sched_group_await_still(&group);
    assert_int_equal(running.hart.state, HART_HELD);
    sched_hart_start(&guest(&held, three_slices)->hart, (struct dpk_units){0});
    assert_int_equal(held.hart.state, HART_HELD);
    unsigned slices = running.slices;
    sched_unlock();
    usleep(2000);
    assert_int_equal(running.slices, slices);
    sched_lock();
    sched_group_release(&group);
    sched_unlock();
    reaches(&held, HART_IDLE);
    assert_int_equal(held.value, 3);
}

static void hart_that_is_stopped_ends_with_its_slice_and_wakes_waiters(void **state)
{
    struct sched_waiter w;
    static struct guest g;
    (void)state;
    start(guest(&g, NULL), 0, 0);
    reaches(&g, HART_RUNNING);
    sched_lock();
    sched_waiter_begin(&w, &group);
    while (g.hart.state != HART_RUNNING) /* between two slices */
        sched_unlock(), usleep(10), sched_lock();
    sched_hart_stop(&g.hart);
    assert_int_equal(g.hart.state, HART_ENDING);
    while (g.hart.state == HART_ENDING)
        sched_waiter_sleep(&w);
    assert_int_equal(g.hart.state, HART_IDLE);
    assert_int_equal(g.ended, 1);
    sched_waiter_end(&w);
    sched_unlock();
}

static void fault_ends_the_group_but_its_survivor(void **state)
{
    static const enum slice_end faults[] = {SLICE_USED, SLICE_FAULT};
    static struct guest blocked, faulty, survivor;
    static struct sched_counter never;
    static const enum slice_end waits[] = {SLICE_BLOCKED};
    (void)state;
    sched_counter_init(&never);
    guest(&blocked, waits)->counter = &never;
    start(&blocked, 0, 0);
    reaches(&blocked, HART_BLOCKED);
    start(guest(&faulty, faults), 0, 1);
    reaches(&faulty, HART_FAILED);
    assert_int_equal(state_of(&blocked), HART_FAILED);
    assert_int_equal(sched_units_free(&pool, &both), 2);
    sched_lock();
    group.survivor = &guest(&survivor, three_slices)->hart;
    sched_hart_start(&survivor.hart, (struct dpk_units){0});
    sched_unlock();
    reaches(&survivor, HART_IDLE);
    assert_int_equal(survivor.value, 3);
}

/* ---- Host threads that wait ---- */

static void waiter_is_satisfied_by_a_counter_or_late(void **state)
{
    static struct sched_counter counter;
    struct sched_waiter w;
    (void)state;
    sched_counter_init(&counter);
    sched_lock();
    sched_waiter_begin(&w, NULL);
    w.wait.threshold = 4;
    w.wait.mask = 0xff;
    sched_wait_begin(&w.wait, &counter);
    w.deadline = dpk_now_ns() + SECOND / 100;
    assert_false(sched_waiter_work(&w));
    sched_counter_set(&counter, 0x104);
    assert_int_equal(w.state, WAITER_WAITS);
    sched_counter_set(&counter, 5);
    assert_int_equal(w.state, WAITER_SATISFIED);
    sched_waiter_end(&w);
    sched_unlock();
}

static void caller_runs_its_call_itself(void **state)
{
    struct sched_waiter w;
    static struct guest g;
    (void)state;
    guest(&g, three_slices);
    sched_lock();
    assert_true(sched_may_call(&group));
    sched_waiter_begin(&w, &group);
    sched_call(&g.hart, &w);
    while (g.ended == 0)
        sched_waiter_work(&w);
    sched_waiter_end(&w);
    assert_int_equal(g.value, 3);
    sched_unlock();
}

/* ---- Timers ---- */

static unsigned expired_count;
static struct sched_timer timers[3];
static unsigned order[3];

static void expired(struct sched_timer *t)
{
    order[expired_count++] = (unsigned)(t - timers);
}

static void timers_expire_in_order_of_time(void **state)
{
    (void)state;
    uint64_t now = dpk_now_ns();
    expired_count = 0;
    sched_lock();
    for (unsigned i = 0; i < 3; i++)
        sched_timer_init(&timers[i], expired);
    assert_true(sched_timer_start(&timers[0], now + SECOND / 50));
    assert_true(sched_timer_start(&timers[1], now + 60 * SECOND));
    assert_true(sched_timer_start(&timers[2], now + SECOND / 100));
    while (expired_count < 2)
        sched_unlock(), usleep(1000), sched_lock();
    sched_timer_stop(&timers[1]);
    sched_unlock();
    assert_int_equal(order[0], 2);
    assert_int_equal(order[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHED_TEST(hart_runs_slices_until_it_is_done),
        SCHED_TEST(hart_may_start_again_when_it_ends),
        SCHED_TEST(workers_are_idle_soon_after_many_calls),
        SCHED_TEST(blocked_hart_runs_when_its_counter_is_above_the_threshold),
        SCHED_TEST(hart_waits_for_a_unit_of_its_range),
        SCHED_TEST(held_group_stands_still_until_it_is_released),
        SCHED_TEST(hart_that_is_stopped_ends_with_its_slice_and_wakes_waiters),
        SCHED_TEST(fault_ends_the_group_but_its_survivor),
        SCHED_TEST(waiter_is_satisfied_by_a_counter_or_late),
        SCHED_TEST(caller_runs_its_call_itself),
        SCHED_TEST(timers_expire_in_order_of_time),
    };
    return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
