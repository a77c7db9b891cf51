/* runtime/engine/proc: failures: faults, bad calls, the run-time limit, destruction at any time. */
#include "dpa.h"

#include <pthread.h>

#include "engine/proc/process.h"

/* ---- Faults ---- */

/* Calls a function that faults. The report starts with `story` and names the function. Then the
 * process is in the error state with the same report. */
static void faults(const char *name, uint64_t a, uint64_t b, const char *story, const char *where)
{
    struct dpk_process *p = process();
    struct dpk_error err = {0}, again = {0};
    uint64_t result = 1;
    buffer(p, 4096); /* at the start of the heap */
    assert_int_equal(try_rpc(p, name, a, b, 0, &result, &err), DPK_ERR_FAULT);
    if (strncmp(err.message, story, strlen(story)) != 0 || !strstr(err.message, where))
        fail_msg("%s: %s", name, err.message);
    assert_int_equal(result, 0);
    assert_int_equal(dpk_process_state(p, &again), DPK_ERR_FAULT);
    assert_string_equal(again.message, err.message);
    assert_int_equal(try_rpc(p, "add", 1, 2, 0, NULL, NULL), DPK_ERR_FAULT);
    dpk_process_destroy(p);
}

/* ---- Reports of a fault ---- */

static struct {
    _Atomic unsigned lines;
    char text[1024];
} told;

static void tell(const char *text)
{
    snprintf(told.text, sizeof told.text, "%s", text);
    told.lines++;
}

static struct dpk_process *telling(uint32_t limit_ms)
{
    told.lines = 0;
    return process_with(
        &(struct dpk_process_options){.run_time_limit_ms = limit_ms, .failed = tell});
}

static void fault_that_no_call_returns_is_told_once(void **state)
{
    (void)state;
    struct dpk_process *p = telling(PATIENCE_MS);
    launch(p, (struct kernel){.name = "load", .args = {8}, .threads = 64});
    assert_true(comes_true(told.lines > 0));
    assert_non_null(strstr(told.text, "program kernels: thread "));
    assert_non_null(strstr(told.text, ": load access fault at address 0x8, pc 0x"));
    assert_int_equal(try_rpc(p, "add", 1, 2, 0, NULL, NULL), DPK_ERR_FAULT);
    dpk_process_destroy(p);
    assert_int_equal(told.lines, 1);
    p = telling(20);
    launch(p, (struct kernel){.name = "spin"});
    assert_true(comes_true(told.lines > 0));
    assert_non_null(strstr(told.text, ": run-time limit of 20 ms reached"));
    dpk_process_destroy(p);
    assert_int_equal(told.lines, 1);
}

static void fault_just_before_the_end_is_told_too(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        struct dpk_process *p = telling(PATIENCE_MS);
        launch(p, (struct kernel){.name = "load", .args = {8}});
        while (dpk_process_state(p, NULL) == DPK_OK)
            ;
        dpk_process_destroy(p);
        assert_int_equal(told.lines, 1);
    }
}

static void what_the_caller_learns_or_wants_is_not_told(void **state)
{
    (void)state;
    struct dpk_process *p = telling(PATIENCE_MS);
    assert_int_equal(try_rpc(p, "load", 8, 0, 0, NULL, NULL), DPK_ERR_FAULT);
    dpk_process_destroy(p);
    assert_int_equal(told.lines, 0);
    p = telling(PATIENCE_MS);
    launch(p, (struct kernel){.name = "end_process"});
    while (dpk_process_state(p, NULL) == DPK_OK)
        ;
    dpk_process_destroy(p);
    assert_int_equal(told.lines, 0);
    dpk_process_destroy(telling(PATIENCE_MS));
    assert_int_equal(told.lines, 0);
}

/* ---- Faults ---- */

static void bad_memory_accesses_fault(void **state)
{
    (void)state;
    faults("store", 0, 1, "thread 0: store access fault at address 0x0, pc 0x", " (store+0x");
    faults("load", 8, 0, "thread 0: load access fault at address 0x8, pc 0x", " (load+0x");
    faults("load", 0x3ffffff8, 0, "thread 0: load access fault at address 0x3ffffff8,", "(load+");
    faults("load", 0x80001000, 0, "thread 0: load access fault at address 0x80001000,", "(load+");
    faults("load", UINT64_MAX - 7, 0, "thread 0: load access fault at address 0xfffffffffffffff8",
           "(load+");
    faults("load", 1ull << 32, 0, "thread 0: load access fault at address 0x100000000", "(load+");
}

