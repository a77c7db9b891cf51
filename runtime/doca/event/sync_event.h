/* Sync events, for the file that exports them. */
#ifndef DPK_HOST_DOCA_SYNC_EVENT_H
#define DPK_HOST_DOCA_SYNC_EVENT_H

#include "event.h"

/* Publisher or subscriber: the CPU through a device, a DPA context, or both. */
struct side {
    struct dpk_dev *dev; /* a use */
    struct dpk_dpa *dpa; /* a reference: it may be destroyed before the event */
};

struct dpk_sync_event {
    struct dpk_ctx ctx;
    struct dpk_event *event;
    struct side publisher, subscriber;
    bool remote_publishers;
    atomic_bool wait_told; /* that one without a DPA lasts */
    struct dpk_buf exported;
};
extern const struct dpk_kind dpk_sync_event_kind;

/* A started event, pinned; NULL: it is none, or not started. */
struct dpk_sync_event *dpk_sync_event_running(const struct doca_sync_event *handle,
                                              doca_error_t *result);

#endif
