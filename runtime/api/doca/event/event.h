/*
 * event: sync events of DOCA, for the rooms above: their counters, by handle or by key.
 *
 *     void *pinned;  doca_error_t result;
 *     struct dpk_event *e = dpk_sync_event_pin(event, &pinned, &result);   // NULL: *result says
 * why
 *     ...
 *     dpk_object_drop(pinned);
 */
#ifndef DPK_API_DOCA_EVENT_EVENT_H
#define DPK_API_DOCA_EVENT_EVENT_H

#include <doca_sync_event.h>

#include "api/doca/dpa/dpa.h"

/* The counter of a started event; NULL: it is not. Its handle stays pinned in *event, to be
 * dropped. *result: why. */
struct dpk_event *dpk_sync_event_pin(const struct doca_sync_event *handle, void **event,
                                     doca_error_t *result);

/* Lets peers update a started event; they find it by *key. INVALID_VALUE: no event. BAD_STATE: not
 * started. */
doca_error_t dpk_sync_event_share(const struct doca_sync_event *event, uint64_t *key);
/* A sync event that was exported to remote peers, found by what came with it: its owner and key.
 * NULL: there is none in this process. To be released with dpk_object_drop(*event). */
struct dpk_event *dpk_sync_event_of_key(uint64_t key, void **event);
/* What a remote sync event stands for, by the handle DPA code has. False: there is none. */
bool dpk_remote_event_of_handle(uint64_t handle, struct dpk_uuid *owner, uint64_t *key);

#endif
