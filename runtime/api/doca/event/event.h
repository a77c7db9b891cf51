/*
 * event: sync events of DOCA, for the rooms above: their counters, by handle or by key.
 *
 *     void *pinned;  doca_error_t result;
 *     struct dpk_event *e = dpk_sync_event_pin(event, &pinned, &result);
 *     ...
 *     dpk_object_drop(pinned);
 */
#ifndef DPK_API_DOCA_EVENT_EVENT_H
#define DPK_API_DOCA_EVENT_EVENT_H

#include <doca_sync_event.h>

#include "api/doca/dpa/dpa.h"

/* Returns the counter of a started event, or NULL with the error in *result and its reason stored. The
 * object stays pinned in *event; the caller drops it. */
struct dpk_event *dpk_sync_event_pin(const struct doca_sync_event *handle, void **event,
                                     doca_error_t *result);

/* Lets peers update a started event. They find it by *key. Stores the reason of a failure. Errors:
 * INVALID_VALUE if the handle is not an event, BAD_STATE if it is not started. */
doca_error_t dpk_sync_event_share(const struct doca_sync_event *event, uint64_t *key);
/* Returns the sync event of this process that was exported to remote peers with that key, or NULL.
 * Release it with dpk_object_drop(*event). */
struct dpk_event *dpk_sync_event_of_key(uint64_t key, void **event);
/* Gets owner and key of a remote sync event, by its handle for DPA code. Returns false if the handle is
 * invalid. */
bool dpk_remote_event_of_handle(uint64_t handle, struct dpk_uuid *owner, uint64_t *key);

#endif
