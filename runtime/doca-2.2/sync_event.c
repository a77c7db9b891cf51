/* Sync events by the names of DOCA 2.2. */
#include <doca-2.2/doca_sync_event.h>

#include "doca/core/core.h"

doca_error_t doca_sync_event_publisher_add_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev)
{
    return dpk_sync_event_add_cpu(event, dev, true);
}

doca_error_t doca_sync_event_publisher_add_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa)
{
    return dpk_sync_event_add_dpa(event, dpa, true);
}

doca_error_t doca_sync_event_subscriber_add_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev)
{
    return dpk_sync_event_add_cpu(event, dev, false);
}

doca_error_t doca_sync_event_subscriber_add_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa)
{
    return dpk_sync_event_add_dpa(event, dpa, false);
}

doca_error_t doca_sync_event_export_to_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
                                           doca_dpa_dev_sync_event_t *dev_se_handle)
{
    return doca_sync_event_get_dpa_handle(event, dpa, dev_se_handle);
}
