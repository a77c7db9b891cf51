/* Sync events as the host has them: waits for a value, tasks, events of several processes. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doca3_world.h"

/* ---- Waits ---- */

static struct doca_sync_event *shared;
static sem_t goes_on; /* the value was seen, so the next wait may begin */

/* The pauses let the other thread wait first, if they are long enough. */
static void *go_on(void *unused)
{
    (void)unused;
    pause_ms(20);
    CHECK(doca_sync_event_update_set(shared, 0x105) == OK);
    CHECK(sem_wait(&goes_on) == 0);
    pause_ms(20);
    CHECK(doca_sync_event_update_set(shared, 3) == OK);
    return NULL;
}

static void waits_are_for_equal_and_unequal_values(void)
{
    pthread_t thread;
    shared = event_new(NULL, CPU, CPU);
    CHECK(doca_sync_event_wait_eq(shared, 0, UINT64_MAX) == OK); /* it is */
    CHECK(doca_sync_event_wait_eq(shared, 0x10, 0xf) == INVALID);
    CHECK(doca_sync_event_wait_neq(shared, 0, 0) == INVALID);
    CHECK(sem_init(&goes_on, 0, 0) == 0);
    CHECK(pthread_create(&thread, NULL, go_on, NULL) == 0);
    CHECK(doca_sync_event_wait_neq(shared, 0, UINT64_MAX) == OK && value_of(shared) == 0x105);
    CHECK(doca_sync_event_wait_eq_yield(shared, 5, 0xff) == OK && sem_post(&goes_on) == 0);
    CHECK(doca_sync_event_wait_eq(shared, 3, UINT64_MAX) == OK && value_of(shared) == 3);
    CHECK(doca_sync_event_wait_neq_yield(shared, 0x105, UINT64_MAX) == OK);
    CHECK(pthread_join(thread, NULL) == 0 && sem_destroy(&goes_on) == 0);
    CHECK(doca_sync_event_destroy(shared) == OK);
}

/* The DPA adds 1 to the event for each thread of a kernel. */
static void waits_for_equal_values_see_the_dpa(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *e = event_new(dpa, DPA, CPU);
    CHECK(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, e, 7, 1, &no_arguments) == OK);
    CHECK(doca_sync_event_wait_eq(e, 7, UINT64_MAX) == OK);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 1, &touch, UINT64_C(8)) == OK);
    CHECK(doca_sync_event_wait_eq(e, 8, UINT64_MAX) == BAD_STATE); /* the kernel faults */
    CHECK(doca_sync_event_destroy(e) == OK && doca_dpa_destroy(dpa) == OK);
}

/* ---- Tasks ---- */

static unsigned ended, failed;

#define CALLBACK(name)                                                                             \
    static void name##_ended(struct doca_sync_event_task_##name *task, union doca_data task_data,  \
                             union doca_data ctx_data)                                             \
    {                                                                                              \
        CHECK(task &&task_data.u64 == 6 && ctx_data.u64 == 7);                                     \
        ended++;                                                                                   \
    }                                                                                              \
    static void name##_failed(struct doca_sync_event_task_##name *task, union doca_data task_data, \
                              union doca_data ctx_data)                                            \
    {                                                                                              \
        CHECK(task &&task_data.u64 == 6 && ctx_data.u64 == 7);                                     \
        failed++;                                                                                  \
    }
CALLBACK(get)
CALLBACK(notify_set)
CALLBACK(notify_add)
CALLBACK(wait_eq)
CALLBACK(wait_neq)

#define SIX ((union doca_data){.u64 = 6})

/* Tasks of each type of one event, and its engine. */
struct tasks {
    struct doca_pe *pe;
    struct doca_sync_event *event;
    struct doca_ctx *ctx;
    struct doca_sync_event_task_get *get;
    struct doca_sync_event_task_notify_set *set;
    struct doca_sync_event_task_notify_add *add;
    struct doca_sync_event_task_wait_eq *eq;
    struct doca_sync_event_task_wait_neq *neq;
    uint64_t got, fetched;
};

