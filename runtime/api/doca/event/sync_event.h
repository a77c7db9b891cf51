/* Sync events, for the files that export them, know their values, and have tasks of them. */
#ifndef DPK_API_DOCA_EVENT_SYNC_EVENT_H
#define DPK_API_DOCA_EVENT_SYNC_EVENT_H

#include "event.h"
#include "shared_word.h"

/* How many types of tasks an event has: tasks.c. */
#define EVENT_TASK_TYPES 5

/* Publisher or subscriber: the CPU through a device, a DPA context, or both. */
struct side {
    struct dpk_dev *dev; /* a use */
    struct dpk_dpa *dpa; /* a reference: it may be destroyed before the event */
};

struct dpk_sync_event {
    struct dpk_ctx ctx;
    struct dpk_event *event; /* the counter, unless `word` has memory: */
    struct shared_word word; /* the counter of an event that processes share */
    struct side publisher, subscriber;
    bool remote_publishers, pci_publishers, pci_subscribers;
    bool imported;         /* another process exported it, or this one */
    atomic_bool wait_told; /* that one without a DPA lasts */
    struct dpk_buf exported;
    struct dpk_task_pool pools[EVENT_TASK_TYPES];
};
extern const struct dpk_kind dpk_sync_event_kind;

/* A started event, pinned; NULL: it is none, or not started. */
struct dpk_sync_event *dpk_sync_event_running(const struct doca_sync_event *handle,
                                              doca_error_t *result);

/* What a device makes of an export: a handle; NULL: *result says why. */
typedef void *sync_event_importer(struct dpk_dev *d, const struct descriptor *what,
                                  doca_error_t *result);
/* The same, from the bytes; they are an export of that kind, else INVALID_VALUE. */
void *sync_event_import(struct doca_dev *dev, const uint8_t *data, size_t size,
                        enum descriptor_kind kind, sync_event_importer *import,
                        doca_error_t *result);

/* What is waited for, of (value & mask): is it greater than, equal to, not equal to `value`? */
struct condition {
    enum { WAIT_GT, WAIT_EQ, WAIT_NEQ } kind;
    uint64_t value, mask;
};
bool sync_event_is(const struct dpk_sync_event *e, const struct condition *c);
/* Whether a wait has ended. IN_PROGRESS: not yet. BAD_STATE: it never would, as the DPA that is to update
 * the event failed, or is stopped. */
doca_error_t sync_event_look(const struct dpk_sync_event *e, const struct condition *c);

/* The value; the value before. */
uint64_t sync_event_value(const struct dpk_sync_event *e);
uint64_t sync_event_add(struct dpk_sync_event *e, uint64_t value);
void sync_event_set(struct dpk_sync_event *e, uint64_t value);

#endif
