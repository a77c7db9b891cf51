/* DOCA Telemetry DPA: contexts, and counting. */
#include "private.h"

#include <stdlib.h>

#define TIMER_KHZ 1000000u /* a tick is a nanosecond, like in dpa-statistics */

/* ---- Capabilities of devices ---- */

doca_error_t doca_telemetry_dpa_cap_is_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_SUCCESS));
}

static doca_error_t all_ids(const struct doca_devinfo *devinfo, uint32_t *id)
{
    if (!id)
        return DOCA_ERROR_INVALID_VALUE;
    const doca_error_t result = dpk_devinfo_answer(devinfo, DOCA_SUCCESS);
    if (result == DOCA_SUCCESS)
        *id = ALL_IDS;
    return result;
}

doca_error_t doca_telemetry_dpa_get_all_process_id(const struct doca_devinfo *devinfo,
                                                   uint32_t *all_process_id)
{
    return dpk_doca_end(devinfo, __func__, all_ids(devinfo, all_process_id));
}

doca_error_t doca_telemetry_dpa_get_all_thread_id(const struct doca_devinfo *devinfo,
                                                  uint32_t *all_thread_id)
{
    return dpk_doca_end(devinfo, __func__, all_ids(devinfo, all_thread_id));
}

/* ---- Contexts ---- */

static void left(void *object)
{
    struct telemetry *t = object;
    dpk_object_end_use(t->dev);
}

static void release(void *object)
{
    struct telemetry *t = object;
    dpk_object_drop(t->dev);
    free(t);
}
const struct dpk_kind telemetry_kind = {.left = left, .release = release};

static doca_error_t find_directory(const char *name, char out[PATH_MAX])
{
    struct dpk_error err = {0};
    const enum dpk_status status = dpk_device_card_directory_by_name(name, out, &err);
    return status == DPK_OK ? DOCA_SUCCESS : dpk_doca_error_of(&err);
}

doca_error_t doca_telemetry_dpa_create(struct doca_dev *doca_dev, struct doca_telemetry_dpa **dpa)
{
    struct dpk_dev *dev = dpa ? dpk_object_pin(doca_dev, &dpk_dev_kind) : NULL;
    if (!dev)
        return dpk_doca_no_object(__func__);
    struct telemetry *t = calloc(1, sizeof *t);
    doca_error_t result = t ? find_directory(dev->info->name, t->directory) : DOCA_ERROR_NO_MEMORY;
    if (result != DOCA_SUCCESS) {
        dpk_object_drop(dev);
        free(t);
        return dpk_doca_end(doca_dev, __func__, result);
    }
    dpk_object_use(dev);
    dpk_object_drop(dev);
    t->dev = dev;
    t->samples_max = DPK_LIVE_SAMPLES;
    void *handle = dpk_object_enter(t, &telemetry_kind);
    if (!handle)
        return dpk_doca_end(doca_dev, __func__, DOCA_ERROR_NO_MEMORY);
    *dpa = handle;
    return DOCA_SUCCESS;
}

doca_error_t doca_telemetry_dpa_destroy(struct doca_telemetry_dpa *dpa)
{
    return dpk_doca_destroy(dpa, &telemetry_kind, __func__);
}

doca_error_t telemetry_not_started(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context is not started");
}

static doca_error_t set_started(struct doca_telemetry_dpa *dpa, bool started)
{
    struct telemetry *t = dpk_object_lock(dpa, &telemetry_kind);
    if (!t || t->started == started)
        return dpk_object_unlock(t, dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context is %s",
                                                     started ? "started already" : "not started"));
    t->started = started;
    return dpk_object_unlock(t, DOCA_SUCCESS);
}

doca_error_t doca_telemetry_dpa_start(struct doca_telemetry_dpa *dpa)
{
    return dpk_doca_end(dpa, __func__, set_started(dpa, true));
}

doca_error_t doca_telemetry_dpa_stop(struct doca_telemetry_dpa *dpa)
{
    return dpk_doca_end(dpa, __func__, set_started(dpa, false));
}

doca_error_t doca_telemetry_dpa_get_dpa_timer_freq(struct doca_telemetry_dpa *dpa,
                                                   uint32_t *dpa_timer_freq)
{
    struct telemetry *t = dpa_timer_freq ? dpk_object_lock(dpa, &telemetry_kind) : NULL;
    if (t)
        *dpa_timer_freq = TIMER_KHZ;
    return dpk_doca_end(dpa, __func__, dpk_object_unlock(t, DOCA_SUCCESS));
}

doca_error_t doca_telemetry_dpa_set_max_perf_event_samples(struct doca_telemetry_dpa *dpa,
                                                           uint32_t max_perf_event_samples)
{
    struct telemetry *t = dpk_object_lock(dpa, &telemetry_kind);
    if (t && t->started)
        return dpk_doca_unlock(t, __func__, DOCA_ERROR_BAD_STATE,
                               "the context is started, and must not be");
    if (max_perf_event_samples == 0 || max_perf_event_samples > DPK_LIVE_SAMPLES)
        return dpk_doca_unlock(t, __func__, DOCA_ERROR_INVALID_VALUE,
                               "%u samples are not within 1 to %u", max_perf_event_samples,
                               (unsigned)DPK_LIVE_SAMPLES);
    if (t)
        t->samples_max = max_perf_event_samples;
    return dpk_doca_end(dpa, __func__, dpk_object_unlock(t, DOCA_SUCCESS));
}

