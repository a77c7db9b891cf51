/* Completion queues and notification completions. */
#include <doca_dpa.h>
#include <time.h>

#include "private.h"

#define QUEUE_SIZE_MAX 65536u

static void completion_release(void *object)
{
    struct dpk_dpa_completion *c = object;
    dpk_object_drop(c->thread);
    dpk_object_drop(c->dpa);
    free(c->ring);
    free(c);
}
static const struct dpk_kind notification_kind = {.release = completion_release};
const struct dpk_kind dpk_completion_kind = {.release = completion_release};

static struct dpk_dpa_completion *completion_new(struct dpk_dpa *d, struct dpk_dpa_thread *t,
                                                 uint32_t size)
{
    struct dpk_dpa_completion *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    if (size > 0 && !(c->ring = calloc(size, sizeof *c->ring))) {
        free(c);
        return NULL;
    }
    c->size = size;
    dpk_object_hold(c->dpa = d);
    if (t)
        dpk_object_hold(c->thread = t);
    return dpk_object_enter(c, size > 0 ? &dpk_completion_kind : &notification_kind) ? c : NULL;
}

static void link_to_thread(struct dpk_dpa_completion *c)
{
    struct dpk_dpa_thread *t = c->thread;
    pthread_mutex_lock(&t->object.lock);
    c->next = t->completions;
    t->completions = c;
    if (t->thread && t->run == c->run)
        dpk_trigger_attach(c->trigger, t->thread, NULL);
    pthread_mutex_unlock(&t->object.lock);
}

static void unlink_from_thread(struct dpk_dpa_completion *c)
{
    struct dpk_dpa_thread *t = c->thread;
    pthread_mutex_lock(&t->object.lock);
    struct dpk_dpa_completion **at = &t->completions;
    while (*at && *at != c)
        at = &(*at)->next;
    if (*at)
        *at = c->next;
    pthread_mutex_unlock(&t->object.lock);
}

/* DPA memory for the elements of a queue, and its trigger. */
static enum dpk_status make_trigger(struct dpk_dpa_completion *c, struct dpk_process *p,
                                    struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    c->elements = 0;
    if (c->size)
        status = dpk_heap_alloc(p, c->size * (uint64_t)sizeof *c->ring, &c->elements, err);
    if (status == DPK_OK)
        status = dpk_trigger_create(p, c->size ? DPK_TRIGGER_QUEUE : DPK_TRIGGER_NOTIFICATION,
                                    &c->trigger, err);
    if (status != DPK_OK && c->elements)
        dpk_heap_free(p, c->elements, &(struct dpk_error){0});
    return status;
}

static doca_error_t start_locked(struct dpk_dpa_completion *c, struct dpk_process *p)
{
    struct dpk_error err = {0};
    if (make_trigger(c, p, &err) != DPK_OK)
        return dpk_doca_error_of(&err);
    c->run = dpk_dpa_base(c->dpa)->run;
    c->posted = c->taken = c->acknowledged = 0;
    if (c->thread) {
        link_to_thread(c);
        if (c->size)
            dpk_trigger_arm(c->trigger, 0); /* the first completion is an event without a request */
    }
    return DOCA_SUCCESS;
}

static doca_error_t started_already(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the completion is started, and must not be");
}

static doca_error_t not_started(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                            "the completion is not started, or its DPA context was stopped");
}

static doca_error_t completion_start(struct dpk_dpa_completion *c)
{
    pthread_mutex_lock(&c->object.lock);
    struct dpk_process *p = c->trigger ? NULL : dpk_dpa_enter(c->dpa, c->run);
    const doca_error_t result = p            ? start_locked(c, p)
                                : c->trigger ? started_already()
                                             : dpa_not_started();
    pthread_mutex_unlock(&c->object.lock);
    if (p)
        dpk_dpa_leave(c->dpa);
    return result;
}

static doca_error_t completion_stop(struct dpk_dpa_completion *c)
{
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    pthread_mutex_lock(&c->object.lock);
    struct dpk_trigger *trigger = c->trigger;
    if (trigger) {
        if (c->thread)
            unlink_from_thread(c); /* until here, starting the thread uses the trigger */
        c->trigger = NULL;
        /* The trigger and the memory of a context that was stopped went with it. */
        struct dpk_process *p = dpk_dpa_enter(c->dpa, c->run);
        if (p) {
            dpk_trigger_destroy(trigger);
            if (c->elements)
                dpk_heap_free(p, c->elements, &(struct dpk_error){0});
            dpk_dpa_leave(c->dpa);
            result = DOCA_SUCCESS;
        }
    }
    pthread_mutex_unlock(&c->object.lock);
    return result;
}

