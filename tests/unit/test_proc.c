/* runtime/engine/proc: calls, kernels, scheduling, messages. */
#include "dpa.h"

#include <pthread.h>

#include "guest/abi/dpa_abi.h"

/* ---- Calls ---- */

static void rpc_gets_its_arguments_and_gives_its_result(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    assert_int_equal(rpc(p, "add", 44, 55), 99);
    assert_int_equal(rpc(p, "add", UINT64_MAX, 2), 1);
    assert_int_equal(rpc(p, "nothing", 0, 0), 5);
    dpk_process_destroy(p);
}

static void program_starts_with_its_data_and_zeroed_bss(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    assert_int_equal(rpc(p, "globals", 0, 0), 0 + 42 + 7);
    dpk_process_destroy(p);
}

static void unknown_function_is_not_found(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_call call;
    struct dpk_error err = {0};
    assert_int_equal(dpk_process_function(p, "no_such", &call, &err), DPK_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "program kernels has no entry function no_such; it has "));
    assert_non_null(strstr(err.message, "has about_thread, add, append, "));
    assert_int_equal(dpk_process_function(p, "hallo", &call, &err), DPK_ERR_NOT_FOUND);
    assert_string_equal(err.message,
                        "program kernels has no entry function hallo; did you mean hello?");
    /* recurse() is a function, but none that the host may start. */
    assert_int_equal(dpk_process_function(p, "recurse", &call, &err), DPK_ERR_NOT_FOUND);
    dpk_process_destroy(p);
}

static void arguments_of_the_wrong_size_are_refused(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_call call = function(p, "add");
    uint64_t args[3] = {0};
    assert_int_equal(dpk_process_call(p, &call, args, 8, NULL, NULL), DPK_ERR_RANGE);
    assert_int_equal(dpk_process_call(p, &call, args, 24, NULL, NULL), DPK_ERR_RANGE);
    struct dpk_launch l = {.call = call, .args = args, .args_size = 8, .threads = 1};
    assert_int_equal(dpk_process_launch(p, &l, NULL), DPK_ERR_RANGE);
    dpk_process_destroy(p);
}

static void finish_and_reschedule_end_a_call(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    assert_int_equal(rpc(p, "finish", 0, 0), 0);
    assert_int_equal(rpc(p, "reschedule", 0, 0), 0);
    dpk_process_destroy(p);
}

static void rpc_is_alone_and_has_no_local_storage(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    assert_int_equal(rpc(p, "about_thread", DPA_SYS_THREAD_RANK, 0), 0);
    assert_int_equal(rpc(p, "about_thread", DPA_SYS_NUM_THREADS, 0), 1);
    assert_int_equal(rpc(p, "about_thread", DPA_SYS_LOCAL_STORAGE, 0), 0);
    dpk_process_destroy(p);
}

static void time_passes_on_the_device(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    assert_true(rpc(p, "pass_time", 2000, 0) >= 2000);
    dpk_process_destroy(p);
}

static void instructions_are_counted(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    uint64_t buf = buffer(p, 8);
    rpc(p, "count", buf, 1);
    uint64_t few = dpk_process_instructions(p);
    rpc(p, "count", buf, 100000);
    uint64_t many = dpk_process_instructions(p) - few;
    assert_true(few > 0 && few < 100);
    assert_true(many > 200000 && many < 1000000);
    dpk_process_destroy(p);
}

static void *call_in_thread(void *arg)
{
    struct dpk_process *p = arg;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t result = 0;
        if (try_rpc(p, "add", i, 1000, 0, &result, NULL) != DPK_OK || result != i + 1000)
            wrong++;
    }
    return (void *)(uintptr_t)wrong;
}

static void calls_from_many_host_threads_do_not_mix(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    pthread_t threads[8];
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_in_thread, p), 0);
    for (unsigned i = 0; i < 8; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    dpk_process_destroy(p);
}

/* ---- Kernels ---- */

static void kernel_threads_have_ranks(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    uint64_t out = buffer(p, 256 * 8);
    const unsigned sizes[] = {1, 16, 256};
    for (unsigned s = 0; s < 3; s++) {
        launch(p, (struct kernel){"ranks", {out}, .threads = sizes[s]});
        drain(p);
        for (unsigned i = 0; i < sizes[s]; i++)
            assert_int_equal(word(p, out + i * 8), (uint64_t)i << 32 | sizes[s]);
    }
    dpk_process_destroy(p);
}

