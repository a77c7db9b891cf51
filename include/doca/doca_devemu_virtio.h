/*
 * doca_devemu_virtio: the virtio part of emulated functions that are virtio devices, which is that of
 * virtio-fs devices (doca_devemu_vfs.h).
 *
 *     struct doca_devemu_virtio_dev *virtio = doca_devemu_vfs_dev_as_virtio_dev(vfs);
 *     doca_devemu_virtio_dev_set_num_queues(virtio, 17);
 *     doca_devemu_virtio_dev_set_queue_size(virtio, 64);
 *     doca_devemu_virtio_dev_event_reset_register(virtio, on_reset, data);
 *
 * Setters need an idle context. Errors of all functions: INVALID_VALUE for NULL, or an object that is no
 * virtio device; BAD_STATE in another state of the context.
 */
#ifndef DOCA_DEVEMU_VIRTIO_H
#define DOCA_DEVEMU_VIRTIO_H

#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

struct doca_ctx;
struct doca_devemu_pci_dev;
struct doca_devemu_pci_type;

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devemu_virtio_type;
struct doca_devemu_virtio_dev;
struct doca_devemu_virtio_io;

/* Values of a type, which new devices have. */
struct doca_devemu_pci_type *
doca_devemu_virtio_type_as_pci_type(struct doca_devemu_virtio_type *virtio_type);
doca_error_t
doca_devemu_virtio_type_get_num_queues(const struct doca_devemu_virtio_type *virtio_type,
                                       uint16_t *num_queues);
doca_error_t
doca_devemu_virtio_type_get_queue_size(const struct doca_devemu_virtio_type *virtio_type,
                                       uint16_t *queue_size);
doca_error_t
doca_devemu_virtio_type_get_device_features_63_0(const struct doca_devemu_virtio_type *virtio_type,
                                                 uint64_t *features);
doca_error_t
doca_devemu_virtio_type_get_config_generation(const struct doca_devemu_virtio_type *virtio_type,
                                              uint8_t *config_generation);

/* Return NULL for other objects. */
struct doca_ctx *doca_devemu_virtio_dev_as_ctx(struct doca_devemu_virtio_dev *virtio_dev);
struct doca_devemu_pci_dev *
doca_devemu_virtio_dev_as_pci_dev(struct doca_devemu_virtio_dev *virtio_dev);
struct doca_ctx *doca_devemu_virtio_io_as_ctx(struct doca_devemu_virtio_io *virtio_io);

/* Queues of a device (1 to 64, 2 by default). A virtio-fs device has a queue of high priority, and its
 * request queues: if the number is smaller, the start of the device raises it. */
doca_error_t doca_devemu_virtio_dev_set_num_queues(struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t num_queues);
doca_error_t doca_devemu_virtio_dev_get_num_queues(const struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t *num_queues);
/* Maximum descriptors of a queue: a power of 2, up to 1024, 64 by default. */
doca_error_t doca_devemu_virtio_dev_set_queue_size(struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t queue_size);
doca_error_t doca_devemu_virtio_dev_get_queue_size(const struct doca_devemu_virtio_dev *virtio_dev,
                                                   uint16_t *queue_size);
/* IO contexts that must run before the device's context runs. Until then, it is starting. */
doca_error_t doca_devemu_virtio_dev_set_num_required_running_virtio_io_ctxs(
    struct doca_devemu_virtio_dev *virtio_dev, uint32_t num);
doca_error_t doca_devemu_virtio_dev_get_num_required_running_virtio_io_ctxs(
    const struct doca_devemu_virtio_dev *virtio_dev, uint32_t *num);
/* Features of the device: VIRTIO_F_VERSION_1 (bit 32, required) and VIRTIO_F_INDIRECT_DESC (bit 28), which
 * are the default. Errors: INVALID_VALUE for other bits. */
doca_error_t
doca_devemu_virtio_dev_set_device_features_63_0(struct doca_devemu_virtio_dev *virtio_dev,
                                                uint64_t features);
doca_error_t
doca_devemu_virtio_dev_get_device_features_63_0(const struct doca_devemu_virtio_dev *virtio_dev,
                                                uint64_t *features);

/* What the driver has written, of a started device. */
doca_error_t
doca_devemu_virtio_dev_get_driver_features_63_0(const struct doca_devemu_virtio_dev *virtio_dev,
                                                uint64_t *features);
doca_error_t
doca_devemu_virtio_dev_get_device_status(const struct doca_devemu_virtio_dev *virtio_dev,
                                         uint8_t *device_status);
doca_error_t
doca_devemu_virtio_dev_get_config_generation(const struct doca_devemu_virtio_dev *virtio_dev,
                                             uint8_t *config_generation);
doca_error_t
doca_devemu_virtio_dev_get_config_msix_vector(const struct doca_devemu_virtio_dev *virtio_dev,
                                              uint16_t *config_msix_vector);
doca_error_t
doca_devemu_virtio_dev_get_num_enabled_queues(const struct doca_devemu_virtio_dev *virtio_dev,
                                              uint16_t *num_queues);

/* Called when the driver resets the device: its memory cannot be accessed any more. The program completes
 * its requests, and then calls doca_devemu_virtio_dev_reset_complete. Without a handler, a reset ends when
 * the program has completed its requests. */
typedef void (*doca_devemu_virtio_dev_event_reset_handler_cb_t)(
    struct doca_devemu_virtio_dev *virtio_dev, union doca_data user_data);
doca_error_t
doca_devemu_virtio_dev_event_reset_register(struct doca_devemu_virtio_dev *virtio_dev,
                                            doca_devemu_virtio_dev_event_reset_handler_cb_t handler,
                                            union doca_data user_data);
/* Ends a reset. Errors: BAD_STATE if the handler was not called for it, IN_USE if the program has
 * requests. */
doca_error_t doca_devemu_virtio_dev_reset_complete(struct doca_devemu_virtio_dev *virtio_dev);

#ifdef __cplusplus
}
#endif

#endif
