/* DPA contexts start and stop: their process, its streams and its calls. */
#include "private.h"

static doca_error_t start_locked(struct dpk_dpa *d)
{
    struct dpk_error err = {0};
    if (d->base || atomic_load(&d->started) || d->process)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                "the DPA context is started already, or extends another one");
    if (!d->app)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "no program; doca_dpa_set_app names it");
    enum dpk_status status = dpk_host_process_create(d->dev->info->name, d->app, &d->process, &err);
    if (status != DPK_OK) {
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "%s", err.message);
        return dpk_doca_error(status);
    }
    status = dpa_messages_open(d, &err);
    if (status != DPK_OK) {
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "%s", err.message);
        dpk_host_process_destroy(d->process);
        d->process = NULL;
        dpa_messages_close(d);
        return status == DPK_ERR_NOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_IO_FAILED;
    }
    dpa_calls_attach(d);
    d->run++;
    atomic_store(&d->started, true);
    return DOCA_SUCCESS;
}

doca_error_t dpk_dpa_start(struct dpk_dpa *d)
{
    pthread_mutex_lock(&d->object.lock);
    doca_error_t result = start_locked(d);
    pthread_mutex_unlock(&d->object.lock);
    return result;
}

doca_error_t dpk_dpa_stop(struct dpk_dpa *d)
{
    pthread_mutex_lock(&d->object.lock);
    if (d->base || !atomic_load(&d->started)) {
        pthread_mutex_unlock(&d->object.lock);
        return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                "the DPA context is not started, or extends another one");
    }
    atomic_store(&d->started, false); /* no thread enters any more */
    dpk_process_end(d->process->dpa, "its context is stopped");
    while (d->inside > 0)
        pthread_cond_wait(&d->left, &d->object.lock);
    struct dpk_host_process *process = d->process;
    pthread_mutex_unlock(&d->object.lock);

    dpk_host_process_destroy(process); /* prints remaining messages and ends the streams */

    pthread_mutex_lock(&d->object.lock);
    d->process = NULL;
    dpa_messages_close(d);
    pthread_mutex_unlock(&d->object.lock);
    return DOCA_SUCCESS;
}