static void thread_ids_are_small_and_distinct(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    uint64_t out = buffer(p, 16 * 8);
    bool seen[16] = {false};
    launch(p, (struct kernel){"ids", {out}, .threads = 16});
    drain(p);
    for (unsigned i = 0; i < 16; i++) {
        uint64_t id = word(p, out + i * 8);
        assert_true(id < 16 && !seen[id]);
        seen[id] = true;
    }
    dpk_process_destroy(p);
}

static void atomics_of_many_threads_lose_nothing(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    uint64_t at = buffer(p, 8);
    launch(p, (struct kernel){"count", {at, 20000}, .threads = 64});
    drain(p);
    assert_int_equal(word(p, at), 64 * 20000);
    dpk_process_destroy(p);
}

static void launch_of_no_or_too_many_threads_is_refused(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_launch l = {.call = function(p, "nothing")};
    assert_int_equal(dpk_process_launch(p, &l, NULL), DPK_ERR_RANGE);
    l.threads = DPK_THREADS_MAX + 1;
    assert_int_equal(dpk_process_launch(p, &l, NULL), DPK_ERR_RANGE);
    dpk_process_destroy(p);
}

static void launches_run_in_the_order_of_their_events(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *chain = dpk_event_create();
    uint64_t log = buffer(p, 4096);
    launch(p, (struct kernel){"append", {log, 0}, .complete = chain});
    for (unsigned i = 1; i < 50; i++)
        launch(p, (struct kernel){"append",
                                  {log, i},
                                  .threads = 1 + i % 3,
                                  .wait = chain,
                                  .wait_threshold = i - 1,
                                  .complete = chain});
    drain(p);
    assert_int_equal(dpk_event_get(chain), 50);
    uint64_t n = 0;
    for (uint64_t i = 0; i < 50; i++)
        for (uint64_t k = 0; k < 1 + i % 3; k++)
            assert_int_equal(word(p, log + 8 + 8 * n++), i);
    assert_int_equal(word(p, log), n);
    dpk_event_release(chain);
    dpk_process_destroy(p);
}

/* The first polls for what the second stores, the third waits for nothing. */
static void launches_that_no_event_orders_overlap(const char *workers)
{
    setenv("DPAKIT_WORKERS", workers, 1);
    struct dpk_process *p = process();
    unsetenv("DPAKIT_WORKERS");
    struct dpk_event *first = dpk_event_create(), *never = dpk_event_create();
    uint64_t at = buffer(p, 8);
    launch(p, (struct kernel){"poll", {at}, .threads = 100, .complete = first});
    launch(p, (struct kernel){.name = "nothing", .wait = never, .complete = first});
    launch(p, (struct kernel){"poll_politely", {at}, .threads = 100, .complete = first});
    launch(p, (struct kernel){"store", {at, 1}, .complete = first});
    wait_gt(first, 2, p);
    assert_int_equal(dpk_event_get(first), 3);
    dpk_event_set(never, 1);
    drain(p);
    assert_int_equal(dpk_event_get(first), 4);
    dpk_event_release(never);
    dpk_event_release(first);
    dpk_process_destroy(p);
}

static void launches_overlap(void **state)
{
    (void)state;
    launches_that_no_event_orders_overlap("1");
    launches_that_no_event_orders_overlap("2");
}

/* A launch is not drained because later ones have ended. */
static void drain_waits_for_each_launch(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *go = dpk_event_create();
    uint64_t log = buffer(p, 64);
    launch(p, (struct kernel){"append", {log, 7}, .wait = go});
    for (unsigned i = 0; i < 3; i++)
        launch(p,
               (struct kernel){"event_add", {handle(go, p), 1}, .wait = go, .wait_threshold = i});
    launch(p, (struct kernel){"event_add", {handle(go, p), 1}, .threads = 1});
    drain(p);
    assert_int_equal(word(p, log), 1);
    dpk_event_release(go);
    dpk_process_destroy(p);
}

/* Those that have no units wait for them in the order of their launches. */
static void launches_wait_for_units_in_their_order(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *done = dpk_event_create();
    uint64_t at = buffer(p, 8), log = buffer(p, 64);
    launch(p, (struct kernel){"poll_politely", {at}, .threads = 200, .complete = done});
    for (uint64_t i = 0; i < 2; i++)
        launch(p, (struct kernel){"poll_politely", {at}, .threads = 200, .complete = done});
    launch(p, (struct kernel){"append", {log, 1}, .threads = 1});
    for (uint64_t i = 0; i < 20; i++) /* it has its chance */
        rpc(p, "add", i, 1);
    assert_int_equal(word(p, log), 0);
    rpc(p, "store", at, 1);
    drain(p);
    assert_int_equal(word(p, log), 1);
    dpk_event_release(done);
    dpk_process_destroy(p);
}

