/*
 * doca_clock: clocks of the host and of a device, read one at a time or two at once.
 *
 *     struct doca_clock *clock;  union doca_clock_timespec_t host, nic;  uint64_t margin;
 *     doca_clock_create(dev, &clock);
 *     doca_clock_get_crosstimestamp(clock, DOCA_CLOCK_HOST_REAL_TIME, DOCA_CLOCK_NIC_REAL_TIME,
 *                                   &host, &nic, &margin);
 *     doca_clock_destroy(clock);
 *
 * An emulated device has the host's time: its real-time clock is CLOCK_REALTIME, its free-running clock
 * CLOCK_MONOTONIC_RAW, and the timer of its DPA, which __dpa_thread_time (dpaintrin.h) counts in
 * microseconds, CLOCK_MONOTONIC. Every function returns INVALID_VALUE for NULL, for a destroyed object,
 * and for an object of another kind (API reference, "DOCA Clock").
 */
#ifndef DOCA_CLOCK_H
#define DOCA_CLOCK_H

#include <time.h>

#include "doca_dev.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_clock;

/* The types are bits: programs combine them in masks. */
enum doca_clock_type {
    DOCA_CLOCK_NIC_FREE_RUNNING = 1 << 0,
    DOCA_CLOCK_NIC_REAL_TIME = 1 << 1,
    DOCA_CLOCK_NIC_DPA_TIMER = 1 << 8,
    DOCA_CLOCK_HOST_COUNTER_CYCLES = 1 << 16, /* the cycle counter of the host's processor */
    DOCA_CLOCK_HOST_REAL_TIME = 1 << 17,
    DOCA_CLOCK_HOST_MONOTONIC = 1 << 18,
    DOCA_CLOCK_HOST_MONOTONIC_RAW = 1 << 19,
};

union doca_clock_timespec_t {
    struct timespec ts;
    uint64_t counter; /* of DOCA_CLOCK_HOST_COUNTER_CYCLES */
};

/* Return DOCA_SUCCESS if the device has the clock. All devices have all clocks. */
doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo);

/* Creates a clock of a device. Free it with doca_clock_destroy. Errors: NO_MEMORY. */
doca_error_t doca_clock_create(const struct doca_dev *dev, struct doca_clock **clock);
doca_error_t doca_clock_destroy(struct doca_clock *clock);

/* Reads one clock. Errors: INVALID_VALUE also if clock_type is not one type, NOT_SUPPORTED if this
 * machine does not have the clock. */
doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
                                      union doca_clock_timespec_t *clock_ts);

/*
 * Reads a clock of the device, and another clock at the same moment.
 *   primary_clock_type  [in]   any type
 *   nic_clock_type      [in]   a clock of the device, else INVALID_VALUE
 *   error_margin        [out]  the largest possible difference between the two moments, in nanoseconds,
 *                              or in cycles if the first clock counts cycles
 * Other errors as for doca_clock_get_timestamp.
 */
doca_error_t doca_clock_get_crosstimestamp(const struct doca_clock *clock,
                                           uint64_t primary_clock_type, uint64_t nic_clock_type,
                                           union doca_clock_timespec_t *primary_clock_ts,
                                           union doca_clock_timespec_t *nic_clock_ts,
                                           uint64_t *error_margin);

#ifdef __cplusplus
}
#endif

#endif
