/* DPA contexts. */
#include <doca_ctx.h>
#include <doca_dpa.h>

#include "private.h"

#define UNITS_PER_CORE 16u /* as on a BlueField-3 */

doca_error_t dpk_dpa_begin(const struct doca_dpa *dpa, struct dpk_dpa_call *call)
{
    *call = (struct dpk_dpa_call){.dpa = dpk_object_pin(dpa, &dpk_dpa_kind)};
    if (!call->dpa)
        return DOCA_ERROR_INVALID_VALUE;
    if ((call->process = dpk_dpa_enter(call->dpa, 0)))
        return DOCA_SUCCESS;
    dpk_object_drop(call->dpa);
    call->dpa = NULL;
    return dpa_not_started();
}

void dpk_dpa_end(struct dpk_dpa_call *call)
{
    if (call->process)
        dpk_dpa_leave(call->dpa);
    dpk_object_drop(call->dpa);
}

doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(
        devinfo, __func__,
        dpk_devinfo_answer(devinfo, DOCA_SUCCESS)); /* every emulated device has a DPA */
}

doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa)
{
    if (dpa)
        *dpa = NULL;
    struct dpk_dev *device = dpa ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    if (!device)
        return dpk_doca_no_object(__func__);
    struct dpk_dpa *d = dpk_dpa_new(device);
    if (d)
        *dpa = d->object.handle;
    dpk_object_drop(device);
    return dpk_doca_end(dev, __func__, d ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_dpa_destroy(struct doca_dpa *dpa)
{
    void *object = NULL;
    doca_error_t result = dpk_object_leave(dpa, &dpk_dpa_kind, &object);
    struct dpk_dpa *d = object;
    if (!d)
        return dpk_doca_end(dpa, __func__, result);
    dpk_dpa_stop(d); /* if it is started */
    dpk_dpa_close(d);
    dpk_object_drop(d);
    return DOCA_SUCCESS;
}

/* ---- Programs ---- */

/* FlexIO and DOCA use the same application object of dpacc. */
doca_error_t doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app)
{
    struct dpk_host_app *found = dpk_host_app_find(app);
    struct dpk_dpa *d = found ? dpk_object_pin(dpa, &dpk_dpa_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    pthread_mutex_lock(&d->object.lock);
    const bool changes = !atomic_load(&d->started) && !d->base;
    if (changes)
        d->app = found;
    pthread_mutex_unlock(&d->object.lock);
    const doca_error_t result =
        changes ? DOCA_SUCCESS
                : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                   "the DPA context is started, or extends another one");
    dpk_object_drop(d);
    return dpk_doca_end(dpa, __func__, result);
}

doca_error_t doca_dpa_get_app(struct doca_dpa *dpa, struct doca_dpa_app **app)
{
    struct dpk_dpa *d = app ? dpk_object_pin(dpa, &dpk_dpa_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    struct dpk_dpa *base = dpk_dpa_base(d);
    pthread_mutex_lock(&base->object.lock);
    *app = (struct doca_dpa_app *)(void *)base->app;
    pthread_mutex_unlock(&base->object.lock);
    dpk_object_drop(d);
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_app_get_name(struct doca_dpa_app *app, char *name, uint32_t *name_len)
{
    const struct dpk_host_app *found = dpk_host_app_find(app);
    return dpk_doca_end(app, __func__,
                        found ? dpa_tell_text(found->name, name, name_len)
                              : DOCA_ERROR_INVALID_VALUE);
}

/* Errors of the loader are reported where they are found, since they name the program. */
doca_error_t doca_dpa_start(struct doca_dpa *dpa)
{
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    if (!d)
        return dpk_doca_no_object(__func__);
    dpk_doca_forget_reason();
    const doca_error_t result = dpk_doca_tell_reason(d, __func__, dpk_dpa_start(d));
    dpk_object_drop(d);
    return result;
}

doca_error_t doca_dpa_stop(struct doca_dpa *dpa)
{
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    doca_error_t result = d ? dpk_dpa_stop(d) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(d);
    return dpk_doca_end(dpa, __func__, result);
}

doca_error_t doca_dpa_device_extend(struct doca_dpa *dpa, struct doca_dev *other_dev,
                                    struct doca_dpa **extended_dpa)
{
    if (extended_dpa)
        *extended_dpa = NULL;
    struct dpk_dpa *d = extended_dpa ? dpk_object_pin(dpa, &dpk_dpa_kind) : NULL;
    struct dpk_dev *device = dpk_object_pin(other_dev, &dpk_dev_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (d && device) {
        struct dpk_dpa *extended = NULL;
        result = dpk_dpa_extend(d, device, &extended);
        if (extended)
            *extended_dpa = extended->object.handle;
    }
    dpk_object_drop(device);
    dpk_object_drop(d);
    return dpk_doca_end(dpa, __func__, result);
}

doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev)
{
    struct dpk_ctx *c = dpk_object_pin_ctx(ctx);
    struct dpk_dpa *d = dpk_object_pin(dpa_dev, &dpk_dpa_kind);
    doca_error_t result = c && d ? dpk_ctx_set_datapath(c, d) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(d);
    dpk_object_drop(c);
    return dpk_doca_end(ctx, __func__, result);
}

/* ---- Properties ---- */

doca_error_t doca_dpa_get_dpa_handle(struct doca_dpa *dpa, doca_dpa_dev_t *handle)
{
    struct dpk_dpa_call c;
    if (!handle)
        return dpk_doca_no_object(__func__);
    doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result == DOCA_SUCCESS)
        *handle = c.dpa->number;
    dpk_dpa_end(&c);
    return dpk_doca_end(dpa, __func__, result);
}

static doca_error_t check(const char *call, const struct doca_dpa *dpa, const void *out)
{
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    dpk_object_drop(d);
    return d && out ? DOCA_SUCCESS : dpk_doca_no_object(call);
}

doca_error_t doca_dpa_get_max_threads_per_kernel(const struct doca_dpa *dpa, unsigned int *value)
{
    doca_error_t result = check(__func__, dpa, value);
    if (result == DOCA_SUCCESS)
        *value = DPK_THREADS_MAX;
    return result;
}

doca_error_t doca_dpa_get_kernel_max_run_time(const struct doca_dpa *dpa, unsigned long long *value)
{
    doca_error_t result = check(__func__, dpa, value);
    if (result == DOCA_SUCCESS)
        *value = DPK_RUN_TIME_LIMIT_MS / 1000;
    return result;
}

/* How many execution units a context has that is started, in parts of `per`; with `per` 0, how many
 * a core has. */
static doca_error_t tell_units(const char *call, struct doca_dpa *dpa, unsigned per, unsigned *out)
{
    struct dpk_dpa_call c;
    const doca_error_t result = out ? dpk_dpa_begin(dpa, &c) : DOCA_ERROR_INVALID_VALUE;
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, call, result);
    *out = per ? (dpk_eu_count(c.process) + per - 1) / per : UNITS_PER_CORE;
    dpk_dpa_end(&c);
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_total_num_eus_available(struct doca_dpa *dpa, unsigned int *total_num_eus)
{
    return tell_units(__func__, dpa, 1, total_num_eus);
}

doca_error_t doca_dpa_get_core_num(struct doca_dpa *dpa, unsigned int *num_cores)
{
    return tell_units(__func__, dpa, UNITS_PER_CORE, num_cores);
}

doca_error_t doca_dpa_get_num_eus_per_core(struct doca_dpa *dpa, unsigned int *eus_per_core)
{
    return tell_units(__func__, dpa, 0, eus_per_core);
}

doca_error_t doca_dpa_peek_at_last_error(const struct doca_dpa *dpa)
{
    struct dpk_dpa_call c;
    doca_error_t result = dpk_dpa_begin(dpa, &c);
    struct dpk_error err = {0};
    if (result == DOCA_SUCCESS && dpk_process_state(c.process, &err) != DPK_OK)
        result = dpk_doca_error_of(&err);
    dpk_dpa_end(&c);
    return dpk_doca_end(dpa, __func__, result);
}
