/* Behaviours of DOCA 2.2's host libraries, one function each; host_doca.bats runs them. */
#include <doca_dpa.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "doca_device.h"

#define OK        DOCA_SUCCESS
#define INVALID   DOCA_ERROR_INVALID_VALUE
#define BAD_STATE DOCA_ERROR_BAD_STATE

static struct doca_dev *dev;

static doca_dpa_t dpa_new(void)
{
    doca_dpa_t dpa = NULL;
    CHECK(doca_dpa_create(dev, (doca_dpa_app_t)(void *)test_app, &dpa, 0) == OK && dpa);
    return dpa;
}

/* An event that the DPA publishes and the CPU waits for, or the other way round; started. */
static struct doca_sync_event *event_new(doca_dpa_t dpa, bool dpa_publishes)
{
    struct doca_sync_event *e = NULL;
    CHECK(doca_sync_event_create(&e) == OK && e);
    if (dpa_publishes) {
        CHECK(doca_sync_event_publisher_add_location_dpa(e, dpa) == OK);
        CHECK(doca_sync_event_subscriber_add_location_cpu(e, dev) == OK);
    } else {
        CHECK(doca_sync_event_publisher_add_location_cpu(e, dev) == OK);
        CHECK(doca_sync_event_subscriber_add_location_dpa(e, dpa) == OK);
    }
    CHECK(doca_sync_event_start(e) == OK);
    return e;
}

static uint64_t handle(struct doca_sync_event *e, doca_dpa_t dpa)
{
    doca_dpa_dev_sync_event_t h = 0;
    CHECK(doca_sync_event_export_to_dpa(e, dpa, &h) == OK && h != 0);
    return h;
}

static uint64_t value_of(struct doca_sync_event *e)
{
    uint64_t value = 0;
    CHECK(doca_sync_event_get(e, &value) == OK);
    return value;
}

static void wait_for(struct doca_sync_event *e, uint64_t threshold)
{
    CHECK(doca_sync_event_wait_gt(e, threshold, UINT64_MAX) == OK);
}

/* ---- Errors ---- */

static void errors_have_names_and_texts(void)
{
    CHECK(strcmp(doca_error_get_name(DOCA_SUCCESS), "DOCA_SUCCESS") == 0);
    CHECK(strcmp(doca_error_get_name(DOCA_ERROR_SKIPPED), "DOCA_ERROR_SKIPPED") == 0);
    CHECK(strcmp(doca_error_get_name((doca_error_t)12345), "DOCA_ERROR_UNKNOWN") == 0);
    CHECK(strcmp(doca_error_get_name((doca_error_t)-1), "DOCA_ERROR_UNKNOWN") == 0);
    for (int i = 0; i <= DOCA_ERROR_SKIPPED; i++) {
        const char *name = doca_error_get_name((doca_error_t)i);
        const char *text = doca_error_get_descr((doca_error_t)i);
        CHECK(name && text && *text && strcmp(text, doca_get_error_string((doca_error_t)i)) == 0);
        CHECK(strcmp(name, doca_get_error_name((doca_error_t)i)) == 0);
        for (int k = 0; k < i; k++)
            CHECK(strcmp(name, doca_error_get_name((doca_error_t)k)) != 0);
    }
}

/* ---- Devices ---- */

static void devices_are_listed_opened_and_closed(void)
{
    struct doca_devinfo **list = NULL;
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    uint32_t n = 0;
    CHECK(doca_devinfo_create_list(&list, &n) == OK && n == 2);
    CHECK(doca_devinfo_get_is_dpa_supported(list[1]) == OK);
    CHECK(doca_devinfo_get_ibdev_name(list[1], name, sizeof name - 1) == INVALID);
    struct doca_dev *d = NULL;
    CHECK(doca_dev_open(list[1], &d) == OK && doca_devinfo_destroy_list(list) == OK);
    CHECK(doca_devinfo_get_ibdev_name(doca_dev_as_devinfo(d), name, sizeof name) == OK);
    CHECK(strcmp(name, "mlx5_1") == 0);
    CHECK(doca_dev_close(d) == OK);
}

