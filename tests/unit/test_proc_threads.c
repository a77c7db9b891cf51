/* runtime/engine/proc: threads of event-driven programs: activations, their ends, calls of libraries. */
#include <pthread.h>

#include "dpa_threads.h"
#include "guest/abi/dpa_abi.h"

/* ---- Activations ---- */

static void run_alone_does_not_activate(void **state)
{
    (void)state;
    struct handler h = handler(process(), "handle");
    and_no_more(h, 0);
    dpk_process_destroy(h.p);
}

static void each_event_is_one_activation(void **state)
{
    (void)state;
    struct handler h = handler(process(), "handle");
    for (uint64_t i = 1; i <= 100; i++) {
        dpk_thread_activate(h.t);
        if (i % 3)
            activated(h, i);
    }
    activated(h, 100);
    and_no_more(h, 100);
    dpk_process_destroy(h.p);
}

static void event_during_an_activation_is_one_more_after_it(void **state)
{
    (void)state;
    struct handler h = handler(process(), "handle_slowly");
    dpk_thread_activate(h.t);
    activated(h, 1);
    dpk_thread_activate(h.t);
    and_no_more(h, 1);
    set_word(h.p, h.at + 8, 1);
    activated(h, 2);
    and_no_more(h, 2);
    dpk_process_destroy(h.p);
}

static void *activate_often(void *t)
{
    for (int i = 0; i < 500; i++)
        dpk_thread_activate(t);
    return NULL;
}

static void events_from_many_host_threads_all_count(void **state)
{
    (void)state;
    struct handler h = handler(process(), "handle");
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, activate_often, h.t);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    activated(h, 2000);
    and_no_more(h, 2000);
    dpk_process_destroy(h.p);
}

static void events_before_run_are_lost(void **state)
{
    (void)state;
    struct handler h = {.p = process()};
    h.at = buffer(h.p, 24);
    struct dpk_thread_options options = {.call = function(h.p, "handle"), .argument = h.at};
    assert_int_equal(dpk_thread_create(h.p, &options, &h.t, NULL), DPK_OK);
    dpk_thread_activate(h.t);
    assert_int_equal(dpk_thread_run(h.t, NULL, NULL), DPK_ERR_USAGE); /* not started */
    assert_int_equal(dpk_thread_start(h.t, NULL), DPK_OK);
    dpk_thread_activate(h.t);
    assert_int_equal(dpk_thread_run(h.t, NULL, NULL), DPK_OK);
    and_no_more(h, 0);
    dpk_thread_activate(h.t);
    activated(h, 1);
    dpk_process_destroy(h.p);
}

static void run_may_bring_another_argument(void **state)
{
    (void)state;
    struct handler h = handler(process(), "handle");
    uint64_t other = buffer(h.p, 24);
    assert_int_equal(dpk_thread_run(h.t, &other, NULL), DPK_OK);
    dpk_thread_activate(h.t);
    activated((struct handler){.p = h.p, .at = other}, 1);
    assert_int_equal(activations(h), 0);
    dpk_process_destroy(h.p);
}

static void ends_for_good(const char *name)
{
    struct handler h = handler(process(), name);
    dpk_thread_activate(h.t);
    activated(h, 1);
    becomes_idle(h.p);
    dpk_thread_activate(h.t);
    and_no_more(h, 1);
    assert_int_equal(dpk_thread_run(h.t, NULL, NULL), DPK_OK);
    and_no_more(h, 1);
    dpk_thread_activate(h.t);
    activated(h, 2);
    dpk_process_destroy(h.p);
}

static void finish_ends_a_thread_until_it_is_run_again(void **state)
{
    (void)state;
    ends_for_good("handle_and_finish");
}

static void return_is_finish(void **state)
{
    (void)state;
    ends_for_good("handle_and_return");
}

static void retrigger_is_another_activation_at_once(void **state)
{
    (void)state;
    struct handler h = handler(process(), "handle_thrice");
    dpk_thread_activate(h.t);
    activated(h, 3);
    dpk_thread_activate(h.t);
    activated(h, 6);
    and_no_more(h, 6);
    dpk_process_destroy(h.p);
}