static bool completion_handle(struct dpk_dpa_completion *c, uint64_t *handle)
{
    pthread_mutex_lock(&c->object.lock);
    bool good = c->trigger && dpk_dpa_enter(c->dpa, c->run);
    if (good) {
        *handle = c->size ? (uintptr_t)c->object.handle : dpk_trigger_handle(c->trigger);
        dpk_dpa_leave(c->dpa);
    }
    pthread_mutex_unlock(&c->object.lock);
    return good;
}

static void post(struct dpk_dpa_completion *queue, const struct dpk_completion *completion,
                 bool must)
{
    char reason[80];
    pthread_mutex_lock(&queue->object.lock);
    struct dpk_process *p = queue->trigger ? dpk_dpa_enter(queue->dpa, queue->run) : NULL;
    const bool full = queue->posted - queue->acknowledged >= queue->size;
    if (p && full && must) {
        snprintf(reason, sizeof reason, "a completion queue of %u elements is full", queue->size);
        dpk_dpa_fail(queue->dpa, p, reason);
    } else if (p && !full) {
        struct dpk_completion *place = &queue->ring[queue->posted++ % queue->size];
        *place = *completion;
        place->timestamp = dpk_now_ns();
        dpk_trigger_signal(queue->trigger, 1);
    }
    if (p)
        dpk_dpa_leave(queue->dpa);
    pthread_mutex_unlock(&queue->object.lock);
}

void dpk_completion_post(struct dpk_dpa_completion *queue, const struct dpk_completion *completion)
{
    post(queue, completion, true);
}

void dpk_completion_offer(struct dpk_dpa_completion *queue, const struct dpk_completion *completion)
{
    post(queue, completion, false);
}

/* ---- Functions on handles of both kinds ---- */

static doca_error_t start(const void *handle, const struct dpk_kind *kind)
{
    struct dpk_dpa_completion *c = dpk_object_pin(handle, kind);
    doca_error_t result = c ? completion_start(c) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return result;
}

static doca_error_t stop(const void *handle, const struct dpk_kind *kind)
{
    struct dpk_dpa_completion *c = dpk_object_pin(handle, kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (c)
        result = atomic_load(&c->object.users) ? DOCA_ERROR_IN_USE : completion_stop(c);
    if (result == DOCA_ERROR_BAD_STATE)
        not_started();
    dpk_object_drop(c);
    return result;
}

static doca_error_t destroy(const void *handle, const struct dpk_kind *kind)
{
    void *object = NULL;
    doca_error_t result = dpk_object_leave(handle, kind, &object);
    if (object)
        completion_stop(object); /* if it is started */
    dpk_object_drop(object);
    return result;
}

static doca_error_t get_handle(const void *handle, const struct dpk_kind *kind, uint64_t *out)
{
    struct dpk_dpa_completion *c = out ? dpk_object_pin(handle, kind) : NULL;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (c)
        result = completion_handle(c, out) ? DOCA_SUCCESS : not_started();
    dpk_object_drop(c);
    return result;
}

static doca_error_t get_thread(const void *handle, const struct dpk_kind *kind,
                               struct doca_dpa_thread **out)
{
    struct dpk_dpa_completion *c = out ? dpk_object_lock(handle, kind) : NULL;
    return c ? dpk_object_unlock(c, dpk_dpa_thread_tell(c->thread, out)) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_dpa_completion_get_thread(struct doca_dpa_completion *dpa_comp,
                                            struct doca_dpa_thread **thread)
{
    return dpk_doca_end(dpa_comp, __func__, get_thread(dpa_comp, &dpk_completion_kind, thread));
}

doca_error_t
doca_dpa_notification_completion_get_thread(struct doca_dpa_notification_completion *notify_comp,
                                            struct doca_dpa_thread **dpa_thread)
{
    return dpk_doca_end(notify_comp, __func__,
                        get_thread(notify_comp, &notification_kind, dpa_thread));
}

/* ---- Queues ---- */

doca_error_t doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size,
                                        struct doca_dpa_completion **dpa_comp)
{
    if (dpa_comp)
        *dpa_comp = NULL;
    struct dpk_dpa *d = dpa_comp ? dpk_object_pin(dpa, &dpk_dpa_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    if (queue_size == 0 || queue_size > QUEUE_SIZE_MAX) {
        dpk_object_drop(d);
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u elements are not within 1 to %u", queue_size,
                                    QUEUE_SIZE_MAX);
    }
    struct dpk_dpa_completion *c = completion_new(d, NULL, queue_size);
    dpk_object_drop(d);
    if (!c)
        return dpk_doca_end(dpa, __func__, DOCA_ERROR_NO_MEMORY);
    *dpa_comp = c->object.handle;
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp)
{
    return dpk_doca_end(dpa_comp, __func__, destroy(dpa_comp, &dpk_completion_kind));
}

static doca_error_t set_thread(struct dpk_dpa_completion *c, struct dpk_dpa_thread *t)
{
    struct dpk_dpa_thread *before = NULL;
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&c->object.lock);
    if (dpk_dpa_base(c->dpa) != dpk_dpa_base(t->dpa)) {
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the thread is of another DPA context");
    } else if (c->trigger) {
        result = started_already();
    } else {
        before = c->thread;
        dpk_object_hold(c->thread = t);
    }
    pthread_mutex_unlock(&c->object.lock);
    dpk_object_drop(before);
    return result;
}