static void device_functions_check_their_arguments(void)
{
    struct doca_devinfo **list = NULL;
    struct doca_dev *d = dev;
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    uint32_t n = 0;
    CHECK(doca_devinfo_create_list(NULL, &n) == INVALID);
    CHECK(doca_devinfo_create_list(&list, NULL) == INVALID && !list);
    CHECK(doca_devinfo_destroy_list(NULL) == INVALID);
    CHECK(doca_devinfo_get_ibdev_name(NULL, name, sizeof name) == INVALID);
    CHECK(doca_dev_open(NULL, &d) == INVALID && !d);
    CHECK(doca_dev_open(doca_dev_as_devinfo(dev), NULL) == INVALID);
    CHECK(doca_dev_close(NULL) == OK && !doca_dev_as_devinfo(NULL));
    CHECK(doca_devinfo_get_is_dpa_supported(NULL) == INVALID);
}

static void a_device_in_use_is_not_closed(void)
{
    doca_dpa_t dpa = dpa_new();
    CHECK(doca_dev_close(dev) == DOCA_ERROR_IN_USE);
    struct doca_sync_event *e = event_new(dpa, true);
    CHECK(doca_dpa_destroy(dpa) == OK);
    CHECK(doca_dev_close(dev) == DOCA_ERROR_IN_USE);
    CHECK(doca_sync_event_destroy(e) == OK); /* main closes it now */
}

/* ---- Events ---- */

static void an_event_works_between_start_and_stop(void)
{
    struct doca_sync_event *e = NULL;
    uint64_t value = 9;
    CHECK(doca_sync_event_create(&e) == OK);
    CHECK(doca_sync_event_start(e) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_sync_event_publisher_add_location_cpu(e, dev) == OK);
    CHECK(doca_sync_event_start(e) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_sync_event_subscriber_add_location_cpu(e, dev) == OK);
    CHECK(doca_sync_event_get(e, &value) == BAD_STATE);
    CHECK(doca_sync_event_update_set(e, 1) == BAD_STATE);
    CHECK(doca_sync_event_update_add(e, 1, NULL) == BAD_STATE);
    CHECK(doca_sync_event_wait_gt(e, 0, UINT64_MAX) == BAD_STATE);
    CHECK(doca_sync_event_stop(e) == BAD_STATE);
    CHECK(doca_sync_event_start(e) == OK && doca_sync_event_start(e) == BAD_STATE);
    CHECK(doca_sync_event_publisher_add_location_cpu(e, dev) == BAD_STATE);
    CHECK(doca_sync_event_update_set(e, 40) == OK);
    CHECK(doca_sync_event_update_add(e, 2, &value) == OK && value == 40);
    CHECK(doca_sync_event_get(e, &value) == OK && value == 42);
    CHECK(doca_sync_event_wait_gt(e, 41, UINT64_MAX) == OK);
    CHECK(doca_sync_event_wait_gt(e, 7, 0xf) == OK); /* 42 & 15 = 10 */
    CHECK(doca_sync_event_stop(e) == OK && doca_sync_event_get(e, &value) == BAD_STATE);
    CHECK(doca_sync_event_start(e) == OK && value_of(e) == 42);
    CHECK(doca_sync_event_destroy(e) == OK);
}

