/*
 * doca_devemu_vfs: emulated functions that are virtio-fs devices, of which a host mounts a file
 * system. The program on the DPU gets its requests of FUSE:
 *
 *     doca_devemu_vfs_find_default_vfs_type_by_dev(dev, &type);
 *     doca_devemu_pci_type_create_rep(doca_devemu_vfs_type_as_pci_type(type), &rep);
 *     doca_devemu_vfs_dev_create(type, rep, pe, &vfs);                   // doca_devemu_vfs_dev.h
 *     doca_ctx_start(doca_devemu_vfs_dev_as_ctx(vfs));
 *     doca_devemu_vfs_io_create(vfs, pe, &io);                           // doca_devemu_vfs_io.h
 *     doca_devemu_vfs_io_event_vfs_req_notice_register(io, on_request, data);
 *     doca_ctx_start(doca_devemu_vfs_io_as_ctx(io));
 *
 * Functions of notification requests and of statistics of queues are not in this library.
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
/* Bytes of the program in each request, up to 4096, 0 by default. */
doca_error_t doca_devemu_vfs_cfg_set_vfs_req_user_data_size(struct doca_devemu_vfs_cfg *cfg,
                                                            uint32_t size);
doca_error_t doca_devemu_vfs_cfg_get_vfs_req_user_data_size(const struct doca_devemu_vfs_cfg *cfg,
                                                            uint32_t *size);
/* Starts the library: devices that are created later have this configuration. Programs of DOCA 2.10 do not
 * call this, and devices have the default configuration. Errors: BAD_STATE if the library is started. */
doca_error_t doca_devemu_vfs_init(struct doca_devemu_vfs_cfg *cfg);
/* Ends what doca_devemu_vfs_init has started. Errors: BAD_STATE if it is not started. */
doca_error_t doca_devemu_vfs_teardown(void);

#ifdef __cplusplus
}
#endif

#endif
