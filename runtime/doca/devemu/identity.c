/* Who a function says that it is: as its type, or otherwise. */
#include "private.h"

#define IDENTITY(name, member, type, most)                                                         \
    doca_error_t doca_devemu_pci_dev_set_##name(struct doca_devemu_pci_dev *pci_dev, type name)    \
    {                                                                                              \
        doca_error_t result = DOCA_ERROR_INVALID_VALUE;                                            \
        const uint32_t wide = name;                                                                \
        struct pci_dev *d = wide <= (most) ? pci_dev_lock_idle(pci_dev, &result) : NULL;           \
        if (!d)                                                                                    \
            return result;                                                                         \
        d->identity.member = name;                                                                 \
        return dpk_object_unlock(d, DOCA_SUCCESS);                                                 \
    }                                                                                              \
    doca_error_t doca_devemu_pci_dev_get_##name(const struct doca_devemu_pci_dev *pci_dev,         \
                                                type *name)                                        \
    {                                                                                              \
        struct pci_dev *d = name ? dpk_object_lock(pci_dev, &pci_dev_kind) : NULL;                 \
        if (d)                                                                                     \
            *name = d->identity.member;                                                            \
        return dpk_object_unlock(d, DOCA_SUCCESS);                                                 \
    }

IDENTITY(device_id, device, uint16_t, 0xffff)
IDENTITY(vendor_id, vendor, uint16_t, 0xffff)
IDENTITY(subsystem_id, subsystem, uint16_t, 0xffff)
IDENTITY(subsystem_vendor_id, subsystem_vendor, uint16_t, 0xffff)
IDENTITY(revision_id, revision, uint8_t, 0xff)
IDENTITY(class_code, class_code, uint32_t, 0xffffff)