static void an_address_of_the_host_is_told_to_be_one(void **state)
{
    char wanted[120];
    (void)state;
    snprintf(wanted, sizeof wanted,
             "thread 0: load access fault at address 0x%llx (this is a host address: copy",
             (unsigned long long)(uintptr_t)&state);
    faults("load", (uint64_t)(uintptr_t)&state, 0, wanted, "(load+");
    faults("store", 0x555555550008, 1,
           "thread 0: store access fault at address 0x555555550008 (this looks", "(store+");
    faults("load", 0x123456789abc, 0, "thread 0: load access fault at address 0x123456789abc",
           "(load+");
}

static void misaligned_accesses_fault_if_that_is_wanted(void **state)
{
    (void)state;
    setenv("DPAKIT_STRICT", "align", 1);
    faults("load", 0x80000001, 0, "thread 0: misaligned load", "0x80000001, pc 0x");
    faults("store", 0x80000004, 1, "thread 0: misaligned store", "0x80000004, pc 0x");
    unsetenv("DPAKIT_STRICT");
}

static void misaligned_accesses_are_carried_out_and_counted(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    uint64_t at = buffer(p, 16);
    struct dpk_thread_info info[2];
    for (unsigned by = 0; by < 8; by++) {
        rpc(p, "store", at + by, 0x1122334455667788);
        assert_int_equal(rpc(p, "load", at + by, 0), 0x1122334455667788);
    }
    assert_int_equal(dpk_process_threads(p, info, 2), 1);
    assert_int_equal(info[0].misaligned, 14);
    faults("load", 0x80000ffd, 0, "thread 0: load access fault", "0x80001000, pc 0x");
    dpk_process_destroy(p);
}

static void strictness_must_be_known(void **state)
{
    (void)state;
    static const char *const wrong[] = {"none", "Align", "align,memor", "1"};
    struct dpk_image *image = kernels_image();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct dpk_process *p;
        struct dpk_error err = {0};
        setenv("DPAKIT_STRICT", wrong[i], 1);
        assert_int_equal(dpk_process_create(image, NULL, &p, &err), DPK_ERR_USAGE);
        assert_null(p);
        assert_non_null(strstr(err.message, "it may be align"));
    }
    setenv("DPAKIT_STRICT", "", 1);
    dpk_process_destroy(process());
    unsetenv("DPAKIT_STRICT");
    dpk_image_free(image);
}

static void code_is_not_writable(void **state)
{
    (void)state;
    faults("write_code", 0, 0, "thread 0: store access fault at address 0x1", "(write_code+0x");
}

static void data_is_not_executable(void **state)
{
    (void)state;
    faults("jump", 0x80000000, 0, "thread 0: ", "0x80000000");
    faults("jump", 0, 0, "thread 0: ", "pc 0x0");
}

static void wild_jumps_name_who_jumped(void **state)
{
    (void)state;
    faults(
        "jump", 0x80000000, 0,
        "thread 0: instruction access fault at address 0x80000000, pc 0x80000000, called from 0x",
        " (jump+0x");
    faults("jump", 0, 0, "thread 0: instruction access fault at address 0x0, pc 0x0, called from",
           ", tests/data/kernels.c:");
    faults("return_to", 0x80000000, 0, "thread 0: instruction access fault at address 0x80000000,",
           " pc 0x80000000, which ra holds: a function returned there");
}

static void bad_instructions_fault(void **state)
{
    (void)state;
    faults("illegal", 0, 0,
           "thread 0: illegal instruction 0xffffffff "
           "(instruction 0xffffffff is not a public instruction of nv-dpa-generic), pc 0x",
           "(illegal+0x");
    faults("breakpoint", 0, 0, "thread 0: breakpoint, pc 0x", "(breakpoint+0x");
}

static void stack_has_room_and_ends_in_a_guard(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    rpc(p, "deep", 100, 0);
    dpk_process_destroy(p);
    faults("deep", 1000, 0,
           "thread 0: stack overflow (65536 bytes): store access fault at address 0x4000",
           "(recurse+0x");
    /* The address is in the guard page, but the stack has room: this is not an overflow. */
    faults("store", 0x40000ff8, 1, "thread 0: store access fault at address 0x40000ff8", "(store+");
    /* A frame that is larger than the guard page. */
    faults("large_frame", 0, 0,
           "thread 0: stack overflow (65536 bytes): store access fault at address 0x3fff",
           "(large_frame+0x");
}

static void bad_calls_fault(void **state)
{
    (void)state;
    faults("bad_call", 0, 0,
           "thread 0: unknown call 0x0 (call 0x0 is not a public call of nv-dpa-generic), pc 0x",
           "(bad_call+0x");
    faults("bad_call", 12345, 0,
           "thread 0: unknown call 0x3039 (call 0x3039 is not a public call of ", "(bad_call+0x");
    faults("event_get", 0, 0, "thread 0: bad event handle 0x0, pc 0x", "(event_get+0x");
    faults("event_add", 1, 1, "thread 0: bad event handle 0x1, pc 0x", "(event_add+0x");
    faults("event_set", UINT64_MAX, 1, "thread 0: bad event handle 0xffffffffffffffff", "(event_");
    faults("event_wait", 77, 1, "thread 0: bad event handle 0x4d, pc 0x", "(event_wait+0x");
    faults("message", 0, 5, "thread 0: message at bad address 0x0, pc 0x", "(message+0x");
    faults("message", 0x80000000, 65537, "thread 0: message too long", "(message+0x");
    faults("message", 0x80000ff0, 17, "thread 0: message at bad address 0x80000ff0,", "(message+");
}

