/* runtime/engine/proc: if an event wakes threads before the host sends a request, the threads run first. */
#include <pthread.h>

#include "dpa_threads.h"

/* As many workers as that; "1" is deterministic. */
static struct dpk_process *process_of_workers(const char *workers)
{
    setenv("DPAKIT_WORKERS", workers, 1);
    struct dpk_process *p = process();
    unsetenv("DPAKIT_WORKERS");
    return p;
}

/* ---- Threads before calls and kernels ---- */

static void each_rpc_finds_that_the_thread_has_run(const char *workers)
{
    struct handler h = handler(process_of_workers(workers), "handle_thoroughly");
    uint64_t notify = dpk_trigger_handle(trigger(h, DPK_TRIGGER_NOTIFICATION));
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(rpc(h.p, "load_and_notify", h.at, notify), i);
    dpk_process_destroy(h.p);
}

static void rpcs_do_not_overtake_a_thread_with_one_worker(void **state)
{
    (void)state;
    each_rpc_finds_that_the_thread_has_run("1");
}

static void rpcs_do_not_overtake_a_thread_with_many_workers(void **state)
{
    (void)state;
    each_rpc_finds_that_the_thread_has_run("8");
}

static void each_kernel_finds_that_the_thread_has_run(const char *workers)
{
    struct handler h = handler(process_of_workers(workers), "handle_thoroughly");
    uint64_t notify = dpk_trigger_handle(trigger(h, DPK_TRIGGER_NOTIFICATION));
    uint64_t log = buffer(h.p, 8 + 8 * 100);
    struct dpk_event *done = dpk_event_create();
    for (uint64_t i = 0; i < 100; i++) {
        launch(h.p, (struct kernel){.name = "log_and_notify",
                                    .args = {log, h.at, notify},
                                    .wait = i ? done : NULL,
                                    .wait_threshold = i - 1,
                                    .complete = done});
        if (i % 10 == 9) /* some are launched one by one, some while others wait */
            drain(h.p);
    }
    drain(h.p);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(word(h.p, log + 8 + 8 * i), i);
    dpk_event_release(done);
    dpk_process_destroy(h.p);
}

static void kernels_do_not_overtake_a_thread_with_one_worker(void **state)
{
    (void)state;
    each_kernel_finds_that_the_thread_has_run("1");
}

static void kernels_do_not_overtake_a_thread_with_many_workers(void **state)
{
    (void)state;
    each_kernel_finds_that_the_thread_has_run("8");
}

static void thread_of_another_process_goes_first_too(void **state)
{
    (void)state;
    struct handler h = handler(process_of_workers("2"), "handle_thoroughly");
    struct dpk_process *other = process();
    for (uint64_t i = 0; i < 20; i++) {
        dpk_thread_activate(h.t);
        assert_int_equal(rpc(other, "add", i, 1), i + 1);
        assert_int_equal(activations(h), i + 1);
    }
    dpk_process_destroy(other);
    dpk_process_destroy(h.p);
}

/* ---- How long the host waits for them at most ---- */

static void thread_without_end_holds_up_nobody(const char *workers)
{
    struct handler h = handler(process_of_workers(workers), "handle_slowly");
    for (int i = 0; i < 4; i++) { /* each activation has one head start */
        dpk_thread_activate(h.t);
        for (uint64_t n = 0; n < 50; n++)
            assert_int_equal(rpc(h.p, "add", n, 1), n + 1);
        launch(h.p, (struct kernel){.name = "nothing"});
        drain(h.p);
        assert_true(comes_true(activations(h) == 1));
        dpk_thread_stop(h.t);
        assert_int_equal(dpk_fill(h.p, h.at, 0, 8, NULL), DPK_OK);
        assert_int_equal(dpk_thread_start(h.t, NULL), DPK_OK);
        assert_int_equal(dpk_thread_run(h.t, NULL, NULL), DPK_OK);
    }
    dpk_process_destroy(h.p);
}

static void thread_that_loops_is_overtaken(void **state)
{
    (void)state;
    thread_without_end_holds_up_nobody("1");
    thread_without_end_holds_up_nobody("8");
}

static void thread_that_polls_is_overtaken(void **state)
{
    (void)state;
    struct dpk_process *p = process_of_workers("2");
    struct handler h = handler(p, "poll_politely");
    for (int i = 0; i < 20; i++)
        dpk_thread_activate(h.t);
    for (uint64_t n = 0; n < 100; n++)
        assert_int_equal(rpc(p, "add", n, 1), n + 1);
    dpk_process_destroy(p);
}

