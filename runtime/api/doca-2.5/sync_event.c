/* Handles of sync events by the names of DOCA 2.5. */
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
