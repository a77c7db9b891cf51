/* MSI-X vectors that the DPA raises. */
#include <stdlib.h>

#include "private.h"

static void vector_left(void *object)
{
    struct vector *v = object;
    dpk_object_end_use(v->dev);
}

static void vector_release(void *object)
{
    struct vector *v = object;
    dpk_object_drop(v->dpa);
    dpk_object_drop(v->dev);
    free(v);
}
const struct dpk_kind devemu_vector_kind = {.left = vector_left, .release = vector_release};

/* Call this with the lock of the context. */
static doca_error_t create(struct pci_dev *d, struct dpk_dpa *dpa, unsigned vector,
                           uint64_t user_data, struct doca_devemu_pci_msix **msix)
{
    struct vector *v = calloc(1, sizeof *v);
    if (!v)
        return DOCA_ERROR_NO_MEMORY;
    dpk_object_use(v->dev = d);
    dpk_object_hold(v->dpa = dpa);
    v->vector = vector;
    v->user_data = user_data;
    *msix = dpk_object_enter(v, &devemu_vector_kind);
    return *msix ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY; /* it and its use were released */
}

doca_error_t doca_devemu_pci_msix_create_on_dpa(struct doca_devemu_pci_dev *pci_dev, uint8_t id,
                                                uint64_t start_addr, uint16_t msix_idx,
                                                uint64_t user_data,
                                                struct doca_devemu_pci_msix **msix)
{
    struct dpk_dpa *dpa;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (msix)
        *msix = NULL;
    struct pci_dev *d = devemu_pci_dev_lock_running(__func__, msix ? pci_dev : NULL, &dpa, &result);
    if (!d)
        return result;
    const struct dpk_pci_config *c = dpk_pci_config_of(d->f);
    if (dpk_pci_find(c, DPK_PCI_TABLE, id, start_addr) < 0)
        return dpk_doca_unlock(d, __func__, DOCA_ERROR_NOT_FOUND,
                               "no table of vectors of BAR %u begins at 0x%llx", id,
                               (unsigned long long)start_addr);
    if (msix_idx >= d->vectors)
        return dpk_doca_unlock(d, __func__, DOCA_ERROR_INVALID_VALUE,
                               "the function has no vector %u, and %u vectors from 0", msix_idx,
                               d->vectors);
    if (!devemu_dpa_runs(dpa, 0))
        return dpk_doca_unlock(d, __func__, DOCA_ERROR_BAD_STATE,
                               "the DPA context is not started, or has failed");
    return dpk_object_unlock(d, create(d, dpa, msix_idx, user_data, msix));
}

doca_error_t doca_devemu_pci_msix_destroy(struct doca_devemu_pci_msix *msix)
{
    return dpk_doca_destroy(msix, &devemu_vector_kind, __func__);
}

doca_error_t doca_devemu_pci_msix_get_dpa_handle(struct doca_devemu_pci_msix *msix,
                                                 doca_dpa_dev_devemu_pci_msix_t *msix_handle)
{
    struct vector *v = msix_handle ? dpk_object_pin(msix, &devemu_vector_kind) : NULL;
    if (v)
        *msix_handle = (uintptr_t)v->object.handle;
    dpk_object_drop(v);
    return v ? DOCA_SUCCESS : dpk_doca_no_object(__func__);
}
