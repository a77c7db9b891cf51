/*
 * doca_telemetry_dpa: the processes and threads on a device's DPA, and their counters.
 *
 *     uint32_t processes, threads, size, count;
 *     doca_telemetry_dpa_get_all_process_id(doca_dev_as_devinfo(dev), &processes);
 *     doca_telemetry_dpa_get_all_thread_id(doca_dev_as_devinfo(dev), &threads);
 *     doca_telemetry_dpa_create(dev, &dpa);
 *     doca_telemetry_dpa_start(dpa);
 *     doca_telemetry_dpa_counter_start(dpa, processes, DOCA_TELEMETRY_DPA_COUNTER_TYPE_CUMULATIVE_EVENT);
 *     sleep(1);
 *     doca_telemetry_dpa_counter_stop(dpa, processes, DOCA_TELEMETRY_DPA_COUNTER_TYPE_CUMULATIVE_EVENT);
 *     doca_telemetry_dpa_get_cumul_samples_size(dpa, processes, threads, &size);
 *     info = malloc(size);
 *     doca_telemetry_dpa_read_cumul_info_list(dpa, processes, threads, &count, info);
 *     doca_telemetry_dpa_stop(dpa);
 *     doca_telemetry_dpa_destroy(dpa);
 *
 * Counters belong to the device: dpa-statistics(1) and dpatop(1) use the same counters. DOCA 3, "DOCA
 * Telemetry DPA".
 *
 * Functions return DOCA_ERROR_INVALID_VALUE for NULL and for an object of another kind. Sizes are in
 * bytes, with room for processes and threads that start meanwhile. A list is never larger than the last
 * size that was requested for the same `dpa`.
 */
#ifndef DOCA_TELEMETRY_DPA_H
#define DOCA_TELEMETRY_DPA_H

#include "doca_compat.h"
#include "doca_dev.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_telemetry_dpa;

/* Bytes of a name, with the NUL. Longer names are truncated. */
#define DOCA_TELEMETRY_DPA_PROCESS_NAME_SIZE (17)
#define DOCA_TELEMETRY_DPA_THREAD_NAME_SIZE  (17)

enum doca_telemetry_dpa_counter_state {
    DOCA_TELEMETRY_DPA_COUNTER_STATE_ACTIVE = 0x1,
    DOCA_TELEMETRY_DPA_COUNTER_STATE_INACTIVE = 0x2,
    DOCA_TELEMETRY_DPA_COUNTER_STATE_RESET = 0x3,
};

enum doca_telemetry_dpa_counter_type {
    DOCA_TELEMETRY_DPA_COUNTER_TYPE_CUMULATIVE_EVENT = 0x0, /* sums for each thread */
    DOCA_TELEMETRY_DPA_COUNTER_TYPE_EVENT_TRACER =
        0x1, /* a sample each time a thread gets or leaves a unit */
};

enum doca_telemetry_dpa_event_sample_type {
    DOCA_TELEMETRY_DPA_EVENT_SAMPLE_TYPE_EMPTY_SAMPLE = 0x0,
    DOCA_TELEMETRY_DPA_EVENT_SAMPLE_TYPE_SCHEDULE_IN = 0x1,
    DOCA_TELEMETRY_DPA_EVENT_SAMPLE_TYPE_SCHEDULE_OUT = 0x2,
    DOCA_TELEMETRY_DPA_EVENT_SAMPLE_TYPE_BUFFER_FULL = 0xff,
};

typedef struct doca_telemetry_dpa_process_info {
    uint32_t dpa_process_id; /* the number of dpa-ps */
    uint32_t num_of_threads;
    char process_name[DOCA_TELEMETRY_DPA_PROCESS_NAME_SIZE];
} doca_telemetry_dpa_process_info_t;

typedef struct doca_telemetry_dpa_thread_info {
    uint32_t dpa_process_id;
    uint32_t dpa_thread_id; /* the process's number * 65536 + the thread's of dpa-ps */
    char thread_name[DOCA_TELEMETRY_DPA_THREAD_NAME_SIZE]; /* its function */
} doca_telemetry_dpa_thread_info_t;

typedef struct doca_telemetry_dpa_cumul_info {
    uint32_t dpa_process_id;
    uint32_t dpa_thread_id;
    uint64_t time;         /* run time, in ticks of the DPA's timer */
    uint64_t cycles;       /* cycles of the unit; an instruction takes one cycle */
    uint64_t instructions; /* executed instructions */
    uint64_t num_executions;
} doca_telemetry_dpa_cumul_info_t;

typedef struct doca_telemetry_dpa_event_sample {
    uint64_t timestamp;    /* us */
    uint64_t cycles;       /* cycles of the thread so far */
    uint32_t instructions; /* instructions of the thread so far, low 32 bits */
    uint32_t dpa_thread_id;
    uint16_t eu_id;
    uint16_t sample_id_in_eu; /* number in the unit: an "in" and its "out" have the same number */
    enum doca_telemetry_dpa_event_sample_type type;
} doca_telemetry_dpa_event_sample_t;

/* DOCA_SUCCESS: every emulated device has counters. */
doca_error_t doca_telemetry_dpa_cap_is_supported(const struct doca_devinfo *devinfo);
/* Get the number that means all processes, and the number that means all threads. */
doca_error_t doca_telemetry_dpa_get_all_process_id(const struct doca_devinfo *devinfo,
                                                   uint32_t *all_process_id);
