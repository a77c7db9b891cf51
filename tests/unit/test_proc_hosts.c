/* runtime/engine/proc: host threads that run DPA threads: for a moment when they launch, and while they
 * wait. Most of this is seen on a DPA whose workers do not come before they are let. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dpa_threads.h"
#include "engine/proc/process.h"
#include "engine/sched/lock.h"
#include "engine/sched/run.h"
#include "engine/sched/worker.h"

enum { LONG = 3000 }; /* rounds of `count`: more than a moment, less than a turn */

static const struct dpk_process_options patient = {.run_time_limit_ms = 600000};

/* ---- Workers that do not come ---- */

/* Without options the limit is too long to matter. */
static struct dpk_process *process_without_workers(const struct dpk_process_options *options)
{
    setenv("DPAKIT_WORKERS", "4", 1);
    struct dpk_process *p = process_with(options ? options : &patient);
    unsetenv("DPAKIT_WORKERS");
    sched_lock();
    sched_the_workers.count = 1; /* so none is made */
    sched_unlock();
    return p;
}

static void let_workers_come(void)
{
    sched_lock();
    sched_the_workers.count = 0;
    assert_true(sched_start_workers());
    sched_unlock();
}

static void destroy(struct dpk_process *p)
{
    sched_lock();
    if (!sched_the_workers.threads)
        sched_the_workers.count = 0;
    sched_unlock();
    dpk_process_destroy(p);
}

/* Waits until threads of the process run, wherever. */
static void running(struct dpk_process *p)
{
    for (uint64_t n = dpk_process_instructions(p); dpk_process_instructions(p) == n;)
        usleep(100);
}

/* Without a wait, in which this thread could run something. */
static void comes(struct dpk_event *e)
{
    while (dpk_event_get(e) == 0)
        usleep(100);
}

static enum dpk_status wait_ms(struct dpk_event *e, struct dpk_process *p, uint32_t ms)
{
    return dpk_event_wait_gt(e, 0, UINT64_MAX, p, ms, NULL);
}

/* ---- Launches ---- */

static void short_kernel_is_over_when_its_launch_returns(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *done = dpk_event_create();
    uint64_t at = buffer(p, 8);
    for (uint64_t i = 1; i <= 10; i++) {
        launch(p, (struct kernel){"store", {at, i}, .complete = done});
        assert_int_equal(dpk_event_get(done), i);
        assert_int_equal(word(p, at), i);
    }
    destroy(p);
    dpk_event_release(done);
}

static void launch_does_not_run_more_than_a_moment(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *done = dpk_event_create();
    uint64_t flag = buffer(p, 8);
    launch(p, (struct kernel){"poll", {flag}, .complete = done});
    assert_true(dpk_process_instructions(p) > 0);
    assert_int_equal(dpk_event_get(done), 0);
    set_word(p, flag, 1);
    let_workers_come();
    comes(done);
    destroy(p);
    dpk_event_release(done);
}

static void only_the_first_thread_of_a_launch_runs_at_once(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *done = dpk_event_create();
    uint64_t at = buffer(p, 8);
    launch(p, (struct kernel){"count", {at, 1}, .threads = 16, .complete = done});
    assert_int_equal(word(p, at), 1);
    launch(p, (struct kernel){.name = "count", .args = {at, 1}}); /* its turn comes after them */
    assert_int_equal(word(p, at), 1);
    let_workers_come();
    comes(done);
    drain(p);
    assert_int_equal(word(p, at), 17);
    destroy(p);
    dpk_event_release(done);
}