/* The event is not started before. */
static void tasks_make(struct tasks *t, struct doca_sync_event *e)
{
    ended = failed = 0;
    t->event = e;
    t->ctx = doca_sync_event_as_ctx(e);
    CHECK(doca_pe_create(&t->pe) == OK && doca_pe_connect_ctx(t->pe, t->ctx) == OK);
    CHECK(doca_ctx_set_user_data(t->ctx, (union doca_data){.u64 = 7}) == OK);
    CHECK(doca_sync_event_task_get_set_conf(e, get_ended, get_failed, 1) == OK);
    CHECK(doca_sync_event_task_notify_set_set_conf(e, notify_set_ended, notify_set_failed, 1) ==
          OK);
    CHECK(doca_sync_event_task_notify_add_set_conf(e, notify_add_ended, notify_add_failed, 1) ==
          OK);
    CHECK(doca_sync_event_task_wait_eq_set_conf(e, wait_eq_ended, wait_eq_failed, 1) == OK);
    CHECK(doca_sync_event_task_wait_neq_set_conf(e, wait_neq_ended, wait_neq_failed, 1) == OK);
    CHECK(doca_sync_event_task_get_alloc_init(e, &t->got, SIX, &t->get) == BAD_STATE);
    CHECK(doca_ctx_start(t->ctx) == OK);
    CHECK(doca_sync_event_task_get_set_conf(e, get_ended, get_failed, 1) == BAD_STATE);
    CHECK(doca_sync_event_task_get_alloc_init(e, &t->got, SIX, &t->get) == OK);
    CHECK(doca_sync_event_task_notify_set_alloc_init(e, 5, SIX, &t->set) == OK);
    CHECK(doca_sync_event_task_notify_add_alloc_init(e, 2, &t->fetched, SIX, &t->add) == OK);
    CHECK(doca_sync_event_task_wait_eq_alloc_init(e, 7, UINT64_MAX, SIX, &t->eq) == OK);
    CHECK(doca_sync_event_task_wait_neq_alloc_init(e, 7, UINT64_MAX, SIX, &t->neq) == OK);
}

static void tasks_free(struct tasks *t)
{
    doca_task_free(doca_sync_event_task_get_as_doca_task(t->get));
    doca_task_free(doca_sync_event_task_notify_set_as_doca_task(t->set));
    doca_task_free(doca_sync_event_task_notify_add_as_doca_task(t->add));
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(t->eq));
    doca_task_free(doca_sync_event_task_wait_neq_as_doca_task(t->neq));
}

static void tasks_destroy(struct tasks *t)
{
    tasks_free(t);
    CHECK(doca_ctx_stop(t->ctx) == OK && doca_sync_event_destroy(t->event) == OK);
    CHECK(doca_pe_destroy(t->pe) == OK);
}

static struct doca_sync_event *event_idle(void)
{
    struct doca_sync_event *e = NULL;
    CHECK(doca_sync_event_create(&e) == OK);
    CHECK(doca_sync_event_add_publisher_location_cpu(e, dev) == OK);
    CHECK(doca_sync_event_add_subscriber_location_cpu(e, dev) == OK);
    return e;
}

static void submit(struct doca_task *task)
{
    CHECK(doca_task_submit(task) == OK);
}

static void tasks_read_change_and_wait(void)
{
    struct tasks t = {0};
    tasks_make(&t, event_idle());
    submit(doca_sync_event_task_wait_eq_as_doca_task(t.eq));
    CHECK(doca_pe_progress(t.pe) == 0); /* it waits for 7 */
    submit(doca_sync_event_task_notify_set_as_doca_task(t.set));
    CHECK(doca_pe_progress(t.pe) == 1 && ended == 1 && doca_pe_progress(t.pe) == 0);
    submit(doca_sync_event_task_notify_add_as_doca_task(t.add));
    CHECK(doca_pe_progress(t.pe) == 1 && t.fetched == 5 && value_of(t.event) == 7);
    CHECK(doca_pe_progress(t.pe) == 1 && ended == 3 && doca_pe_progress(t.pe) == 0);
    submit(doca_sync_event_task_wait_neq_as_doca_task(t.neq));
    submit(doca_sync_event_task_get_as_doca_task(t.get)); /* what waits is in nobody's way */
    CHECK(doca_pe_progress(t.pe) == 1 && t.got == 7 && doca_pe_progress(t.pe) == 0);
    CHECK(doca_sync_event_update_set(t.event, 8) == OK && doca_pe_progress(t.pe) == 1);
    CHECK(ended == 5 && failed == 0);
    tasks_destroy(&t);
}

