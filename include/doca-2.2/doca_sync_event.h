/*
 * doca_sync_event (DOCA 2.2): 64-bit counters that the host and the DPA update and wait for. Later DOCA
 * has other names for the functions that set locations and handles; all else is the same.
 *
 *     struct doca_sync_event *done;
 *     doca_sync_event_create(&done);
 *     doca_sync_event_publisher_add_location_dpa(done, dpa);     // who updates it
 *     doca_sync_event_subscriber_add_location_cpu(done, dev);    // who waits
 *     doca_sync_event_start(done);
 *     doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 1, &kernel);
 *     doca_sync_event_wait_gt(done, 0, UINT64_MAX);
 *     doca_sync_event_destroy(done);
 */
#ifndef DOCA_2_2_SYNC_EVENT_H
#define DOCA_2_2_SYNC_EVENT_H

#include "doca_version.h"

#include "../doca/doca_dpa_types.h"
#include "../doca/doca_sync_event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* doca_sync_event_add_publisher_location_cpu, and so on, of later DOCA. */
doca_error_t doca_sync_event_publisher_add_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev);
doca_error_t doca_sync_event_publisher_add_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa);
doca_error_t doca_sync_event_subscriber_add_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev);
doca_error_t doca_sync_event_subscriber_add_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa);

/* doca_sync_event_add_publisher_location_remote_pci, and so on, of later DOCA; those of a GPU return
 * NOT_SUPPORTED. */
doca_error_t doca_sync_event_publisher_add_location_dpu(struct doca_sync_event *event);
doca_error_t doca_sync_event_subscriber_add_location_dpu(struct doca_sync_event *event);
doca_error_t doca_sync_event_publisher_add_location_gpu(struct doca_sync_event *event,
                                                        struct doca_gpu *gpu);
doca_error_t doca_sync_event_subscriber_add_location_gpu(struct doca_sync_event *event,
                                                         struct doca_gpu *gpu);

/* Capabilities of devices: doca_sync_event_cap_is_export_to_dpa_supported, and so on, of later DOCA. */
doca_error_t doca_sync_event_get_create_from_export_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_get_export_to_dpa_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_get_export_to_dpu_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_sync_event_get_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/* The handle of the event for kernels of a peer, for doca_dpa_dev_put_signal_<add|set>_nb; plain
 * bytes. */
typedef doca_dpa_dev_sync_event_remote_t doca_sync_event_remote_t;

/*
 * Lets peers update the event.
 *   handle  [out]  valid until the event is destroyed
 * Errors: INVALID_VALUE for NULL, for a destroyed object, and for an object of another kind, BAD_STATE
 * if the event is not started.
 */
doca_error_t doca_sync_event_export_remote(struct doca_sync_event *event,
                                           doca_sync_event_remote_t *handle);

#ifdef __cplusplus
}
#endif

#endif
