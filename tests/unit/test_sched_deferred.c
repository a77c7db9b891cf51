/* runtime/engine/sched: work that is put off. While harts are in slices on both workers, nothing is carried out. */
#include "sched_world.h"

#include <sys/wait.h>

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
    assert_false(sched_defer(&deferred)); /* this thread is not a worker */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHED_TEST(work_waits_while_harts_are_ready_and_is_done_once),
        SCHED_TEST(work_is_not_put_off_when_no_hart_is_ready),
        SCHED_TEST(work_that_is_cancelled_is_not_done),
        SCHED_TEST(work_that_waits_is_done_on_demand),
        SCHED_TEST(children_wait_for_no_worker),
    };
    return cmocka_run_group_tests_name("sched_deferred", tests, NULL, NULL);
}