static void operands_of_tasks_change(void)
{
    struct tasks t = {0};
    uint64_t other = 0;
    tasks_make(&t, event_idle());
    doca_sync_event_task_notify_set_set_set_val(t.set, 0x31);
    doca_sync_event_task_get_set_ret_val_ptr(t.get, &other);
    doca_sync_event_task_notify_add_set_inc_val(t.add, 4);
    doca_sync_event_task_notify_add_set_fetched_val_ptr(t.add, NULL);
    doca_sync_event_task_wait_eq_set_wait_val(t.eq, 0x30);
    doca_sync_event_task_wait_eq_set_mask(t.eq, 0xf0);
    doca_sync_event_task_wait_neq_set_wait_val(t.neq, 9);
    doca_sync_event_task_wait_neq_set_mask(t.neq, 0xff);
    CHECK(doca_sync_event_task_notify_set_get_set_val(t.set) == 0x31);
    CHECK(doca_sync_event_task_get_get_ret_val_ptr(t.get) == &other);
    CHECK(doca_sync_event_task_notify_add_get_inc_val(t.add) == 4);
    CHECK(!doca_sync_event_task_notify_add_get_fetched_val_ptr(t.add));
    CHECK(doca_sync_event_task_wait_eq_get_wait_val(t.eq) == 0x30);
    CHECK(doca_sync_event_task_wait_eq_get_mask(t.eq) == 0xf0);
    CHECK(doca_sync_event_task_wait_neq_get_wait_val(t.neq) == 9);
    CHECK(doca_sync_event_task_wait_neq_get_mask(t.neq) == 0xff);
    submit(doca_sync_event_task_notify_set_as_doca_task(t.set));
    doca_sync_event_task_notify_set_set_set_val(t.set, 1); /* too late */
    submit(doca_sync_event_task_notify_add_as_doca_task(t.add));
    submit(doca_sync_event_task_wait_eq_as_doca_task(t.eq));
    submit(doca_sync_event_task_wait_neq_as_doca_task(t.neq));
    submit(doca_sync_event_task_get_as_doca_task(t.get));
    while (doca_pe_progress(t.pe))
        ;
    CHECK(ended == 5 && failed == 0 && other == 0x35);
    CHECK(!doca_sync_event_task_get_as_doca_task((void *)t.set)); /* another type */
    tasks_destroy(&t);
}

static void a_stop_ends_tasks_that_wait(void)
{
    struct tasks t = {0};
    enum doca_ctx_states state;
    tasks_make(&t, event_idle());
    submit(doca_sync_event_task_wait_eq_as_doca_task(t.eq));
    CHECK(doca_pe_progress(t.pe) == 0 && doca_ctx_stop(t.ctx) == DOCA_ERROR_IN_PROGRESS);
    CHECK(doca_pe_progress(t.pe) == 1 && failed == 1 && ended == 0);
    CHECK(doca_task_get_status(doca_sync_event_task_wait_eq_as_doca_task(t.eq)) == BAD_STATE);
    tasks_free(&t);
    CHECK(doca_pe_progress(t.pe) == 1 && doca_ctx_get_state(t.ctx, &state) == OK);
    CHECK(state == DOCA_CTX_STATE_IDLE);
    tasks_destroy(&t);
}

/* Anybody may end a wait, without notifying the engine. */
static void a_handle_is_readable_when_a_wait_has_ended(void)
{
    struct tasks t = {0};
    doca_event_handle_t handle = doca_event_invalid_handle;
    tasks_make(&t, event_idle());
    CHECK(doca_pe_get_notification_handle(t.pe, &handle) == OK);
    struct pollfd p = {.fd = handle, .events = POLLIN};
    submit(doca_sync_event_task_wait_eq_as_doca_task(t.eq));
    CHECK(doca_pe_progress(t.pe) == 0 && doca_pe_request_notification(t.pe) == OK);
    CHECK(poll(&p, 1, 20) == 0 && doca_sync_event_update_set(t.event, 7) == OK);
    CHECK(poll(&p, 1, 10000) == 1 && doca_pe_clear_notification(t.pe, 0) == OK);
    CHECK(doca_pe_progress(t.pe) == 1 && ended == 1);
    tasks_destroy(&t);
}

