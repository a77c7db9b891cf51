/* Sync events: a counter of proc, and who is said to use it. */
#include <doca_sync_event.h>

#include "sync_event.h"

#define STOP_CHECK_MS 50u

static const struct dpk_ctx_ops ops;

static void sync_event_left(void *object)
{
    struct dpk_sync_event *e = object;
    dpk_ctx_stop(&e->ctx); /* if it runs */
    dpk_ctx_left(&e->ctx);
    dpk_object_end_use(e->subscriber.dev);
    dpk_object_end_use(e->publisher.dev);
}

static void side_clear(struct side *side)
{
    dpk_object_drop(side->dev);
    dpk_object_drop(side->dpa);
}

static void sync_event_release(void *object)
{
    struct dpk_sync_event *e = object;
    dpk_ctx_clear(&e->ctx);
    side_clear(&e->subscriber);
    side_clear(&e->publisher);
    dpk_buf_free(&e->exported);
    if (e->event)
        dpk_event_release(e->event);
    free(e);
}
const struct dpk_kind dpk_sync_event_kind = {
    .left = sync_event_left, .release = sync_event_release, .is_ctx = true};

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
    if (!event)
        return DOCA_ERROR_INVALID_VALUE;
    *event = NULL;
    struct dpk_sync_event *e = calloc(1, sizeof *e);
    if (!e)
        return DOCA_ERROR_NO_MEMORY;
    dpk_ctx_init(&e->ctx, &ops);
    if (!(e->event = dpk_event_create())) {
        free(e);
        return DOCA_ERROR_NO_MEMORY;
    }
    struct dpk_event *counter = e->event;
    *event = dpk_object_enter(e, &dpk_sync_event_kind);
    if (*event)
        dpk_event_name(counter, (uintptr_t)*event);
    return *event ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
    return dpk_object_destroy(event, &dpk_sync_event_kind);
}

struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event)
{
    return dpk_ctx_of(event, &dpk_sync_event_kind);
}

/* ---- Locations ---- */

/* The event, locked, if it can be changed now. */
static struct dpk_sync_event *begin_change(struct doca_sync_event *event, doca_error_t *result)
{
    struct dpk_sync_event *e = dpk_object_pin(event, &dpk_sync_event_kind);
    *result = e ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (!e)
        return NULL;
    pthread_mutex_lock(&e->ctx.object.lock);
    if (e->ctx.object.gone)
        *result = DOCA_ERROR_INVALID_VALUE;
    else if (dpk_ctx_is_running(&e->ctx))
        *result = DOCA_ERROR_BAD_STATE;
    return e;
}

static doca_error_t end_change(struct dpk_sync_event *e, doca_error_t result)
{
    if (e)
        pthread_mutex_unlock(&e->ctx.object.lock);
    dpk_object_drop(e);
    return result;
}

static doca_error_t add_cpu(struct doca_sync_event *event, struct doca_dev *dev, bool publisher)
{
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    if (!d)
        return DOCA_ERROR_INVALID_VALUE;
    doca_error_t result;
    struct dpk_sync_event *e = begin_change(event, &result);
    struct side *side = e ? publisher ? &e->publisher : &e->subscriber : NULL;
    if (result == DOCA_SUCCESS && side->dev)
        result = side->dev == d ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
    else if (result == DOCA_SUCCESS)
        dpk_object_use(side->dev = d);
    dpk_object_drop(d);
    return end_change(e, result);
}

static doca_error_t add_dpa(struct doca_sync_event *event, struct doca_dpa *dpa, bool publisher)
{
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    if (!d)
        return DOCA_ERROR_INVALID_VALUE;
    doca_error_t result;
    struct dpk_sync_event *e = begin_change(event, &result);
    struct side *side = e ? publisher ? &e->publisher : &e->subscriber : NULL;
    if (result == DOCA_SUCCESS && side->dpa)
        result = side->dpa == d ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
    else if (result == DOCA_SUCCESS)
        dpk_object_hold(side->dpa = d);
    dpk_object_drop(d);
    return end_change(e, result);
}

doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev)
{
    return add_cpu(event, dev, true);
}

doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa)
{
    return add_dpa(event, dpa, true);
}

doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event)
{
    doca_error_t result;
    struct dpk_sync_event *e = begin_change(event, &result);
    if (result == DOCA_SUCCESS)
        e->remote_publishers = true;
    return end_change(e, result);
}

doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev)
{
    return add_cpu(event, dev, false);
}

doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa)
{
    return add_dpa(event, dpa, false);
}

/* ---- States ---- */

static doca_error_t start(struct dpk_ctx *ctx)
{
    const struct dpk_sync_event *e = (struct dpk_sync_event *)ctx;
    bool publisher = e->publisher.dev || e->publisher.dpa || e->remote_publishers;
    bool subscriber = e->subscriber.dev || e->subscriber.dpa;
    if (!publisher)
        return dpk_doca_bad_config("doca_sync_event_start: the event has no publisher");
    if (!subscriber)
        return dpk_doca_bad_config("doca_sync_event_start: the event has no subscriber");
    return DOCA_SUCCESS;
}
static const struct dpk_ctx_ops ops = {.start = start};

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
    struct dpk_sync_event *e = dpk_object_pin(event, &dpk_sync_event_kind);
    doca_error_t result = e ? dpk_ctx_start(&e->ctx) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(e);
    return result;
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
    struct dpk_sync_event *e = dpk_object_pin(event, &dpk_sync_event_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (e)
        result = atomic_load(&e->ctx.state) == DOCA_CTX_STATE_IDLE ? DOCA_ERROR_BAD_STATE
                                                                   : dpk_ctx_stop(&e->ctx);
    dpk_object_drop(e);
    return result;
}

