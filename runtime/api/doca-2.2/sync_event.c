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

doca_error_t doca_sync_event_export_remote(struct doca_sync_event *event,
                                           doca_sync_event_remote_t *handle)
{
    uint64_t key;
    const doca_error_t result =
        handle ? dpk_sync_event_share(__func__, event, &key) : dpk_doca_no_object(__func__);
    if (result == DOCA_SUCCESS)
        *handle = (doca_sync_event_remote_t){{key, 0}};
    return result;
}
