/* Direct calls: functions of a process that a host thread runs itself. */
#include "dpa.h"

#include <sys/wait.h>

#include "guest/abi/dpa_abi.h"

static struct dpk_direct *direct(struct dpk_process *p, struct dpk_direct_options o)
{
    struct dpk_direct *d = NULL;
    struct dpk_error err = {0};
    if (dpk_direct_create(p, &o, &d, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return d;
}

static enum dpk_status call(struct dpk_direct *d, struct dpk_process *p, const char *name,
                            uint64_t a, uint64_t b, uint64_t *result, uint64_t *instructions,
                            struct dpk_error *err)
{
    const struct dpk_call c = function(p, name);
    const uint64_t args[3] = {a, b, 0};
    return dpk_direct_call(d, &c, args, c.argument_size, result, instructions, err);
}

static void results_are_those_of_rpcs(void **state)
{
    struct dpk_process *p = process();
    struct dpk_direct *d = direct(p, (struct dpk_direct_options){0});
    struct dpk_error err = {0};
    uint64_t result = 0, first = 0, second = 0;
    (void)state;
    assert_int_equal(call(d, p, "add", 44, 55, &result, &first, &err), DPK_OK);
    assert_int_equal(result, rpc(p, "add", 44, 55));
    assert_int_equal(call(d, p, "add", 4, 5, &result, &second, &err), DPK_OK);
    assert_int_equal(result, rpc(p, "add", 4, 5));
    assert_true(first > 0);
    assert_int_equal(first, second); /* exact */
    const struct dpk_call c = function(p, "add");
    assert_int_equal(dpk_direct_call(d, &c, &result, 8, &result, NULL, &err), DPK_ERR_RANGE);
    dpk_direct_destroy(d);
    dpk_process_destroy(p);
}

static void a_call_that_takes_too_long_fails_the_process(void **state)
{
    struct dpk_process *p = process();
    struct dpk_direct *d = direct(p, (struct dpk_direct_options){.instructions = 100000});
    struct dpk_error err = {0};
    (void)state;
    assert_int_equal(call(d, p, "spin", 0, 0, NULL, NULL, &err), DPK_ERR_TIMEOUT);
    assert_non_null(strstr(err.message, "one call takes more than 100000 instructions"));
    assert_int_equal(dpk_process_state(p, &err), DPK_ERR_TIMEOUT);
    assert_int_equal(call(d, p, "add", 1, 2, NULL, NULL, &err), DPK_ERR_TIMEOUT);
    dpk_direct_destroy(d);
    dpk_process_destroy(p);
}

static void a_call_that_waits_fails_the_process(void **state)
{
    struct dpk_process *p = process();
    struct dpk_direct *d = direct(p, (struct dpk_direct_options){0});
    struct dpk_event *e = dpk_event_create();
    struct dpk_error err = {0};
    (void)state;
    assert_non_null(e);
    assert_int_equal(call(d, p, "event_wait_one", handle(e, p), 0, NULL, NULL, &err),
                     DPK_ERR_FAULT);
    assert_non_null(strstr(err.message, "a direct call waits for an event"));
    dpk_direct_destroy(d);
    dpk_process_destroy(p);
    dpk_event_release(e);
}

static uint64_t stopped_clock(void *context)
{
    return *(uint64_t *)context;
}

static void rank_and_clock_are_the_callers(void **state)
{
    uint64_t now = 7000000, seen = 0;
    struct dpk_process *p = process();
    struct dpk_direct *d = direct(
        p,
        (struct dpk_direct_options){.rank = 5, .peers = 9, .now = stopped_clock, .context = &now});
    struct dpk_error err = {0};
    (void)state;
    assert_int_equal(call(d, p, "about_thread", DPA_SYS_THREAD_RANK, 0, &seen, NULL, &err), DPK_OK);
    assert_int_equal(seen, 5);
    assert_int_equal(call(d, p, "about_thread", DPA_SYS_NUM_THREADS, 0, &seen, NULL, &err), DPK_OK);
    assert_int_equal(seen, 9);
    assert_int_equal(call(d, p, "about_thread", DPA_SYS_TIME, 0, &seen, NULL, &err), DPK_OK);
    assert_int_equal(seen, 7000);
    dpk_direct_destroy(d);
    dpk_process_destroy(p);
}

static void a_failed_process_has_no_more(void **state)
{
    struct dpk_process *p = process();
    struct dpk_direct *d = NULL;
    struct dpk_error err = {0};
    (void)state;
    dpk_process_end(p, "the test ends it");
    assert_int_equal(dpk_direct_create(p, &(struct dpk_direct_options){0}, &d, &err),
                     DPK_ERR_FAULT);
    assert_null(d);
    dpk_direct_destroy(d);
    dpk_process_destroy(p);
}

static void a_child_of_fork_has_no_dpa(void **state)
{
    int status = 0;
    struct dpk_process *p = process();
    struct dpk_direct *d = direct(p, (struct dpk_direct_options){0});
    struct dpk_error err = {0};
    (void)state;
    const pid_t child = fork();
    if (child == 0)
        _exit(call(d, p, "add", 1, 2, NULL, NULL, &err) == DPK_ERR_FAULT ? 7 : 8);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(call(d, p, "add", 1, 2, NULL, NULL, &err), DPK_OK);
    dpk_direct_destroy(d);
    dpk_process_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_rpcs),
        cmocka_unit_test(a_call_that_takes_too_long_fails_the_process),
        cmocka_unit_test(a_call_that_waits_fails_the_process),
        cmocka_unit_test(rank_and_clock_are_the_callers),
        cmocka_unit_test(a_failed_process_has_no_more),
        cmocka_unit_test(a_child_of_fork_has_no_dpa),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
