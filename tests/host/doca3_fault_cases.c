/* The effect of a fault of DPA code on threads and hosts that wait for later work. */
#include <pthread.h>

#include "doca3_world.h"

#define FAULT UINT64_C(8) /* an address that nothing is at */

static void launch_fault(struct doca_dpa *dpa, struct doca_sync_event *wait,
                         struct doca_sync_event *done)
{
    CHECK(doca_dpa_kernel_launch_update_add(dpa, wait, 0, done, 1, 1, &touch, FAULT) == OK);
}

static void expect_failed(struct doca_dpa *dpa)
{
    uint64_t result = 7;
    CHECK(doca_dpa_peek_at_last_error(dpa) == BAD_STATE);
    CHECK(doca_dpa_rpc(dpa, &no_arguments, &result) == BAD_STATE && result == 7);
    CHECK(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, NULL, 0, 1, &hello_world) == BAD_STATE);
}

/* Kernels that were launched later never start, and the wait for the last kernel fails, too. */
static void a_chain_behind_a_fault_fails(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *first = event_new(dpa, DPA, DPA), *second = event_new(dpa, DPA, DPA);
    struct doca_sync_event *go = event_new(dpa, CPU, DPA), *last = event_new(dpa, DPA, CPU);
    struct doca_sync_event *order = event_new(dpa, DPA, CPU);
    launch_fault(dpa, go, first);
    CHECK(doca_dpa_kernel_launch_update_add(dpa, first, 0, second, 1, 1, &append_digit,
                                            handle_of(order, dpa), UINT64_C(1)) == OK);
    CHECK(doca_dpa_kernel_launch_update_add(dpa, second, 0, last, 1, 4, &append_digit,
                                            handle_of(order, dpa), UINT64_C(2)) == OK);
    CHECK(doca_sync_event_update_set(go, 1) == OK);
    CHECK(doca_sync_event_wait_gt(last, 0, UINT64_MAX) == BAD_STATE);
    CHECK(doca_sync_event_wait_gt(first, 0, UINT64_MAX) == BAD_STATE);
    CHECK(value_of(first) == 0 && value_of(second) == 0 && value_of(order) == 0);
    expect_failed(dpa);
    CHECK(doca_dpa_destroy(dpa) == OK);
    struct doca_sync_event *const all[] = {first, second, go, last, order};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(doca_sync_event_destroy(all[i]) == OK);
}

static void *wait_for_it(void *event)
{
    return (void *)(uintptr_t)doca_sync_event_wait_gt(event, 0, UINT64_MAX);
}

static void *call_forever(void *dpa)
{
    uint64_t result = 0;
    return (void *)(uintptr_t)doca_dpa_rpc(dpa, &spin, &result);
}

/* Waiters of several events and an RPC that runs on: one fault ends them all. */
static void a_fault_ends_everybody_who_waits(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *a = event_new(dpa, DPA, CPU), *b = event_new(dpa, DPA, CPU);
    struct doca_sync_event *go = event_new(dpa, CPU, DPA);
    pthread_t waiters[4];
    launch_fault(dpa, go, a);
    CHECK(pthread_create(&waiters[0], NULL, wait_for_it, a) == 0);
    CHECK(pthread_create(&waiters[1], NULL, wait_for_it, a) == 0);
    CHECK(pthread_create(&waiters[2], NULL, wait_for_it, b) == 0);
    CHECK(pthread_create(&waiters[3], NULL, call_forever, dpa) == 0);
    pause_ms(20);
    CHECK(doca_sync_event_update_set(go, 1) == OK);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        CHECK(pthread_join(waiters[i], &result) == 0 && (uintptr_t)result == BAD_STATE);
    }
    expect_failed(dpa);
    CHECK(doca_sync_event_destroy(a) == OK && doca_sync_event_destroy(b) == OK);
    CHECK(doca_sync_event_destroy(go) == OK && doca_dpa_destroy(dpa) == OK);
}