static void event_functions_check_their_arguments(void)
{
    doca_dpa_t dpa = dpa_new();
    struct doca_sync_event *e = event_new(dpa, true);
    doca_dpa_dev_sync_event_t h;
    CHECK(doca_sync_event_create(NULL) == INVALID && doca_sync_event_destroy(NULL) == INVALID);
    CHECK(doca_sync_event_start(NULL) == INVALID && doca_sync_event_stop(NULL) == INVALID);
    CHECK(doca_sync_event_publisher_add_location_cpu(NULL, dev) == INVALID);
    CHECK(doca_sync_event_publisher_add_location_dpa(e, NULL) == INVALID);
    CHECK(doca_sync_event_subscriber_add_location_cpu(e, NULL) == INVALID);
    CHECK(doca_sync_event_subscriber_add_location_dpa(NULL, dpa) == INVALID);
    CHECK(doca_sync_event_export_to_dpa(e, NULL, &h) == INVALID);
    CHECK(doca_sync_event_export_to_dpa(e, dpa, NULL) == INVALID);
    CHECK(doca_sync_event_get(e, NULL) == INVALID);
    CHECK(doca_sync_event_update_set(NULL, 1) == INVALID);
    CHECK(doca_sync_event_update_add(NULL, 1, NULL) == INVALID);
    CHECK(doca_sync_event_wait_gt(NULL, 0, 1) == INVALID);
    CHECK(doca_sync_event_wait_gt(e, UINT64_MAX, UINT64_MAX) == INVALID); /* never true */
    CHECK(doca_sync_event_wait_gt(e, 15, 15) == INVALID);
    CHECK(doca_sync_event_destroy(e) == OK && doca_dpa_destroy(dpa) == OK);
}

static void a_side_has_one_dpa_context(void)
{
    doca_dpa_t a = dpa_new(), b = dpa_new();
    struct doca_sync_event *e = NULL;
    CHECK(doca_sync_event_create(&e) == OK);
    CHECK(doca_sync_event_publisher_add_location_dpa(e, a) == OK);
    CHECK(doca_sync_event_publisher_add_location_dpa(e, a) == OK);
    CHECK(doca_sync_event_publisher_add_location_dpa(e, b) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_sync_event_subscriber_add_location_dpa(e, b) == OK);
    CHECK(doca_sync_event_start(e) == OK);
    CHECK(doca_sync_event_destroy(e) == OK);
    CHECK(doca_dpa_destroy(a) == OK && doca_dpa_destroy(b) == OK);
}

static void an_event_has_one_handle_in_a_context(void)
{
    doca_dpa_t dpa = dpa_new();
    struct doca_sync_event *e = event_new(dpa, true), *other = event_new(dpa, true);
    CHECK(handle(e, dpa) == handle(e, dpa) && handle(e, dpa) != handle(other, dpa));
    CHECK(doca_sync_event_stop(e) == OK);
    doca_dpa_dev_sync_event_t h = 0;
    CHECK(doca_sync_event_export_to_dpa(e, dpa, &h) == BAD_STATE);
    CHECK(doca_sync_event_destroy(e) == OK && doca_sync_event_destroy(other) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void an_event_outlives_its_context(void)
{
    doca_dpa_t dpa = dpa_new();
    struct doca_sync_event *e = event_new(dpa, true);
    CHECK(doca_sync_event_update_set(e, 5) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
    CHECK(value_of(e) == 5 && doca_sync_event_wait_gt(e, 4, UINT64_MAX) == OK);
    CHECK(doca_sync_event_wait_gt(e, 5, UINT64_MAX) == BAD_STATE); /* nobody is left to update it */
    CHECK(doca_sync_event_destroy(e) == OK);
}

/* ---- Kernels ---- */

static void every_thread_of_a_kernel_runs_with_its_rank(void)
{
    doca_dpa_t dpa = dpa_new();
    struct doca_sync_event *total = event_new(dpa, true), *done = event_new(dpa, true);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 7, 16, &add_rank,
                                            handle(total, dpa), UINT64_C(10)) == OK);
    wait_for(done, 6);
    CHECK(value_of(done) == 7 && value_of(total) == 1360); /* 10 * (1 + ... + 16) */
    CHECK(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, done, 7, 1, &add_rank, handle(total, dpa),
                                            UINT64_C(1)) == OK);
    wait_for(done, 13);
    CHECK(value_of(done) == 14 && value_of(total) == 1361);
    CHECK(doca_sync_event_destroy(done) == OK && doca_sync_event_destroy(total) == OK);
    CHECK(doca_dpa_peek_at_last_error(dpa) == OK && doca_dpa_destroy(dpa) == OK);
}

