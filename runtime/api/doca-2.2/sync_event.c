/* Sync events in DOCA 2.2. */
#include <doca-2.2/doca_sync_event.h>

#include "api/doca/event/event.h"

doca_error_t doca_sync_event_publisher_add_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev)
{
    return doca_sync_event_add_publisher_location_cpu(event, dev);
}

doca_error_t doca_sync_event_publisher_add_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa)
{
    return doca_sync_event_add_publisher_location_dpa(event, dpa);
}

doca_error_t doca_sync_event_subscriber_add_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev)
{
    return doca_sync_event_add_subscriber_location_cpu(event, dev);
}

doca_error_t doca_sync_event_subscriber_add_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa)
{
    return doca_sync_event_add_subscriber_location_dpa(event, dpa);
}

doca_error_t doca_sync_event_publisher_add_location_dpu(struct doca_sync_event *event)
{
    return doca_sync_event_add_publisher_location_remote_pci(event);
}

doca_error_t doca_sync_event_subscriber_add_location_dpu(struct doca_sync_event *event)
{
    return doca_sync_event_add_subscriber_location_remote_pci(event);
}

doca_error_t doca_sync_event_publisher_add_location_gpu(struct doca_sync_event *event,
                                                        struct doca_gpu *gpu)
{
    return doca_sync_event_add_publisher_location_gpu(event, gpu);
}

doca_error_t doca_sync_event_subscriber_add_location_gpu(struct doca_sync_event *event,
                                                         struct doca_gpu *gpu)
{
    return doca_sync_event_add_subscriber_location_gpu(event, gpu);
}

doca_error_t doca_sync_event_get_create_from_export_supported(const struct doca_devinfo *devinfo)
{
    return doca_sync_event_cap_is_create_from_export_supported(devinfo);
}

doca_error_t doca_sync_event_get_export_to_dpa_supported(const struct doca_devinfo *devinfo)
{
    return doca_sync_event_cap_is_export_to_dpa_supported(devinfo);
}

doca_error_t doca_sync_event_get_export_to_dpu_supported(const struct doca_devinfo *devinfo)
{
    return doca_sync_event_cap_is_export_to_remote_pci_supported(devinfo);
}

doca_error_t doca_sync_event_get_export_to_gpu_supported(const struct doca_devinfo *devinfo)
{
    return doca_sync_event_cap_is_export_to_gpu_supported(devinfo);
}

doca_error_t doca_sync_event_export_remote(struct doca_sync_event *event,
                                           doca_sync_event_remote_t *handle)
{
    uint64_t key;
    const doca_error_t result =
        handle ? dpk_sync_event_share(event, &key) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *handle = (doca_sync_event_remote_t){{key, 0}};
    return dpk_doca_end(event, __func__, result);
}
