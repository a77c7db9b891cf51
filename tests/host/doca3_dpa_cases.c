/* DPA contexts: states, memory, kernels, errors. */
#include <pthread.h>

#include "doca3_world.h"

/* ---- States ---- */

static void a_context_starts_with_a_program_only(void)
{
    struct doca_dpa *dpa = NULL;
    struct doca_dpa_app *app = NULL;
    CHECK(doca_dpa_create(dev, &dpa) == OK);
    CHECK(doca_dpa_start(dpa) == DOCA_ERROR_BAD_CONFIG && doca_dpa_stop(dpa) == BAD_STATE);
    CHECK(doca_dpa_set_app(dpa, (struct doca_dpa_app *)(void *)&dpa) == INVALID);
    CHECK(doca_dpa_set_app(dpa, NULL) == INVALID);
    CHECK(doca_dpa_set_app(dpa, dpa_test_app) == OK && doca_dpa_start(dpa) == OK);
    CHECK(doca_dpa_get_app(dpa, &app) == OK && app == dpa_test_app);
    CHECK(doca_dpa_start(dpa) == BAD_STATE && doca_dpa_set_app(dpa, dpa_test_app) == BAD_STATE);
    CHECK(doca_dpa_stop(dpa) == OK && doca_dpa_stop(dpa) == BAD_STATE);
    CHECK(doca_dpa_destroy(dpa) == OK && doca_dpa_destroy(dpa) == INVALID);
}

static void a_stopped_context_starts_afresh(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_dpa_thread *t = NULL;
    doca_dpa_dev_uintptr_t p = 0;
    uint64_t result = 0;
    CHECK(doca_dpa_mem_alloc(dpa, 64, &p) == OK);
    CHECK(doca_dpa_thread_create(dpa, &t) == OK);
    CHECK(doca_dpa_thread_set_func_arg(t, &thread_kernel, p) == OK &&
          doca_dpa_thread_start(t) == OK);
    CHECK(doca_dpa_stop(dpa) == OK);
    CHECK(doca_dpa_mem_alloc(dpa, 64, &p) == BAD_STATE && doca_dpa_mem_free(dpa, p) == BAD_STATE);
    CHECK(doca_dpa_rpc(dpa, &no_arguments, &result) == BAD_STATE);
    CHECK(doca_dpa_peek_at_last_error(dpa) == BAD_STATE);
    CHECK(doca_dpa_thread_run(t) == BAD_STATE && doca_dpa_thread_stop(t) == BAD_STATE);
    CHECK(doca_dpa_start(dpa) == OK);
    CHECK(doca_dpa_thread_run(t) == BAD_STATE); /* of the earlier run */
    CHECK(doca_dpa_rpc(dpa, &no_arguments, &result) == OK && result == 42);
    CHECK(doca_dpa_thread_destroy(t) == OK && doca_dpa_destroy(dpa) == OK);
}

static void an_extended_context_shares_the_process(void)
{
    struct doca_dpa *dpa = dpa_new(), *extended = NULL, *more = NULL;
    doca_dpa_dev_t one = 0, two = 0;
    doca_dpa_dev_uintptr_t p = 0;
    uint64_t result = 0, word = 7, back = 0;
    CHECK(doca_dpa_device_extend(dpa, other_dev, &extended) == OK);
    CHECK(doca_dev_close(other_dev) == IN_USE);
    CHECK(doca_dpa_device_extend(extended, other_dev, &more) == BAD_STATE && !more);
    CHECK(doca_dpa_get_dpa_handle(dpa, &one) == OK &&
          doca_dpa_get_dpa_handle(extended, &two) == OK);
    CHECK(one != 0 && two != 0 && one != two);
    CHECK(doca_dpa_rpc(dpa, &set_device, &result, two) == OK && result == 1);
    CHECK(doca_dpa_mem_alloc(extended, 8, &p) == OK);
    CHECK(doca_dpa_h2d_memcpy(dpa, p, &word, 8) == OK);
    CHECK(doca_dpa_d2h_memcpy(extended, &back, p, 8) == OK && back == 7);
    CHECK(doca_dpa_stop(extended) == BAD_STATE && doca_dpa_start(extended) == BAD_STATE);
    CHECK(doca_dpa_destroy(dpa) == OK); /* first: the other one is stopped with it */
    CHECK(doca_dpa_get_dpa_handle(extended, &two) == BAD_STATE);
    CHECK(doca_dpa_destroy(extended) == OK);
    dpa = dpa_new();
    CHECK(doca_dpa_rpc(dpa, &set_device, &result, UINT64_C(2)) == BAD_STATE); /* not a handle */
    CHECK(doca_dpa_destroy(dpa) == OK);
}

