/*
 * doca_devemu_vfs_dev: contexts of virtio-fs devices (doca_devemu_vfs.h). They are contexts of emulated
 * functions, too.
 *
 *     const char tag[DOCA_VFS_TAG_SIZE + 1] = "shared";
 *     doca_devemu_vfs_dev_create(type, rep, pe, &vfs);
 *     doca_devemu_vfs_dev_set_tag(vfs, tag);
 *     doca_devemu_vfs_dev_set_num_request_queues(vfs, 16);
 *     doca_ctx_start(doca_devemu_vfs_dev_as_ctx(vfs));
 */
#ifndef DOCA_DEVEMU_VFS_DEV_H
#define DOCA_DEVEMU_VFS_DEV_H

#include "doca_ctx.h"
#include "doca_devemu_pci.h"
#include "doca_devemu_virtio.h"
#include "doca_pe.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devemu_vfs_type;
struct doca_devemu_vfs_dev;

#define DOCA_VFS_TAG_SIZE 20 /* bytes of the name of a file system, without the NUL */

/* Errors: BAD_STATE, INVALID_VALUE, NO_MEMORY. */
doca_error_t doca_devemu_vfs_dev_create(struct doca_devemu_vfs_type *vfs_type,
                                        struct doca_dev_rep *dev_rep,
                                        struct doca_pe *progress_engine,
                                        struct doca_devemu_vfs_dev **vfs_dev);
/* Errors: IN_USE if the context is not idle, or has IO contexts. */
doca_error_t doca_devemu_vfs_dev_destroy(struct doca_devemu_vfs_dev *vfs_dev);
/* Return NULL if the argument is not a virtio-fs device. */
struct doca_ctx *doca_devemu_vfs_dev_as_ctx(struct doca_devemu_vfs_dev *vfs_dev);
struct doca_devemu_pci_dev *doca_devemu_vfs_dev_as_pci_dev(struct doca_devemu_vfs_dev *vfs_dev);
struct doca_devemu_virtio_dev *
doca_devemu_vfs_dev_as_virtio_dev(struct doca_devemu_vfs_dev *vfs_dev);
/* The name of the file system, 1 to 20 bytes, and the number of queues for requests, 1 to 63 (1 by
 * default), of an idle context. Errors: INVALID_VALUE, BAD_STATE. */
doca_error_t doca_devemu_vfs_dev_set_tag(struct doca_devemu_vfs_dev *vfs_dev,
                                         const char tag[DOCA_VFS_TAG_SIZE + 1]);
doca_error_t doca_devemu_vfs_dev_set_num_request_queues(struct doca_devemu_vfs_dev *vfs_dev,
                                                        uint32_t num_request_queues);
doca_error_t doca_devemu_vfs_dev_get_tag(const struct doca_devemu_vfs_dev *vfs_dev,
                                         char tag[DOCA_VFS_TAG_SIZE + 1]);
doca_error_t doca_devemu_vfs_dev_get_num_request_queues(const struct doca_devemu_vfs_dev *vfs_dev,
                                                        uint32_t *num_request_queues);
/* Bytes of the program in each request (DOCA 2.10; later, doca_devemu_vfs_cfg_set_vfs_req_user_data_size). */
doca_error_t doca_devemu_vfs_dev_set_vfs_req_user_data_size(struct doca_devemu_vfs_dev *vfs_dev,
                                                            uint32_t size);
doca_error_t
doca_devemu_vfs_dev_get_vfs_req_user_data_size(const struct doca_devemu_vfs_dev *vfs_dev,
                                               uint32_t *size);

#ifdef __cplusplus
}
#endif

#endif