static void launch_copies_its_arguments(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *go = dpk_event_create();
    uint64_t at = buffer(p, 8), args[2] = {at, 11};
    struct dpk_launch l = {
        .call = function(p, "store"), .args = args, .args_size = 16, .threads = 1, .wait = go};
    assert_int_equal(dpk_process_launch(p, &l, NULL), DPK_OK);
    args[1] = 12;
    dpk_event_set(go, 1);
    drain(p);
    assert_int_equal(word(p, at), 11);
    dpk_event_release(go);
    dpk_process_destroy(p);
}

static void more_threads_than_there_are_wait_for_free_ones(void **state)
{
    (void)state;
    struct dpk_process *a = process(), *b = process();
    uint64_t flag = buffer(a, 8), at = buffer(b, 8);
    launch(a, (struct kernel){"poll_politely", {flag}, .threads = 200});
    launch(b, (struct kernel){"count", {at, 1}, .threads = 200});
    usleep(20000);
    assert_int_equal(word(b, at), 0);
    assert_int_equal(rpc(b, "add", 1, 2), 3); /* a call still fits */
    set_word(a, flag, 1);
    drain(a);
    drain(b);
    assert_int_equal(word(b, at), 200);
    dpk_process_destroy(a);
    dpk_process_destroy(b);
}

static void busy_threads_starve_nobody(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    uint64_t flag = buffer(p, 8);
    launch(p, (struct kernel){"poll", {flag}, .threads = 200});
    assert_int_equal(rpc(p, "add", 20, 22), 42);
    rpc(p, "store", flag, 1);
    drain(p);
    dpk_process_destroy(p);
}

static void one_worker_repeats_itself_exactly(void **state)
{
    (void)state;
    uint64_t log[2][2 + 200], instructions[2];
    setenv("DPAKIT_WORKERS", "1", 1);
    for (unsigned run = 0; run < 2; run++) {
        struct dpk_process *p = process();
        uint64_t at = buffer(p, sizeof log[0]);
        struct dpk_event *go = dpk_event_create();
        launch(p, (struct kernel){"append", {at, 1}, .threads = 100, .wait = go});
        launch(p, (struct kernel){"ids", {at + 8 * 101}, .threads = 100, .wait = go});
        launch(p, (struct kernel){"count", {at + 8 * 201, 5000}, .threads = 50, .wait = go});
        dpk_event_set(go, 1);
        drain(p);
        assert_int_equal(dpk_copy_out(p, log[run], at, sizeof log[run], NULL), DPK_OK);
        instructions[run] = dpk_process_instructions(p);
        dpk_event_release(go);
        dpk_process_destroy(p);
    }
    unsetenv("DPAKIT_WORKERS");
    assert_memory_equal(log[0], log[1], sizeof log[0]);
    assert_int_equal(instructions[0], instructions[1]);
}

static void number_of_workers_must_be_one(void **state)
{
    (void)state;
    struct dpk_image *image = kernels_image();
    struct dpk_process *p = NULL;
    struct dpk_error err = {0};
    const char *const wrong[] = {"0", "257", "-1", "two", "2x", " 2"};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("DPAKIT_WORKERS", wrong[i], 1);
        assert_int_equal(dpk_process_create(image, NULL, &p, &err), DPK_ERR_USAGE);
        assert_null(p);
        assert_non_null(strstr(err.message, wrong[i]));
    }
    unsetenv("DPAKIT_WORKERS");
    dpk_image_free(image);
}

/* ---- Messages ---- */

struct inbox {
    unsigned count, inside, overlaps, stream, level, thread;
    size_t size;
    char text[4096];
    unsigned next[16]; /* of chatter: what each rank says next */
    unsigned out_of_order;
};

static void keep(void *context, unsigned stream, unsigned level, unsigned thread_id,
                 const char *text, size_t size)
{
    struct inbox *in = context;
    if (__atomic_fetch_add(&in->inside, 1, __ATOMIC_SEQ_CST))
        in->overlaps++;
    in->count++;
    in->stream = stream;
    in->level = level;
    in->thread = thread_id;
    in->size = size;
    memcpy(in->text, text, size < sizeof in->text ? size : sizeof in->text);
    if (size == 4 && text[2] == ':') {
        unsigned rank = (unsigned)(text[0] - '0') * 10 + (unsigned)(text[1] - '0');
        if (rank >= 16 || in->next[rank]++ != (unsigned)(text[3] - '0'))
            in->out_of_order++;
    }
    __atomic_fetch_sub(&in->inside, 1, __ATOMIC_SEQ_CST);
}