/* A thread whose argument is nowhere; with `kernel`, a good one after a kernel that faults. */
static void activate(bool kernel)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *ran = event_new(dpa, DPA, CPU);
    struct doca_dpa_thread *t = NULL;
    struct doca_dpa_notification_completion *n = NULL;
    doca_dpa_dev_uintptr_t p = 0;
    uint64_t handle = 0, result = 0;
    struct thread_arg arg = {.kind = THEN_RESCHEDULE, .event = handle_of(ran, dpa)};
    CHECK(doca_dpa_mem_alloc(dpa, sizeof arg, &p) == OK);
    CHECK(doca_dpa_h2d_memcpy(dpa, p, &arg, sizeof arg) == OK);
    CHECK(doca_dpa_thread_create(dpa, &t) == OK);
    CHECK(doca_dpa_thread_set_func_arg(t, &thread_kernel, kernel ? p : FAULT) == OK);
    CHECK(doca_dpa_thread_start(t) == OK);
    CHECK(doca_dpa_notification_completion_create(dpa, t, &n) == OK);
    CHECK(doca_dpa_notification_completion_start(n) == OK);
    CHECK(doca_dpa_notification_completion_get_dpa_handle(n, &handle) == OK);
    CHECK(doca_dpa_thread_run(t) == OK);
    if (kernel) {
        launch_fault(dpa, NULL, ran);
        CHECK(doca_sync_event_wait_gt(ran, 0, UINT64_MAX) == BAD_STATE);
        CHECK(doca_dpa_rpc(dpa, &notify, &result, handle, UINT64_C(1)) == BAD_STATE);
        CHECK(doca_dpa_thread_run(t) == BAD_STATE);
    } else {
        /* The fault may end this call too. */
        doca_dpa_rpc(dpa, &notify, &result, handle, UINT64_C(1));
        CHECK(doca_sync_event_wait_gt(ran, 0, UINT64_MAX) == BAD_STATE);
    }
    CHECK(value_of(ran) == 0);
    expect_failed(dpa);
    CHECK(doca_dpa_notification_completion_destroy(n) == OK && doca_dpa_thread_destroy(t) == OK);
    CHECK(doca_sync_event_destroy(ran) == OK && doca_dpa_destroy(dpa) == OK);
}

static void a_thread_that_faults_fails_the_wait_for_it(void)
{
    activate(false);
}

static void no_thread_runs_after_a_fault(void)
{
    activate(true);
}

/* The process is shared: its fault is everybody's, and the start that follows is a fresh one. */
static void a_fault_is_also_the_extended_contexts(void)
{
    struct doca_dpa *dpa = dpa_new(), *extended = NULL;
    struct doca_sync_event *done = event_new(dpa, DPA, CPU);
    uint64_t result = 0;
    CHECK(doca_dpa_device_extend(dpa, other_dev, &extended) == OK);
    launch_fault(dpa, NULL, done);
    CHECK(doca_sync_event_wait_gt(done, 0, UINT64_MAX) == BAD_STATE);
    CHECK(doca_dpa_peek_at_last_error(extended) == BAD_STATE);
    CHECK(doca_dpa_destroy(extended) == OK && doca_dpa_stop(dpa) == OK);
    CHECK(doca_dpa_start(dpa) == OK && doca_dpa_peek_at_last_error(dpa) == OK);
    CHECK(doca_dpa_rpc(dpa, &no_arguments, &result) == OK && result == 42);
    CHECK(doca_sync_event_destroy(done) == OK && doca_dpa_destroy(dpa) == OK);
}

/* The event could still be updated by others: only that the context is stopped ends the wait. */
static void a_kernel_waits_for_another_contexts_event_until_stopped(void)
{
    pthread_t waiter;
    void *result = NULL;
    struct doca_dpa *faulted = dpa_new(), *waiting = dpa_new();
    struct doca_sync_event *between = event_new(faulted, DPA, CPU);
    struct doca_sync_event *done = event_new(waiting, DPA, CPU);
    CHECK(doca_dpa_kernel_launch_update_add(waiting, between, 0, done, 1, 1, &hello_world) == OK);
    launch_fault(faulted, NULL, between);
    CHECK(doca_sync_event_wait_gt(between, 0, UINT64_MAX) == BAD_STATE);
    CHECK(doca_dpa_peek_at_last_error(waiting) == OK && value_of(done) == 0);
    CHECK(pthread_create(&waiter, NULL, wait_for_it, done) == 0);
    CHECK(doca_dpa_stop(waiting) == OK);
    CHECK(pthread_join(waiter, &result) == 0 && (uintptr_t)result == BAD_STATE);
    CHECK(doca_dpa_destroy(waiting) == OK && doca_dpa_destroy(faulted) == OK);
    CHECK(doca_sync_event_destroy(between) == OK && doca_sync_event_destroy(done) == OK);
}

const struct test_case fault_cases[] = {
    CASE(a_chain_behind_a_fault_fails),
    CASE(a_fault_ends_everybody_who_waits),
    CASE(a_thread_that_faults_fails_the_wait_for_it),
    CASE(no_thread_runs_after_a_fault),
    CASE(a_fault_is_also_the_extended_contexts),
    CASE(a_kernel_waits_for_another_contexts_event_until_stopped),
    {0},
};