/* A launch never fails, and neither does a call directly after it. */
static void fault_of_a_kernel_is_left_to_who_waits(void **state)
{
    (void)state;
    const char *const names[] = {"load", "jump", "end_process", "illegal", "breakpoint"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct dpk_process *p = process_without_workers(NULL);
        struct dpk_event *done = dpk_event_create();
        struct dpk_error err = {0};
        launch(p, (struct kernel){names[i], {8}, .complete = done});
        launch(p, (struct kernel){.name = "nothing", .complete = done});
        assert_int_equal(dpk_process_state(p, NULL), DPK_OK);
        assert_int_equal(dpk_event_wait_gt(done, 0, UINT64_MAX, p, 0, &err), DPK_ERR_FAULT);
        assert_non_null(strstr(err.message, "thread 0: "));
        assert_int_equal(dpk_event_get(done), 0);
        destroy(p);
        dpk_event_release(done);
    }
}

static void worker_comes_for_what_a_launch_leaves(void **state)
{
    (void)state;
    struct dpk_process *p = process_with(&patient);
    uint64_t flag = buffer(p, 8);
    for (unsigned i = 0; i < 200; i++) {
        struct dpk_event *done = dpk_event_create();
        set_word(p, flag, 0);
        launch(p, (struct kernel){"poll", {flag}, .threads = 1 + i % 3, .complete = done});
        set_word(p, flag, 1);
        comes(done);
        dpk_event_release(done);
    }
    dpk_process_destroy(p);
}

/* ---- Waits ---- */

static void who_waits_runs_the_kernel(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *done = dpk_event_create();
    uint64_t at = buffer(p, 8);
    launch(p, (struct kernel){"count", {at, LONG}, .complete = done});
    assert_int_equal(dpk_event_get(done), 0);
    assert_int_equal(wait_ms(done, p, 0), DPK_OK);
    assert_int_equal(word(p, at), LONG);
    launch(p, (struct kernel){"count", {at, LONG}, .threads = 100, .complete = done});
    drain(p);
    assert_int_equal(word(p, at), 101 * LONG);
    destroy(p);
    dpk_event_release(done);
}

static void who_waits_runs_a_chain_and_what_the_links_wake(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *go = dpk_event_create(), *ball = dpk_event_create();
    struct dpk_event *done = dpk_event_create();
    launch(p, (struct kernel){"event_set", {handle(ball, p), 1}, .wait = go, .complete = done});
    launch(p, (struct kernel){
                  "event_wait", {handle(ball, p), 1, ~0ull}, 5, .wait = done, .complete = done});
    launch(p, (struct kernel){"nothing", .threads = 3, .wait = done, .wait_threshold = 1,
                              .complete = done});
    dpk_event_set(go, 1);
    assert_int_equal(dpk_event_wait_gt(done, 0, UINT64_MAX, p, 0, NULL), DPK_OK);
    dpk_event_set(ball, 2);
    assert_int_equal(dpk_event_wait_gt(done, 2, UINT64_MAX, p, 0, NULL), DPK_OK);
    destroy(p);
    dpk_event_release(go);
    dpk_event_release(ball);
    dpk_event_release(done);
}

/* The call blocks for an event that comes from a kernel, which nobody else runs. */
static void who_waits_for_a_call_runs_the_kernel(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *done = dpk_event_create();
    uint64_t at = buffer(p, 8), result = 0;
    launch(p, (struct kernel){"count", {at, LONG}, .complete = done, .complete_count = 7});
    assert_int_equal(try_rpc(p, "event_wait", handle(done, p), 0, ~0ull, &result, NULL), DPK_OK);
    assert_int_equal(result, 7);
    destroy(p);
    dpk_event_release(done);
}

struct waiter {
    struct dpk_process *p;
    struct dpk_event *e;
    enum dpk_status status;
};

static void *wait_for_event(void *arg)
{
    struct waiter *w = arg;
    w->status = wait_ms(w->e, w->p, 0);
    return NULL;
}

