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
    event_shared_word_end(&e->word);
    if (e->event)
        dpk_event_release(e->event);
    free(e);
}
const struct dpk_kind dpk_sync_event_kind = {
    .left = sync_event_left, .release = sync_event_release, .is_ctx = true};

static doca_error_t no_memory(const char *call)
{
    return dpk_doca_refuse_call(NULL, DOCA_ERROR_NO_MEMORY, call, "no memory for the event");
}

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
    if (!event)
        return dpk_doca_no_object(__func__);
    *event = NULL;
    struct dpk_sync_event *e = calloc(1, sizeof *e);
    if (!e)
        return no_memory(__func__);
    e->word.fd = -1;
    dpk_ctx_init(&e->ctx, &ops);
    if (!(e->event = dpk_event_create())) {
        free(e);
        return no_memory(__func__);
    }
    struct dpk_event *counter = e->event;
    *event = dpk_object_enter(e, &dpk_sync_event_kind);
    if (*event)
        dpk_event_name(counter, (uintptr_t)*event);
    return *event ? DOCA_SUCCESS : no_memory(__func__);
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
    return dpk_doca_destroy(event, &dpk_sync_event_kind, __func__);
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

/* Ends what begin_change began, and reports why it failed. */
static doca_error_t end_change(struct dpk_sync_event *e, const char *call, doca_error_t result)
{
    return dpk_doca_unlock(e, call, result, "%s",
                           result == DOCA_ERROR_BAD_STATE ? "the event is started, and must not be"
                           : result == DOCA_ERROR_NOT_SUPPORTED
                               ? "the event has another location of that kind already"
                               : "the event was destroyed");
}

static doca_error_t add_cpu(const char *call, struct doca_sync_event *event, struct doca_dev *dev,
                            bool publisher)
{
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    if (!d)
        return dpk_doca_no_object(call);
    doca_error_t result;
    struct dpk_sync_event *e = begin_change(event, &result);
    struct side *side = e ? publisher ? &e->publisher : &e->subscriber : NULL;
    if (result == DOCA_SUCCESS && side->dev)
        result = side->dev == d ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
    else if (result == DOCA_SUCCESS)
        dpk_object_use(side->dev = d);
    dpk_object_drop(d);
    return end_change(e, call, result);
}

static doca_error_t add_dpa(const char *call, struct doca_sync_event *event, struct doca_dpa *dpa,
                            bool publisher)
{
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    if (!d)
        return dpk_doca_no_object(call);
    doca_error_t result;
    struct dpk_sync_event *e = begin_change(event, &result);
    struct side *side = e ? publisher ? &e->publisher : &e->subscriber : NULL;
    if (result == DOCA_SUCCESS && side->dpa)
        result = side->dpa == d ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
    else if (result == DOCA_SUCCESS)
        dpk_object_hold(side->dpa = d);
    dpk_object_drop(d);
    return end_change(e, call, result);
}

doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev)
{
    return add_cpu(__func__, event, dev, true);
}

doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa)
{
    return add_dpa(__func__, event, dpa, true);
}

doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event)
{
    doca_error_t result;
    struct dpk_sync_event *e = begin_change(event, &result);
    if (result == DOCA_SUCCESS)
        e->remote_publishers = true;
    return end_change(e, __func__, result);
}

doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event)
{
    doca_error_t result;
    struct dpk_sync_event *e = begin_change(event, &result);
    if (result == DOCA_SUCCESS)
        e->pci_publishers = true;
    return end_change(e, __func__, result);
}

doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event)
{
    doca_error_t result;
    struct dpk_sync_event *e = begin_change(event, &result);
    if (result == DOCA_SUCCESS)
        e->pci_subscribers = true;
    return end_change(e, __func__, result);
}

doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev)
{
    return add_cpu(__func__, event, dev, false);
}

doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa)
{
    return add_dpa(__func__, event, dpa, false);
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
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the event has no publisher");
    if (!e->subscriber.dev && !e->subscriber.dpa && !e->pci_subscribers)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the event has no subscriber");
    if (pci && (e->publisher.dpa || e->subscriber.dpa || e->remote_publishers))
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "neither the DPA nor peers of RDMA reach "
                                                       "an event that is shared over PCIe");
    return pci && !e->word.memory
               ? event_shared_word_make(&e->word, (uintptr_t)e->ctx.object.handle)
               : DOCA_SUCCESS;
}
static const struct dpk_ctx_ops ops = {.start = start};

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
    struct dpk_sync_event *e = dpk_object_pin(event, &dpk_sync_event_kind);
    const doca_error_t result = e ? dpk_ctx_start(&e->ctx) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_ERROR_BAD_STATE)
        dpk_doca_because(result, "the event is started already");
    dpk_object_drop(e);
    return dpk_doca_end(event, __func__, result);
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
    struct dpk_sync_event *e = dpk_object_pin(event, &dpk_sync_event_kind);
    const bool idle = e && atomic_load(&e->ctx.state) == DOCA_CTX_STATE_IDLE;
    const doca_error_t result =
        !e     ? DOCA_ERROR_INVALID_VALUE
        : idle ? dpk_doca_because(DOCA_ERROR_BAD_STATE, "the event is not started")
               : dpk_ctx_stop(&e->ctx);
    dpk_object_drop(e);
    return dpk_doca_end(event, __func__, result);
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
    if (e)
        dpk_doca_because(*result, "the event is not started, or was stopped");
    dpk_object_drop(e);
    return NULL;
}

struct dpk_event *dpk_sync_event_pin(const struct doca_sync_event *handle, void **event,
                                     doca_error_t *result)
{
    struct dpk_sync_event *e = dpk_sync_event_running(handle, result);
    if (e && e->word.memory) {
        *result = dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                   "the DPA cannot reach an event that is shared over PCIe");
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
    struct dpk_dpa_call c = {0};
    uint64_t handle = 0;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (!dpa_dev_se_handle)
        return dpk_doca_no_object(__func__);
    void *pinned;
    struct dpk_event *counter = dpk_sync_event_pin(event, &pinned, &result);
    if (counter && (result = dpk_dpa_begin(dpa, &c)) == DOCA_SUCCESS) {
        enum dpk_status status = dpk_process_state(c.process, &err);
        if (status == DPK_OK)
            status = dpk_event_handle(counter, c.process, &handle, &err);
        if (status == DPK_OK)
            *dpa_dev_se_handle = handle;
        else
            result = dpk_doca_error_of(&err);
    }
    dpk_dpa_end(&c);
    dpk_object_drop(pinned);
    return dpk_doca_end(event, __func__, result);
}
