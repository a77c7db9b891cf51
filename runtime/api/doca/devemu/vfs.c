/* Virtio-fs devices, which no card of this emulation has. Only the capability and the configuration of
 * the library can succeed; other functions need an object that cannot exist. */
#include <doca_devemu_vfs_io.h>
#include <doca_devemu_vfs_type.h>
#include <stdlib.h>

#include "private.h"

static doca_error_t not_supported(void)
{
    return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                            "no emulated device is a virtio-fs device, as "
                            "doca_devemu_vfs_is_default_vfs_type_supported says");
}

/* ---- The library ---- */

struct vfs_cfg {
    struct dpk_object object;
};
static void cfg_release(void *object)
{
    free(object);
}
static const struct dpk_kind vfs_cfg_kind = {.release = cfg_release};

doca_error_t doca_devemu_vfs_cfg_create(struct doca_devemu_vfs_cfg **cfg)
{
    if (!cfg)
        return dpk_doca_no_object(__func__);
    struct vfs_cfg *c = calloc(1, sizeof *c);
    *cfg = c ? dpk_object_enter(c, &vfs_cfg_kind) : NULL;
    return dpk_doca_end(NULL, __func__, *cfg ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_devemu_vfs_cfg_destroy(struct doca_devemu_vfs_cfg *cfg)
{
    return dpk_doca_destroy(cfg, &vfs_cfg_kind, __func__);
}

doca_error_t doca_devemu_vfs_init(struct doca_devemu_vfs_cfg *cfg)
{
    struct vfs_cfg *c = dpk_object_pin(cfg, &vfs_cfg_kind);
    dpk_object_drop(c);
    return c ? dpk_doca_end(cfg, __func__, not_supported()) : dpk_doca_no_object(__func__);
}

doca_error_t doca_devemu_vfs_teardown(void)
{
    return dpk_doca_refuse_call(NULL, DOCA_ERROR_BAD_STATE, __func__,
                                "doca_devemu_vfs_init has not succeeded");
}

/* ---- Types ---- */

doca_error_t doca_devemu_vfs_is_default_vfs_type_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *supported)
{
    struct dpk_device_info card;
    const doca_error_t result =
        supported ? dpk_devinfo_ask(devinfo, &card) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *supported = 0;
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t doca_devemu_vfs_find_default_vfs_type_by_dev(struct doca_dev *dev,
                                                          struct doca_devemu_vfs_type **vfs_type)
{
    struct dpk_dev *d = vfs_type ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    dpk_object_drop(d);
    if (!d)
        return dpk_doca_no_object(__func__);
    *vfs_type = NULL;
    return dpk_doca_end(dev, __func__, not_supported());
}

struct doca_devemu_pci_type *doca_devemu_vfs_type_as_pci_type(struct doca_devemu_vfs_type *vfs_type)
{
    (void)vfs_type;
    return NULL;
}

/* ---- Devices ---- */

doca_error_t doca_devemu_vfs_dev_create(struct doca_devemu_vfs_type *vfs_type,
                                        struct doca_dev_rep *dev_rep,
                                        struct doca_pe *progress_engine,
                                        struct doca_devemu_vfs_dev **vfs_dev)
{
    (void)vfs_type, (void)dev_rep, (void)progress_engine;
    if (vfs_dev)
        *vfs_dev = NULL;
    return dpk_doca_no_object(__func__);
}

doca_error_t doca_devemu_vfs_dev_destroy(struct doca_devemu_vfs_dev *vfs_dev)
{
    (void)vfs_dev;
    return dpk_doca_no_object(__func__);
}

struct doca_ctx *doca_devemu_vfs_dev_as_ctx(struct doca_devemu_vfs_dev *vfs_dev)
{
    (void)vfs_dev;
    return NULL;
}

struct doca_devemu_pci_dev *doca_devemu_vfs_dev_as_pci_dev(struct doca_devemu_vfs_dev *vfs_dev)
{
    (void)vfs_dev;
    return NULL;
}

struct doca_devemu_virtio_dev *
doca_devemu_vfs_dev_as_virtio_dev(struct doca_devemu_vfs_dev *vfs_dev)
{
    (void)vfs_dev;
    return NULL;
}

doca_error_t doca_devemu_vfs_dev_set_tag(struct doca_devemu_vfs_dev *vfs_dev,
                                         const char tag[DOCA_VFS_TAG_SIZE + 1])
{
    (void)vfs_dev, (void)tag;
    return dpk_doca_no_object(__func__);
}

doca_error_t doca_devemu_vfs_dev_set_num_request_queues(struct doca_devemu_vfs_dev *vfs_dev,
                                                        uint32_t num_request_queues)
{
    (void)vfs_dev, (void)num_request_queues;
    return dpk_doca_no_object(__func__);
}

/* ---- Requests ---- */

doca_error_t doca_devemu_vfs_io_create(struct doca_devemu_vfs_dev *vfs_dev, struct doca_pe *pe,
                                       struct doca_devemu_vfs_io **vfs_io)
{
    (void)vfs_dev, (void)pe;
    if (vfs_io)
        *vfs_io = NULL;
    return dpk_doca_no_object(__func__);
}

doca_error_t doca_devemu_vfs_io_destroy(struct doca_devemu_vfs_io *vfs_io)
{
    (void)vfs_io;
    return dpk_doca_no_object(__func__);
}

struct doca_ctx *doca_devemu_vfs_io_as_ctx(struct doca_devemu_vfs_io *vfs_io)
{
    (void)vfs_io;
    return NULL;
}
