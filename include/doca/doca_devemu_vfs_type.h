/*
 * doca_devemu_vfs_type: types of virtio-fs devices. No device has such a type, and says so
 * (doca_devemu_vfs.h has an example).
 */
#ifndef DOCA_DEVEMU_VFS_TYPE_H
#define DOCA_DEVEMU_VFS_TYPE_H

#include "doca_devemu_vfs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gets 0: the device manages no virtio-fs devices. */
doca_error_t doca_devemu_vfs_is_default_vfs_type_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *supported);
/* Sets *vfs_type to NULL. Errors: NOT_SUPPORTED. */
doca_error_t doca_devemu_vfs_find_default_vfs_type_by_dev(struct doca_dev *dev,
                                                          struct doca_devemu_vfs_type **vfs_type);
/* Returns NULL. */
struct doca_devemu_pci_type *
doca_devemu_vfs_type_as_pci_type(struct doca_devemu_vfs_type *vfs_type);

#ifdef __cplusplus
}
#endif

#endif