static void fault_names_its_thread(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_error err = {0};
    uint64_t flag = buffer(p, 8);
    launch(p, (struct kernel){"poll_politely", {flag}, .threads = 3});
    assert_int_equal(try_rpc(p, "store", 0, 1, 0, NULL, &err), DPK_ERR_FAULT);
    assert_memory_equal(err.message, "thread 3: store access fault", 28);
    dpk_process_destroy(p);
}

static void unpack_that_is_no_code_faults(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_call call = {.function = 4, .unpack = 0x80000000, .argument_size = 0};
    assert_int_equal(dpk_process_call(p, &call, NULL, 0, NULL, NULL), DPK_ERR_FAULT);
    dpk_process_destroy(p);
}

/* ---- Every waiter gets the failure ---- */

static void fault_in_a_kernel_ends_every_wait(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_event *never = dpk_event_create(), *done = dpk_event_create();
    struct dpk_error err = {0};
    launch(p, (struct kernel){"event_wait", {handle(never, p), 0, ~0ull}, 5, .complete = done});
    launch(p, (struct kernel){"nothing", .wait = never, .complete = done});
    struct dpk_process *other = process();
    assert_int_equal(try_rpc(p, "store", 0, 0, 0, NULL, NULL), DPK_ERR_FAULT);
    assert_int_equal(dpk_event_wait_gt(done, 0, UINT64_MAX, p, PATIENCE_MS, &err), DPK_ERR_FAULT);
    assert_non_null(strstr(err.message, "store access fault"));
    assert_int_equal(dpk_process_drain(p, &err), DPK_ERR_FAULT);
    assert_int_equal(try_launch(p, (struct kernel){.name = "nothing"}, &err), DPK_ERR_FAULT);
    assert_int_equal(dpk_event_get(done), 0);
    assert_int_equal(rpc(other, "add", 3, 4), 7); /* other processes continue */
    dpk_process_destroy(other);
    dpk_process_destroy(p);
    dpk_event_release(never);
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
    w->status = dpk_event_wait_gt(w->e, 0, UINT64_MAX, w->p, PATIENCE_MS, NULL);
    return NULL;
}

static void *wait_in_call(void *arg)
{
    struct waiter *w = arg;
    struct dpk_call call = function(w->p, "event_wait");
    uint64_t args[3] = {handle(w->e, w->p), 0, UINT64_MAX};
    w->status = dpk_process_call(w->p, &call, args, sizeof args, NULL, NULL);
    return NULL;
}

static void *wait_for_kernels(void *arg)
{
    struct waiter *w = arg;
    w->status = dpk_process_drain(w->p, NULL);
    return NULL;
}

static unsigned waiting_hosts(const struct dpk_process *p)
{
    unsigned count = 0;
    sched_lock();
    for (const struct list *n = p->group.waiters.next; n != &p->group.waiters; n = n->next)
        count++;
    sched_unlock();
    return count;
}

/* Starts a host thread in each kind of wait. After `end`, all of them return DPK_ERR_FAULT. */
static void all_waits_end(void (*end)(struct dpk_process *p))
{
    struct dpk_process *p = process();
    struct dpk_event *never = dpk_event_create();
    void *(*const kinds[])(void *) = {wait_for_event, wait_in_call, wait_for_kernels};
    struct waiter waiters[3];
    pthread_t threads[3];
    launch(p, (struct kernel){"event_wait", {handle(never, p), 0, ~0ull}, .threads = 2});
    for (unsigned i = 0; i < 3; i++) {
        waiters[i] = (struct waiter){p, never, DPK_OK};
        assert_int_equal(pthread_create(&threads[i], NULL, kinds[i], &waiters[i]), 0);
    }
    assert_true(comes_true(waiting_hosts(p) == 3));
    end(p);
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(waiters[i].status, DPK_ERR_FAULT);
    }
    if (end != dpk_process_destroy)
        dpk_process_destroy(p);
    dpk_event_release(never);
}

static void fault(struct dpk_process *p)
{
    assert_int_equal(try_rpc(p, "illegal", 0, 0, 0, NULL, NULL), DPK_ERR_FAULT);
}

static void fault_wakes_host_threads(void **state)
{
    (void)state;
    all_waits_end(fault);
}

static void destroy_wakes_host_threads(void **state)
{
    (void)state;
    all_waits_end(dpk_process_destroy);
}

