/*
 * doca_dpa_dev_sync_event: DPA functions for 64-bit counters that host and DPA share (DPA subsystem
 * guide 2.2.1, section 3.4.5).
 */
#ifndef DOCA_DPA_DEV_SYNC_EVENT_H
#define DOCA_DPA_DEV_SYNC_EVENT_H

#include "doca_dpa_dev.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* a fault in one of these functions is reported with the caller's line */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* The handle of the host's doca_sync_event_get_dpa_handle. */
typedef uint64_t doca_dpa_dev_sync_event_t;

/* Stores the event's value in `*value`. */
void doca_dpa_dev_sync_event_get(doca_dpa_dev_sync_event_t event, uint64_t *value);
/* Add to or set the event's value, and wake its waiters. */
void doca_dpa_dev_sync_event_update_add(doca_dpa_dev_sync_event_t event, uint64_t value);
void doca_dpa_dev_sync_event_update_set(doca_dpa_dev_sync_event_t event, uint64_t value);
/* Returns once (event & mask) > value. */
void doca_dpa_dev_sync_event_wait_gt(doca_dpa_dev_sync_event_t event, uint64_t value,
                                     uint64_t mask);
/* Post a wait until the event's value is greater than `value` (_gt), or differs from it (_ne), and
 * return at once. The end of the wait gives a completion (DOCA_DPA_DEV_COMP_SEND) in the queue of these
 * operations, which can activate a thread. Operations posted afterwards run after the wait. The thread
 * faults if more than queue_size operations are posted. NVIDIA's DPA accepts values from 0 to 254; this
 * DPA accepts all values. */
void doca_dpa_dev_sync_event_post_wait_gt(doca_dpa_dev_async_ops_t async_ops_handle,
                                          doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value);
void doca_dpa_dev_sync_event_post_wait_ne(doca_dpa_dev_async_ops_t async_ops_handle,
                                          doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value);

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
