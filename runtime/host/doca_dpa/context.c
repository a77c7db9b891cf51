/* DPA contexts. */
#include <stdlib.h>

#include "private.h"

#define MESSAGES_BSIZE 4096u /* bytes of device messages under way */

doca_error_t dpk_dpa_failed(const char *call, const struct dpk_error *err)
{
    dpk_host_log(FLEXIO_LOG_LVL_ERR, "%s: %s", call, err->message);
    return dpk_doca_error(err->status);
}

doca_error_t doca_devinfo_get_is_dpa_supported(const struct doca_devinfo *devinfo)
{
    return devinfo ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE; /* every emulated device has a DPA */
}

/* What kernels print goes to stdout. */
static flexio_status open_messages(struct doca_dpa *dpa)
{
    flexio_msg_stream_attr_t attr = {.data_bsize = MESSAGES_BSIZE,
                                     .sync_mode = FLEXIO_LOG_DEV_SYNC_MODE_SYNC,
                                     .level = FLEXIO_MSG_DEV_DEBUG};
    return flexio_msg_stream_create(dpa->process, &attr, stdout, NULL, &dpa->messages);
}

doca_error_t doca_dpa_create(struct doca_dev *dev, doca_dpa_app_t app, doca_dpa_t *dpa,
                             unsigned int flags)
{
    struct dpk_error err = {0};
    if (dpa)
        *dpa = NULL;
    if (!dev || !app || !dpa || flags != 0)
        return DOCA_ERROR_INVALID_VALUE;
    struct doca_dpa *d = calloc(1, sizeof *d);
    if (!d)
        return DOCA_ERROR_NO_MEMORY;
    atomic_init(&d->references, 1);
    /* What dpacc makes for a program is FlexIO's object; DOCA has only its own name for it. */
    enum dpk_status status = dpk_host_process_create(
        dpk_doca_dev_name(dev), (struct flexio_app *)(void *)app, &d->process, &err);
    if (status != DPK_OK) {
        dpk_host_log(FLEXIO_LOG_LVL_ERR, "%s", err.message);
        free(d);
        return dpk_doca_error(status);
    }
    if (open_messages(d) != FLEXIO_STATUS_SUCCESS) {
        flexio_process_destroy(d->process);
        free(d);
        return DOCA_ERROR_NO_MEMORY;
    }
    d->dev = dev;
    dpk_doca_dev_hold(dev);
    *dpa = d;
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_destroy(doca_dpa_t dpa)
{
    if (!dpa || !dpa->process)
        return DOCA_ERROR_INVALID_VALUE;
    dpk_dpa_memory_forget(dpa);
    flexio_process_destroy(dpa->process); /* prints what is left, and ends the stream */
    dpa->process = NULL;
    dpa->messages = NULL;
    dpk_doca_dev_release(dpa->dev);
    dpa->dev = NULL;
    dpk_doca_dpa_release(dpa);
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_max_threads_per_kernel(doca_dpa_t dpa, unsigned int *value)
{
    if (!dpa || !value)
        return DOCA_ERROR_INVALID_VALUE;
    *value = DPK_THREADS_MAX;
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_kernel_max_run_time(doca_dpa_t dpa, unsigned long long *value)
{
    if (!dpa || !value)
        return DOCA_ERROR_INVALID_VALUE;
    *value = DPK_RUN_TIME_LIMIT_MS / 1000;
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_peek_at_last_error(doca_dpa_t dpa)
{
    if (!dpa || !dpa->process)
        return DOCA_ERROR_INVALID_VALUE;
    return dpk_doca_error(dpk_process_state(dpk_host_process(dpa->process), NULL));
}
