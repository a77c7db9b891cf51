/* runtime/engine/proc: the run-time limit: time that counts, time that does not, and its messages.
 * */
#include "dpa_threads.h"
#include "engine/proc/hart.h"

static struct dpk_process *hasty(void)
{
    return process_with(&(struct dpk_process_options){.run_time_limit_ms = 200});
}

static void endless_call_reaches_the_limit(void **state)
{
    (void)state;
    struct dpk_process *p = hasty();
    struct dpk_error err = {0};
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    assert_int_equal(try_rpc(p, "spin", 0, 0, 0, NULL, &err), DPK_ERR_TIMEOUT);
    double ran = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    assert_true(ran >= 0.2 && ran < 5);
    assert_non_null(strstr(err.message, "thread 0: run-time limit of 200 ms reached, pc 0x"));
    assert_non_null(strstr(err.message, "(spin"));
    assert_int_equal(dpk_process_state(p, NULL), DPK_ERR_TIMEOUT);
    dpk_process_destroy(p);
}

static void activations_have_a_longer_limit_than_calls(void **state)
{
    (void)state;
    struct handler h = handler(process_with(NULL), "handle");
    const struct hart *hart = h.p->harts[dpk_thread_id(h.t)];
    assert_int_equal(h.p->group.limit / 1000000u, DPK_RUN_TIME_LIMIT_MS);
    assert_int_equal(hart->sched.limit / 1000000u, DPK_ACTIVATION_LIMIT_MS);
    dpk_thread_destroy(h.t); /* what has the hart next is a call */
    assert_int_equal(hart->sched.limit / 1000000u, DPK_RUN_TIME_LIMIT_MS);
    dpk_process_destroy(h.p);
    h = handler(hasty(), "handle"); /* a limit that the host sets is for both */
    assert_int_equal(h.p->harts[dpk_thread_id(h.t)]->sched.limit / 1000000u, 200);
    dpk_process_destroy(h.p);
}

static void endless_kernel_reaches_the_limit(void **state)
{
    (void)state;
    struct dpk_process *p = process_with(&(struct dpk_process_options){.run_time_limit_ms = 20});
    launch(p, (struct kernel){"spin", .threads = 20});
    assert_int_equal(dpk_process_drain(p, NULL), DPK_ERR_TIMEOUT);
    dpk_process_destroy(p);
}

static struct dpk_process *with_two_workers(uint32_t limit_ms)
{
    setenv("DPAKIT_WORKERS", "2", 1);
    struct dpk_process *p =
        process_with(&(struct dpk_process_options){.run_time_limit_ms = limit_ms});
    unsetenv("DPAKIT_WORKERS");
    return p;
}

/* Each of them would have 20 ms of its own: 5.1 s. */
static void threads_that_loop_together_reach_the_limit_of_their_kernel(void **state)
{
    (void)state;
    struct dpk_process *p = with_two_workers(20);
    struct dpk_error err = {0};
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    launch(p, (struct kernel){"spin", .threads = 256});
    assert_int_equal(dpk_process_drain(p, &err), DPK_ERR_TIMEOUT);
    double ran = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    assert_true(ran >= 0.4 && ran < 2.5);
    if (!strstr(err.message,
                ": run-time limit of 20 ms reached, 10 times over on each of 2 workers "
                "by the 256 threads of its kernel together, pc 0x") ||
        !strstr(err.message, "(spin"))
        fail_msg("%s", err.message);
    dpk_process_destroy(p);
}

/* On a card they would run side by side. */
static void threads_of_a_kernel_may_take_longer_together_than_one_may(void **state)
{
    (void)state;
    struct dpk_process *p = with_two_workers(400);
    uint64_t flag = buffer(p, 8);
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    launch(p, (struct kernel){"poll", {flag}, .threads = 256});
    assert_true(comes_true(seconds(CLOCK_PROCESS_CPUTIME_ID) - start > 1.2));
    set_word(p, flag, 1);
    drain(p);
    dpk_process_destroy(p);
}

/* Ends with this status, and its message names the event that it waited for. */
static void waits_too_long(enum dpk_status status, const struct dpk_error *err)
{
    assert_int_equal(status, DPK_ERR_TIMEOUT);
    if (!strstr(err->message, "run-time limit of 200 ms reached while it waited for event 1, which "
                              "is 0x5 (mask 0xff), to exceed 0x7, pc 0x") ||
        !strstr(err->message, "(event_wait+0x"))
        fail_msg("%s", err->message);
}

/* An event that stays at 5. */
static struct dpk_event *five(struct dpk_process *p)
{
    struct dpk_event *e = dpk_event_create();
    dpk_event_set(e, 5);
    assert_int_equal(handle(e, p), 1);
    return e;
}

static void call_that_waits_for_nothing_reaches_the_limit(void **state)
{
    (void)state;
    struct dpk_process *p = hasty();
    struct dpk_event *e = five(p);
    struct dpk_error err = {0};
    double start = seconds(CLOCK_MONOTONIC);
    waits_too_long(try_rpc(p, "event_wait", 1, 7, 0xff, NULL, &err), &err);
    assert_true(seconds(CLOCK_MONOTONIC) - start >= 0.2);
    assert_int_equal(dpk_process_state(p, NULL), DPK_ERR_TIMEOUT);
    dpk_process_destroy(p);
    dpk_event_release(e);
}

static void kernel_that_waits_for_nothing_reaches_the_limit(void **state)
{
    (void)state;
    struct dpk_process *p = hasty();
    struct dpk_event *e = five(p);
    struct dpk_error err = {0};
    launch(p, (struct kernel){"event_wait", {1, 7, 0xff}, .threads = 256});
    waits_too_long(dpk_process_drain(p, &err), &err);
    dpk_process_destroy(p);
    dpk_event_release(e);
}

