/* The default type of virtio-fs devices as programs ask it: the values of new devices. */
#include <doca_devemu_vfs_type.h>

#include "virtio.h"

/* Returns the handle, if it is of the default type. */
static void *handle_of(const void *handle)
{
    struct pci_type *t = dpk_object_pin(handle, &devemu_pci_type_kind);
    void *same = t && t->is_vfs ? t->object.handle : NULL;
    dpk_object_drop(t);
    return same;
}

struct doca_devemu_pci_type *doca_devemu_vfs_type_as_pci_type(struct doca_devemu_vfs_type *vfs_type)
{
    return handle_of(vfs_type);
}

struct doca_devemu_virtio_type *
doca_devemu_vfs_type_as_virtio_type(struct doca_devemu_vfs_type *vfs_type)
{
    return handle_of(vfs_type);
}

struct doca_devemu_pci_type *
doca_devemu_virtio_type_as_pci_type(struct doca_devemu_virtio_type *virtio_type)
{
    return handle_of(virtio_type);
}

#define GETTER(name, of, type, value)                                                              \
    doca_error_t name(const struct of *object, type *out)                                          \
    {                                                                                              \
        if (!out || !handle_of(object))                                                            \
            return dpk_doca_no_object(__func__);                                                   \
        *out = (value);                                                                            \
        return DOCA_SUCCESS;                                                                       \
    }

GETTER(doca_devemu_virtio_type_get_num_queues, doca_devemu_virtio_type, uint16_t, VFS_QUEUES)
GETTER(doca_devemu_virtio_type_get_queue_size, doca_devemu_virtio_type, uint16_t, VIRTIO_QUEUE_SIZE)
GETTER(doca_devemu_virtio_type_get_device_features_63_0, doca_devemu_virtio_type, uint64_t,
       VIRTIO_FEATURES)
GETTER(doca_devemu_virtio_type_get_config_generation, doca_devemu_virtio_type, uint8_t, 0)
GETTER(doca_devemu_vfs_type_get_num_request_queues, doca_devemu_vfs_type, uint32_t, VFS_QUEUES - 1)