/* ---- Memory and calls ---- */

static void memory_goes_there_and_back(void)
{
    struct doca_dpa *dpa = dpa_new(), *other = dpa_new();
    doca_dpa_dev_uintptr_t p = 0, q = 0;
    uint8_t bytes[100], back[100];
    memset(bytes, 3, sizeof bytes);
    CHECK(doca_dpa_mem_alloc(dpa, sizeof bytes, &p) == OK && p % 64 == 0);
    CHECK(doca_dpa_memset(dpa, p, 9, sizeof bytes) == OK);
    CHECK(doca_dpa_h2d_memcpy(dpa, p, bytes, 50) == OK);
    CHECK(doca_dpa_d2h_memcpy(dpa, back, p, sizeof back) == OK);
    CHECK(back[0] == 3 && back[49] == 3 && back[50] == 9 && back[99] == 9);
    CHECK(doca_dpa_d2h_memcpy(dpa, back, 16, 8) == INVALID);
    CHECK(doca_dpa_d2h_memcpy(dpa, NULL, p, 8) == INVALID);
    CHECK(doca_dpa_mem_alloc(dpa, 0, &q) == INVALID && q == 0);
    CHECK(doca_dpa_mem_free(dpa, p + 8) == INVALID && doca_dpa_mem_free(other, p) == INVALID);
    CHECK(doca_dpa_mem_free(dpa, p) == OK && doca_dpa_mem_free(dpa, p) == INVALID);
    CHECK(doca_dpa_mem_alloc(dpa, (size_t)256 << 20, &p) == OK); /* a quarter of a gibibyte */
    CHECK(doca_dpa_memset(dpa, p + ((size_t)256 << 20) - 8, 1, 8) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK && doca_dpa_destroy(other) == OK);
}