static void endless_kernel_does_not_keep_who_waits(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct waiter w = {p, dpk_event_create(), DPK_ERR_FAULT};
    pthread_t thread;
    launch(p, (struct kernel){.name = "spin"});
    assert_int_equal(pthread_create(&thread, NULL, wait_for_event, &w), 0);
    running(p); /* on the thread that waits */
    dpk_event_set(w.e, 1);
    pthread_join(thread, NULL);
    assert_int_equal(w.status, DPK_OK);
    let_workers_come();
    running(p); /* it was handed back */
    destroy(p);
    dpk_event_release(w.e);
}

static void sleeping_worker_comes_for_what_a_wait_leaves(void **state)
{
    (void)state;
    struct dpk_process *p = process_with(&patient);
    struct dpk_event *never = dpk_event_create();
    uint64_t flag = buffer(p, 8);
    for (unsigned i = 0; i < 100; i++) {
        struct dpk_event *done = dpk_event_create();
        set_word(p, flag, 0);
        launch(p, (struct kernel){"poll", {flag}, .complete = done});
        assert_int_equal(wait_ms(never, p, 1), DPK_ERR_TIMEOUT);
        set_word(p, flag, 1);
        comes(done);
        dpk_event_release(done);
    }
    dpk_process_destroy(p);
    dpk_event_release(never);
}

/* The kernel continues after its event, and so does the thread that waited for the event. */
static void wait_ends_with_its_event_not_with_the_kernel(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *ping = dpk_event_create(), *pong = dpk_event_create();
    launch(p, (struct kernel){"reply_ever", {handle(ping, p), handle(pong, p)}, .threads = 3});
    for (uint64_t n = 1; n <= 100; n++) {
        dpk_event_set(ping, n);
        assert_int_equal(dpk_event_wait_gt(pong, n - 1, UINT64_MAX, p, 0, NULL), DPK_OK);
    }
    destroy(p);
    dpk_event_release(ping);
    dpk_event_release(pong);
}

static void wait_with_a_limit_ends_in_time(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *never = dpk_event_create();
    launch(p, (struct kernel){.name = "spin", .threads = 2});
    uint64_t before = dpk_process_instructions(p);
    assert_int_equal(wait_ms(never, p, 20), DPK_ERR_TIMEOUT);
    assert_true(dpk_process_instructions(p) > before);
    assert_int_equal(dpk_process_state(p, NULL), DPK_OK);
    destroy(p);
    dpk_event_release(never);
}

static void run_time_limit_holds_on_the_thread_that_waits(void **state)
{
    (void)state;
    struct dpk_process *p =
        process_without_workers(&(struct dpk_process_options){.run_time_limit_ms = 50});
    struct dpk_event *never = dpk_event_create();
    struct dpk_error err = {0};
    launch(p, (struct kernel){.name = "spin"});
    assert_int_equal(dpk_event_wait_gt(never, 0, UINT64_MAX, p, 0, &err), DPK_ERR_TIMEOUT);
    assert_non_null(strstr(err.message, "run-time limit of 50 ms reached"));
    destroy(p);
    dpk_event_release(never);
}

static void destroy_ends_a_wait_that_runs_a_kernel(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        struct dpk_process *other = process_without_workers(NULL), *p = process_with(&patient);
        struct waiter w = {p, dpk_event_create(), DPK_OK};
        pthread_t thread;
        launch(p, (struct kernel){.name = "spin", .threads = 1 + i % 3});
        assert_int_equal(pthread_create(&thread, NULL, wait_for_event, &w), 0);
        running(p);
        dpk_process_destroy(p);
        pthread_join(thread, NULL);
        assert_int_equal(w.status, DPK_ERR_FAULT);
        destroy(other);
        dpk_event_release(w.e);
    }
}

static int use_in_child(struct dpk_process *p, struct dpk_event *e)
{
    alarm(PATIENCE_MS / 1000);
    if (dpk_process_drain(p, NULL) != DPK_ERR_FAULT)
        return 1;
    if (wait_ms(e, p, 0) != DPK_ERR_FAULT)
        return 2;
    dpk_process_end(p, "by the child");
    return 0;
}