static void message_arrives_with_its_text(void **state)
{
    (void)state;
    struct inbox in = {0};
    struct dpk_process *p = process();
    dpk_process_set_sink(p, keep, &in);
    rpc(p, "hello", 0, 0);
    assert_int_equal(in.count, 1);
    assert_int_equal(in.size, 12);
    assert_memory_equal(in.text, "Hello World\n", 12);
    assert_int_equal(in.stream, 0);
    assert_int_equal(in.level, 4);
    assert_int_equal(in.thread, 0);
    dpk_process_destroy(p);
}

static void message_may_be_long_or_empty(void **state)
{
    (void)state;
    struct inbox in = {0};
    struct dpk_process *p = process();
    dpk_process_set_sink(p, keep, &in);
    uint64_t at = buffer(p, 65536);
    dpk_fill(p, at, 'x', 65536, NULL);
    rpc(p, "message", at, 65536);
    assert_int_equal(in.size, 65536);
    assert_int_equal(in.stream, 3);
    assert_int_equal(in.level, 2);
    rpc(p, "message", 0, 0);
    assert_int_equal(in.size, 0);
    assert_int_equal(in.count, 2);
    dpk_process_destroy(p);
}

static void message_steers_no_terminal(void **state)
{
    (void)state;
    static const char text[] = "one\n\t\033[2Jtwo \xe2\x82\xac\x9b";
    struct inbox in = {0};
    struct dpk_process *p = process();
    dpk_process_set_sink(p, keep, &in);
    uint64_t at = buffer(p, 64);
    assert_int_equal(dpk_copy_in(p, at, text, sizeof text, NULL), DPK_OK);
    rpc(p, "message", at, sizeof text - 1);
    assert_int_equal(in.size, sizeof text - 1);
    assert_memory_equal(in.text, "one\n\t?[2Jtwo \xe2\x82\xac?", in.size);
    char own[sizeof text];
    assert_int_equal(dpk_copy_out(p, own, at, sizeof text, NULL), DPK_OK);
    assert_memory_equal(own, text, sizeof text); /* it is the copy that is cleaned */
    dpk_process_destroy(p);
}

static void messages_without_a_sink_are_dropped(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    rpc(p, "hello", 0, 0);
    dpk_process_destroy(p);
}

static void messages_come_one_at_a_time_in_order(void **state)
{
    (void)state;
    struct inbox in = {0};
    struct dpk_process *p = process();
    dpk_process_set_sink(p, keep, &in);
    launch(p, (struct kernel){"chatter", {10}, .threads = 16});
    drain(p);
    assert_int_equal(in.count, 160);
    assert_int_equal(in.overlaps, 0);
    assert_int_equal(in.out_of_order, 0);
    dpk_process_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rpc_gets_its_arguments_and_gives_its_result),
        cmocka_unit_test(program_starts_with_its_data_and_zeroed_bss),
        cmocka_unit_test(unknown_function_is_not_found),
        cmocka_unit_test(arguments_of_the_wrong_size_are_refused),
        cmocka_unit_test(finish_and_reschedule_end_a_call),
        cmocka_unit_test(rpc_is_alone_and_has_no_local_storage),
        cmocka_unit_test(time_passes_on_the_device),
        cmocka_unit_test(instructions_are_counted),
        cmocka_unit_test(calls_from_many_host_threads_do_not_mix),
        cmocka_unit_test(kernel_threads_have_ranks),
        cmocka_unit_test(thread_ids_are_small_and_distinct),
        cmocka_unit_test(atomics_of_many_threads_lose_nothing),
        cmocka_unit_test(launch_of_no_or_too_many_threads_is_refused),
        cmocka_unit_test(launches_run_in_the_order_of_their_events),
        cmocka_unit_test(launches_overlap),
        cmocka_unit_test(drain_waits_for_each_launch),
        cmocka_unit_test(launches_wait_for_units_in_their_order),
        cmocka_unit_test(launch_copies_its_arguments),
        cmocka_unit_test(more_threads_than_there_are_wait_for_free_ones),
        cmocka_unit_test(busy_threads_starve_nobody),
        cmocka_unit_test(one_worker_repeats_itself_exactly),
        cmocka_unit_test(number_of_workers_must_be_one),
        cmocka_unit_test(message_arrives_with_its_text),
        cmocka_unit_test(message_may_be_long_or_empty),
        cmocka_unit_test(message_steers_no_terminal),
        cmocka_unit_test(messages_without_a_sink_are_dropped),
        cmocka_unit_test(messages_come_one_at_a_time_in_order),
    };
    return cmocka_run_group_tests_name("proc", tests, NULL, NULL);
}