static void parked_thread_goes_on_behind_the_call(void **state)
{
    (void)state;
    struct handler h =
        handler_with(process(), "park", (struct dpk_thread_options){.continuable = true});
    for (uint64_t i = 1; i <= 5; i++) {
        dpk_thread_activate(h.t);
        activated(h, i);
        and_no_more(h, i);
        assert_int_equal(word(h.p, h.at + 16), i - 1);
    }
    dpk_process_destroy(h.p);
    h = handler(process(), "park"); /* not continuable: from the beginning */
    for (uint64_t i = 1; i <= 3; i++) {
        dpk_thread_activate(h.t);
        activated(h, i);
    }
    assert_int_equal(word(h.p, h.at + 16), 0);
    dpk_process_destroy(h.p);
}

static void thread_knows_its_local_storage(void **state)
{
    (void)state;
    struct handler h = handler_with(process(), "handle_and_tell",
                                    (struct dpk_thread_options){.local_storage = 0x1234560});
    dpk_thread_activate(h.t);
    activated(h, 1);
    assert_int_equal(word(h.p, h.at + 8), 0x1234560);
    dpk_process_destroy(h.p);
}

static void function_takes_one_argument_or_none(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_thread *t = NULL;
    struct dpk_thread_options options = {.call = function(p, "add")};
    assert_int_equal(dpk_thread_create(p, &options, &t, NULL), DPK_ERR_RANGE);
    assert_null(t);
    struct handler h = handler(p, "handle_nothing");
    dpk_thread_activate(h.t);
    (void)comes_true(rpc(p, "without_argument", 0, 0) > 0);
    assert_int_equal(rpc(p, "without_argument", 0, 0), 1);
    dpk_process_destroy(p);
}

static void running_thread_cannot_be_run(void **state)
{
    (void)state;
    struct handler h = handler(process(), "handle_slowly");
    dpk_thread_activate(h.t);
    activated(h, 1);
    assert_int_equal(dpk_thread_run(h.t, NULL, NULL), DPK_ERR_USAGE);
    dpk_process_destroy(h.p);
}

/* ---- Stop and destroy ---- */

static void stop_ends_a_thread_that_never_returns(void **state)
{
    (void)state;
    struct handler h = handler(process(), "handle_slowly");
    for (uint64_t i = 1; i <= 20; i++) {
        dpk_thread_activate(h.t);
        dpk_thread_activate(h.t); /* forgotten */
        activated(h, i);
        dpk_thread_stop(h.t);
        uint64_t before = dpk_process_instructions(h.p);
        usleep(500);
        assert_int_equal(dpk_process_instructions(h.p), before);
        assert_int_equal(dpk_thread_run(h.t, NULL, NULL), DPK_ERR_USAGE);
        assert_int_equal(dpk_thread_start(h.t, NULL), DPK_OK);
        assert_int_equal(dpk_thread_run(h.t, NULL, NULL), DPK_OK);
    }
    assert_int_equal(dpk_process_state(h.p, NULL), DPK_OK);
    dpk_process_destroy(h.p);
}

static void stopped_threads_give_their_units_back(void **state)
{
    (void)state;
    setenv("DPAKIT_EUS", "2", 1);
    struct dpk_process *p = process();
    struct handler h[4];
    for (int i = 0; i < 4; i++) {
        h[i] = handler(p, "handle_slowly");
        dpk_thread_activate(h[i].t);
    }
    activated(h[0], 1);
    activated(h[1], 1);
    and_no_more(h[2], 0);
    dpk_thread_stop(h[3].t); /* while it waits for a unit */
    dpk_thread_destroy(h[0].t);
    activated(h[2], 1);
    and_no_more(h[3], 0);
    unsetenv("DPAKIT_EUS");
    dpk_process_destroy(p);
}

