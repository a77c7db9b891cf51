/* runtime/sched, alone: harts that run a script instead of a program, and an owner that counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/sched.h"

#define SECOND UINT64_C(1000000000)

/* ---- A hart with a script, and its owner ---- */

struct guest {
    struct sched_hart hart;
    const enum slice_end *script;  /* what its slices end with, one after the other; NULL: USED */
    struct sched_counter *counter; /* that SLICE_BLOCKED waits for */
    _Atomic unsigned slices;
    unsigned ended; /* times; with the lock, as the rest */
    uint64_t value;
    bool again; /* starts anew when it has ended */
    enum sched_overrun why;
    unsigned overran;
    void (*in_slice)(void); /* NULL: nothing */
};

static struct guest *guest_of(struct sched_hart *h)
{
    return owner_of(h, struct guest, hart);
}

static void run(struct sched_hart *h, struct slice *s)
{
    struct guest *g = guest_of(h);
    unsigned n = g->slices++;
    s->end = g->script ? g->script[n] : SLICE_USED;
    s->counter = g->counter;
    s->threshold = 0;
    s->mask = UINT64_MAX;
    s->how = END_RETURN;
    s->value = n + 1;
    s->instructions = 10;
    if (g->in_slice)
        g->in_slice();
    else if (!g->script)
        usleep(200);
}

static void left(struct sched_hart *h, const struct slice *s)
{
    if (s->end == SLICE_FAULT)
        sched_group_end(h->group);
}

static void settled(struct sched_group *g)
{
    (void)g;
}

static void overran(struct sched_hart *h, enum sched_overrun why)
{
    struct guest *g = guest_of(h);
    g->why = why;
    g->overran++;
    sched_group_end(h->group);
    sched_group_wake(h->group);
}

static void ended(struct sched_hart *h, enum hart_end how, uint64_t value)
{
    struct guest *g = guest_of(h);
    (void)how;
    g->ended++;
    g->value = value;
    if (g->again) {
        g->again = false;
        g->slices = 0;
        sched_hart_start(h, (struct dpk_units){0});
    }
    sched_group_wake(h->group);
}

static const struct sched_owner owner = {run, left, settled, overran, ended};

/* ---- A world of two workers and two units ---- */

static struct sched_group group;
static struct sched_pool pool;
static const struct dpk_units both = {{3}};

static int make_world(void **state)
{
    (void)state;
    sched_configure(2);
    sched_pool_init(&pool, NULL);
    sched_group_init(&group, &owner, 60 * SECOND);
    group.pool = &pool;
    sched_lock();
    bool started = sched_start_workers();
    sched_unlock();
    return started ? 0 : -1;
}

static int free_world(void **state)
{
    (void)state;
    sched_lock();
    sched_group_end(&group);
    sched_group_await_idle(&group);
    sched_unlock();
    sched_stop();
    sched_group_destroy(&group);
    return 0;
}

static struct guest *guest(struct guest *g, const enum slice_end *script)
{
    *g = (struct guest){.script = script};
    sched_hart_init(&g->hart, &group);
    return g;
}

/* Waits, as a host thread that runs nothing itself, until the hart has that state. */
static void reaches(struct guest *g, enum hart_state state)
{
    for (;;) {
        sched_lock();
        bool there = g->hart.state == state;
        sched_unlock();
        if (there)
            return;
        usleep(100);
    }
}

static void start(struct guest *g, unsigned first, unsigned end)
{
    struct dpk_units units = {0};
    for (unsigned n = first; n < end; n++)
        dpk_units_add(&units, n);
    sched_lock();
    sched_hart_start(&g->hart, units);
    sched_unlock();
}

static enum hart_state state_of(const struct guest *g)
{
    sched_lock();
    enum hart_state state = g->hart.state;
    sched_unlock();
    return state;
}

/* Harts and counters are static: what still runs when a test returns is ended behind it. */

/* ---- Running ---- */

static const enum slice_end three_slices[] = {SLICE_USED, SLICE_POLLED, SLICE_DONE};

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

/* Workers that are called often poll for the next call; none is lost, and after the last one they
 * sleep. */
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
            usleep(i); /* sometimes it comes before they sleep, sometimes after it */
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

/* ---- The run-time limit
 * -------------------------------------------------------------------------- */

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
    w.deadline = sched_now() + SECOND / 100;
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
    uint64_t now = sched_now();
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

/* ---- Work that is put off ----
 * While harts are in slices on both workers, nothing is carried out. */

