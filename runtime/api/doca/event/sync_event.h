/* Sync events, for the files that export them, read or change their values, and have their
 * tasks. */
#ifndef DPK_API_DOCA_EVENT_SYNC_EVENT_H
#define DPK_API_DOCA_EVENT_SYNC_EVENT_H

#include "event.h"
#include "shared_word.h"

/* Number of types of tasks of an event (tasks.c). */
#define EVENT_TASK_TYPES 6

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
    bool imported;         /* made from an export */
    atomic_bool wait_told; /* a long wait without a DPA was reported */
    struct dpk_buf exported;
    struct dpk_task_pool pools[EVENT_TASK_TYPES];
};
extern const struct dpk_kind dpk_sync_event_kind;

/* Returns a started event, pinned, or NULL if the handle is not an event or is not started. The reason is
 * stored. */
struct dpk_sync_event *dpk_sync_event_running(const struct doca_sync_event *handle,
                                              doca_error_t *result);

/* Makes a handle of an export on a device, or returns NULL with the reason in *result. */
typedef void *sync_event_importer(struct dpk_dev *d, const struct descriptor *what,
                                  doca_error_t *result);
/* Imports the bytes of an export. Errors: INVALID_VALUE if they are not an export of that kind. */
void *event_sync_event_import(struct doca_dev *dev, const uint8_t *data, size_t size,
                              enum descriptor_kind kind, sync_event_importer *import,
                              doca_error_t *result);

/* The condition of a wait: (value & mask) greater than, equal to, or not equal to `value`. */
struct condition {
    enum { WAIT_GT, WAIT_EQ, WAIT_NEQ } kind;
    uint64_t value, mask;
};
bool event_sync_event_is(const struct dpk_sync_event *e, const struct condition *c);
/* Checks whether a wait has ended. Errors: IN_PROGRESS if not, BAD_STATE if it cannot end because the
 * DPA that updates the event failed or is stopped. */
doca_error_t event_sync_event_look(const struct dpk_sync_event *e, const struct condition *c);

/* Get, add to, and set the value; event_sync_event_add returns the value before. */
uint64_t event_sync_event_value(const struct dpk_sync_event *e);
uint64_t event_sync_event_add(struct dpk_sync_event *e, uint64_t value);
void event_sync_event_set(struct dpk_sync_event *e, uint64_t value);

#endif
