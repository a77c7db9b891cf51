/*
 * doca_devemu_vfs_io: contexts that take requests of virtio-fs devices. There are none
 * (doca_devemu_vfs.h): these functions return INVALID_VALUE or NULL.
 */
#ifndef DOCA_DEVEMU_VFS_IO_H
#define DOCA_DEVEMU_VFS_IO_H

#include "doca_devemu_vfs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devemu_vfs_io;

doca_error_t doca_devemu_vfs_io_create(struct doca_devemu_vfs_dev *vfs_dev, struct doca_pe *pe,
                                       struct doca_devemu_vfs_io **vfs_io);
doca_error_t doca_devemu_vfs_io_destroy(struct doca_devemu_vfs_io *vfs_io);
struct doca_ctx *doca_devemu_vfs_io_as_ctx(struct doca_devemu_vfs_io *vfs_io);

#ifdef __cplusplus
}
#endif

#endif