doca_error_t doca_telemetry_dpa_get_all_thread_id(const struct doca_devinfo *devinfo,
                                                  uint32_t *all_thread_id);

/* Creates a telemetry object. Errors: DOCA_ERROR_NO_MEMORY; DOCA_ERROR_IO_FAILED and others for the
 * device's directory. */
doca_error_t doca_telemetry_dpa_create(struct doca_dev *dev, struct doca_telemetry_dpa **dpa);
/* Destroys the object. A started object is stopped first. */
doca_error_t doca_telemetry_dpa_destroy(struct doca_telemetry_dpa *dpa);
/* Starts the object. Errors: DOCA_ERROR_BAD_STATE if it is started. */
doca_error_t doca_telemetry_dpa_start(struct doca_telemetry_dpa *dpa);
/* Stops the object. Counters that it has started continue. Errors: DOCA_ERROR_BAD_STATE if it is not
 * started. */
doca_error_t doca_telemetry_dpa_stop(struct doca_telemetry_dpa *dpa);

/* Gets the frequency of the timer in kHz: ticks / frequency = milliseconds. */
doca_error_t doca_telemetry_dpa_get_dpa_timer_freq(struct doca_telemetry_dpa *dpa,
                                                   uint32_t *dpa_timer_freq);
/* Largest number of event samples of a read: 1 to 4096; 4096 by default. Errors: DOCA_ERROR_BAD_STATE
 * if the object is started. */
doca_error_t doca_telemetry_dpa_set_max_perf_event_samples(struct doca_telemetry_dpa *dpa,
                                                           uint32_t max_perf_event_samples);
doca_error_t doca_telemetry_dpa_get_max_perf_event_samples(struct doca_telemetry_dpa *dpa,
                                                           uint32_t *max_perf_event_samples);

/* ---- Sizes of lists, in bytes ---- `process_id`, `thread_id`: one number, or the number that means
 * all. Errors: DOCA_ERROR_INVALID_VALUE for one thread of all processes. */

doca_error_t doca_telemetry_dpa_get_process_list_size(struct doca_telemetry_dpa *dpa,
                                                      uint32_t process_id, uint32_t *size);
doca_error_t doca_telemetry_dpa_get_thread_list_size(struct doca_telemetry_dpa *dpa,
                                                     uint32_t process_id, uint32_t thread_id,
                                                     uint32_t *size);
doca_error_t doca_telemetry_dpa_get_cumul_samples_size(struct doca_telemetry_dpa *dpa,
                                                       uint32_t process_id, uint32_t thread_id,
                                                       uint32_t *size);
doca_error_t doca_telemetry_dpa_get_perf_event_samples_size(struct doca_telemetry_dpa *dpa,
                                                            uint32_t *size);

/* ---- Lists ---- Each list is written to the caller's memory, and *count receives the number of
 * elements. Errors: DOCA_ERROR_BAD_STATE if the object is not started, DOCA_ERROR_NOT_FOUND if the
 * process or thread does not exist. */

doca_error_t doca_telemetry_dpa_read_processes_list(struct doca_telemetry_dpa *dpa,
                                                    uint32_t process_id, uint32_t *count,
                                                    doca_telemetry_dpa_process_info_t *list);
doca_error_t doca_telemetry_dpa_read_thread_list(struct doca_telemetry_dpa *dpa,
                                                 uint32_t process_id, uint32_t thread_id,
                                                 uint32_t *count,
                                                 doca_telemetry_dpa_thread_info_t *list);
doca_error_t doca_telemetry_dpa_read_cumul_info_list(struct doca_telemetry_dpa *dpa,
                                                     uint32_t process_id, uint32_t thread_id,
                                                     uint32_t *count,
                                                     doca_telemetry_dpa_cumul_info_t *list);
/* The latest samples, oldest first. */
doca_error_t doca_telemetry_dpa_read_perf_event_list(struct doca_telemetry_dpa *dpa,
                                                     uint32_t process_id, uint32_t thread_id,
                                                     uint32_t *count,
                                                     doca_telemetry_dpa_event_sample_t *list);

/* ---- Counting ---- Count one process, or all current and later processes. Errors:
 * DOCA_ERROR_BAD_STATE if the object is not started, or if these counters already count (start) or do
 * not count (stop); DOCA_ERROR_DRIVER if the process does not exist, or for all, if there is no
 * process. */

doca_error_t doca_telemetry_dpa_counter_start(struct doca_telemetry_dpa *dpa, uint32_t process_id,
                                              enum doca_telemetry_dpa_counter_type counter_type);
doca_error_t doca_telemetry_dpa_counter_stop(struct doca_telemetry_dpa *dpa, uint32_t process_id,
                                             enum doca_telemetry_dpa_counter_type counter_type);
/* Ends counting, and sets all counters to 0. */
doca_error_t doca_telemetry_dpa_counter_restart(struct doca_telemetry_dpa *dpa, uint32_t process_id,
                                                enum doca_telemetry_dpa_counter_type counter_type);

#ifdef __cplusplus
}
#endif

#endif
