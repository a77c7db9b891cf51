/* Sync events: a counter of dpaos, and who is said to use it. */
#include <stdlib.h>

#include "host/doca_common/doca_common.h"

/* Publisher or subscriber: the CPU through a device, a DPA context, or both. */
struct side {
    struct doca_dev *dev;
    struct doca_dpa *dpa;
};

struct doca_sync_event {
    struct dpk_event *event;
    atomic_bool started;
    struct side publisher, subscriber;
};

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
    if (!event)
        return DOCA_ERROR_INVALID_VALUE;
    *event = NULL;
    struct doca_sync_event *e = calloc(1, sizeof *e);
    if (!e)
        return DOCA_ERROR_NO_MEMORY;
    atomic_init(&e->started, false);
    if (!(e->event = dpk_event_create())) {
        free(e);
        return DOCA_ERROR_NO_MEMORY;
    }
    *event = e;
    return DOCA_SUCCESS;
}

static void side_clear(struct side *side)
{
    dpk_doca_dev_release(side->dev);
    dpk_doca_dpa_release(side->dpa);
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
    if (!event)
        return DOCA_ERROR_INVALID_VALUE;
    side_clear(&event->subscriber);
    side_clear(&event->publisher);
    dpk_event_release(event->event);
    free(event);
    return DOCA_SUCCESS;
}

/* ---- Locations ------------------------------------------------------------------------------- */

static doca_error_t add_dev(struct doca_sync_event *event, struct side *side, struct doca_dev *dev)
{
    if (!dev)
        return DOCA_ERROR_INVALID_VALUE;
    if (event->started)
        return DOCA_ERROR_BAD_STATE;
    if (side->dev)
        return side->dev == dev ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
    dpk_doca_dev_hold(dev);
    side->dev = dev;
    return DOCA_SUCCESS;
}

static doca_error_t add_dpa(struct doca_sync_event *event, struct side *side, struct doca_dpa *dpa)
{
    if (!dpa)
        return DOCA_ERROR_INVALID_VALUE;
    if (event->started)
        return DOCA_ERROR_BAD_STATE;
    if (side->dpa)
        return side->dpa == dpa ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
    dpk_doca_dpa_hold(dpa);
    side->dpa = dpa;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_publisher_add_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev)
{
    return event ? add_dev(event, &event->publisher, dev) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_sync_event_publisher_add_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa)
{
    return event ? add_dpa(event, &event->publisher, dpa) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_sync_event_subscriber_add_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev)
{
    return event ? add_dev(event, &event->subscriber, dev) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_sync_event_subscriber_add_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa)
{
    return event ? add_dpa(event, &event->subscriber, dpa) : DOCA_ERROR_INVALID_VALUE;
}

/* ---- States ---------------------------------------------------------------------------------- */

static bool side_is_set(const struct side *side)
{
    return side->dev || side->dpa;
}

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
    if (!event)
        return DOCA_ERROR_INVALID_VALUE;
    if (event->started)
        return DOCA_ERROR_BAD_STATE;
    if (!side_is_set(&event->publisher) || !side_is_set(&event->subscriber))
        return DOCA_ERROR_BAD_CONFIG;
    event->started = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
    if (!event)
        return DOCA_ERROR_INVALID_VALUE;
    return atomic_exchange(&event->started, false) ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

struct dpk_event *dpk_doca_event(const struct doca_sync_event *event)
{
    return event->started ? event->event : NULL;
}

/* ---- Values ---------------------------------------------------------------------------------- */

doca_error_t doca_sync_event_export_to_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
                                           doca_dpa_dev_sync_event_t *dev_se_handle)
{
    struct dpk_error err = {0};
    uint64_t handle = 0;
    if (!event || !dpa || !dev_se_handle)
        return DOCA_ERROR_INVALID_VALUE;
    if (!event->started || !dpa->process ||
        dpk_process_state(dpk_host_process(dpa->process), NULL) != DPK_OK)
        return DOCA_ERROR_BAD_STATE;
    enum dpk_status status =
        dpk_event_handle(event->event, dpk_host_process(dpa->process), &handle, &err);
    if (status == DPK_OK)
        *dev_se_handle = handle;
    return dpk_doca_error(status);
}

doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
{
    if (!event || !value)
        return DOCA_ERROR_INVALID_VALUE;
    if (!event->started)
        return DOCA_ERROR_BAD_STATE;
    *value = dpk_event_get(event->event);
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched)
{
    if (!event)
        return DOCA_ERROR_INVALID_VALUE;
    if (!event->started)
        return DOCA_ERROR_BAD_STATE;
    uint64_t before = dpk_event_add(event->event, value);
    if (fetched)
        *fetched = before;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
{
    if (!event)
        return DOCA_ERROR_INVALID_VALUE;
    if (!event->started)
        return DOCA_ERROR_BAD_STATE;
    dpk_event_set(event->event, value);
    return DOCA_SUCCESS;
}

/* The DPA context whose death would make a wait endless. */
static const struct doca_dpa *watched(const struct doca_sync_event *event)
{
    return event->publisher.dpa ? event->publisher.dpa : event->subscriber.dpa;
}

doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
    struct dpk_error err = {0};
    if (!event || mask <= value)
        return DOCA_ERROR_INVALID_VALUE;
    if (!event->started)
        return DOCA_ERROR_BAD_STATE;
    if ((dpk_event_get(event->event) & mask) > value)
        return DOCA_SUCCESS;
    const struct doca_dpa *dpa = watched(event);
    if (dpa && !dpa->process)
        return DOCA_ERROR_BAD_STATE;
    enum dpk_status status = dpk_event_wait_gt(
        event->event, value, mask, dpa ? dpk_host_process(dpa->process) : NULL, 0, &err);
    if (status != DPK_OK)
        dpk_host_log(FLEXIO_LOG_LVL_ERR, "doca_sync_event_wait_gt: %s", err.message);
    return dpk_doca_error(status);
}
