/*
 * doca_sync_event: 64-bit counters that host, DPA and peers update and wait for.
 *
 *     struct doca_sync_event *done;
 *     doca_sync_event_create(&done);
 *     doca_sync_event_add_publisher_location_dpa(done, dpa);     // who updates it
 *     doca_sync_event_add_subscriber_location_cpu(done, dev);    // who waits
 *     doca_sync_event_start(done);
 *     doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 1, &kernel);
 *     doca_sync_event_wait_gt(done, 0, UINT64_MAX);
 *     doca_sync_event_destroy(done);
 *
 * Locations are set before start, values are used after it. The locations do not restrict who may
 * update or read. While a sync event with a DPA location waits, the error state of that DPA context
 * ends the wait. Calls on a started event may come from any thread. Every function gives
 * INVALID_VALUE for NULL, for an object that is gone, and for one of another kind (DOCA Sync Event
 * programming guide). The types are also for DPA code.
 */
#ifndef DOCA_SYNC_EVENT_H
#define DOCA_SYNC_EVENT_H

#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_dpa;
struct doca_sync_event;
struct doca_sync_event_remote_net;

/* What DPA code calls an event, and one that is a peer's. */
typedef uint64_t doca_dpa_dev_sync_event_t;
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;

/* Makes a sync event with value 0 and no locations. NO_MEMORY. */
doca_error_t doca_sync_event_create(struct doca_sync_event **event);

/* Stops the event if it is started, and frees it; launches that were made with it go on. */
doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/* The event as a context: doca_ctx_start and doca_ctx_stop are the functions below. NULL for what
 * is no event. */
struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event);

/*
 * Adds a publisher (who updates) or a subscriber (who waits): the CPU, with the device through
 * which it reaches the event, a DPA context, or peers in other processes. Adding the same one again
 * changes nothing.
 * BAD_STATE: the event is started. NOT_SUPPORTED: a second device, or a second DPA context on the
 * same side.
 */
doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev);
doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa);
doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event);
doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev);
doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa);

/* Makes the event usable. BAD_STATE: started already. BAD_CONFIG: no publisher or no subscriber. */
doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/* Ends its use; the value and the locations stay. BAD_STATE: not started. */
doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/*
 * Makes the event known to the DPA process of a context.
 *   dpa_dev_se_handle  [out]  to be given to kernels as an argument; never 0; the same at every
 * call BAD_STATE: the event is not started, or the DPA context is not started or in the error
 * state. NO_MEMORY.
 */
doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
                                            doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/* Reads the value. BAD_STATE: not started. */
doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value);

/* Adds to the value, at once for everybody.
 *   fetched  [out]  NULL, or the value before
 * BAD_STATE: not started. */
doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched);

/* Sets the value. BAD_STATE: not started. */
doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value);

/*
 * Waits until (value of the event & mask) > value; _yield is the same.
 * INVALID_VALUE: also if no value can ever satisfy it (mask <= value). BAD_STATE: not started; or
 * the DPA context that publishes (or, where the CPU publishes, subscribes) is in the error state,
 * stopped or destroyed, so that the wait could be for ever; or, of an event without a DPA location,
 * the event itself is stopped or destroyed.
 */
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask);
doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask);

/* ---- Events of peers ---- */

/*
 * Describes a started event with the publisher remote_net to a peer.
 *   data  [out]  owned by the event, valid until it is destroyed
 *   sz    [out]  bytes of it
 * BAD_STATE: not started. NOT_PERMITTED: peers are no publishers of it. NO_MEMORY.
 */
doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
                                                  const uint8_t **data, size_t *sz);

/*
 * Makes the event of a peer known here.
 *   event  [out]  to be given back with doca_sync_event_remote_net_destroy; NULL on failure
 * INVALID_VALUE: also data that is damaged. UNSUPPORTED_VERSION. NO_MEMORY.
 */
doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
                                              struct doca_sync_event_remote_net **event);
doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event);

/* What kernels call it, for doca_dpa_dev_rdma_signal_set and _add. BAD_STATE: the DPA context is
 * not started. */
doca_error_t
doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_dpa *dpa,
                                          doca_dpa_dev_sync_event_remote_net_t *handle);

#ifdef __cplusplus
}
#endif

#endif