doca_error_t doca_dpa_completion_set_thread(struct doca_dpa_completion *dpa_comp,
                                            struct doca_dpa_thread *thread)
{
    struct dpk_dpa_completion *c = dpk_object_pin(dpa_comp, &dpk_completion_kind);
    struct dpk_dpa_thread *t = dpk_object_pin(thread, &dpk_dpa_thread_kind);
    doca_error_t result = c && t ? set_thread(c, t) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(t);
    dpk_object_drop(c);
    return dpk_doca_end(dpa_comp, __func__, result);
}

doca_error_t doca_dpa_completion_get_queue_size(struct doca_dpa_completion *dpa_comp,
                                                unsigned int *queue_size)
{
    struct dpk_dpa_completion *c =
        queue_size ? dpk_object_pin(dpa_comp, &dpk_completion_kind) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    *queue_size = c->size;
    dpk_object_drop(c);
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp)
{
    return dpk_doca_end(dpa_comp, __func__, start(dpa_comp, &dpk_completion_kind));
}

doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp)
{
    return dpk_doca_end(dpa_comp, __func__, stop(dpa_comp, &dpk_completion_kind));
}

doca_error_t doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp,
                                                doca_dpa_dev_completion_t *handle)
{
    return dpk_doca_end(dpa_comp, __func__, get_handle(dpa_comp, &dpk_completion_kind, handle));
}

/* ---- Notifications ---- */

doca_error_t
doca_dpa_notification_completion_create(struct doca_dpa *dpa, struct doca_dpa_thread *dpa_thread,
                                        struct doca_dpa_notification_completion **notify_comp)
{
    if (notify_comp)
        *notify_comp = NULL;
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    struct dpk_dpa_thread *t = dpk_object_pin(dpa_thread, &dpk_dpa_thread_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (d && t && notify_comp && dpk_dpa_base(d) != dpk_dpa_base(t->dpa)) {
        dpk_doca_because(result, "the thread is of another DPA context");
    } else if (d && t && notify_comp) {
        struct dpk_dpa_completion *c = completion_new(d, t, 0);
        if (c)
            *notify_comp = c->object.handle;
        result = c ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    }
    dpk_object_drop(t);
    dpk_object_drop(d);
    return dpk_doca_end(dpa, __func__, result);
}

doca_error_t
doca_dpa_notification_completion_destroy(struct doca_dpa_notification_completion *notify_comp)
{
    return dpk_doca_end(notify_comp, __func__, destroy(notify_comp, &notification_kind));
}

doca_error_t
doca_dpa_notification_completion_start(struct doca_dpa_notification_completion *notify_comp)
{
    return dpk_doca_end(notify_comp, __func__, start(notify_comp, &notification_kind));
}

doca_error_t
doca_dpa_notification_completion_stop(struct doca_dpa_notification_completion *notify_comp)
{
    return dpk_doca_end(notify_comp, __func__, stop(notify_comp, &notification_kind));
}

doca_error_t doca_dpa_notification_completion_get_dpa_handle(
    struct doca_dpa_notification_completion *notify_comp,
    doca_dpa_dev_notification_completion_t *comp_handle)
{
    return dpk_doca_end(notify_comp, __func__,
                        get_handle(notify_comp, &notification_kind, comp_handle));
}
