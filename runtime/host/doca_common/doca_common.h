/*
 * doca_common: what libdoca_common.so gives to libdoca_dpa.a beyond its public headers: the objects
 * behind devices, DPA contexts and sync events.
 *
 *     struct doca_dpa *dpa = calloc(1, sizeof *dpa);
 *     atomic_init(&dpa->references, 1);
 *     dpk_doca_dev_hold(dev);                       // doca_dev_close says IN_USE from here on
 *     ...
 *     dpk_doca_dpa_release(dpa);
 */
#ifndef DPK_HOST_DOCA_COMMON_H
#define DPK_HOST_DOCA_COMMON_H

#include <doca_dev.h>
#include <doca_sync_event.h>
#include <stdatomic.h>

#include "host/host.h"

struct doca_devinfo {
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
};

/* A DPA context. Sync events with a location there hold it, so that they can tell that it is gone.
 */
struct doca_dpa {
    atomic_uint references;
    struct doca_dev *dev;
    struct flexio_process *process; /* NULL: destroyed */
    struct flexio_msg_stream *messages;
    struct dpa_allocation *allocations; /* libdoca_dpa's */
};

/* The name to open it with; borrowed. */
const char *dpk_doca_dev_name(const struct doca_dev *dev);

/* While held, a device is in use. */
void dpk_doca_dev_hold(struct doca_dev *dev);
void dpk_doca_dev_release(struct doca_dev *dev);

/* Frees the object (not what it points to) with its last holder. */
void dpk_doca_dpa_hold(struct doca_dpa *dpa);
void dpk_doca_dpa_release(struct doca_dpa *dpa);

/* The counter of a started event; NULL if it is not started. Borrowed. */
struct dpk_event *dpk_doca_event(const struct doca_sync_event *event);

/* What a DOCA function returns for a status of ours. */
doca_error_t dpk_doca_error(enum dpk_status status);

#endif