static void calls_check_their_arguments(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *e = event_new(dpa, DPA, CPU), *gone = event_new(dpa, DPA, CPU);
    uint64_t result = 5;
    unsigned threads = 0;
    unsigned long long seconds = 0;
    CHECK(doca_sync_event_destroy(gone) == OK);
    CHECK(doca_dpa_get_max_threads_per_kernel(dpa, &threads) == OK && threads == 256);
    CHECK(doca_dpa_get_kernel_max_run_time(dpa, &seconds) == OK && seconds == 6);
    CHECK(doca_dpa_rpc(dpa, NULL, &result) == INVALID);
    CHECK(doca_dpa_rpc(dpa, &no_arguments, NULL) == INVALID);
    CHECK(doca_dpa_rpc((void *)e, &no_arguments, &result) == INVALID && result == 5);
    CHECK(doca_dpa_rpc(dpa, (doca_dpa_func_t *)calls_check_their_arguments, &result) == INVALID);
#define LAUNCH(d, wait, threshold, done, n, f)                                                     \
    doca_dpa_kernel_launch_update_set(d, wait, threshold, done, 1, n, f)
    CHECK(LAUNCH(dpa, NULL, 0, e, 0, &hello_world) == INVALID);
    CHECK(LAUNCH(dpa, NULL, 0, e, threads + 1, &hello_world) == INVALID);
    CHECK(LAUNCH(dpa, e, 255, e, 1, &hello_world) == INVALID);
    CHECK(LAUNCH(dpa, gone, 0, e, 1, &hello_world) == INVALID);
    CHECK(LAUNCH(dpa, NULL, 0, gone, 1, &hello_world) == INVALID);
    CHECK(LAUNCH(dpa, NULL, 0, (void *)dpa, 1, &hello_world) == INVALID);
    CHECK(LAUNCH(dpa, NULL, 0, e, 1, NULL) == INVALID &&
          LAUNCH(NULL, NULL, 0, e, 1, spin) == INVALID);
    CHECK(doca_sync_event_stop(e) == OK);
    CHECK(LAUNCH(dpa, NULL, 0, e, 1, &hello_world) == BAD_STATE);
    CHECK(doca_dpa_peek_at_last_error(dpa) == OK && doca_sync_event_destroy(e) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

/* ---- Kernels ---- */

static void adds_of_256_threads_all_count(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *sum = event_new(dpa, DPA, CPU), *done = event_new(dpa, DPA, CPU);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 256, &add_to_event,
                                            handle_of(sum, dpa), UINT64_C(3)) == OK);
    wait_above(done, 0);
    CHECK(value_of(sum) == 768);
    CHECK(doca_sync_event_destroy(sum) == OK && doca_sync_event_destroy(done) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void kernels_wait_for_events_in_their_order(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *chain = event_new(dpa, DPA, DPA), *order = event_new(dpa, DPA, CPU);
    struct doca_sync_event *go = event_new(dpa, CPU, DPA);
    CHECK(doca_dpa_kernel_launch_update_add(dpa, go, 4, chain, 1, 1, &append_digit,
                                            handle_of(order, dpa), UINT64_C(1)) == OK);
    for (uint64_t i = 2; i <= 5; i++)
        CHECK(doca_dpa_kernel_launch_update_add(dpa, chain, i - 2, chain, 1, 1, &append_digit,
                                                handle_of(order, dpa), i) == OK);
    CHECK(doca_sync_event_update_set(go, 4) == OK); /* not greater */
    pause_ms(10);
    CHECK(value_of(order) == 0);
    CHECK(doca_sync_event_update_set(go, 5) == OK);
    wait_above(chain, 4);
    CHECK(value_of(order) == 12345 && value_of(chain) == 5);
    CHECK(doca_sync_event_destroy(go) == OK && doca_sync_event_destroy(chain) == OK);
    CHECK(doca_sync_event_destroy(order) == OK && doca_dpa_destroy(dpa) == OK);
}

/* The first waits for the second, and no event orders them. */
static void kernels_of_a_context_overlap(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *told = event_new(dpa, DPA, DPA), *done = event_new(dpa, DPA, CPU);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 1, &wait_then_add,
                                            handle_of(told, dpa), UINT64_C(0),
                                            handle_of(done, dpa)) == OK);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, told, 1, 1, &hello_world) == OK);
    wait_above(done, 0);
    CHECK(doca_sync_event_destroy(told) == OK && doca_sync_event_destroy(done) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void contexts_wait_for_each_other(void)
{
    struct doca_dpa *a = dpa_new(), *b = dpa_new();
    struct doca_sync_event *ab = event_new(a, DPA, DPA), *done = event_new(b, DPA, CPU);
    CHECK(doca_dpa_kernel_launch_update_set(b, NULL, 0, NULL, 0, 1, &wait_then_add,
                                            handle_of(ab, b), UINT64_C(0),
                                            handle_of(done, b)) == OK);
    CHECK(doca_dpa_kernel_launch_update_set(a, NULL, 0, ab, 1, 1, &hello_world) == OK);
    wait_above(done, 0);
    CHECK(doca_sync_event_destroy(ab) == OK && doca_sync_event_destroy(done) == OK);
    CHECK(doca_dpa_destroy(a) == OK && doca_dpa_destroy(b) == OK);
}

/* As an example of the 2.2 guide has it: 1 is not greater than 1. Standard input ends the wait. */
static void a_launch_that_waits_in_vain_is_told(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *go = event_new(dpa, CPU, DPA), *done = event_new(dpa, DPA, CPU);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, go, 1, done, 1, 1, &hello_world) == OK);
    CHECK(doca_sync_event_update_set(go, 1) == OK);
    printf("event %p\n", (void *)go);
    fflush(stdout);
    CHECK(getchar() == EOF);
    CHECK(doca_sync_event_update_set(go, 2) == OK);
    wait_above(done, 0);
    CHECK(doca_sync_event_destroy(go) == OK && doca_sync_event_destroy(done) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

/* ---- Errors ---- */

static void a_fault_fails_the_wait_for_its_kernel(void)
{
    struct doca_dpa *dpa = dpa_new(), *other = dpa_new();
    struct doca_sync_event *done = event_new(dpa, DPA, CPU);
    doca_dpa_dev_uintptr_t p = 0;
    uint64_t result = 0;
    CHECK(doca_dpa_mem_alloc(dpa, 8, &p) == OK);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 1, &touch, UINT64_C(8)) == OK);
    CHECK(doca_sync_event_wait_gt(done, 0, UINT64_MAX) == BAD_STATE);
    CHECK(doca_dpa_peek_at_last_error(dpa) == BAD_STATE && value_of(done) == 0);
    CHECK(doca_dpa_rpc(dpa, &no_arguments, &result) == BAD_STATE);
    CHECK(doca_dpa_d2h_memcpy(dpa, &result, p, 8) == OK && doca_dpa_mem_free(dpa, p) == OK);
    CHECK(doca_dpa_rpc(other, &no_arguments, &result) == OK && result == 42);
    CHECK(doca_dpa_rpc(other, &fault_rpc, &result) == BAD_STATE && result == 42);
    CHECK(doca_sync_event_destroy(done) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK && doca_dpa_destroy(other) == OK);
}

