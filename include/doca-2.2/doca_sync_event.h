/*
 * doca_sync_event (DOCA 2.2): 64-bit counters that the host and the DPA update and wait for.
 *
 *     struct doca_sync_event *done;
 *     doca_sync_event_create(&done);
 *     doca_sync_event_publisher_add_location_dpa(done, dpa);     // who updates it
 *     doca_sync_event_subscriber_add_location_cpu(done, dev);    // who waits
 *     doca_sync_event_start(done);
 *     doca_dpa_kernel_launch_update_set(dpa, NULL, 0, done, 1, 1, &kernel);
 *     doca_sync_event_wait_gt(done, 0, UINT64_MAX);
 *     doca_sync_event_destroy(done);
 *
 * Locations are set before start, values are used after it. The locations do not restrict who may
 * update or read. While a sync event with a DPA location waits, the error state of that DPA context
 * ends the wait. Calls on a started event may come from any thread.
 */
#ifndef DOCA_SYNC_EVENT_H
#define DOCA_SYNC_EVENT_H

#include <stdint.h>

#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dpa;
struct doca_sync_event;

/* What DPA code calls the event. */
typedef uint64_t doca_dpa_dev_sync_event_t;

/*
 * Makes a sync event with value 0 and no locations.
 *   event  [out]  to be given back with doca_sync_event_destroy; NULL on failure
 * INVALID_VALUE: NULL. NO_MEMORY.
 */
doca_error_t doca_sync_event_create(struct doca_sync_event **event);

/*
 * Stops the event if it is started, and frees it; launches that were made with it go on.
 * INVALID_VALUE: NULL.
 */
doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/*
 * Adds a publisher (who updates) or a subscriber (who waits): the CPU, with the device through
 * which it reaches the event, or a DPA context. Adding the same one again changes nothing.
 * INVALID_VALUE: a NULL argument. BAD_STATE: the event is started. NOT_SUPPORTED: a second device,
 * or a second DPA context on the same side.
 */
doca_error_t doca_sync_event_publisher_add_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev);
doca_error_t doca_sync_event_publisher_add_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa);
doca_error_t doca_sync_event_subscriber_add_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev);
doca_error_t doca_sync_event_subscriber_add_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa);

/*
 * Makes the event usable.
 * INVALID_VALUE: NULL. BAD_STATE: started already. BAD_CONFIG: no publisher or no subscriber.
 */
doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/*
 * Ends its use; the value and the locations stay.
 * INVALID_VALUE: NULL. BAD_STATE: not started.
 */
doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/*
 * Makes the event known to the DPA process of a context.
 *   dev_se_handle  [out]  to be given to kernels as an argument; never 0; the same at every call
 * INVALID_VALUE: a NULL argument. BAD_STATE: the event is not started, or the DPA context is in the
 * error state. NO_MEMORY.
 */
doca_error_t doca_sync_event_export_to_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
                                           doca_dpa_dev_sync_event_t *dev_se_handle);

/*
 * Reads the value.
 * INVALID_VALUE: a NULL argument. BAD_STATE: not started.
 */
doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value);

/*
 * Adds to the value, at once for everybody.
 *   fetched  [out]  NULL, or the value before
 * INVALID_VALUE: no event. BAD_STATE: not started.
 */
doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched);

/*
 * Sets the value.
 * INVALID_VALUE: NULL. BAD_STATE: not started.
 */
doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value);

/*
 * Waits until (value of the event & mask) > value.
 * INVALID_VALUE: no event, or no value can ever satisfy it (mask <= value). BAD_STATE: not started;
 * or the DPA context that publishes (or, where the CPU publishes, subscribes) is in the error state
 * or destroyed, so that the wait could be for ever.
 */
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask);

#ifdef __cplusplus
}
#endif

#endif
