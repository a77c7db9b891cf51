/* Sync events that processes on the same PCIe bus share, and capabilities of devices for events. */
#include "sync_event.h"

/* ---- What devices can do ---- */

#define CAP(name, result)                                                                          \
    doca_error_t name(const struct doca_devinfo *devinfo)                                          \
    {                                                                                              \
        return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, result));               \
    }
CAP(doca_sync_event_cap_is_create_from_export_supported, DOCA_SUCCESS)
CAP(doca_sync_event_cap_remote_net_is_create_from_export_supported, DOCA_SUCCESS)
CAP(doca_sync_event_cap_is_export_to_remote_pci_supported, DOCA_SUCCESS)
CAP(doca_sync_event_cap_is_export_to_dpa_supported, DOCA_SUCCESS)
CAP(doca_sync_event_cap_is_export_to_gpu_supported, DOCA_ERROR_NOT_SUPPORTED)
CAP(doca_sync_event_cap_is_export_to_remote_net_supported, DOCA_SUCCESS)
CAP(doca_sync_event_cap_remote_net_is_export_to_dpa_supported, DOCA_SUCCESS)
CAP(doca_sync_event_cap_remote_net_is_export_to_gpu_supported, DOCA_ERROR_NOT_SUPPORTED)
CAP(doca_sync_event_cap_task_get_is_supported, DOCA_SUCCESS)
CAP(doca_sync_event_cap_task_notify_set_is_supported, DOCA_SUCCESS)
CAP(doca_sync_event_cap_task_notify_add_is_supported, DOCA_SUCCESS)
CAP(doca_sync_event_cap_task_wait_gt_is_supported, DOCA_SUCCESS)
CAP(doca_sync_event_cap_task_wait_eq_is_supported, DOCA_SUCCESS)
CAP(doca_sync_event_cap_task_wait_neq_is_supported, DOCA_SUCCESS)

/* ---- Exports ---- */

static doca_error_t export_locked(struct dpk_sync_event *e, const uint8_t **data, size_t *sz)
{
    struct descriptor what;
    if (e->imported)
        return dpk_doca_because(DOCA_ERROR_NOT_PERMITTED,
                                "the event is imported: its owner exports it");
    if (!e->word.memory)
        return dpk_doca_because(DOCA_ERROR_NOT_PERMITTED,
                                "the event has neither a publisher nor a subscriber over PCIe "
                                "(doca_sync_event_add_publisher_location_remote_pci)");
    if (e->exported.size == 0) {
        event_shared_word_describe(&e->word, &what);
        core_descriptor_write(&what, &e->exported);
    }
    if (e->exported.failed) {
        dpk_buf_free(&e->exported);
        return DOCA_ERROR_NO_MEMORY;
    }
    *data = e->exported.data;
    *sz = e->exported.size;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
                                                  struct doca_dev *dev, const uint8_t **data,
                                                  size_t *sz)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_dev *d = data && sz ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    struct dpk_sync_event *e = dpk_sync_event_running(event, &result);
    if (e) {
        pthread_mutex_lock(&e->ctx.object.lock);
        result = export_locked(e, data, sz);
        pthread_mutex_unlock(&e->ctx.object.lock);
    }
    dpk_object_drop(e);
    dpk_object_drop(d);
    return dpk_doca_end(event, __func__, result);
}

/* ---- Imports ---- */

void *event_sync_event_import(struct doca_dev *dev, const uint8_t *data, size_t size,
                              enum descriptor_kind kind, sync_event_importer *import,
                              doca_error_t *result)
{
    struct descriptor what;
    void *event = NULL;
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    *result = d ? core_descriptor_read(data, size, &what) : DOCA_ERROR_INVALID_VALUE;
    if (*result == DOCA_SUCCESS && what.kind != kind)
        *result = dpk_doca_because(
            DOCA_ERROR_INVALID_VALUE, "the exported bytes are not of an event for %s",
            kind == DESCRIPTOR_SYNC_EVENT_PCI ? "the PCIe bus" : "peers of RDMA");
    if (*result == DOCA_SUCCESS)
        event = import(d, &what, result);
    dpk_object_drop(d);
    return event;
}

static void *import(struct dpk_dev *d, const struct descriptor *what, doca_error_t *result)
{
    struct doca_sync_event *event = NULL;
    *result = doca_sync_event_create(&event);
    struct dpk_sync_event *e =
        *result == DOCA_SUCCESS ? dpk_object_pin(event, &dpk_sync_event_kind) : NULL;
    if (e)
        *result = event_shared_word_open(&e->word, what);
    if (e && *result == DOCA_SUCCESS) {
        e->imported = true;
        dpk_object_use(e->subscriber.dev = d);
    } else if (e) {
        dpk_object_destroy(event, &dpk_sync_event_kind); /* keeps the reason */
        event = NULL;
    }
    dpk_object_drop(e);
    return event;
}

doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
                                                size_t sz, struct doca_sync_event **event)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (event)
        *event = event_sync_event_import(dev, data, sz, DESCRIPTOR_SYNC_EVENT_PCI, import, &result);
    return dpk_doca_end(dev, __func__, result);
}