static struct sched_deferred deferred;
static _Atomic unsigned carried_out, stay, put_off, refused;

static _Atomic pid_t child;

static void carry_out(struct sched_deferred *d)
{
    assert_ptr_equal(d, &deferred);
    if (child < 0 && (child = fork()) == 0) {
        sched_deferred_cancel(d);
        _exit(0);
    }
    sched_lock(); /* it is called without the lock */
    carried_out++;
    sched_unlock();
}

static void stays(void)
{
    stay++;
    while (stay > 0)
        usleep(100);
}

static void puts_off(void)
{
    while (stay == 0) /* until the other worker is away, so that it carries nothing out */
        usleep(100);
    for (unsigned i = 0; i < 3; i++)
        *(sched_defer(&deferred) ? &put_off : &refused) += 1;
    while (stay > 0)
        usleep(100);
}

static const enum slice_end one_slice[] = {SLICE_DONE};
static struct guest away, caller, ready;

/* The third hart is ready all the time, or there is none. */
static void start_deferring(bool with_third)
{
    sched_deferred_init(&deferred, carry_out);
    carried_out = stay = put_off = refused = 0;
    guest(&away, one_slice)->in_slice = stays;
    guest(&caller, one_slice)->in_slice = puts_off;
    guest(&ready, one_slice);
    sched_lock();
    sched_hart_start(&away.hart, (struct dpk_units){0});
    sched_hart_start(&caller.hart, (struct dpk_units){0});
    if (with_third)
        sched_hart_start(&ready.hart, (struct dpk_units){0});
    sched_unlock();
    while (put_off + refused < 3)
        usleep(100);
}

static void end_deferring(void)
{
    stay = 0;
    reaches(&away, HART_IDLE);
    reaches(&caller, HART_IDLE);
    reaches(&ready, HART_IDLE);
}

static void work_waits_while_harts_are_ready_and_is_done_once(void **state)
{
    (void)state;
    start_deferring(true);
    assert_int_equal(put_off, 3);
    assert_int_equal(carried_out, 0);
    assert_true(sched_has_deferred());
    end_deferring();
    while (carried_out == 0)
        usleep(100);
    sched_deferred_cancel(&deferred); /* waits until it is carried out */
    assert_int_equal(carried_out, 1);
    assert_false(sched_has_deferred());
}

static void work_is_not_put_off_when_no_hart_is_ready(void **state)
{
    (void)state;
    assert_false(sched_defer(&deferred)); /* this thread is no worker */
    start_deferring(false);
    assert_int_equal(refused, 3);
    assert_false(sched_has_deferred());
    end_deferring();
    assert_int_equal(carried_out, 0);
}

static void work_that_is_cancelled_is_not_done(void **state)
{
    (void)state;
    start_deferring(true);
    assert_true(sched_has_deferred());
    sched_deferred_cancel(&deferred);
    assert_false(sched_has_deferred());
    end_deferring();
    assert_int_equal(carried_out, 0);
}

static void work_that_waits_is_done_on_demand(void **state)
{
    (void)state;
    start_deferring(true);
    sched_do_deferred();
    assert_int_equal(carried_out, 1);
    assert_false(sched_has_deferred());
    end_deferring();
    assert_int_equal(carried_out, 1);
}

static void children_wait_for_no_worker(void **state)
{
    (void)state;
    int status = -1;
    start_deferring(true);
    child = -1;
    end_deferring();
    while (carried_out == 0)
        usleep(100);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    child = 0;
}

#define SCHED_TEST(test) cmocka_unit_test_setup_teardown(test, make_world, free_world)

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
        SCHED_TEST(running_too_long_is_told_to_the_owner),
        SCHED_TEST(hart_may_have_a_limit_of_its_own),
        SCHED_TEST(sharing_too_long_is_told_to_the_owner),
        SCHED_TEST(blocking_too_long_is_told_to_the_owner),
        SCHED_TEST(debugged_group_has_no_limit),
        SCHED_TEST(waiter_is_satisfied_by_a_counter_or_late),
        SCHED_TEST(caller_runs_its_call_itself),
        SCHED_TEST(timers_expire_in_order_of_time),
        SCHED_TEST(work_waits_while_harts_are_ready_and_is_done_once),
        SCHED_TEST(work_is_not_put_off_when_no_hart_is_ready),
        SCHED_TEST(work_that_is_cancelled_is_not_done),
        SCHED_TEST(work_that_waits_is_done_on_demand),
        SCHED_TEST(children_wait_for_no_worker),
    };
    return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