doca_error_t doca_telemetry_dpa_get_max_perf_event_samples(struct doca_telemetry_dpa *dpa,
                                                           uint32_t *max_perf_event_samples)
{
    struct telemetry *t = max_perf_event_samples ? dpk_object_lock(dpa, &telemetry_kind) : NULL;
    if (t)
        *max_perf_event_samples = t->samples_max;
    return dpk_doca_end(dpa, __func__, dpk_object_unlock(t, DOCA_SUCCESS));
}

/* ---- Counting ---- */

static doca_error_t no_process(uint32_t process_id)
{
    if (process_id == ALL_IDS)
        return dpk_doca_because(DOCA_ERROR_DRIVER, "no DPA process runs on the device");
    return dpk_doca_because(DOCA_ERROR_DRIVER, "no DPA process of the device has the number %u",
                            process_id);
}

/* Checks whether the selected processes count in that way. Errors: DRIVER if there are no
 * processes. */
static doca_error_t counting(const struct telemetry *t, uint32_t process_id, bool samples,
                             bool *counts)
{
    struct dpk_live_seen seen;
    struct dpk_error err = {0};
    bool found = false;
    *counts = false;
    if (dpk_live_look(t->directory, false, &seen, &err) != DPK_OK)
        return dpk_doca_error_of(&err);
    for (size_t i = 0; i < seen.count; i++) {
        const struct dpk_live_process *p = &seen.processes[i];
        if (!is_asked(process_id, ALL_IDS, p->number, 0))
            continue;
        found = true;
        *counts |= samples ? p->traces : p->collects;
    }
    dpk_live_seen_free(&seen);
    return found ? DOCA_SUCCESS : no_process(process_id);
}

static doca_error_t set_counting(const struct telemetry *t, uint32_t process_id, bool samples,
                                 bool on, bool reset)
{
    struct dpk_error err = {0};
    const unsigned process = process_id == ALL_IDS ? UINT_MAX : process_id;
    const enum dpk_status status =
        (samples ? dpk_live_sample : dpk_live_collect)(t->directory, process, on, reset, &err);
    return status == DPK_OK              ? DOCA_SUCCESS
           : status == DPK_ERR_NOT_FOUND ? no_process(process_id)
                                         : dpk_doca_error_of(&err);
}

enum change { CHANGE_START, CHANGE_STOP, CHANGE_RESTART };

static doca_error_t change(struct doca_telemetry_dpa *dpa, uint32_t process_id,
                           enum doca_telemetry_dpa_counter_type type, enum change how)
{
    struct telemetry *t = dpk_object_lock(dpa, &telemetry_kind);
    const bool samples = type == DOCA_TELEMETRY_DPA_COUNTER_TYPE_EVENT_TRACER;
    bool counts, others;
    if (!t || (!samples && type != DOCA_TELEMETRY_DPA_COUNTER_TYPE_CUMULATIVE_EVENT))
        return dpk_object_unlock(t, dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                                     "the context is NULL or was destroyed, or %d "
                                                     "is not a type of counters",
                                                     (int)type));
    if (!t->started)
        return dpk_object_unlock(t, telemetry_not_started());
    doca_error_t result = counting(t, process_id, samples, &counts);
    if (result == DOCA_SUCCESS)
        result = counting(t, process_id, !samples, &others);
    /* A card either counts or takes samples. */
    if (result == DOCA_SUCCESS && how == CHANGE_START && (counts || others))
        result =
            dpk_doca_because(DOCA_ERROR_BAD_STATE, "the processes count or take samples already");
    if (result == DOCA_SUCCESS && how == CHANGE_STOP && !counts)
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the processes do not count in this way");
    if (result == DOCA_SUCCESS)
        result = set_counting(t, process_id, samples, how == CHANGE_START, how == CHANGE_RESTART);
    return dpk_object_unlock(t, result);
}

doca_error_t doca_telemetry_dpa_counter_start(struct doca_telemetry_dpa *dpa, uint32_t process_id,
                                              enum doca_telemetry_dpa_counter_type counter_type)
{
    return dpk_doca_end(dpa, __func__, change(dpa, process_id, counter_type, CHANGE_START));
}

doca_error_t doca_telemetry_dpa_counter_stop(struct doca_telemetry_dpa *dpa, uint32_t process_id,
                                             enum doca_telemetry_dpa_counter_type counter_type)
{
    return dpk_doca_end(dpa, __func__, change(dpa, process_id, counter_type, CHANGE_STOP));
}

doca_error_t doca_telemetry_dpa_counter_restart(struct doca_telemetry_dpa *dpa, uint32_t process_id,
                                                enum doca_telemetry_dpa_counter_type counter_type)
{
    return dpk_doca_end(dpa, __func__, change(dpa, process_id, counter_type, CHANGE_RESTART));
}
