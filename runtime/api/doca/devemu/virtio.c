/* Properties of virtio devices: queues, features, and what the driver has written. */
#include <string.h>

#include "virtio.h"

static struct pci_dev *only_virtio(const char *call, struct pci_dev *d, doca_error_t *result)
{
    if (!d || d->virtio)
        return d;
    *result =
        dpk_doca_unlock(d, call, DOCA_ERROR_INVALID_VALUE, "the context is not a virtio device");
    return NULL;
}

struct pci_dev *devemu_virtio_lock_idle(const char *call, const void *handle, doca_error_t *result)
{
    return only_virtio(call, devemu_pci_dev_lock_idle(call, handle, result), result);
}

struct pci_dev *devemu_virtio_lock(const char *call, const void *handle, bool running,
                                   doca_error_t *result)
{
    struct pci_dev *d = dpk_object_lock(handle, &devemu_pci_dev_kind);
    *result = d ? DOCA_SUCCESS : dpk_doca_no_object(call);
    d = only_virtio(call, d, result);
    if (!d || !running || d->claimed)
        return d;
    *result =
        dpk_doca_unlock(d, call, DOCA_ERROR_BAD_STATE, "the context is %s, and must be running",
                        dpk_ctx_state_name(&d->base.ctx));
    return NULL;
}

/* A property that the program sets before the start. */
#define SETTER(name, type, valid, set, why)                                                        \
    doca_error_t name(struct doca_devemu_virtio_dev *virtio_dev, type value)                       \
    {                                                                                              \
        doca_error_t result;                                                                       \
        struct pci_dev *d = devemu_virtio_lock_idle(__func__, virtio_dev, &result);                \
        if (!d)                                                                                    \
            return result;                                                                         \
        const bool good = (valid);                                                                 \
        if (good)                                                                                  \
            d->virtio->set = value;                                                                \
        return dpk_doca_unlock(d, __func__, good ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE, "%s",  \
                               (why));                                                             \
    }

SETTER(doca_devemu_virtio_dev_set_num_queues, uint16_t, value > 0 && value <= DPK_VIRTIO_QUEUES_MAX,
       setup.queues, "a device has 1 to 64 queues")
SETTER(doca_devemu_virtio_dev_set_queue_size, uint16_t,
       value > 0 && value <= DPK_VIRTQ_SIZE_MAX && (value & (value - 1)) == 0, setup.queue_size,
       "a queue has a power of 2 of descriptors, up to 1024")
SETTER(doca_devemu_virtio_dev_set_num_required_running_virtio_io_ctxs, uint32_t, true, required, "")
SETTER(doca_devemu_virtio_dev_set_device_features_63_0, uint64_t,
       dpk_virtio_features_are_good(value, VIRTIO_FEATURES), setup.features,
       "a device has the feature VERSION_1 (bit 32), and may have INDIRECT_DESC (bit 28)")

#define GETTER(name, type, running, value)                                                         \
    doca_error_t name(const struct doca_devemu_virtio_dev *virtio_dev, type *out)                  \
    {                                                                                              \
        doca_error_t result;                                                                       \
        struct pci_dev *d =                                                                        \
            devemu_virtio_lock(__func__, out ? virtio_dev : NULL, (running), &result);             \
        if (!d)                                                                                    \
            return result;                                                                         \
        *out = (value);                                                                            \
        return dpk_object_unlock(d, DOCA_SUCCESS);                                                 \
    }

static uint16_t count_enabled(const struct virtio_dev *v)
{
    uint16_t count = 0, vector;
    struct dpk_virtq_place place;
    for (unsigned i = 0; i < v->setup.queues; i++)
        count = (uint16_t)(count + dpk_virtio_queue(&v->registers, i, &place, &vector));
    return count;
}

GETTER(doca_devemu_virtio_dev_get_num_queues, uint16_t, false, d->virtio->setup.queues)
GETTER(doca_devemu_virtio_dev_get_queue_size, uint16_t, false, d->virtio->setup.queue_size)
GETTER(doca_devemu_virtio_dev_get_num_required_running_virtio_io_ctxs, uint32_t, false,
       d->virtio->required)
GETTER(doca_devemu_virtio_dev_get_device_features_63_0, uint64_t, false, d->virtio->setup.features)
GETTER(doca_devemu_virtio_dev_get_driver_features_63_0, uint64_t, true,
       dpk_virtio_driver_features(&d->virtio->registers))
GETTER(doca_devemu_virtio_dev_get_device_status, uint8_t, true,
       dpk_virtio_status(&d->virtio->registers))
GETTER(doca_devemu_virtio_dev_get_config_generation, uint8_t, true,
       dpk_virtio_generation(&d->virtio->registers))
GETTER(doca_devemu_virtio_dev_get_config_msix_vector, uint16_t, true,
       dpk_virtio_config_vector(&d->virtio->registers))
GETTER(doca_devemu_virtio_dev_get_num_enabled_queues, uint16_t, true, count_enabled(d->virtio))

doca_error_t
doca_devemu_virtio_dev_event_reset_register(struct doca_devemu_virtio_dev *virtio_dev,
                                            doca_devemu_virtio_dev_event_reset_handler_cb_t handler,
                                            union doca_data user_data)
{
    doca_error_t result;
    struct pci_dev *d = devemu_virtio_lock_idle(__func__, handler ? virtio_dev : NULL, &result);
    if (!d)
        return result;
    d->virtio->on_reset = handler;
    d->virtio->reset_data = user_data;
    return dpk_object_unlock(d, DOCA_SUCCESS);
}

doca_error_t doca_devemu_virtio_dev_reset_complete(struct doca_devemu_virtio_dev *virtio_dev)
{
    unsigned held;
    doca_error_t result;
    struct pci_dev *d = devemu_virtio_lock(__func__, virtio_dev, true, &result);
    if (!d)
        return result;
    if (!devemu_virtio_complete_reset(d, &held))
        return dpk_doca_unlock(d, __func__, DOCA_ERROR_BAD_STATE,
                               "the driver has not reset the device");
    return dpk_doca_unlock(d, __func__, held == 0 ? DOCA_SUCCESS : DOCA_ERROR_IN_USE,
                           "%u requests are not complete", held);
}