/* ---- Destruction ---- */

static void destroy_ends_running_threads(void **state)
{
    (void)state;
    struct dpk_event *never = dpk_event_create();
    for (unsigned i = 0; i < 20; i++) {
        struct dpk_process *p = process();
        launch(p, (struct kernel){"spin", .threads = 10, .complete = never});
        launch(p, (struct kernel){"nothing", .wait = never, .complete = never});
        usleep(i * 100);
        dpk_process_destroy(p);
    }
    assert_int_equal(dpk_event_get(never), 0);
    dpk_event_release(never);
}

static void destroy_ends_what_never_started(void **state)
{
    (void)state;
    struct dpk_event *never = dpk_event_create();
    struct dpk_process *a = process(), *b = process();
    launch(a, (struct kernel){"event_wait", {handle(never, a), 0, ~0ull}, .threads = 256});
    launch(b, (struct kernel){"nothing", .threads = 256}); /* all threads are in use */
    launch(b, (struct kernel){"nothing", .wait = never});
    dpk_process_destroy(b);
    dpk_process_destroy(a);
    dpk_event_add(never, 1); /* no thread waits any more */
    dpk_event_release(never);
}

static void destroy_of_nothing_is_fine(void **state)
{
    (void)state;
    dpk_process_destroy(NULL);
    dpk_process_destroy(process());
}

static void thousand_processes_come_and_go(void **state)
{
    (void)state;
    struct dpk_image *image = kernels_image();
    for (unsigned i = 0; i < 1000; i++) {
        struct dpk_process *p = NULL;
        assert_int_equal(dpk_process_create(image, NULL, &p, NULL), DPK_OK);
        assert_int_equal(rpc(p, "add", i, 1), i + 1);
        if (i % 10 == 0)
            launch(p, (struct kernel){"nothing", .threads = 4});
        dpk_process_destroy(p);
    }
    dpk_image_free(image);
}

static void many_processes_live_side_by_side(void **state)
{
    (void)state;
    struct dpk_process *all[32];
    for (unsigned i = 0; i < 32; i++)
        all[i] = process();
    for (unsigned i = 0; i < 32; i++)
        set_word(all[i], buffer(all[i], 8), i);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(rpc(all[i], "load", 0x80000000, 0), i);
    for (unsigned i = 0; i < 32; i++)
        dpk_process_destroy(all[i]);
}

static void *live_and_die(void *image)
{
    for (unsigned i = 0; i < 50; i++) {
        struct dpk_process *p = NULL;
        if (dpk_process_create(image, NULL, &p, NULL) != DPK_OK || rpc(p, "add", i, 1) != i + 1)
            return image;
        launch(p, (struct kernel){.name = "nothing", .threads = 3});
        if (i % 2)
            drain(p);
        dpk_process_destroy(p);
    }
    return NULL;
}

static void processes_come_and_go_from_many_host_threads(void **state)
{
    (void)state;
    struct dpk_image *image = kernels_image();
    pthread_t threads[6];
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, live_and_die, image), 0);
    for (unsigned i = 0; i < 6; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    dpk_image_free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fault_that_no_call_returns_is_told_once),
        cmocka_unit_test(fault_just_before_the_end_is_told_too),
        cmocka_unit_test(what_the_caller_learns_or_wants_is_not_told),
        cmocka_unit_test(bad_memory_accesses_fault),
        cmocka_unit_test(an_address_of_the_host_is_told_to_be_one),
        cmocka_unit_test(misaligned_accesses_fault_if_that_is_wanted),
        cmocka_unit_test(misaligned_accesses_are_carried_out_and_counted),
        cmocka_unit_test(strictness_must_be_known),
        cmocka_unit_test(code_is_not_writable),
        cmocka_unit_test(data_is_not_executable),
        cmocka_unit_test(wild_jumps_name_who_jumped),
        cmocka_unit_test(bad_instructions_fault),
        cmocka_unit_test(stack_has_room_and_ends_in_a_guard),
        cmocka_unit_test(bad_calls_fault),
        cmocka_unit_test(fault_names_its_thread),
        cmocka_unit_test(unpack_that_is_no_code_faults),
        cmocka_unit_test(fault_in_a_kernel_ends_every_wait),
        cmocka_unit_test(fault_wakes_host_threads),
        cmocka_unit_test(destroy_wakes_host_threads),
        cmocka_unit_test(destroy_ends_running_threads),
        cmocka_unit_test(destroy_ends_what_never_started),
        cmocka_unit_test(destroy_of_nothing_is_fine),
        cmocka_unit_test(thousand_processes_come_and_go),
        cmocka_unit_test(many_processes_live_side_by_side),
        cmocka_unit_test(processes_come_and_go_from_many_host_threads),
    };
    return cmocka_run_group_tests_name("proc faults", tests, NULL, NULL);
}
