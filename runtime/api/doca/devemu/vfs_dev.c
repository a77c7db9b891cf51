/* Contexts of virtio-fs devices. Their handles are those of contexts of functions. */
#include <string.h>

#include "virtio.h"

doca_error_t doca_devemu_vfs_dev_create(struct doca_devemu_vfs_type *vfs_type,
                                        struct doca_dev_rep *dev_rep,
                                        struct doca_pe *progress_engine,
                                        struct doca_devemu_vfs_dev **vfs_dev)
{
    return devemu_pci_dev_new(__func__, (const struct doca_devemu_pci_type *)vfs_type, true,
                              dev_rep, progress_engine, (struct doca_devemu_pci_dev **)vfs_dev);
}

/* Returns the handle, if it is of a virtio device. */
static void *handle_of(const void *handle)
{
    struct pci_dev *d = dpk_object_pin(handle, &devemu_pci_dev_kind);
    void *same = d && d->virtio ? d->base.ctx.object.handle : NULL;
    dpk_object_drop(d);
    return same;
}

doca_error_t doca_devemu_vfs_dev_destroy(struct doca_devemu_vfs_dev *vfs_dev)
{
    void *handle = handle_of(vfs_dev);
    return handle
               ? dpk_doca_end(handle, __func__, dpk_doca_inner(doca_devemu_pci_dev_destroy(handle)))
               : dpk_doca_no_object(__func__);
}

struct doca_ctx *doca_devemu_vfs_dev_as_ctx(struct doca_devemu_vfs_dev *vfs_dev)
{
    return handle_of(vfs_dev);
}

struct doca_devemu_pci_dev *doca_devemu_vfs_dev_as_pci_dev(struct doca_devemu_vfs_dev *vfs_dev)
{
    return handle_of(vfs_dev);
}

struct doca_devemu_virtio_dev *
doca_devemu_vfs_dev_as_virtio_dev(struct doca_devemu_vfs_dev *vfs_dev)
{
    return handle_of(vfs_dev);
}

doca_error_t doca_devemu_vfs_dev_set_tag(struct doca_devemu_vfs_dev *vfs_dev,
                                         const char tag[DOCA_VFS_TAG_SIZE + 1])
{
    doca_error_t result;
    struct pci_dev *d = devemu_virtio_lock_idle(__func__, tag ? vfs_dev : NULL, &result);
    if (!d)
        return result;
    const size_t n = strnlen(tag, DOCA_VFS_TAG_SIZE + 1);
    const bool fits = n > 0 && n <= DOCA_VFS_TAG_SIZE;
    if (fits) {
        memset(d->virtio->tag, 0, sizeof d->virtio->tag);
        memcpy(d->virtio->tag, tag, n);
    }
    return dpk_doca_unlock(d, __func__, fits ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE,
                           "a tag has 1 to %u bytes, and a NUL", DOCA_VFS_TAG_SIZE);
}

doca_error_t doca_devemu_vfs_dev_set_num_request_queues(struct doca_devemu_vfs_dev *vfs_dev,
                                                        uint32_t num_request_queues)
{
    doca_error_t result;
    struct pci_dev *d = devemu_virtio_lock_idle(__func__, vfs_dev, &result);
    if (!d)
        return result;
    const bool fits = num_request_queues > 0 && num_request_queues < DPK_VIRTIO_QUEUES_MAX;
    if (fits)
        d->virtio->request_queues = num_request_queues;
    return dpk_doca_unlock(d, __func__, fits ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE,
                           "a device has 1 to %u queues for requests", DPK_VIRTIO_QUEUES_MAX - 1);
}

doca_error_t doca_devemu_vfs_dev_get_tag(const struct doca_devemu_vfs_dev *vfs_dev,
                                         char tag[DOCA_VFS_TAG_SIZE + 1])
{
    doca_error_t result;
    struct pci_dev *d = devemu_virtio_lock(__func__, tag ? vfs_dev : NULL, false, &result);
    if (!d)
        return result;
    memcpy(tag, d->virtio->tag, sizeof d->virtio->tag);
    return dpk_object_unlock(d, DOCA_SUCCESS);
}

doca_error_t doca_devemu_vfs_dev_get_num_request_queues(const struct doca_devemu_vfs_dev *vfs_dev,
                                                        uint32_t *num_request_queues)
{
    doca_error_t result;
    struct pci_dev *d =
        devemu_virtio_lock(__func__, num_request_queues ? vfs_dev : NULL, false, &result);
    if (!d)
        return result;
    *num_request_queues = d->virtio->request_queues;
    return dpk_object_unlock(d, DOCA_SUCCESS);
}

/* In DOCA 2.10, each device has this size. */
doca_error_t doca_devemu_vfs_dev_set_vfs_req_user_data_size(struct doca_devemu_vfs_dev *vfs_dev,
                                                            uint32_t size)
{
    doca_error_t result;
    struct pci_dev *d = devemu_virtio_lock_idle(__func__, vfs_dev, &result);
    if (!d)
        return result;
    if (size <= VFS_USER_DATA_MAX)
        d->virtio->user_data_size = size;
    return dpk_doca_unlock(d, __func__,
                           size <= VFS_USER_DATA_MAX ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE,
                           "%u bytes are more than the %u of a request", size, VFS_USER_DATA_MAX);
}

doca_error_t
doca_devemu_vfs_dev_get_vfs_req_user_data_size(const struct doca_devemu_vfs_dev *vfs_dev,
                                               uint32_t *size)
{
    doca_error_t result;
    struct pci_dev *d = devemu_virtio_lock(__func__, size ? vfs_dev : NULL, false, &result);
    if (!d)
        return result;
    *size = d->virtio->user_data_size;
    return dpk_object_unlock(d, DOCA_SUCCESS);
}

/* ---- The virtio device is the same object ---- */

struct doca_ctx *doca_devemu_virtio_dev_as_ctx(struct doca_devemu_virtio_dev *virtio_dev)
{
    return handle_of(virtio_dev);
}

struct doca_devemu_pci_dev *
doca_devemu_virtio_dev_as_pci_dev(struct doca_devemu_virtio_dev *virtio_dev)
{
    return handle_of(virtio_dev);
}
