/* Threads, notification completions and completion queues, as objects. libdoca_dpa has the calls.
 */
#include "waker.h"

static void waker_release(void *object)
{
    struct dpk_waker *w = object;
    dpk_object_drop(w->thread);
    dpk_object_drop(w->dpa);
    free(w->ring);
    free(w);
}
static void thread_release(void *object)
{
    struct dpk_dpa_thread *t = object;
    dpk_object_drop(t->dpa);
    free(t);
}
const struct dpk_kind dpk_dpa_thread_kind = {.release = thread_release};
const struct dpk_kind dpk_notification_kind = {.release = waker_release};
const struct dpk_kind dpk_completion_kind = {.release = waker_release};

struct dpk_waker *dpk_waker_new(struct dpk_dpa *d, struct dpk_dpa_thread *t, uint32_t size)
{
    struct dpk_waker *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    if (size > 0 && !(w->ring = calloc(size, sizeof *w->ring))) {
        free(w);
        return NULL;
    }
    w->size = size;
    dpk_object_hold(w->dpa = d);
    if (t)
        dpk_object_hold(w->thread = t);
    return dpk_object_enter(w, size > 0 ? &dpk_completion_kind : &dpk_notification_kind) ? w : NULL;
}

static void link_to_thread(struct dpk_waker *w)
{
    struct dpk_dpa_thread *t = w->thread;
    pthread_mutex_lock(&t->object.lock);
    w->next = t->wakers;
    t->wakers = w;
    if (t->thread && t->run == w->run)
        dpk_trigger_attach(w->trigger, t->thread, NULL);
    pthread_mutex_unlock(&t->object.lock);
}

static void unlink_from_thread(struct dpk_waker *w)
{
    struct dpk_dpa_thread *t = w->thread;
    pthread_mutex_lock(&t->object.lock);
    struct dpk_waker **at = &t->wakers;
    while (*at && *at != w)
        at = &(*at)->next;
    if (*at)
        *at = w->next;
    pthread_mutex_unlock(&t->object.lock);
}

static doca_error_t start_locked(struct dpk_waker *w, struct dpk_process *p)
{
    struct dpk_error err = {0};
    enum dpk_status status = dpk_trigger_create(
        p, w->size ? DPK_TRIGGER_QUEUE : DPK_TRIGGER_NOTIFICATION, &w->trigger, &err);
    if (status != DPK_OK)
        return dpk_doca_failed("completion", &err);
    w->run = dpk_dpa_base(w->dpa)->run;
    w->posted = w->taken = w->acknowledged = 0;
    if (w->thread) {
        link_to_thread(w);
        if (w->size)
            dpk_trigger_arm(w->trigger, 0); /* the first completion is an event unasked */
    }
    return DOCA_SUCCESS;
}

doca_error_t dpk_waker_start(struct dpk_waker *w)
{
    pthread_mutex_lock(&w->object.lock);
    struct dpk_process *p = w->trigger ? NULL : dpk_dpa_enter(w->dpa, w->run);
    doca_error_t result = p ? start_locked(w, p) : DOCA_ERROR_BAD_STATE;
    pthread_mutex_unlock(&w->object.lock);
    if (p)
        dpk_dpa_leave(w->dpa);
    return result;
}

doca_error_t dpk_waker_stop(struct dpk_waker *w)
{
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    pthread_mutex_lock(&w->object.lock);
    struct dpk_trigger *trigger = w->trigger;
    if (trigger) {
        if (w->thread)
            unlink_from_thread(w); /* who starts the thread looks at the trigger until here */
        w->trigger = NULL;
        /* The trigger of a context that was stopped went with it. */
        if (dpk_dpa_enter(w->dpa, w->run)) {
            dpk_trigger_destroy(trigger);
            dpk_dpa_leave(w->dpa);
            result = DOCA_SUCCESS;
        }
    }
    pthread_mutex_unlock(&w->object.lock);
    return result;
}

bool dpk_waker_handle(struct dpk_waker *w, uint64_t *handle)
{
    pthread_mutex_lock(&w->object.lock);
    bool good = w->trigger && dpk_dpa_enter(w->dpa, w->run);
    if (good) {
        *handle = w->size ? (uintptr_t)w->object.handle : dpk_trigger_handle(w->trigger);
        dpk_dpa_leave(w->dpa);
    }
    pthread_mutex_unlock(&w->object.lock);
    return good;
}

void dpk_completion_post(struct dpk_waker *queue, const struct dpk_completion *completion)
{
    char story[80];
    pthread_mutex_lock(&queue->object.lock);
    struct dpk_process *p = queue->trigger ? dpk_dpa_enter(queue->dpa, queue->run) : NULL;
    if (p && queue->posted - queue->acknowledged >= queue->size) {
        snprintf(story, sizeof story, "a completion queue of %u elements is full", queue->size);
        dpk_process_end(p, story);
    } else if (p) {
        queue->ring[queue->posted++ % queue->size] = *completion;
        dpk_trigger_signal(queue->trigger);
    }
    if (p)
        dpk_dpa_leave(queue->dpa);
    pthread_mutex_unlock(&queue->object.lock);
}
