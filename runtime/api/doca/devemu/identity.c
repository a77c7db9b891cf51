/* The identity that a function shows: that of its type, or another. */
#include "private.h"

#define IDENTITY(setter, getter, member, type, most)                                               \
    doca_error_t setter(struct doca_devemu_pci_dev *pci_dev, type value)                           \
    {                                                                                              \
        doca_error_t result;                                                                       \
        const uint32_t wide = value;                                                               \
        if (wide > (most))                                                                         \
            return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,                  \
                                        "0x%x is more than 0x%x", wide, (unsigned)(most));         \
        struct pci_dev *d = devemu_pci_dev_lock_idle(__func__, pci_dev, &result);                  \
        if (!d)                                                                                    \
            return result;                                                                         \
        d->identity.member = value;                                                                \
        return dpk_object_unlock(d, DOCA_SUCCESS);                                                 \
    }                                                                                              \
    doca_error_t getter(const struct doca_devemu_pci_dev *pci_dev, type *value)                    \
    {                                                                                              \
        struct pci_dev *d = value ? dpk_object_lock(pci_dev, &devemu_pci_dev_kind) : NULL;         \
        if (d)                                                                                     \
            *value = d->identity.member;                                                           \
        return d ? dpk_object_unlock(d, DOCA_SUCCESS) : dpk_doca_no_object(__func__);              \
    }

IDENTITY(doca_devemu_pci_dev_set_device_id, doca_devemu_pci_dev_get_device_id, device, uint16_t,
         0xffff)
IDENTITY(doca_devemu_pci_dev_set_vendor_id, doca_devemu_pci_dev_get_vendor_id, vendor, uint16_t,
         0xffff)
IDENTITY(doca_devemu_pci_dev_set_subsystem_id, doca_devemu_pci_dev_get_subsystem_id, subsystem,
         uint16_t, 0xffff)
IDENTITY(doca_devemu_pci_dev_set_subsystem_vendor_id, doca_devemu_pci_dev_get_subsystem_vendor_id,
         subsystem_vendor, uint16_t, 0xffff)
IDENTITY(doca_devemu_pci_dev_set_revision_id, doca_devemu_pci_dev_get_revision_id, revision,
         uint8_t, 0xff)
IDENTITY(doca_devemu_pci_dev_set_class_code, doca_devemu_pci_dev_get_class_code, class_code,
         uint32_t, 0xffffff)