static void kernels_run_in_the_order_of_their_events(void)
{
    doca_dpa_t dpa = dpa_new();
    struct doca_sync_event *order = event_new(dpa, true), *done = event_new(dpa, true);
    for (uint64_t digit = 1; digit <= 9; digit++)
        CHECK(doca_dpa_kernel_launch_update_add(dpa, digit > 1 ? done : NULL,
                                                digit > 1 ? digit - 2 : 0, done, 1, 1, &append,
                                                handle(order, dpa), digit) == OK);
    wait_for(done, 8);
    CHECK(value_of(order) == 123456789);
    CHECK(doca_sync_event_destroy(done) == OK && doca_sync_event_destroy(order) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void a_kernel_waits_for_its_event(void)
{
    doca_dpa_t dpa = dpa_new();
    const struct timespec moment = {0, 20 * 1000 * 1000};
    struct doca_sync_event *go = event_new(dpa, false), *done = event_new(dpa, true);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, go, 4, done, 10, 1, &append, handle(done, dpa),
                                            UINT64_C(1)) == OK);
    CHECK(doca_sync_event_update_set(go, 4) == OK); /* not greater */
    nanosleep(&moment, NULL);
    CHECK(value_of(done) == 0);
    CHECK(doca_sync_event_update_set(go, 5) == OK);
    wait_for(done, 9);
    CHECK(value_of(done) == 10);
    CHECK(doca_sync_event_destroy(go) == OK && doca_sync_event_destroy(done) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

static void launches_check_their_arguments(void)
{
    doca_dpa_t dpa = dpa_new(), bad = dpa;
    struct doca_sync_event *e = event_new(dpa, true);
    unsigned threads = 0;
    unsigned long long seconds = 0;
    CHECK(doca_dpa_get_max_threads_per_kernel(dpa, &threads) == OK && threads >= 16);
    CHECK(doca_dpa_get_kernel_max_run_time(dpa, &seconds) == OK && seconds == 6);
    CHECK(doca_dpa_get_max_threads_per_kernel(dpa, NULL) == INVALID);
    CHECK(doca_dpa_get_kernel_max_run_time(NULL, &seconds) == INVALID);
#define LAUNCH(dpa, wait, threshold, threads, func)                                                \
    doca_dpa_kernel_launch_update_set(dpa, wait, threshold, e, 1, threads, func, UINT64_C(0),      \
                                      UINT64_C(0))
    CHECK(LAUNCH(NULL, NULL, 0, 1, &append) == INVALID);
    CHECK(LAUNCH(dpa, NULL, 0, 1, NULL) == INVALID);
    CHECK(LAUNCH(dpa, NULL, 0, 0, &append) == INVALID);
    CHECK(LAUNCH(dpa, NULL, 0, threads + 1, &append) == INVALID);
    CHECK(LAUNCH(dpa, e, DOCA_DPA_WAIT_THRESHOLD_MAX + 1, 1, &append) == INVALID);
    CHECK(LAUNCH(dpa, NULL, 0, 1, &not_there) == INVALID);
    CHECK(doca_sync_event_stop(e) == OK);
    CHECK(LAUNCH(dpa, NULL, 0, 1, &append) == BAD_STATE);
    CHECK(doca_dpa_create(NULL, (doca_dpa_app_t)(void *)test_app, &bad, 0) == INVALID && !bad);
    CHECK(doca_dpa_create(dev, NULL, &bad, 0) == INVALID);
    CHECK(doca_dpa_create(dev, (doca_dpa_app_t)(void *)test_app, &bad, 1) == INVALID);
    CHECK(doca_dpa_create(dev, (doca_dpa_app_t)(void *)test_app, NULL, 0) == INVALID);
    CHECK(doca_dpa_destroy(NULL) == INVALID && doca_dpa_peek_at_last_error(NULL) == INVALID);
    CHECK(doca_dpa_peek_at_last_error(dpa) == OK); /* wrong arguments are not device errors */
    CHECK(doca_sync_event_destroy(e) == OK && doca_dpa_destroy(dpa) == OK);
}

/* Kernels that were launched later never start, and the wait for the last kernel fails, too. */
static void a_chain_behind_a_fault_fails(void)
{
    doca_dpa_t dpa = dpa_new();
    struct doca_sync_event *first = event_new(dpa, true), *last = event_new(dpa, true);
    struct doca_sync_event *order = event_new(dpa, true);
    uint64_t h = handle(order, dpa); /* a faulted context exports nothing */
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, first, 1, 1, &load, UINT64_C(8)) == OK);
    doca_error_t launched =
        doca_dpa_kernel_launch_update_set(dpa, first, 0, last, 1, 1, &append, h, UINT64_C(1));
    CHECK(launched == OK || launched == BAD_STATE); /* the fault may have come first */
    CHECK(doca_sync_event_wait_gt(last, 0, UINT64_MAX) == BAD_STATE);
    CHECK(value_of(first) == 0 && value_of(last) == 0 && value_of(order) == 0);
    CHECK(doca_sync_event_destroy(first) == OK && doca_sync_event_destroy(last) == OK);
    CHECK(doca_sync_event_destroy(order) == OK && doca_dpa_destroy(dpa) == OK);
}