static void threads_are_destroyed_in_any_state(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_thread_options options = {.call = function(p, "handle")};
    struct dpk_thread *t = NULL;
    for (int i = 0; i < 3 * DPK_THREADS_OF_PROCESS; i++) { /* slots come back */
        assert_int_equal(dpk_thread_create(p, &options, &t, NULL), DPK_OK);
        dpk_thread_destroy(t);
    }
    for (int i = 0; i < 20; i++) {
        struct handler h = handler(p, "handle_slowly");
        struct dpk_trigger *tr = trigger(h, DPK_TRIGGER_NOTIFICATION);
        dpk_thread_activate(h.t);
        usleep((unsigned)i * 20);
        dpk_thread_destroy(h.t);
        dpk_trigger_signal(tr, 1); /* nobody's any more */
        dpk_trigger_destroy(tr);
    }
    dpk_thread_destroy(NULL);
    assert_int_equal(rpc(p, "add", 1, 2), 3);
    dpk_process_destroy(p);
}

static void process_has_room_for_so_many_threads(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_thread *t = NULL;
    struct dpk_thread_options options = {.call = function(p, "handle")};
    for (int i = 0; i < DPK_THREADS_OF_PROCESS; i++)
        assert_int_equal(dpk_thread_create(p, &options, &t, NULL), DPK_OK);
    assert_int_equal(dpk_thread_create(p, &options, &t, NULL), DPK_ERR_NOMEM);
    uint64_t out = buffer(p, 256 * 8);
    launch(p, (struct kernel){"ranks", {out}, .threads = 256});
    drain(p);
    assert_int_equal(rpc(p, "add", 1, 2), 3);
    dpk_process_destroy(p);
}

/* ---- Faults and the limit ---- */

static void fault_of_an_activation_fails_the_process(void **state)
{
    (void)state;
    struct handler h = handler(process(), "load"), other = handler(h.p, "handle");
    uint64_t nowhere = 8;
    struct dpk_error err = {0};
    assert_int_equal(dpk_thread_run(h.t, &nowhere, NULL), DPK_OK);
    dpk_thread_activate(h.t);
    while (dpk_process_state(h.p, &err) == DPK_OK)
        usleep(100);
    assert_int_equal(err.status, DPK_ERR_FAULT);
    assert_non_null(strstr(err.message, "load access fault at address 0x8"));
    dpk_thread_activate(other.t);
    usleep(2000);
    assert_int_equal(activations(other), 0);
    assert_int_equal(dpk_thread_run(other.t, NULL, NULL), DPK_ERR_FAULT);
    assert_int_equal(dpk_thread_start(other.t, NULL), DPK_ERR_FAULT);
    dpk_thread_stop(other.t);
    dpk_thread_destroy(h.t);
    dpk_process_destroy(h.p);
}

static void limit_is_for_one_activation(void **state)
{
    (void)state;
    struct dpk_process *p = process_with(&(struct dpk_process_options){.run_time_limit_ms = 40});
    struct handler h = handler(p, "handle_slowly"), quick = handler(p, "handle");
    for (int i = 0; i < 60; i++) {
        dpk_thread_activate(quick.t);
        usleep(1000);
    }
    activated(quick, 60);
    assert_int_equal(dpk_process_state(p, NULL), DPK_OK);
    dpk_thread_activate(h.t);
    struct dpk_error err = {0};
    while (dpk_process_state(p, &err) == DPK_OK)
        usleep(1000);
    assert_int_equal(err.status, DPK_ERR_TIMEOUT);
    dpk_process_destroy(p);
}

static void program_may_end_its_process(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_error err = {0};
    assert_false(dpk_process_ended_itself(p));
    assert_int_equal(try_rpc(p, "end_process", 0, 0, 0, NULL, &err), DPK_ERR_FAULT);
    assert_non_null(strstr(err.message, "the program ended its process"));
    assert_true(dpk_process_ended_itself(p));
    dpk_process_destroy(p);
    p = process();
    assert_int_equal(try_rpc(p, "illegal", 0, 0, 0, NULL, NULL), DPK_ERR_FAULT);
    assert_false(dpk_process_ended_itself(p));
    dpk_process_destroy(p);
}