/* Submits a wait for what the DPA never does, and has it fail. */
static void ends_with_the_dpa(struct doca_dpa *dpa, void (*end)(struct doca_dpa *dpa), bool armed)
{
    struct tasks t = {0};
    doca_event_handle_t handle = doca_event_invalid_handle;
    struct doca_sync_event *e = event_new(dpa, DPA, CPU);
    CHECK(doca_sync_event_stop(e) == OK);
    tasks_make(&t, e);
    CHECK(doca_pe_get_notification_handle(t.pe, &handle) == OK);
    struct pollfd p = {.fd = handle, .events = POLLIN};
    submit(doca_sync_event_task_wait_eq_as_doca_task(t.eq));
    CHECK(doca_pe_progress(t.pe) == 0);
    CHECK(!armed || doca_pe_request_notification(t.pe) == OK);
    end(dpa);
    CHECK(!armed || poll(&p, 1, 10000) == 1);
    while (failed == 0)
        doca_pe_progress(t.pe);
    CHECK(doca_task_get_status(doca_sync_event_task_wait_eq_as_doca_task(t.eq)) == BAD_STATE);
    submit(doca_sync_event_task_wait_neq_as_doca_task(t.neq)); /* it is true, whoever is gone */
    CHECK(doca_pe_progress(t.pe) == 1 && ended == 1 && failed == 1);
    tasks_destroy(&t);
}

static void fault(struct doca_dpa *dpa)
{
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 1, &touch, UINT64_C(8)) == OK);
}

static void halt(struct doca_dpa *dpa)
{
    CHECK(doca_dpa_stop(dpa) == OK);
}

static void tasks_that_wait_for_a_dpa_end_with_it(void)
{
    struct doca_dpa *a = dpa_new(), *b = dpa_new();
    ends_with_the_dpa(a, fault, false);
    ends_with_the_dpa(b, fault, true);
    CHECK(doca_dpa_destroy(a) == OK && doca_dpa_destroy(b) == OK);
    ends_with_the_dpa(a = dpa_new(), halt, false);
    CHECK(doca_dpa_destroy(a) == OK);
}

/* ---- Processes ---- */

static struct doca_sync_event *event_for_others(void)
{
    struct doca_sync_event *e = NULL;
    CHECK(doca_sync_event_create(&e) == OK);
    CHECK(doca_sync_event_add_publisher_location_remote_pci(e) == OK);
    CHECK(doca_sync_event_add_subscriber_location_cpu(e, dev) == OK);
    return e;
}

/* Run by the next case in a process of its own: stdin has the export. */
static void the_other_process(void)
{
    uint8_t bytes[256];
    struct doca_sync_event *e = NULL;
    struct tasks t = {0};
    const ssize_t size = read(STDIN_FILENO, bytes, sizeof bytes);
    CHECK(size > 0 && doca_sync_event_create_from_export(dev, bytes, (size_t)size, &e) == OK);
    tasks_make(&t, e);
    CHECK(doca_sync_event_wait_eq(e, 1, UINT64_MAX) == OK);
    submit(doca_sync_event_task_notify_add_as_doca_task(t.add)); /* 1 + 2 */
    CHECK(doca_pe_progress(t.pe) == 1 && t.fetched == 1);
    submit(doca_sync_event_task_wait_eq_as_doca_task(t.eq));
    while (!doca_pe_progress(t.pe))
        pause_ms(1);
    CHECK(doca_sync_event_update_set(e, 100) == OK);
    tasks_destroy(&t);
}

static void events_are_shared_by_processes(void)
{
    struct doca_sync_event *e = event_for_others();
    const uint8_t *bytes = NULL;
    size_t size = 0;
    int pipes[2], status = -1;
    CHECK(doca_sync_event_export_to_remote_pci(e, dev, &bytes, &size) == BAD_STATE);
    CHECK(doca_sync_event_start(e) == OK);
    CHECK(doca_sync_event_export_to_remote_pci(e, dev, &bytes, &size) == OK);
    CHECK(pipe(pipes) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(pipes[0], STDIN_FILENO);
        execl("/proc/self/exe", "cases", "the_other_process", (char *)NULL);
        _exit(1);
    }
    CHECK(write(pipes[1], bytes, size) == (ssize_t)size && close(pipes[1]) == 0);
    CHECK(doca_sync_event_update_set(e, 1) == OK);
    CHECK(doca_sync_event_wait_eq(e, 3, UINT64_MAX) == OK);
    CHECK(doca_sync_event_update_set(e, 7) == OK);
    CHECK(doca_sync_event_wait_gt(e, 99, UINT64_MAX) == OK);
    CHECK(waitpid(child, &status, 0) == child && status == 0 && value_of(e) == 100);
    close(pipes[0]);
    CHECK(doca_sync_event_destroy(e) == OK);
}

