/*
 * doca_devemu_vfs: emulated functions that are virtio-fs devices, of which a host mounts a file
 * system. No device of this emulation can be one, and the capability says so. Programs for them build,
 * and learn that when they run:
 *
 *     uint8_t supported = 0;
 *     doca_devemu_vfs_is_default_vfs_type_supported(devinfo, &supported);   // 0
 *     doca_devemu_vfs_find_default_vfs_type_by_dev(dev, &type);             // NOT_SUPPORTED
 *
 * Public programs call the functions of doca_devemu_vfs*.h and doca_devemu_virtio.h; other functions
 * of NVIDIA's library are not here.
 */
#ifndef DOCA_DEVEMU_VFS_H
#define DOCA_DEVEMU_VFS_H

#include "doca_devemu_vfs_dev.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devemu_vfs_cfg;

/* Make and destroy a configuration of the library (DOCA 3.0). */
doca_error_t doca_devemu_vfs_cfg_create(struct doca_devemu_vfs_cfg **cfg);
doca_error_t doca_devemu_vfs_cfg_destroy(struct doca_devemu_vfs_cfg *cfg);
/* Starts the library. Errors: NOT_SUPPORTED, because there are no virtio-fs devices. */
doca_error_t doca_devemu_vfs_init(struct doca_devemu_vfs_cfg *cfg);
/* Ends what doca_devemu_vfs_init has started. Errors: BAD_STATE, because that never succeeds. */
doca_error_t doca_devemu_vfs_teardown(void);

#ifdef __cplusplus
}
#endif

#endif