/* Workers may be at any point of their sleep when fork() makes the child. */
static void child_of_a_fork_calls_nobody(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *never = dpk_event_create();
    pthread_cond_t work = sched_workers_called;
    int how = -1;
    launch(p, (struct kernel){.name = "spin"}); /* is in the queue now */
    memset(&sched_workers_called, 0xff, sizeof sched_workers_called);
    pid_t child = fork();
    if (child == 0)
        _exit(use_in_child(p, never));
    sched_workers_called = work;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
    destroy(p);
    dpk_event_release(never);
}

static void process_stands_still_while_it_is_looked_at(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct waiter w = {p, dpk_event_create(), DPK_ERR_FAULT};
    struct dpk_debugger *d = NULL;
    pthread_t thread;
    launch(p, (struct kernel){.name = "spin"});
    assert_int_equal(pthread_create(&thread, NULL, wait_for_event, &w), 0);
    running(p);
    assert_int_equal(dpk_debugger_create(p, &d, NULL), DPK_OK);
    uint64_t still = dpk_process_instructions(p);
    launch(p, (struct kernel){.name = "spin"});
    usleep(5000);
    assert_int_equal(dpk_process_instructions(p), still);
    dpk_debugger_destroy(d);
    let_workers_come();
    running(p);
    dpk_event_set(w.e, 1);
    pthread_join(thread, NULL);
    assert_int_equal(w.status, DPK_OK);
    destroy(p);
    dpk_event_release(w.e);
}

/* ---- What host threads leave to workers ---- */

static void keep_thread(void *context, unsigned stream, unsigned level, unsigned thread_id,
                        const char *text, size_t size)
{
    (void)stream, (void)level, (void)thread_id, (void)text, (void)size;
    *(pthread_t *)context = pthread_self();
}

static void messages_come_from_workers(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *done = dpk_event_create();
    pthread_t by = pthread_self();
    dpk_process_set_sink(p, keep_thread, &by);
    launch(p, (struct kernel){.name = "hello", .complete = done});
    assert_int_equal(wait_ms(done, p, 20), DPK_ERR_TIMEOUT);
    let_workers_come();
    wait_gt(done, 0, p);
    assert_false(pthread_equal(by, pthread_self()));
    destroy(p);
    dpk_event_release(done);
}

static bool find_nothing(void *context, struct dpk_caller *caller, unsigned call,
                         const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    (void)call, (void)reason, (void)size;
    *(uint64_t *)context = args[0] + 1;
    caller->polls = true;
    *result = 0;
    return true;
}

/* A call of a library is for who waits, but not for who launches: it may take long. */
static void polling_is_left_to_workers(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *done = dpk_event_create();
    uint64_t calls = 0;
    dpk_process_set_calls(p, DPA_SYS_FAMILY_DOCA, find_nothing, &calls);
    launch(p, (struct kernel){
                  "library_calls", {DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, 5), 100}, .complete = done});
    assert_int_equal(calls, 0);
    assert_int_equal(wait_ms(done, p, 20), DPK_ERR_TIMEOUT);
    assert_int_equal(calls, 4);
    let_workers_come();
    wait_gt(done, 0, p);
    assert_int_equal(calls, 100);
    destroy(p);
    dpk_event_release(done);
}

static bool count_calls(void *context, struct dpk_caller *caller, unsigned call,
                        const uint64_t args[6], uint64_t *result, char *reason, size_t size)
{
    (void)call, (void)args, (void)reason, (void)size;
    atomic_fetch_add((atomic_uint *)context, 1);
    caller->polls = true;
    *result = 0;
    return true;
}