static void *stop_soon(void *dpa)
{
    pause_ms(20);
    CHECK(doca_dpa_stop(dpa) == OK);
    return NULL;
}

static void stop_ends_whoever_waits(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *done = event_new(dpa, DPA, CPU);
    uint64_t result = 0;
    pthread_t stopper;
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 2, &spin) == OK);
    CHECK(pthread_create(&stopper, NULL, stop_soon, dpa) == 0);
    CHECK(doca_sync_event_wait_gt(done, 0, UINT64_MAX) == BAD_STATE);
    pthread_join(stopper, NULL);
    CHECK(doca_dpa_start(dpa) == OK);
    CHECK(pthread_create(&stopper, NULL, stop_soon, dpa) == 0);
    CHECK(doca_dpa_rpc(dpa, &spin, &result) == BAD_STATE);
    pthread_join(stopper, NULL);
    CHECK(doca_sync_event_destroy(done) == OK && doca_dpa_destroy(dpa) == OK);
}

/* A context with everything in it that can be left there. */
static void contexts_are_destroyed_in_every_state(void)
{
    for (int state = 0; state < 4; state++) {
        struct doca_dpa *dpa = dpa_idle(), *extended = NULL;
        struct doca_dpa_thread *t = NULL;
        struct doca_dpa_completion *q = NULL;
        struct doca_sync_event *e = NULL;
        doca_dpa_dev_uintptr_t p = 0;
        CHECK(state == 0 || doca_dpa_start(dpa) == OK);
        CHECK(doca_dpa_thread_create(dpa, &t) == OK);
        CHECK(doca_dpa_completion_create(dpa, 8, &q) == OK);
        CHECK(doca_dpa_completion_set_thread(q, t) == OK);
        if (state > 0) {
            e = event_new(dpa, DPA, CPU);
            CHECK(doca_dpa_mem_alloc(dpa, 1000, &p) == OK && doca_dpa_completion_start(q) == OK);
            CHECK(doca_dpa_thread_set_func_arg(t, &thread_kernel, p) == OK);
            CHECK(doca_dpa_thread_start(t) == OK && doca_dpa_thread_run(t) == OK);
            CHECK(doca_dpa_device_extend(dpa, other_dev, &extended) == OK);
        }
        if (state > 1)
            CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, e, 1, 3, &spin) == OK &&
                  doca_dpa_kernel_launch_update_set(dpa, e, 0, e, 1, 3, &spin) == OK);
        CHECK(state < 3 || doca_dpa_stop(dpa) == OK);
        CHECK(doca_dpa_destroy(dpa) == OK);
        CHECK(doca_dpa_completion_destroy(q) == OK && doca_dpa_thread_destroy(t) == OK);
        CHECK(!e || doca_sync_event_destroy(e) == OK);
        CHECK(!extended || doca_dpa_destroy(extended) == OK);
    }
}

/* ---- Messages ---- */

