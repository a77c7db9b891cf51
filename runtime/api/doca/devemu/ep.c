/* Endpoints of DOCA 3.3: contexts of functions by another name. */
#include <doca_devemu_pci_ep.h>

#include "private.h"

static struct doca_devemu_pci_dev *dev_of(struct doca_devemu_pci_ep *ep)
{
    return (struct doca_devemu_pci_dev *)(void *)ep;
}

doca_error_t doca_devemu_pci_ep_set_datapath_on_dpa(struct doca_devemu_pci_ep *ep,
                                                    struct doca_dpa *dpa_dev)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_dpa *dpa = dpk_object_pin(dpa_dev, &dpk_dpa_kind);
    struct pci_dev *d = devemu_pci_dev_lock_idle(__func__, dpa ? ep : NULL, &result);
    dpk_object_drop(dpa);
    const bool bound = d && d->base.ctx.datapath;
    if (!d)
        return result;
    dpk_object_unlock(d, DOCA_SUCCESS);
    return bound ? dpk_doca_refuse_call(NULL, DOCA_ERROR_NOT_PERMITTED, __func__,
                                        "the endpoint has its data path on a DPA already")
                 : dpk_doca_end(ep, __func__,
                                dpk_doca_inner(doca_ctx_set_datapath_on_dpa(
                                    doca_devemu_pci_dev_as_ctx(dev_of(ep)), dpa_dev)));
}

/* ---- Numbers of vectors and doorbells ---- */

static doca_error_t set_number(const char *call, struct doca_devemu_pci_ep *ep, uint16_t number,
                               bool of_vectors)
{
    doca_error_t result;
    struct pci_dev *d = devemu_pci_dev_lock_idle(call, ep, &result);
    if (!d)
        return result;
    const unsigned most = of_vectors ? d->type->config.vectors : DPK_PCI_DOORBELLS;
    if (number > most)
        return dpk_doca_unlock(d, call, DOCA_ERROR_NOT_SUPPORTED,
                               "%u is more than the %u of the %s", number, most,
                               of_vectors ? "type" : "device");
    *(of_vectors ? &d->vectors : &d->bells) = number;
    d->bells_set |= !of_vectors;
    return dpk_object_unlock(d, DOCA_SUCCESS);
}

static doca_error_t get_number(const char *call, const struct doca_devemu_pci_ep *ep,
                               uint16_t *number, bool of_vectors)
{
    struct pci_dev *d = number ? dpk_object_lock(ep, &devemu_pci_dev_kind) : NULL;
    if (d)
        *number = of_vectors ? d->vectors : d->bells;
    return d ? dpk_object_unlock(d, DOCA_SUCCESS) : dpk_doca_no_object(call);
}

doca_error_t doca_devemu_pci_ep_set_num_msix(struct doca_devemu_pci_ep *ep, uint16_t num_msix)
{
    return set_number(__func__, ep, num_msix, true);
}

doca_error_t doca_devemu_pci_ep_get_num_msix(const struct doca_devemu_pci_ep *ep,
                                             uint16_t *num_msix)
{
    return get_number(__func__, ep, num_msix, true);
}

doca_error_t doca_devemu_pci_ep_set_num_db(struct doca_devemu_pci_ep *ep, uint16_t num_db)
{
    return set_number(__func__, ep, num_db, false);
}

doca_error_t doca_devemu_pci_ep_get_num_db(const struct doca_devemu_pci_ep *ep, uint16_t *num_db)
{
    return get_number(__func__, ep, num_db, false);
}

/* The same, by the context. */
doca_error_t doca_devemu_pci_dev_set_num_msix(struct doca_devemu_pci_dev *pci_dev,
                                              uint16_t num_msix)
{
    return set_number(__func__, (struct doca_devemu_pci_ep *)(void *)pci_dev, num_msix, true);
}

doca_error_t doca_devemu_pci_dev_get_num_msix(const struct doca_devemu_pci_dev *pci_dev,
                                              uint16_t *num_msix)
{
    return get_number(__func__, (const struct doca_devemu_pci_ep *)(const void *)pci_dev, num_msix,
                      true);
}

/* ---- Objects of an endpoint ---- */

struct doca_devemu_pci_ep *doca_devemu_pci_dev_as_ep(struct doca_devemu_pci_dev *pci_dev)
{
    return (struct doca_devemu_pci_ep *)(void *)dpk_ctx_of(pci_dev, &devemu_pci_dev_kind);
}

doca_error_t doca_devemu_pci_ep_create_db_on_dpa(struct doca_devemu_pci_ep *ep,
                                                 struct doca_devemu_pci_db_completion *db_comp,
                                                 uint8_t id, uint64_t start_addr, uint32_t db_id,
                                                 uint64_t user_data, struct doca_devemu_pci_db **db)
{
    return dpk_doca_end(ep, __func__,
                        dpk_doca_inner(doca_devemu_pci_db_create_on_dpa(
                            dev_of(ep), db_comp, id, start_addr, db_id, user_data, db)));
}

doca_error_t doca_devemu_pci_ep_create_msix_on_dpa(struct doca_devemu_pci_ep *ep, uint8_t id,
                                                   uint64_t start_addr, uint16_t msix_idx,
                                                   uint64_t user_data,
                                                   struct doca_devemu_pci_msix **msix)
{
    return dpk_doca_end(ep, __func__,
                        dpk_doca_inner(doca_devemu_pci_msix_create_on_dpa(
                            dev_of(ep), id, start_addr, msix_idx, user_data, msix)));
}

doca_error_t doca_devemu_pci_ep_mmap_create(struct doca_devemu_pci_ep *ep, struct doca_mmap **mmap)
{
    return dpk_doca_end(ep, __func__,
                        dpk_doca_inner(doca_devemu_pci_mmap_create(dev_of(ep), mmap)));
}