static void thread_that_waits_for_an_event_is_overtaken(void **state)
{
    (void)state;
    struct handler h = handler(process_of_workers("2"), "event_wait_one");
    struct dpk_event *e = dpk_event_create();
    uint64_t name = handle(e, h.p);
    assert_int_equal(dpk_thread_run(h.t, &name, NULL), DPK_OK);
    dpk_thread_activate(h.t);
    rpc(h.p, "event_add", name, 1); /* it would wait for this for ever */
    becomes_idle(h.p);
    dpk_process_destroy(h.p);
    dpk_event_release(e);
}

static void thread_that_waits_for_a_unit_is_overtaken(void **state)
{
    (void)state;
    setenv("DPAKIT_EUS", "1", 1);
    struct dpk_process *p = process_of_workers("2");
    struct handler first = handler(p, "handle_slowly"), second = handler(p, "handle");
    dpk_thread_activate(first.t);
    dpk_thread_activate(second.t);
    assert_int_equal(rpc(p, "add", 1, 2), 3);
    assert_int_equal(activations(second), 0);
    set_word(p, first.at + 8, 1);
    activated(second, 1);
    unsetenv("DPAKIT_EUS");
    dpk_process_destroy(p);
}

/* Takes a message as a host does that reads no more, until `context`, a flag, is set. */
static void read_nothing(void *context, unsigned stream, unsigned level, unsigned thread,
                         const char *text, size_t size)
{
    (void)stream, (void)level, (void)thread, (void)text, (void)size;
    while (!__atomic_load_n((int *)context, __ATOMIC_ACQUIRE))
        usleep(1000);
}

static void thread_in_a_call_without_end_is_overtaken_after_a_while(void **state)
{
    static int reads;
    (void)state;
    struct handler h = handler(process_of_workers("4"), "handle_thoroughly");
    dpk_process_set_sink(h.p, read_nothing, &reads);
    dpk_thread_activate(h.t);
    assert_int_equal(rpc(h.p, "add", 1, 2), 3);
    assert_int_equal(activations(h), 0);
    __atomic_store_n(&reads, 1, __ATOMIC_RELEASE);
    activated(h, 1);
    dpk_process_destroy(h.p);
}

/* ---- While a call waits for a thread ---- */

static void call_that_waits_learns_that_the_process_failed(void **state)
{
    static int reads;
    uint64_t nowhere = 8;
    (void)state;
    reads = 0;
    struct handler h = handler(process_of_workers("4"), "handle_thoroughly");
    struct handler bad = handler(h.p, "load");
    assert_int_equal(dpk_thread_run(bad.t, &nowhere, NULL), DPK_OK);
    dpk_process_set_sink(h.p, read_nothing, &reads);
    dpk_thread_activate(h.t);
    dpk_thread_activate(bad.t);
    assert_int_equal(try_rpc(h.p, "add", 1, 2, 0, NULL, NULL), DPK_ERR_FAULT);
    __atomic_store_n(&reads, 1, __ATOMIC_RELEASE);
    dpk_process_destroy(h.p);
}

static void *stop_soon(void *thread)
{
    usleep(2000);
    dpk_thread_stop(thread);
    return NULL;
}

static void thread_may_be_stopped_meanwhile(void **state)
{
    (void)state;
    struct handler h = handler(process_of_workers("2"), "handle_slowly");
    for (int i = 0; i < 10; i++) {
        pthread_t stopper;
        dpk_thread_activate(h.t);
        assert_int_equal(pthread_create(&stopper, NULL, stop_soon, h.t), 0);
        assert_int_equal(rpc(h.p, "add", 1, 2), 3);
        pthread_join(stopper, NULL);
        assert_int_equal(dpk_thread_start(h.t, NULL), DPK_OK);
        assert_int_equal(dpk_thread_run(h.t, NULL, NULL), DPK_OK);
    }
    dpk_process_destroy(h.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rpcs_do_not_overtake_a_thread_with_one_worker),
        cmocka_unit_test(rpcs_do_not_overtake_a_thread_with_many_workers),
        cmocka_unit_test(kernels_do_not_overtake_a_thread_with_one_worker),
        cmocka_unit_test(kernels_do_not_overtake_a_thread_with_many_workers),
        cmocka_unit_test(thread_of_another_process_goes_first_too),
        cmocka_unit_test(thread_that_loops_is_overtaken),
        cmocka_unit_test(thread_that_polls_is_overtaken),
        cmocka_unit_test(thread_that_waits_for_an_event_is_overtaken),
        cmocka_unit_test(thread_that_waits_for_a_unit_is_overtaken),
        cmocka_unit_test(thread_in_a_call_without_end_is_overtaken_after_a_while),
        cmocka_unit_test(call_that_waits_learns_that_the_process_failed),
        cmocka_unit_test(thread_may_be_stopped_meanwhile),
    };
    return cmocka_run_group_tests_name("proc order", tests, NULL, NULL);
}