static void put_be32(uint8_t *at, uint32_t value)
{
    for (int i = 3; i >= 0; i--, value >>= 8)
        at[i] = (uint8_t)value;
}

/* The bytes with another process and descriptor in them, and a sum that is right. */
static void forge(uint8_t *bytes, size_t size, uint32_t process, uint32_t descriptor)
{
    uint32_t sum = 2166136261u;
    put_be32(bytes + 12, process);
    put_be32(bytes + 56, descriptor);
    for (size_t i = 0; i < size - 4; i++)
        sum = (sum ^ bytes[i]) * 16777619u;
    put_be32(bytes + size - 4, sum);
}

static void exports_of_nothing_are_refused(void)
{
    struct doca_sync_event *e = event_for_others(), *seen = NULL;
    const uint8_t *bytes = NULL;
    uint8_t copy[256];
    size_t size = 0;
    CHECK(doca_sync_event_start(e) == OK);
    CHECK(doca_sync_event_export_to_remote_pci(e, dev, &bytes, &size) == OK && size == 64);
    CHECK(doca_sync_event_create_from_export(dev, bytes, size, &seen) == OK); /* of this process */
    CHECK(doca_sync_event_get(seen, &(uint64_t){0}) == BAD_STATE);
    CHECK(doca_sync_event_start(seen) == OK && doca_sync_event_update_add(e, 5, NULL) == OK);
    CHECK(value_of(seen) == 5 && doca_sync_event_destroy(seen) == OK);
    for (size_t i = 0; i < size; i++) { /* any damage */
        memcpy(copy, bytes, size);
        copy[i] ^= 1;
        CHECK(doca_sync_event_create_from_export(dev, copy, size, &seen) != OK && !seen);
    }
    memcpy(copy, bytes, size);
    int pipes[2], file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    CHECK(pipe(pipes) == 0 && file >= 0);
    const struct {
        uint32_t process, descriptor;
    } forged[] = {{0, 0},
                  {UINT32_MAX, 1},
                  {(uint32_t)getpid(), UINT32_MAX},
                  {(uint32_t)getpid(), 1u << 20},
                  {(uint32_t)getpid(), (uint32_t)pipes[0]},
                  {(uint32_t)getpid(), (uint32_t)file}};
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        forge(copy, size, forged[i].process, forged[i].descriptor);
        CHECK(doca_sync_event_create_from_export(dev, copy, size, &seen) != OK && !seen);
    }
    memcpy(copy, bytes, size);
    CHECK(doca_sync_event_destroy(e) == OK);
    CHECK(doca_sync_event_create_from_export(dev, copy, size, &seen) != OK && !seen);
    close(pipes[0]);
    close(pipes[1]);
    close(file);
}

/* Neither the DPA nor peers of RDMA reach what processes share, nor the other way round. */
static void shared_events_are_the_hosts(void)
{
    struct doca_dpa *dpa = dpa_new();
    struct doca_sync_event *e = event_for_others(), *plain = event_new(NULL, CPU, CPU);
    doca_dpa_dev_sync_event_t handle = 0;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    CHECK(doca_sync_event_start(e) == OK);
    CHECK(doca_sync_event_get_dpa_handle(e, dpa, &handle) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, e, 1, 1, &no_arguments) ==
          DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_sync_event_export_to_remote_net(e, &bytes, &size) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_sync_event_export_to_remote_pci(plain, dev, &bytes, &size) ==
          DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_sync_event_stop(e) == OK);
    CHECK(doca_sync_event_add_publisher_location_dpa(e, dpa) == OK);
    CHECK(doca_sync_event_start(e) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_sync_event_destroy(e) == OK && doca_sync_event_destroy(plain) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

const struct test_case event_cases[] = {
    CASE(waits_are_for_equal_and_unequal_values),
    CASE(waits_for_equal_values_see_the_dpa),
    CASE(tasks_read_change_and_wait),
    CASE(operands_of_tasks_change),
    CASE(a_stop_ends_tasks_that_wait),
    CASE(a_handle_is_readable_when_a_wait_has_ended),
    CASE(tasks_that_wait_for_a_dpa_end_with_it),
    CASE(the_other_process),
    CASE(events_are_shared_by_processes),
    CASE(exports_of_nothing_are_refused),
    CASE(shared_events_are_the_hosts),
    {0},
};
