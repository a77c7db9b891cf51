/* runtime/engine/proc: many users share one DPA: calls beside kernels that take every thread,
 * programs that flood the host with messages, host threads that are cancelled, host processes that
 * fork. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "dpa.h"

/* ---- Calls beside kernels ---- */

static void calls_are_answered_while_every_thread_polls(void **state)
{
    (void)state;
    struct dpk_process *a = process(), *b = process();
    uint64_t flag = buffer(a, 8);
    launch(a, (struct kernel){"poll", {flag}, .threads = 256});
    usleep(20000);
    assert_int_equal(rpc(a, "add", 1, 2), 3);
    assert_int_equal(rpc(b, "add", 3, 4), 7);
    rpc(a, "store", flag, 1);
    drain(a);
    dpk_process_destroy(a);
    dpk_process_destroy(b);
}

struct caller {
    struct dpk_process *p;
    atomic_bool stop;
};

static void *call_without_pause(void *arg)
{
    struct caller *c = arg;
    while (!c->stop)
        rpc(c->p, "pass_time", 2000, 0);
    return NULL;
}

static void calls_do_not_keep_large_kernels_waiting(void **state)
{
    (void)state;
    struct caller c = {.p = process()};
    struct dpk_process *p = process();
    struct dpk_event *done = dpk_event_create();
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, call_without_pause, &c);
    usleep(20000);
    launch(p, (struct kernel){"nothing", .threads = 256, .complete = done});
    wait_gt(done, 0, p);
    c.stop = true;
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    dpk_event_release(done);
    dpk_process_destroy(p);
    dpk_process_destroy(c.p);
}

static void *call_once(void *arg)
{
    rpc(arg, "pass_time", 20000, 0);
    return NULL;
}

static void calls_beyond_the_limit_wait_for_others(void **state)
{
    (void)state;
    enum { CALLS = DPK_CALLS_MAX + 20 };
    struct dpk_process *p = process();
    pthread_t threads[CALLS];
    for (int i = 0; i < CALLS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_once, p), 0);
    for (int i = 0; i < CALLS; i++)
        pthread_join(threads[i], NULL);
    dpk_process_destroy(p);
}

/* ---- Messages ---- */

static void slow(void *context, unsigned stream, unsigned level, unsigned thread_id,
                 const char *text, size_t size)
{
    (void)context, (void)stream, (void)level, (void)thread_id, (void)text, (void)size;
    usleep(1000);
}

static void very_slow(void *context, unsigned stream, unsigned level, unsigned thread_id,
                      const char *text, size_t size)
{
    (void)context, (void)stream, (void)level, (void)thread_id, (void)text, (void)size;
    usleep(20000);
}

/* One worker: the call waits its turn after all of them, each of which is a message. If it were as
 * many as a turn has calls, it would take some minutes. */
static void messages_do_not_keep_others_waiting(void **state)
{
    (void)state;
    setenv("DPAKIT_WORKERS", "1", 1);
    struct dpk_process *loud[8], *p = process();
    for (int i = 0; i < 8; i++) {
        loud[i] = process();
        dpk_process_set_sink(loud[i], very_slow, NULL);
        launch(loud[i], (struct kernel){"chatter", {UINT64_MAX}, .threads = 1});
    }
    double begin = seconds(CLOCK_MONOTONIC);
    assert_int_equal(rpc(p, "add", 1, 2), 3);
    assert_true(seconds(CLOCK_MONOTONIC) - begin < PATIENCE_MS / 1000.0);
    for (int i = 0; i < 8; i++)
        dpk_process_destroy(loud[i]);
    dpk_process_destroy(p);
    unsetenv("DPAKIT_WORKERS");
}

/* ---- Destruction ---- */

static void *call_for_ever(void *p)
{
    enum dpk_status status = try_rpc(p, "spin", 0, 0, 0, NULL, NULL);
    return status == DPK_ERR_FAULT ? p : NULL;
}

static void running(struct dpk_process *p)
{
    for (uint64_t n = dpk_process_instructions(p); dpk_process_instructions(p) == n;)
        usleep(100);
}