/* Earlier activations do not count: no host thread waits for this activation. */
static void worker_comes_for_a_thread_that_polled_when_it_was_stopped(void **state)
{
    (void)state;
    setenv("DPAKIT_EUS", "1", 1);
    struct dpk_process *p = process_without_workers(NULL);
    unsetenv("DPAKIT_EUS");
    atomic_uint calls = 0;
    dpk_process_set_calls(p, DPA_SYS_FAMILY_DOCA, count_calls, &calls);
    let_workers_come();
    struct handler h = handler(p, "handle_polling");
    dpk_thread_activate(h.t);
    assert_true(comes_true(atomic_load(&calls) > 100));
    dpk_thread_stop(h.t);
    assert_int_equal(dpk_thread_start(h.t, NULL), DPK_OK);
    assert_int_equal(dpk_thread_run(h.t, NULL, NULL), DPK_OK);
    set_word(p, h.at + 8, 1); /* `go` */
    struct dpk_trigger *notification = trigger(h, DPK_TRIGGER_NOTIFICATION);
    launch(p, (struct kernel){.name = "notify", .args = {dpk_trigger_handle(notification), 1}});
    activated(h, 2); /* on the unit that the kernel gave back */
    dpk_trigger_destroy(notification);
    destroy(p);
}

static void other_processes_are_left_to_workers(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL), *q = process_with(&patient);
    struct dpk_event *never = dpk_event_create();
    launch(q, (struct kernel){.name = "spin"});
    uint64_t before = dpk_process_instructions(q);
    assert_int_equal(wait_ms(never, p, 20), DPK_ERR_TIMEOUT);
    assert_int_equal(wait_ms(never, NULL, 20), DPK_ERR_TIMEOUT);
    assert_int_equal(dpk_process_instructions(q), before);
    dpk_process_destroy(q);
    destroy(p);
    dpk_event_release(never);
}

static void one_worker_does_everything_by_itself(void **state)
{
    (void)state;
    struct dpk_process *p = process_without_workers(NULL);
    struct dpk_event *done = dpk_event_create();
    sched_lock();
    sched_run_configure(1);
    sched_unlock();
    launch(p, (struct kernel){.name = "nothing", .complete = done});
    assert_int_equal(wait_ms(done, p, 20), DPK_ERR_TIMEOUT);
    assert_int_equal(dpk_process_instructions(p), 0);
    let_workers_come();
    wait_gt(done, 0, p);
    destroy(p);
    dpk_event_release(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_kernel_is_over_when_its_launch_returns),
        cmocka_unit_test(launch_does_not_run_more_than_a_moment),
        cmocka_unit_test(only_the_first_thread_of_a_launch_runs_at_once),
        cmocka_unit_test(fault_of_a_kernel_is_left_to_who_waits),
        cmocka_unit_test(worker_comes_for_what_a_launch_leaves),
        cmocka_unit_test(who_waits_runs_the_kernel),
        cmocka_unit_test(who_waits_runs_a_chain_and_what_the_links_wake),
        cmocka_unit_test(who_waits_for_a_call_runs_the_kernel),
        cmocka_unit_test(endless_kernel_does_not_keep_who_waits),
        cmocka_unit_test(sleeping_worker_comes_for_what_a_wait_leaves),
        cmocka_unit_test(wait_ends_with_its_event_not_with_the_kernel),
        cmocka_unit_test(wait_with_a_limit_ends_in_time),
        cmocka_unit_test(run_time_limit_holds_on_the_thread_that_waits),
        cmocka_unit_test(destroy_ends_a_wait_that_runs_a_kernel),
        cmocka_unit_test(child_of_a_fork_calls_nobody),
        cmocka_unit_test(process_stands_still_while_it_is_looked_at),
        cmocka_unit_test(messages_come_from_workers),
        cmocka_unit_test(polling_is_left_to_workers),
        cmocka_unit_test(worker_comes_for_a_thread_that_polled_when_it_was_stopped),
        cmocka_unit_test(other_processes_are_left_to_workers),
        cmocka_unit_test(one_worker_does_everything_by_itself),
    };
    return cmocka_run_group_tests_name("proc hosts", tests, NULL, NULL);
}
