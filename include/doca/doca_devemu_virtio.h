/*
 * doca_devemu_virtio: the virtio part of emulated functions that are virtio devices. No emulated
 * function is one (doca_devemu_vfs_is_default_vfs_type_supported says so), so there is no object for
 * these functions: they return INVALID_VALUE for whatever they get.
 *
 *     struct doca_devemu_virtio_dev *virtio = doca_devemu_vfs_dev_as_virtio_dev(vfs);
 *     doca_devemu_virtio_dev_set_num_queues(virtio, 16);
 *     doca_devemu_virtio_dev_set_queue_size(virtio, 64);
 */
#ifndef DOCA_DEVEMU_VIRTIO_H
#define DOCA_DEVEMU_VIRTIO_H

#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devemu_virtio_dev;

/* Queues of a device, and descriptors of a queue. */
doca_error_t doca_devemu_virtio_dev_set_num_queues(struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t num_queues);
doca_error_t doca_devemu_virtio_dev_get_num_queues(const struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t *num_queues);
doca_error_t doca_devemu_virtio_dev_set_queue_size(struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t queue_size);
doca_error_t doca_devemu_virtio_dev_get_queue_size(const struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t *queue_size);
/* IO contexts that must run before the device works. */
doca_error_t doca_devemu_virtio_dev_set_num_required_running_virtio_io_ctxs(
    struct doca_devemu_virtio_dev *virtio_dev, uint32_t num);

/* Called when the driver resets the device. */
typedef void (*doca_devemu_virtio_dev_event_reset_handler_cb_t)(
    struct doca_devemu_virtio_dev *virtio_dev, union doca_data user_data);
doca_error_t
doca_devemu_virtio_dev_event_reset_register(struct doca_devemu_virtio_dev *virtio_dev,
                                            doca_devemu_virtio_dev_event_reset_handler_cb_t handler,
                                            union doca_data user_data);

#ifdef __cplusplus
}
#endif

#endif