/* A call on its caller's thread, a message on its way to the host, kernels in every state. */
static void destroy_comes_at_any_moment(void **state)
{
    (void)state;
    struct dpk_event *e = dpk_event_create();
    for (unsigned i = 0; i < 40; i++) {
        struct dpk_process *p = process(), *other = process();
        pthread_t caller;
        void *result = NULL;
        pthread_create(&caller, NULL, call_for_ever, p);
        running(p);
        dpk_process_set_sink(p, slow, NULL);
        launch(p, (struct kernel){"chatter", {UINT64_MAX}, .threads = 3, .complete = e});
        launch(p,
               (struct kernel){"nothing", .threads = 200, .wait = e, .wait_threshold = 1u << 30});
        launch(other,
               (struct kernel){"event_wait", {handle(e, other), 1u << 30, ~0ull}, .threads = 9});
        usleep(i * 50);
        dpk_process_destroy(p);
        pthread_join(caller, &result);
        assert_ptr_equal(result, p);
        assert_int_equal(rpc(other, "add", i, 1), i + 1);
        dpk_process_destroy(other);
    }
    assert_int_equal(dpk_event_get(e), 0);
    dpk_event_release(e);
}

/* ---- Host threads that are cancelled ---- */

static void *wait_for_ever(void *event)
{
    dpk_event_wait_gt(event, 0, UINT64_MAX, NULL, 0, NULL);
    pthread_testcancel();
    return NULL;
}

static void cancelling_a_host_thread_harms_nobody(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *e = dpk_event_create();
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, wait_for_ever, e);
    usleep(20000);
    pthread_cancel(thread);
    usleep(20000);
    assert_int_equal(rpc(p, "add", 1, 2), 3);
    dpk_event_set(e, 1);
    pthread_join(thread, &result);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    dpk_event_release(e);
    dpk_process_destroy(p);
}

/* ---- Fork ---- */

/* What a child may expect: an answer to everything, and no harm to its parent. */
static int use_in_child(struct dpk_process *p, struct dpk_event *e, const struct dpk_call *add)
{
    struct dpk_error err = {0};
    struct dpk_process *fresh = NULL;
    struct dpk_image *image = kernels_image();
    const uint64_t args[2] = {1, 2};
    uint64_t result, at;
    struct dpk_launch l = {.call = *add, .args = args, .args_size = 16, .threads = 1};
    alarm(PATIENCE_MS / 1000);
    if (dpk_process_state(p, &err) != DPK_ERR_FAULT || !strstr(err.message, "fork"))
        return 1;
    if (dpk_process_call(p, add, args, 16, &result, NULL) != DPK_ERR_FAULT ||
        dpk_process_launch(p, &l, NULL) != DPK_ERR_FAULT ||
        dpk_process_drain(p, NULL) != DPK_ERR_FAULT ||
        dpk_heap_alloc(p, 8, &at, NULL) != DPK_ERR_FAULT)
        return 2;
    dpk_event_add(e, 1);
    if (dpk_event_wait_gt(e, 100, UINT64_MAX, p, 0, NULL) != DPK_ERR_FAULT)
        return 3;
    if (dpk_process_create(image, NULL, &fresh, NULL) != DPK_ERR_UNSUPPORTED)
        return 4;
    dpk_process_destroy(p);
    return 0;
}

static void fork_leaves_the_dpa_to_the_parent(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *e = dpk_event_create();
    struct dpk_call add = function(p, "add");
    uint64_t flag = buffer(p, 8);
    launch(p, (struct kernel){"poll", {flag}, .threads = 1});
    launch(p, (struct kernel){"event_wait", {handle(e, p), 5, ~0ull}, .threads = 1});
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(use_in_child(p, e, &add));
        int how = 0;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), 0);
    }
    set_word(p, flag, 1);
    dpk_event_set(e, 6);
    drain(p);
    dpk_event_release(e);
    dpk_process_destroy(p);
}

static void child_of_a_fork_before_first_use_has_a_dpa(void **state)
{
    (void)state;
    dpk_process_destroy(process());
    pid_t child = fork();
    if (child == 0) {
        alarm(PATIENCE_MS / 1000);
        struct dpk_process *p = process();
        launch(p, (struct kernel){"nothing", .threads = 4});
        drain(p);
        int code = rpc(p, "add", 1, 2) == 3 ? 0 : 1;
        dpk_process_destroy(p);
        _exit(code);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

int main(void)
{
#ifdef __SANITIZE_THREAD__ /* it lets no child start threads whose parent had some: the translator's */
    setenv("DPAKIT_JIT", "off", 1);
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_answered_while_every_thread_polls),
        cmocka_unit_test(calls_do_not_keep_large_kernels_waiting),
        cmocka_unit_test(calls_beyond_the_limit_wait_for_others),
        cmocka_unit_test(messages_do_not_keep_others_waiting),
        cmocka_unit_test(destroy_comes_at_any_moment),
        cmocka_unit_test(cancelling_a_host_thread_harms_nobody),
        cmocka_unit_test(fork_leaves_the_dpa_to_the_parent),
        cmocka_unit_test(child_of_a_fork_before_first_use_has_a_dpa),
    };
    return cmocka_run_group_tests_name("proc sharing", tests, NULL, NULL);
}
