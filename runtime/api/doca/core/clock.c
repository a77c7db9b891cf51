/* Clocks of devices. An emulated device has the host's clocks. */
#include <doca_clock.h>

#include "api/doca/core/core.h"

#define NIC_CLOCKS                                                                                 \
    ((uint64_t)DOCA_CLOCK_NIC_FREE_RUNNING | DOCA_CLOCK_NIC_REAL_TIME | DOCA_CLOCK_NIC_DPA_TIMER)

struct clock {
    struct dpk_object object;
    struct dpk_dev *dev; /* a use */
};

static void clock_left(void *object)
{
    dpk_object_end_use(((struct clock *)object)->dev);
}

static void clock_release(void *object)
{
    struct clock *c = object;
    dpk_object_drop(c->dev);
    free(c);
}
static const struct dpk_kind clock_kind = {.left = clock_left, .release = clock_release};

doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_SUCCESS));
}

doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_SUCCESS));
}

doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_SUCCESS));
}

doca_error_t doca_clock_create(const struct doca_dev *dev, struct doca_clock **clock)
{
    if (clock)
        *clock = NULL;
    struct dpk_dev *d = clock ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    struct clock *c = calloc(1, sizeof *c);
    if (c) {
        dpk_object_use(c->dev = d);
        *clock = dpk_object_enter(c, &clock_kind);
    }
    dpk_object_drop(d);
    return dpk_doca_end(dev, __func__, *clock ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_clock_destroy(struct doca_clock *clock)
{
    return dpk_doca_destroy(clock, &clock_kind, __func__);
}

/* ---- Reading ---- */

static doca_error_t read_cycles(union doca_clock_timespec_t *out)
{
#if defined(__x86_64__)
    out->counter = __builtin_ia32_rdtsc();
    return DOCA_SUCCESS;
#elif defined(__aarch64__)
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(out->counter));
    return DOCA_SUCCESS;
#else
    (void)out;
    return DOCA_ERROR_NOT_SUPPORTED;
#endif
}

static doca_error_t read_clock(uint64_t type, union doca_clock_timespec_t *out)
{
    static const struct {
        uint64_t type;
        clockid_t id;
    } clocks[] = {
        {DOCA_CLOCK_NIC_FREE_RUNNING, CLOCK_MONOTONIC_RAW},
        {DOCA_CLOCK_NIC_REAL_TIME, CLOCK_REALTIME},
        {DOCA_CLOCK_NIC_DPA_TIMER, CLOCK_MONOTONIC}, /* like dpk_now_ns */
        {DOCA_CLOCK_HOST_REAL_TIME, CLOCK_REALTIME},
        {DOCA_CLOCK_HOST_MONOTONIC, CLOCK_MONOTONIC},
        {DOCA_CLOCK_HOST_MONOTONIC_RAW, CLOCK_MONOTONIC_RAW},
    };
    if (type == DOCA_CLOCK_HOST_COUNTER_CYCLES)
        return read_cycles(out);
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (clocks[i].type == type)
            return clock_gettime(clocks[i].id, &out->ts) == 0 ? DOCA_SUCCESS
                                                              : DOCA_ERROR_NOT_SUPPORTED;
    return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "0x%llx is not one clock",
                            (unsigned long long)type);
}

doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
                                      union doca_clock_timespec_t *clock_ts)
{
    struct clock *c = dpk_object_pin(clock, &clock_kind);
    doca_error_t result =
        c && clock_ts ? read_clock(clock_type, clock_ts) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(clock, __func__, result);
}

/* Returns the progress of a clock between two readings, in its unit. */
static uint64_t passed(uint64_t type, const union doca_clock_timespec_t *from,
                       const union doca_clock_timespec_t *to)
{
    if (type == DOCA_CLOCK_HOST_COUNTER_CYCLES)
        return to->counter - from->counter;
    const int64_t ns = (int64_t)(to->ts.tv_sec - from->ts.tv_sec) * 1000000000 +
                       (to->ts.tv_nsec - from->ts.tv_nsec);
    return ns > 0 ? (uint64_t)ns : 0; /* the clock may have been set back */
}

/* Reads the device's clock between two readings of the other clock; the first reading is the
 * result. */
static doca_error_t read_both(uint64_t primary, uint64_t nic, union doca_clock_timespec_t *out,
                              union doca_clock_timespec_t *nic_out, uint64_t *margin)
{
    union doca_clock_timespec_t before = {0}, between = {0}, after = {0};
    doca_error_t result = read_clock(primary, &before);
    DOCA_ERROR_PROPAGATE(result, read_clock(nic, &between));
    DOCA_ERROR_PROPAGATE(result, read_clock(primary, &after));
    if (result != DOCA_SUCCESS)
        return result;
    *out = before;
    *nic_out = between;
    *margin = passed(primary, &before, &after);
    return DOCA_SUCCESS;
}

doca_error_t doca_clock_get_crosstimestamp(const struct doca_clock *clock,
                                           uint64_t primary_clock_type, uint64_t nic_clock_type,
                                           union doca_clock_timespec_t *primary_clock_ts,
                                           union doca_clock_timespec_t *nic_clock_ts,
                                           uint64_t *error_margin)
{
    struct clock *c = dpk_object_pin(clock, &clock_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    const bool has_all = c && primary_clock_ts && nic_clock_ts && error_margin;
    if (has_all && !(nic_clock_type & NIC_CLOCKS))
        dpk_doca_because(result, "0x%llx is not a clock of the device",
                         (unsigned long long)nic_clock_type);
    else if (has_all)
        result = read_both(primary_clock_type, nic_clock_type, primary_clock_ts, nic_clock_ts,
                           error_margin);
    dpk_object_drop(c);
    return dpk_doca_end(clock, __func__, result);
}