static void a_fault_ends_the_wait_and_only_its_context(void)
{
    doca_dpa_t dpa = dpa_new(), other = dpa_new();
    struct doca_sync_event *done = event_new(dpa, true), *fine = event_new(other, true);
    doca_dpa_dev_uintptr_t p = 0;
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 1, &load, UINT64_C(8)) == OK);
    CHECK(doca_sync_event_wait_gt(done, 0, UINT64_MAX) == BAD_STATE);
    CHECK(doca_dpa_peek_at_last_error(dpa) == BAD_STATE && value_of(done) == 0);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 1, &load, p) == BAD_STATE);
    CHECK(doca_dpa_kernel_launch_update_set(other, NULL, 0, fine, 1, 1, &append,
                                            handle(fine, other), UINT64_C(1)) == OK);
    wait_for(fine, 0);
    CHECK(doca_dpa_peek_at_last_error(other) == OK);
    CHECK(doca_sync_event_destroy(done) == OK && doca_sync_event_destroy(fine) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK && doca_dpa_destroy(other) == OK);
}

static void a_context_is_destroyed_while_a_kernel_waits(void)
{
    doca_dpa_t dpa = dpa_new();
    struct doca_sync_event *go = event_new(dpa, false);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, go, 0, NULL, 0, 4, &append, handle(go, dpa),
                                            UINT64_C(1)) == OK);
    CHECK(doca_dpa_destroy(dpa) == OK);
    CHECK(value_of(go) == 0 && doca_sync_event_destroy(go) == OK);
}

static void messages_are_out_before_destroy_returns(void)
{
    doca_dpa_t dpa = dpa_new();
    struct doca_sync_event *done = event_new(dpa, true);
    CHECK(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 1, &count, UINT64_C(0),
                                            UINT64_C(4), UINT64_C(3)) == OK);
    wait_for(done, 0);
    CHECK(doca_sync_event_destroy(done) == OK && doca_dpa_destroy(dpa) == OK);
    printf("destroyed\n");
}

/* ---- Memory ---- */

static void addresses_are_unique_among_contexts(void)
{
    enum { CONTEXTS = 3, BUFFERS = 200 };
    doca_dpa_t dpa[CONTEXTS];
    doca_dpa_dev_uintptr_t p[CONTEXTS][BUFFERS];
    for (int c = 0; c < CONTEXTS; c++) {
        dpa[c] = dpa_new();
        for (int i = 0; i < BUFFERS; i++)
            CHECK(doca_dpa_mem_alloc(dpa[c], (size_t)(i + 1) * 10, &p[c][i]) == OK);
    }
    for (int a = 0; a < CONTEXTS * BUFFERS; a++)
        for (int b = 0; b < a; b++)
            CHECK(p[a / BUFFERS][a % BUFFERS] != p[b / BUFFERS][b % BUFFERS]);
    for (int i = 0; i < BUFFERS; i++)
        for (int c = 0; c < CONTEXTS - 1; c++) {
            CHECK(doca_dpa_mem_free(p[c][i]) == OK);
            CHECK(doca_dpa_mem_free(p[c][i]) == INVALID);
        }
    for (int c = 0; c < CONTEXTS; c++)
        CHECK(doca_dpa_destroy(dpa[c]) == OK);
    CHECK(doca_dpa_mem_free(p[CONTEXTS - 1][0]) == INVALID); /* went with its context */
    CHECK(doca_dpa_mem_free(0) == INVALID);
}

