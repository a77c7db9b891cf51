/* Completion queues and notification completions. */
#include <doca_dpa.h>

#include "waker.h"
#include "context.h"

#define QUEUE_SIZE_MAX 65536u

/* ---- Both ------------------------------------------------------------------------------------ */

static doca_error_t start(const void *handle, const struct dpk_kind *kind)
{
    struct dpk_waker *w = dpk_object_pin(handle, kind);
    doca_error_t result = w ? dpk_waker_start(w) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(w);
    return result;
}

static doca_error_t stop(const void *handle, const struct dpk_kind *kind)
{
    struct dpk_waker *w = dpk_object_pin(handle, kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (w)
        result = atomic_load(&w->object.users) ? DOCA_ERROR_IN_USE : dpk_waker_stop(w);
    dpk_object_drop(w);
    return result;
}

static doca_error_t destroy(const void *handle, const struct dpk_kind *kind)
{
    void *object = NULL;
    doca_error_t result = dpk_object_leave(handle, kind, &object);
    if (object)
        dpk_waker_stop(object); /* if it is started */
    dpk_object_drop(object);
    return result;
}

static doca_error_t get_handle(const void *handle, const struct dpk_kind *kind, uint64_t *out)
{
    struct dpk_waker *w = out ? dpk_object_pin(handle, kind) : NULL;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (w)
        result = dpk_waker_handle(w, out) ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
    dpk_object_drop(w);
    return result;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

doca_error_t doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size,
                                        struct doca_dpa_completion **dpa_comp)
{
    if (dpa_comp)
        *dpa_comp = NULL;
    if (!dpa_comp || queue_size == 0 || queue_size > QUEUE_SIZE_MAX)
        return DOCA_ERROR_INVALID_VALUE;
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    if (!d)
        return DOCA_ERROR_INVALID_VALUE;
    struct dpk_waker *w = dpk_waker_new(d, NULL, queue_size);
    dpk_object_drop(d);
    if (!w)
        return DOCA_ERROR_NO_MEMORY;
    *dpa_comp = w->object.handle;
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp)
{
    return destroy(dpa_comp, &dpk_completion_kind);
}

static doca_error_t set_thread(struct dpk_waker *w, struct dpk_dpa_thread *t)
{
    struct dpk_dpa_thread *before = NULL;
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&w->object.lock);
    if (dpk_dpa_base(w->dpa) != dpk_dpa_base(t->dpa)) {
        result = DOCA_ERROR_INVALID_VALUE;
    } else if (w->trigger) {
        result = DOCA_ERROR_BAD_STATE;
    } else {
        before = w->thread;
        dpk_object_hold(w->thread = t);
    }
    pthread_mutex_unlock(&w->object.lock);
    dpk_object_drop(before);
    return result;
}

doca_error_t doca_dpa_completion_set_thread(struct doca_dpa_completion *dpa_comp,
                                            struct doca_dpa_thread *thread)
{
    struct dpk_waker *w = dpk_object_pin(dpa_comp, &dpk_completion_kind);
    struct dpk_dpa_thread *t = dpk_object_pin(thread, &dpk_dpa_thread_kind);
    doca_error_t result = w && t ? set_thread(w, t) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(t);
    dpk_object_drop(w);
    return result;
}

doca_error_t doca_dpa_completion_get_queue_size(const struct doca_dpa_completion *dpa_comp,
                                                unsigned int *queue_size)
{
    struct dpk_waker *w = queue_size ? dpk_object_pin(dpa_comp, &dpk_completion_kind) : NULL;
    if (!w)
        return DOCA_ERROR_INVALID_VALUE;
    *queue_size = w->size;
    dpk_object_drop(w);
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp)
{
    return start(dpa_comp, &dpk_completion_kind);
}

doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp)
{
    return stop(dpa_comp, &dpk_completion_kind);
}

doca_error_t doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp,
                                                doca_dpa_dev_completion_t *handle)
{
    return get_handle(dpa_comp, &dpk_completion_kind, handle);
}

/* ---- Notifications --------------------------------------------------------------------------- */

doca_error_t
doca_dpa_notification_completion_create(struct doca_dpa *dpa, struct doca_dpa_thread *dpa_thread,
                                        struct doca_dpa_notification_completion **notify_comp)
{
    if (notify_comp)
        *notify_comp = NULL;
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    struct dpk_dpa_thread *t = dpk_object_pin(dpa_thread, &dpk_dpa_thread_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (d && t && notify_comp && dpk_dpa_base(d) == dpk_dpa_base(t->dpa)) {
        struct dpk_waker *w = dpk_waker_new(d, t, 0);
        if (w)
            *notify_comp = w->object.handle;
        result = w ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    }
    dpk_object_drop(t);
    dpk_object_drop(d);
    return result;
}

doca_error_t
doca_dpa_notification_completion_destroy(struct doca_dpa_notification_completion *notify_comp)
{
    return destroy(notify_comp, &dpk_notification_kind);
}

doca_error_t
doca_dpa_notification_completion_start(struct doca_dpa_notification_completion *notify_comp)
{
    return start(notify_comp, &dpk_notification_kind);
}

doca_error_t
doca_dpa_notification_completion_stop(struct doca_dpa_notification_completion *notify_comp)
{
    return stop(notify_comp, &dpk_notification_kind);
}

doca_error_t doca_dpa_notification_completion_get_dpa_handle(
    struct doca_dpa_notification_completion *notify_comp,
    doca_dpa_dev_notification_completion_t *comp_handle)
{
    return get_handle(notify_comp, &dpk_notification_kind, comp_handle);
}
