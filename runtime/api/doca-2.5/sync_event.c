/* Sync events under the names that DOCA 2.5 and 2.6 have for their functions. */
#include <doca_sync_event.h>

doca_error_t doca_sync_event_export_to_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
                                           doca_dpa_dev_sync_event_t *dev_se_handle)
{
    return doca_sync_event_get_dpa_handle(event, dpa, dev_se_handle);
}

doca_error_t doca_sync_event_remote_net_export_to_dpa(struct doca_sync_event_remote_net *event,
                                                      struct doca_dpa *dpa,
                                                      doca_dpa_dev_sync_event_remote_net_t *handle)
{
    return doca_sync_event_remote_net_get_dpa_handle(event, dpa, handle);
}

/* ---- Other processes ---- */

doca_error_t doca_sync_event_cap_is_export_to_dpu_supported(const struct doca_devinfo *devinfo)
{
    return doca_sync_event_cap_is_export_to_remote_pci_supported(devinfo);
}

doca_error_t doca_sync_event_add_publisher_location_dpu(struct doca_sync_event *event)
{
    return doca_sync_event_add_publisher_location_remote_pci(event);
}

doca_error_t doca_sync_event_add_subscriber_location_dpu(struct doca_sync_event *event)
{
    return doca_sync_event_add_subscriber_location_remote_pci(event);
}

doca_error_t doca_sync_event_export_to_dpu(struct doca_sync_event *event, struct doca_dev *dev,
                                           const uint8_t **data, size_t *sz)
{
    return doca_sync_event_export_to_remote_pci(event, dev, data, sz);
}
