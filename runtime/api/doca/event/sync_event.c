/* Sync events: their publishers and subscribers, and their states. */
#include <doca_sync_event.h>

#include "sync_event.h"

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
    shared_word_end(&e->word);
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
    e->word.fd = -1;
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

/* ---- Publishers and subscribers ---- */

/* Returns the event, locked. *result is an error if it cannot be changed now. */
static struct dpk_sync_event *begin_change(struct doca_sync_event *event, doca_error_t *result)
{
    struct dpk_sync_event *e = dpk_object_lock(event, &dpk_sync_event_kind);
    *result = e ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (!e)
        return NULL;
    if (e->ctx.object.gone)
        *result = DOCA_ERROR_INVALID_VALUE;
    else if (dpk_ctx_is_running(&e->ctx))
        *result = DOCA_ERROR_BAD_STATE;
    return e;
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
    return dpk_object_unlock(e, result);
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
    return dpk_object_unlock(e, result);
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
    return dpk_object_unlock(e, result);
}

doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event)
{
    doca_error_t result;
    struct dpk_sync_event *e = begin_change(event, &result);
    if (result == DOCA_SUCCESS)
        e->pci_publishers = true;
    return dpk_object_unlock(e, result);
}

doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event)
{
    doca_error_t result;
    struct dpk_sync_event *e = begin_change(event, &result);
    if (result == DOCA_SUCCESS)
        e->pci_subscribers = true;
    return dpk_object_unlock(e, result);
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

/* Processes on the PCIe bus share a word in mapped memory, which neither the DPA nor RDMA peers
 * reach. */
static doca_error_t start(struct dpk_ctx *ctx)
{
    struct dpk_sync_event *e = (struct dpk_sync_event *)ctx;
    const bool pci = e->pci_publishers || e->pci_subscribers;
    if (e->imported)
        return DOCA_SUCCESS;
    if (!e->publisher.dev && !e->publisher.dpa && !e->remote_publishers && !e->pci_publishers)
        return dpk_doca_bad_config(e, "doca_sync_event_start: the event has no publisher");
    if (!e->subscriber.dev && !e->subscriber.dpa && !e->pci_subscribers)
        return dpk_doca_bad_config(e, "doca_sync_event_start: the event has no subscriber");
    if (pci && (e->publisher.dpa || e->subscriber.dpa || e->remote_publishers))
        return dpk_doca_bad_config(e,
                                   "doca_sync_event_start: neither the DPA nor peers of RDMA reach "
                                   "an event that is shared over PCIe");
    return pci && !e->word.memory ? shared_word_make(&e->word, (uintptr_t)e->ctx.object.handle)
                                  : DOCA_SUCCESS;
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
    if (e && e->word.memory) {
        *result = DOCA_ERROR_NOT_SUPPORTED;
        dpk_object_drop(e);
        e = NULL;
    }
    *event = e;
    return e ? e->event : NULL;
}

/* ---- For the DPA ---- */

doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
                                            doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
{
    struct dpk_error err = {0};
    uint64_t handle = 0;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_dpa *d = dpa_dev_se_handle ? dpk_object_pin(dpa, &dpk_dpa_kind) : NULL;
    struct dpk_sync_event *e = d ? dpk_sync_event_running(event, &result) : NULL;
    struct dpk_process *p = e && !e->word.memory ? dpk_dpa_enter(d, 0) : NULL;
    if (e && e->word.memory) {
        result = DOCA_ERROR_NOT_SUPPORTED;
    } else if (p) {
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