static void handler_that_waits_for_nothing_reaches_the_limit(void **state)
{
    (void)state;
    struct dpk_process *p = hasty();
    struct dpk_event *never = dpk_event_create();
    struct dpk_error err = {0};
    struct dpk_thread_options options = {.call = function(p, "event_wait_one"),
                                         .argument = handle(never, p)};
    struct dpk_thread *t = NULL;
    assert_int_equal(dpk_thread_create(p, &options, &t, NULL), DPK_OK);
    assert_int_equal(dpk_thread_start(t, NULL), DPK_OK);
    assert_int_equal(dpk_thread_run(t, NULL, NULL), DPK_OK);
    dpk_thread_activate(t);
    assert_int_equal(dpk_event_wait_gt(never, 0, UINT64_MAX, p, PATIENCE_MS, &err),
                     DPK_ERR_TIMEOUT);
    assert_non_null(strstr(err.message, "run-time limit of 200 ms reached while it waited"));
    dpk_process_destroy(p);
    dpk_event_release(never);
}

static void waits_and_running_add_up(void **state)
{
    (void)state;
    struct dpk_process *p = process_with(&(struct dpk_process_options){.run_time_limit_ms = 400});
    struct dpk_event *ping = dpk_event_create(), *pong = dpk_event_create();
    launch(p, (struct kernel){"reply_ever", {handle(ping, p), handle(pong, p)}, .threads = 1});
    enum dpk_status status = DPK_OK;
    for (uint64_t round = 0; status == DPK_OK && round < 1000; round++) {
        usleep(20000); /* each wait is far below the limit */
        dpk_event_set(ping, round + 1);
        status = dpk_event_wait_gt(pong, round, UINT64_MAX, p, PATIENCE_MS, NULL);
    }
    assert_int_equal(status, DPK_ERR_TIMEOUT);
    dpk_process_destroy(p);
    dpk_event_release(ping);
    dpk_event_release(pong);
}

static void event_in_time_ends_the_wait(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *go = dpk_event_create(), *done = dpk_event_create();
    launch(p, (struct kernel){"event_wait", {handle(go, p), 0, ~0ull}, 20, .complete = done});
    usleep(50000);
    dpk_event_set(go, 1);
    wait_gt(done, 0, p);
    dpk_process_destroy(p);
    dpk_event_release(go);
    dpk_event_release(done);
}

static void shorter_limit_ends_before_a_longer_one(void **state)
{
    (void)state;
    struct dpk_process *p = hasty(), *patient = process_with(&(struct dpk_process_options){
                                         .run_time_limit_ms = 10 * PATIENCE_MS});
    struct dpk_event *e = five(p), *go = dpk_event_create();
    struct dpk_error err = {0};
    launch(patient, (struct kernel){"event_wait", {handle(go, patient), 0, ~0ull}, .threads = 1});
    usleep(2000); /* the watchdog waits for the patient one */
    double start = seconds(CLOCK_MONOTONIC);
    waits_too_long(try_rpc(p, "event_wait", 1, 7, 0xff, NULL, &err), &err);
    assert_true(seconds(CLOCK_MONOTONIC) - start < PATIENCE_MS / 1000.0);
    dpk_event_set(go, 1);
    drain(patient);
    dpk_process_destroy(patient);
    dpk_process_destroy(p);
    dpk_event_release(e);
    dpk_event_release(go);
}

static void waiting_for_a_unit_does_not_count(void **state)
{
    (void)state;
    struct dpk_process *p = process(),
                       *q = process_with(&(struct dpk_process_options){.run_time_limit_ms = 50});
    struct dpk_event *go = dpk_event_create(), *done = dpk_event_create();
    launch(p, (struct kernel){"event_wait", {handle(go, p), 0, ~0ull}, .threads = 256});
    launch(q, (struct kernel){"nothing", .complete = done}); /* no unit is free */
    usleep(200000);
    assert_int_equal(dpk_event_get(done), 0);
    dpk_event_set(go, 1);
    wait_gt(done, 0, q);
    dpk_process_destroy(q);
    dpk_process_destroy(p);
    dpk_event_release(go);
    dpk_event_release(done);
}

static void limit_counts_each_activation_for_itself(void **state)
{
    (void)state;
    struct dpk_process *p = hasty();
    struct dpk_event *go = dpk_event_create();
    launch(p, (struct kernel){"nothing", .wait = go}); /* has not started: no limit yet */
    for (unsigned i = 0; i < 6; i++)
        rpc(p, "pass_time", 50000, 0);
    dpk_event_set(go, 1);
    drain(p);
    dpk_process_destroy(p);
    dpk_event_release(go);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endless_call_reaches_the_limit),
        cmocka_unit_test(activations_have_a_longer_limit_than_calls),
        cmocka_unit_test(endless_kernel_reaches_the_limit),
        cmocka_unit_test(threads_that_loop_together_reach_the_limit_of_their_kernel),
        cmocka_unit_test(threads_of_a_kernel_may_take_longer_together_than_one_may),
        cmocka_unit_test(call_that_waits_for_nothing_reaches_the_limit),
        cmocka_unit_test(kernel_that_waits_for_nothing_reaches_the_limit),
        cmocka_unit_test(handler_that_waits_for_nothing_reaches_the_limit),
        cmocka_unit_test(waits_and_running_add_up),
        cmocka_unit_test(event_in_time_ends_the_wait),
        cmocka_unit_test(shorter_limit_ends_before_a_longer_one),
        cmocka_unit_test(waiting_for_a_unit_does_not_count),
        cmocka_unit_test(limit_counts_each_activation_for_itself),
    };
    return cmocka_run_group_tests_name("proc limit", tests, NULL, NULL);
}
