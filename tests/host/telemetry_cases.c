/* DOCA Telemetry DPA: what it says of processes that others run on mlx5_0: two, of one and of two threads. */
#include <string.h>
#include <unistd.h>

#include <doca_dev.h>
#include <doca_telemetry_dpa.h>

#include "check.h"

#define OK         DOCA_SUCCESS
#define BAD        DOCA_ERROR_INVALID_VALUE
#define CUMULATIVE DOCA_TELEMETRY_DPA_COUNTER_TYPE_CUMULATIVE_EVENT
#define TRACER     DOCA_TELEMETRY_DPA_COUNTER_TYPE_EVENT_TRACER

static struct {
    struct doca_dev *dev;
    struct doca_devinfo *info;
    struct doca_telemetry_dpa *dpa;
    uint32_t processes, threads; /* all of them */
} w;

static void open_all(void)
{
    struct doca_devinfo **list;
    uint32_t count;
    CHECK(doca_devinfo_create_list(&list, &count) == OK && count > 0);
    CHECK(doca_dev_open(list[0], &w.dev) == OK);
    CHECK(doca_devinfo_destroy_list(list) == OK);
    w.info = doca_dev_as_devinfo(w.dev);
    CHECK(doca_telemetry_dpa_cap_is_supported(w.info) == OK);
    CHECK(doca_telemetry_dpa_get_all_process_id(w.info, &w.processes) == OK);
    CHECK(doca_telemetry_dpa_get_all_thread_id(w.info, &w.threads) == OK);
    CHECK(doca_telemetry_dpa_create(w.dev, &w.dpa) == OK);
}

static void close_all(void)
{
    CHECK(doca_telemetry_dpa_destroy(w.dpa) == OK);
    CHECK(doca_dev_close(w.dev) == OK);
}

static void *list_of(doca_error_t result, const uint32_t *size)
{
    CHECK(result == OK && *size > 0);
    void *list = malloc(*size);
    CHECK(list);
    return list;
}

static void processes_and_threads_are_listed(void)
{
    uint32_t size = 0, count = 0;
    open_all();
    doca_telemetry_dpa_process_info_t *p =
        list_of(doca_telemetry_dpa_get_process_list_size(w.dpa, w.processes, &size), &size);
    CHECK(doca_telemetry_dpa_read_processes_list(w.dpa, w.processes, &count, p) ==
          DOCA_ERROR_BAD_STATE);
    CHECK(doca_telemetry_dpa_start(w.dpa) == OK);
    CHECK(doca_telemetry_dpa_read_processes_list(w.dpa, w.processes, &count, p) == OK);
    CHECK(count == 2 && p[0].dpa_process_id == 0 && p[1].dpa_process_id == 1);
    CHECK(p[0].num_of_threads == 1 && p[1].num_of_threads == 2);
    /* The name of the second has 18 letters. */
    CHECK(strcmp(p[0].process_name, "a.elf") == 0);
    CHECK(strcmp(p[1].process_name, "a_name_of_many_l") == 0);
    CHECK(doca_telemetry_dpa_read_processes_list(w.dpa, 1, &count, p) == OK);
    CHECK(count == 1 && p[0].dpa_process_id == 1);
    CHECK(doca_telemetry_dpa_read_processes_list(w.dpa, 7, &count, p) == DOCA_ERROR_NOT_FOUND);
    doca_telemetry_dpa_thread_info_t *t = list_of(
        doca_telemetry_dpa_get_thread_list_size(w.dpa, w.processes, w.threads, &size), &size);
    CHECK(doca_telemetry_dpa_read_thread_list(w.dpa, w.processes, w.threads, &count, t) == OK);
    CHECK(count == 3 && strcmp(t[0].thread_name, "spin") == 0 && t[0].dpa_process_id == 0);
    CHECK(t[2].dpa_process_id == 1 && t[2].dpa_thread_id == 0x10001);
    CHECK(doca_telemetry_dpa_read_thread_list(w.dpa, 1, 0x10001, &count, t) == OK && count == 1);
    CHECK(doca_telemetry_dpa_read_thread_list(w.dpa, w.processes, 0, &count, t) == BAD);
    free(t);
    free(p);
    close_all();
}

static void counters_count_from_start_to_stop(void)
{
    uint32_t size = 0, count = 0, khz = 0;
    open_all();
    CHECK(doca_telemetry_dpa_counter_start(w.dpa, w.processes, CUMULATIVE) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_telemetry_dpa_start(w.dpa) == OK);
    CHECK(doca_telemetry_dpa_get_dpa_timer_freq(w.dpa, &khz) == OK && khz == 1000000);
    CHECK(doca_telemetry_dpa_counter_stop(w.dpa, w.processes, CUMULATIVE) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_telemetry_dpa_counter_start(w.dpa, 7, CUMULATIVE) == DOCA_ERROR_DRIVER);
    CHECK(doca_telemetry_dpa_counter_start(w.dpa, w.processes, CUMULATIVE) == OK);
    CHECK(doca_telemetry_dpa_counter_start(w.dpa, w.processes, CUMULATIVE) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_telemetry_dpa_counter_start(w.dpa, w.processes, TRACER) == DOCA_ERROR_BAD_STATE);
    doca_telemetry_dpa_cumul_info_t *c = list_of(
        doca_telemetry_dpa_get_cumul_samples_size(w.dpa, w.processes, w.threads, &size), &size);
    do {
        CHECK(doca_telemetry_dpa_read_cumul_info_list(w.dpa, w.processes, w.threads, &count, c) ==
              OK);
        CHECK(count == 3);
    } while (c[0].instructions == 0 || c[1].instructions == 0 || c[2].instructions == 0);
    CHECK(c[0].time > 0 && c[0].cycles >= c[0].instructions);
    CHECK(c[1].dpa_process_id == 1 && c[1].dpa_thread_id == 0x10000);
    CHECK(doca_telemetry_dpa_counter_stop(w.dpa, w.processes, CUMULATIVE) == OK);
    CHECK(doca_telemetry_dpa_counter_restart(w.dpa, w.processes, CUMULATIVE) == OK);
    usleep(200000); /* of a slice that began before: it may still be counted */
    CHECK(doca_telemetry_dpa_counter_restart(w.dpa, w.processes, CUMULATIVE) == OK);
    CHECK(doca_telemetry_dpa_read_cumul_info_list(w.dpa, w.processes, w.threads, &count, c) == OK);
    CHECK(c[0].time == 0 && c[0].instructions == 0 && c[0].num_executions == 0);
    CHECK(doca_telemetry_dpa_stop(w.dpa) == OK);
    CHECK(doca_telemetry_dpa_stop(w.dpa) == DOCA_ERROR_BAD_STATE);
    free(c);
    close_all();
}