static void messages_come_out_up_to_the_level(void)
{
    static const enum doca_dpa_dev_log_level levels[] = {
        DOCA_DPA_DEV_LOG_LEVEL_INFO, DOCA_DPA_DEV_LOG_LEVEL_DEBUG, DOCA_DPA_DEV_LOG_LEVEL_ERROR,
        DOCA_DPA_DEV_LOG_LEVEL_DISABLE};
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *done = event_new(dpa, DPA, CPU);
    for (uint64_t i = 0; i < 4; i++) {
        if (i > 0)
            CHECK(doca_dpa_set_log_level(dpa, levels[i]) == OK);
        CHECK(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, done, 1, 1, &log_levels) == OK);
        wait_above(done, i);
        printf("--\n");
        fflush(stdout);
    }
    CHECK(doca_dpa_set_log_level(dpa, 55) == INVALID && doca_dpa_set_log_level(dpa, 70) == INVALID);
    CHECK(doca_sync_event_destroy(done) == OK && doca_dpa_destroy(dpa) == OK);
}

static bool file_has(const char *path, const char *text)
{
    char found[4096] = "";
    FILE *f = fopen(path, "re");
    CHECK(f != NULL);
    found[fread(found, 1, sizeof found - 1, f)] = 0;
    fclose(f);
    return strstr(found, text) != NULL;
}

static void logs_and_traces_go_to_files(void)
{
    char too_long[5000];
    struct doca_dpa *dpa = dpa_idle();
    memset(too_long, 'x', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = 0;
    CHECK(doca_dpa_log_file_set_path(dpa, "") == INVALID &&
          doca_dpa_log_file_set_path(dpa, too_long) == INVALID);
    CHECK(doca_dpa_log_file_set_path(dpa, "not/there/log") == OK);
    CHECK(doca_dpa_start(dpa) == DOCA_ERROR_IO_FAILED);
    CHECK(doca_dpa_log_file_set_path(dpa, "dpa.log") == OK &&
          doca_dpa_trace_file_set_path(dpa, "dpa.trace") == OK);
    for (int i = 0; i < 2; i++) { /* each start empties them */
        uint64_t result = 1;
        CHECK(doca_dpa_start(dpa) == OK);
        CHECK(doca_dpa_log_file_set_path(dpa, "other") == BAD_STATE &&
              doca_dpa_trace_file_set_path(dpa, "other") == BAD_STATE);
        if (i == 0) {
            CHECK(doca_dpa_rpc(dpa, &log_and_trace, &result) == OK && result == 0);
            CHECK(file_has("dpa.trace", " 0x1 0x2 0x3 0x4 0xffffffffffffffff\n")); /* flushed */
        }
        CHECK(doca_dpa_stop(dpa) == OK);
        CHECK(file_has("dpa.log", "] to the log\n") == (i == 0));
        CHECK(file_has("dpa.trace", " 0x5 0x0 0x0 0x0 0x0\n") == (i == 0));
        CHECK(!file_has("dpa.log", "printed"));
    }
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void cores_have_the_units(void)
{
    struct doca_dpa *dpa = dpa_idle();
    unsigned cores = 0, each = 0, all = 0;
    CHECK(doca_dpa_get_core_num(dpa, &cores) == BAD_STATE &&
          doca_dpa_get_num_eus_per_core(dpa, &each) == BAD_STATE);
    CHECK(doca_dpa_start(dpa) == OK);
    CHECK(doca_dpa_get_core_num(dpa, NULL) == INVALID);
    CHECK(doca_dpa_get_core_num(dpa, &cores) == OK &&
          doca_dpa_get_num_eus_per_core(dpa, &each) == OK &&
          doca_dpa_get_total_num_eus_available(dpa, &all) == OK);
    CHECK(each == 16 && cores * each >= all && (cores - 1) * each < all);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

const struct test_case dpa_cases[] = {
    CASE(a_context_starts_with_a_program_only),
    CASE(a_stopped_context_starts_afresh),
    CASE(an_extended_context_shares_the_process),
    CASE(memory_goes_there_and_back),
    CASE(calls_check_their_arguments),
    CASE(adds_of_256_threads_all_count),
    CASE(kernels_wait_for_events_in_their_order),
    CASE(kernels_of_a_context_overlap),
    CASE(contexts_wait_for_each_other),
    CASE(a_launch_that_waits_in_vain_is_told),
    CASE(a_fault_fails_the_wait_for_its_kernel),
    CASE(stop_ends_whoever_waits),
    CASE(contexts_are_destroyed_in_every_state),
    CASE(messages_come_out_up_to_the_level),
    CASE(logs_and_traces_go_to_files),
    CASE(cores_have_the_units),
    {0},
};