struct dpk_sync_event *dpk_sync_event_running(const struct doca_sync_event *handle,
                                              doca_error_t *result)
{
    struct dpk_sync_event *e = dpk_object_pin(handle, &dpk_sync_event_kind);
    *result = !e                            ? DOCA_ERROR_INVALID_VALUE
              : dpk_ctx_is_running(&e->ctx) ? DOCA_SUCCESS
                                            : DOCA_ERROR_BAD_STATE;
    if (*result == DOCA_SUCCESS)
        return e;
    dpk_object_drop(e);
    return NULL;
}

struct dpk_event *dpk_sync_event_pin(const struct doca_sync_event *handle, void **event,
                                     doca_error_t *result)
{
    struct dpk_sync_event *e = dpk_sync_event_running(handle, result);
    *event = e;
    return e ? e->event : NULL;
}

/* ---- Values ---- */

doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
                                            doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
{
    struct dpk_error err = {0};
    uint64_t handle = 0;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_dpa *d = dpa_dev_se_handle ? dpk_object_pin(dpa, &dpk_dpa_kind) : NULL;
    struct dpk_sync_event *e = d ? dpk_sync_event_running(event, &result) : NULL;
    struct dpk_process *p = e ? dpk_dpa_enter(d, 0) : NULL;
    if (p) {
        enum dpk_status status = dpk_process_state(p, &err);
        if (status == DPK_OK)
            status = dpk_event_handle(e->event, p, &handle, &err);
        if ((result = dpk_doca_error(status)) == DOCA_SUCCESS)
            *dpa_dev_se_handle = handle;
        dpk_dpa_leave(d);
    } else if (e) {
        result = DOCA_ERROR_BAD_STATE;
    }
    dpk_object_drop(e);
    dpk_object_drop(d);
    return result;
}

doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_sync_event *e = value ? dpk_sync_event_running(event, &result) : NULL;
    if (e)
        *value = dpk_event_get(e->event);
    dpk_object_drop(e);
    return result;
}

doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched)
{
    doca_error_t result;
    struct dpk_sync_event *e = dpk_sync_event_running(event, &result);
    if (e) {
        uint64_t before = dpk_event_add(e->event, value);
        if (fetched)
            *fetched = before;
    }
    dpk_object_drop(e);
    return result;
}

doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
{
    doca_error_t result;
    struct dpk_sync_event *e = dpk_sync_event_running(event, &result);
    if (e)
        dpk_event_set(e->event, value);
    dpk_object_drop(e);
    return result;
}

/* Once for an event: there is no process that could be asked what waits. */
static void tell_of_wait(struct dpk_sync_event *e, uint64_t value, uint64_t mask)
{
    struct dpk_buf text = {0};
    if (atomic_exchange(&e->wait_told, true))
        return;
    dpk_event_put_wait(e->event, value, mask, &text);
    dpk_put_u8(&text, '\0');
    if (!text.failed)
        dpk_host_log(DPK_HOST_LOG_WARNING,
                     "the host waits for %s since %u s, and no DPA works on it",
                     (const char *)text.data, DPK_WARN_AFTER_MS / 1000u);
    dpk_buf_free(&text);
}

/* Nobody but the host and peers are to update it: only that it is stopped can make the wait
 * endless, which is looked for now and then. */
static doca_error_t wait_without_dpa(struct dpk_sync_event *e, uint64_t value, uint64_t mask)
{
    enum dpk_status status;
    unsigned waited = 0;
    do {
        if (waited++ == DPK_WARN_AFTER_MS / STOP_CHECK_MS)
            tell_of_wait(e, value, mask);
        status = dpk_event_wait_gt(e->event, value, mask, NULL, STOP_CHECK_MS, NULL);
    } while (status == DPK_ERR_TIMEOUT && dpk_ctx_is_running(&e->ctx));
    return status == DPK_OK ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

/* Waits, unless the DPA context whose end would make the wait endless is gone already. */
static doca_error_t wait_gt(struct dpk_sync_event *e, uint64_t value, uint64_t mask)
{
    struct dpk_error err = {0};
    if ((dpk_event_get(e->event) & mask) > value)
        return DOCA_SUCCESS;
    struct dpk_dpa *d = e->publisher.dpa ? e->publisher.dpa : e->subscriber.dpa;
    if (!d)
        return wait_without_dpa(e, value, mask);
    struct dpk_process *p = dpk_dpa_enter(d, 0);
    if (!p)
        return DOCA_ERROR_BAD_STATE;
    enum dpk_status status = dpk_event_wait_gt(e->event, value, mask, p, 0, &err);
    dpk_dpa_leave(d);
    return status == DPK_OK ? DOCA_SUCCESS : dpk_doca_failed("doca_sync_event_wait_gt", &err);
}

doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_sync_event *e = mask > value ? dpk_sync_event_running(event, &result) : NULL;
    if (e)
        result = wait_gt(e, value, mask);
    dpk_object_drop(e);
    return result;
}

doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask)
{
    return doca_sync_event_wait_gt(event, value, mask);
}
