/* What a type is configured to be, for programs that ask. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

#define GETTER(name, type, value)                                                                  \
    doca_error_t name(const struct doca_devemu_pci_type *pci_type, type *out)                      \
    {                                                                                              \
        struct pci_type *t = out ? dpk_object_lock(pci_type, &devemu_pci_type_kind) : NULL;        \
        if (!t)                                                                                    \
            return dpk_doca_no_object(__func__);                                                   \
        *out = (value);                                                                            \
        return dpk_object_unlock(t, DOCA_SUCCESS);                                                 \
    }

GETTER(doca_devemu_pci_type_get_device_id, uint16_t, t->config.device)
GETTER(doca_devemu_pci_type_get_vendor_id, uint16_t, t->config.vendor)
GETTER(doca_devemu_pci_type_get_subsystem_id, uint16_t, t->config.subsystem)
GETTER(doca_devemu_pci_type_get_subsystem_vendor_id, uint16_t, t->config.subsystem_vendor)
GETTER(doca_devemu_pci_type_get_revision_id, uint8_t, t->config.revision)
GETTER(doca_devemu_pci_type_get_class_code, uint32_t, t->config.class_code)
GETTER(doca_devemu_pci_type_get_num_msix, uint16_t, t->config.vectors)
GETTER(doca_devemu_pci_type_get_num_db, uint16_t, t->bells_set ? t->bells : DPK_PCI_DOORBELLS)
GETTER(doca_devemu_pci_type_get_dev, struct doca_dev *, t->dev ? t->dev->object.handle : t->opened)
GETTER(doca_devemu_pci_type_is_started, uint8_t, t->started)

doca_error_t doca_devemu_pci_type_get_name(const struct doca_devemu_pci_type *pci_type,
                                           char (*name)[DOCA_DEVEMU_PCI_TYPE_NAME_LEN])
{
    struct pci_type *t = name ? dpk_object_lock(pci_type, &devemu_pci_type_kind) : NULL;
    if (!t)
        return dpk_doca_no_object(__func__);
    memcpy(name, t->config.name, sizeof t->config.name);
    return dpk_object_unlock(t, DOCA_SUCCESS);
}

/* ---- What contexts of its functions begin with ---- */

doca_error_t doca_devemu_pci_type_set_num_db(struct doca_devemu_pci_type *pci_type, uint16_t num_db)
{
    struct pci_type *t = dpk_object_lock(pci_type, &devemu_pci_type_kind);
    if (t && num_db > DPK_PCI_DOORBELLS)
        return dpk_doca_unlock(t, __func__, DOCA_ERROR_INVALID_VALUE, "%u is not within 0 to %u",
                               num_db, DPK_PCI_DOORBELLS);
    if (!t || t->started)
        return dpk_doca_unlock(t, __func__, DOCA_ERROR_BAD_STATE,
                               "the type is started, and must not be");
    t->bells = num_db;
    t->bells_set = true;
    return dpk_object_unlock(t, DOCA_SUCCESS);
}

doca_error_t doca_devemu_pci_type_set_io_bar_conf(struct doca_devemu_pci_type *pci_type, uint8_t id,
                                                  uint8_t log_sz)
{
    struct pci_type *t = dpk_object_lock(pci_type, &devemu_pci_type_kind);
    return dpk_doca_unlock(t, __func__, DOCA_ERROR_NOT_SUPPORTED,
                           "BAR %u of 2^%u ports: emulated functions have memory alone", id,
                           log_sz);
}

doca_error_t doca_devemu_pci_type_modify_bar_stateful_region_default_values(
    struct doca_devemu_pci_type *pci_type, uint8_t id, uint64_t start_addr, void *default_values,
    uint64_t size)
{
    struct pci_type *t = default_values ? dpk_object_lock(pci_type, &devemu_pci_type_kind) : NULL;
    if (!t || !t->started)
        return dpk_doca_unlock(t, __func__, DOCA_ERROR_BAD_STATE, "the type is not started");
    const int i = dpk_pci_find(&t->config, DPK_PCI_STATEFUL, id, start_addr);
    if (i < 0)
        return dpk_doca_unlock(t, __func__, DOCA_ERROR_NOT_FOUND,
                               "no stateful region of BAR %u begins at 0x%llx", id,
                               (unsigned long long)start_addr);
    const uint64_t needed = t->config.regions[i].size;
    if (size < needed)
        return dpk_doca_unlock(t, __func__, DOCA_ERROR_INVALID_VALUE,
                               "%llu bytes are fewer than the %llu of the region",
                               (unsigned long long)size, (unsigned long long)needed);
    if (!t->defaults[i])
        t->defaults[i] = malloc(needed);
    if (t->defaults[i])
        memcpy(t->defaults[i], default_values, needed);
    return dpk_object_unlock(t, t->defaults[i] ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}
