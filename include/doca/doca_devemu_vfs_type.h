/*
 * doca_devemu_vfs_type: types of virtio-fs devices. The DPU side of a card that is a pair has one
 * (doca_devemu_vfs.h has an example).
 */
#ifndef DOCA_DEVEMU_VFS_TYPE_H
#define DOCA_DEVEMU_VFS_TYPE_H

#include "doca_devemu_vfs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gets 1 if the device can emulate virtio-fs devices, or 0. */
doca_error_t doca_devemu_vfs_is_default_vfs_type_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *supported);
/* Gets the type, which is started and which the library keeps. Errors: NOT_SUPPORTED, if the device cannot
 * emulate; then *vfs_type is NULL. */
doca_error_t doca_devemu_vfs_find_default_vfs_type_by_dev(struct doca_dev *dev,
                                                          struct doca_devemu_vfs_type **vfs_type);
/* Returns NULL if the argument is not a type of virtio-fs devices. */
struct doca_devemu_pci_type *
doca_devemu_vfs_type_as_pci_type(struct doca_devemu_vfs_type *vfs_type);
struct doca_devemu_virtio_type *
doca_devemu_vfs_type_as_virtio_type(struct doca_devemu_vfs_type *vfs_type);
/* Gets the number of request queues that new devices have. */
doca_error_t
doca_devemu_vfs_type_get_num_request_queues(const struct doca_devemu_vfs_type *vfs_type,
                                            uint32_t *num_request_queues);

#ifdef __cplusplus
}
#endif

#endif