/* ---- Calls of host libraries ---- */

static bool answer_call(void *context, struct dpk_caller *caller, unsigned call,
                        const uint64_t args[6], uint64_t *result, char *story, size_t size)
{
    *(unsigned *)context = caller->thread_id;
    *result = args[0] + call;
    if (args[0] == 13)
        snprintf(story, size, "thirteen is no number");
    return args[0] != 13;
}

static void library_carries_out_its_calls(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    unsigned thread = 99;
    struct dpk_error err = {0};
    dpk_process_set_calls(p, DPA_SYS_FAMILY_DOCA, answer_call, &thread);
    assert_int_equal(rpc(p, "library_call", DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, 5), 100), 105);
    assert_int_equal(thread, 0);
    assert_int_equal(
        try_rpc(p, "library_call", DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, 5), 13, 0, NULL, &err),
        DPK_ERR_FAULT);
    assert_non_null(strstr(err.message, "thread 0: thirteen is no number, call 0x205"));
    dpk_process_destroy(p);
    p = process();
    assert_int_equal(try_rpc(p, "library_call", DPA_SYS_CALL(3, 5), 1, 0, NULL, &err),
                     DPK_ERR_FAULT);
    assert_non_null(strstr(err.message, "unknown call 0x305"));
    dpk_process_destroy(p);
}

/* Finds nothing; at first a kernel comes, for which the worker has no room yet. */
static bool poll_in_vain(void *context, struct dpk_caller *caller, unsigned call,
                         const uint64_t args[6], uint64_t *result, char *story, size_t size)
{
    (void)call, (void)story, (void)size;
    if (args[0] == 0) {
        launch(context, (struct kernel){.name = "nothing"});
        usleep(20000);
    }
    caller->polls = true;
    *result = args[0];
    return true;
}

static void call_that_polls_lets_the_one_worker_run_others(void **state)
{
    (void)state;
    setenv("DPAKIT_WORKERS", "1", 1);
    struct dpk_process *p = process();
    dpk_process_set_calls(p, DPA_SYS_FAMILY_DOCA, poll_in_vain, p);
    assert_int_equal(rpc(p, "library_calls", DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, 5), 100), 99);
    drain(p);
    unsetenv("DPAKIT_WORKERS");
    dpk_process_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_alone_does_not_activate),
        cmocka_unit_test(each_event_is_one_activation),
        cmocka_unit_test(event_during_an_activation_is_one_more_after_it),
        cmocka_unit_test(events_from_many_host_threads_all_count),
        cmocka_unit_test(events_before_run_are_lost),
        cmocka_unit_test(run_may_bring_another_argument),
        cmocka_unit_test(finish_ends_a_thread_until_it_is_run_again),
        cmocka_unit_test(return_is_finish),
        cmocka_unit_test(retrigger_is_another_activation_at_once),
        cmocka_unit_test(parked_thread_goes_on_behind_the_call),
        cmocka_unit_test(thread_knows_its_local_storage),
        cmocka_unit_test(function_takes_one_argument_or_none),
        cmocka_unit_test(running_thread_cannot_be_run),
        cmocka_unit_test(stop_ends_a_thread_that_never_returns),
        cmocka_unit_test(stopped_threads_give_their_units_back),
        cmocka_unit_test(threads_are_destroyed_in_any_state),
        cmocka_unit_test(process_has_room_for_so_many_threads),
        cmocka_unit_test(fault_of_an_activation_fails_the_process),
        cmocka_unit_test(limit_is_for_one_activation),
        cmocka_unit_test(program_may_end_its_process),
        cmocka_unit_test(library_carries_out_its_calls),
        cmocka_unit_test(call_that_polls_lets_the_one_worker_run_others),
    };
    return cmocka_run_group_tests_name("proc threads", tests, NULL, NULL);
}
