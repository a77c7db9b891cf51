/* Endpoints, as DOCA 3.3 has them: contexts of functions by another name. */
#include <doca_devemu_pci_ep.h>

#include "private.h"

static struct doca_devemu_pci_dev *dev_of(struct doca_devemu_pci_ep *ep)
{
    return (struct doca_devemu_pci_dev *)(void *)ep;
}

struct doca_devemu_pci_ep *doca_devemu_pci_dev_as_ep(struct doca_devemu_pci_dev *pci_dev)
{
    return (struct doca_devemu_pci_ep *)(void *)dpk_ctx_of(pci_dev, &pci_dev_kind);
}

doca_error_t doca_devemu_pci_ep_create_db_on_dpa(struct doca_devemu_pci_ep *ep,
                                                 struct doca_devemu_pci_db_completion *db_comp,
                                                 uint8_t id, uint64_t start_addr, uint32_t db_id,
                                                 uint64_t user_data, struct doca_devemu_pci_db **db)
{
    return doca_devemu_pci_db_create_on_dpa(dev_of(ep), db_comp, id, start_addr, db_id, user_data,
                                            db);
}

doca_error_t doca_devemu_pci_ep_create_msix_on_dpa(struct doca_devemu_pci_ep *ep, uint8_t id,
                                                   uint64_t start_addr, uint16_t msix_idx,
                                                   uint64_t user_data,
                                                   struct doca_devemu_pci_msix **msix)
{
    return doca_devemu_pci_msix_create_on_dpa(dev_of(ep), id, start_addr, msix_idx, user_data,
                                              msix);
}

doca_error_t doca_devemu_pci_ep_mmap_create(struct doca_devemu_pci_ep *ep, struct doca_mmap **mmap)
{
    return doca_devemu_pci_mmap_create(dev_of(ep), mmap);
}