static void memory_is_set_and_copied(void)
{
    doca_dpa_t dpa = dpa_new();
    doca_dpa_dev_uintptr_t p = 0;
    uint8_t bytes[64];
    memset(bytes, 1, sizeof bytes);
    CHECK(doca_dpa_mem_alloc(dpa, 100, &p) == OK && p % 64 == 0);
    CHECK(doca_dpa_memset(dpa, p, 2, 100) == OK);
    CHECK(doca_dpa_h2d_memcpy(dpa, p, bytes, sizeof bytes) == OK);
    CHECK(doca_dpa_h2d_memcpy(dpa, 16, bytes, 8) == INVALID);
    CHECK(doca_dpa_memset(dpa, 16, 0, 8) == INVALID);
    CHECK(doca_dpa_h2d_memcpy(dpa, p, NULL, 8) == INVALID);
    CHECK(doca_dpa_h2d_memcpy(NULL, p, bytes, 8) == INVALID);
    CHECK(doca_dpa_memset(NULL, p, 0, 8) == INVALID);
    CHECK(doca_dpa_mem_free(NULL, p) == INVALID);
    CHECK(doca_dpa_mem_free(dpa, p) == OK);
    CHECK(doca_dpa_mem_free(p) == INVALID);
    p = 1;
    CHECK(doca_dpa_mem_alloc(dpa, 0, &p) == INVALID && p == 0);
    CHECK(doca_dpa_mem_alloc(dpa, (size_t)1 << 40, &p) == DOCA_ERROR_NO_MEMORY && p == 0);
    CHECK(doca_dpa_mem_alloc(NULL, 8, &p) == INVALID);
    CHECK(doca_dpa_mem_alloc(dpa, 8, NULL) == INVALID);
    CHECK(doca_dpa_destroy(dpa) == OK);
}

/* ---- Policy ---- */

static void an_unsigned_program_is_refused(void)
{
    doca_dpa_t dpa = (doca_dpa_t)&dpa;
    CHECK(doca_dpa_create(dev, (doca_dpa_app_t)(void *)test_app, &dpa, 0) ==
          DOCA_ERROR_AUTHENTICATION);
    CHECK(!dpa);
}

/* ---- Main ---- */

static const struct test_case cases[] = {
    CASE(errors_have_names_and_texts),
    CASE(devices_are_listed_opened_and_closed),
    CASE(device_functions_check_their_arguments),
    CASE(a_device_in_use_is_not_closed),
    CASE(an_event_works_between_start_and_stop),
    CASE(event_functions_check_their_arguments),
    CASE(a_side_has_one_dpa_context),
    CASE(an_event_has_one_handle_in_a_context),
    CASE(an_event_outlives_its_context),
    CASE(every_thread_of_a_kernel_runs_with_its_rank),
    CASE(kernels_run_in_the_order_of_their_events),
    CASE(a_kernel_waits_for_its_event),
    CASE(launches_check_their_arguments),
    CASE(a_fault_ends_the_wait_and_only_its_context),
    CASE(a_chain_behind_a_fault_fails),
    CASE(a_context_is_destroyed_while_a_kernel_waits),
    CASE(messages_are_out_before_destroy_returns),
    CASE(addresses_are_unique_among_contexts),
    CASE(memory_is_set_and_copied),
    CASE(an_unsigned_program_is_refused),
};

int main(int argc, char **argv)
{
    const struct test_case *c = find_case(cases, sizeof cases / sizeof *cases, argc, argv);
    if (!c)
        return 98;
    dev = open_device("mlx5_0");
    c->run();
    CHECK(doca_dev_close(dev) == OK);
    return 0;
}