/* Of a program that calls a function again and again: prints what it read, for the test to judge. */
static void samples_tell_who_got_which_unit(void)
{
    uint32_t size = 0, count = 0, most = 0;
    open_all();
    CHECK(doca_telemetry_dpa_get_max_perf_event_samples(w.dpa, &most) == OK && most == 4096);
    CHECK(doca_telemetry_dpa_set_max_perf_event_samples(w.dpa, 0) == BAD);
    CHECK(doca_telemetry_dpa_set_max_perf_event_samples(w.dpa, 4097) == BAD);
    CHECK(doca_telemetry_dpa_set_max_perf_event_samples(w.dpa, 100) == OK);
    CHECK(doca_telemetry_dpa_start(w.dpa) == OK);
    CHECK(doca_telemetry_dpa_set_max_perf_event_samples(w.dpa, 100) == DOCA_ERROR_BAD_STATE);
    doca_telemetry_dpa_event_sample_t *s =
        list_of(doca_telemetry_dpa_get_perf_event_samples_size(w.dpa, &size), &size);
    CHECK(size == 100 * sizeof *s);
    CHECK(doca_telemetry_dpa_counter_restart(w.dpa, w.processes, TRACER) == OK);
    CHECK(doca_telemetry_dpa_read_perf_event_list(w.dpa, w.processes, w.threads, &count, s) ==
          DOCA_ERROR_NOT_FOUND);
    CHECK(doca_telemetry_dpa_counter_start(w.dpa, w.processes, TRACER) == OK);
    CHECK(doca_telemetry_dpa_counter_start(w.dpa, w.processes, CUMULATIVE) == DOCA_ERROR_BAD_STATE);
    for (int i = 0;
         i < 20000 && (doca_telemetry_dpa_read_perf_event_list(w.dpa, w.processes, w.threads,
                                                               &count, s) == DOCA_ERROR_NOT_FOUND ||
                       count < 100);
         i++)
        usleep(1000);
    CHECK(doca_telemetry_dpa_counter_stop(w.dpa, w.processes, TRACER) == OK);
    CHECK(doca_telemetry_dpa_read_perf_event_list(w.dpa, w.processes, w.threads, &count, s) == OK);
    CHECK(count <= 100);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(i == 0 || s[i].timestamp >= s[i - 1].timestamp);
        printf("%s thread %x unit %u turn %u instructions %u\n", s[i].type == 1 ? "in" : "out",
               s[i].dpa_thread_id, s[i].eu_id, s[i].sample_id_in_eu, s[i].instructions);
    }
    CHECK(doca_telemetry_dpa_counter_restart(w.dpa, w.processes, TRACER) == OK);
    free(s);
    close_all();
}

static void what_is_none_is_refused(void)
{
    uint32_t n = 0;
    struct doca_telemetry_dpa *other = NULL;
    open_all();
    CHECK(doca_telemetry_dpa_cap_is_supported(NULL) == BAD);
    CHECK(doca_telemetry_dpa_get_all_process_id(w.info, NULL) == BAD);
    CHECK(doca_telemetry_dpa_create(NULL, &other) == BAD);
    CHECK(doca_telemetry_dpa_create(w.dev, NULL) == BAD);
    CHECK(doca_telemetry_dpa_start((void *)w.dev) == BAD);
    CHECK(doca_telemetry_dpa_get_dpa_timer_freq(NULL, &n) == BAD);
    CHECK(doca_telemetry_dpa_start(w.dpa) == OK);
    CHECK(doca_telemetry_dpa_read_processes_list(w.dpa, w.processes, &n, NULL) == BAD);
    CHECK(doca_telemetry_dpa_counter_start(w.dpa, w.processes, 7) == BAD);
    /* Nothing runs. */
    CHECK(doca_telemetry_dpa_counter_start(w.dpa, w.processes, CUMULATIVE) == DOCA_ERROR_DRIVER);
    CHECK(doca_dev_close(w.dev) == DOCA_ERROR_IN_USE);
    CHECK(doca_telemetry_dpa_destroy(w.dpa) == OK);
    CHECK(doca_telemetry_dpa_destroy(w.dpa) == BAD);
    CHECK(doca_dev_close(w.dev) == OK);
}

static const struct test_case cases[] = {
    {"processes_and_threads_are_listed", processes_and_threads_are_listed},
    {"counters_count_from_start_to_stop", counters_count_from_start_to_stop},
    {"samples_tell_who_got_which_unit", samples_tell_who_got_which_unit},
    {"what_is_none_is_refused", what_is_none_is_refused},
};

int main(int argc, char **argv)
{
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
