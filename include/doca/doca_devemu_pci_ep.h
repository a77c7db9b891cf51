/*
 * doca_devemu_pci_ep: what samples of DOCA 3.3 call to make objects of an emulated function
 * (doca_devemu_pci.h): an endpoint is a context of a function by another name.
 *
 *     doca_devemu_pci_ep_create_db_on_dpa(doca_devemu_pci_dev_as_ep(function), completion, 0, 0, 5, 0, &db);
 */
#ifndef DOCA_DEVEMU_PCI_EP_H
#define DOCA_DEVEMU_PCI_EP_H

#include "doca_devemu_pci.h"

#ifdef __cplusplus
extern "C" {
#endif

/* These are doca_devemu_pci_db_create_on_dpa, doca_devemu_pci_msix_create_on_dpa and
 * doca_devemu_pci_mmap_create. */
doca_error_t doca_devemu_pci_ep_create_db_on_dpa(struct doca_devemu_pci_ep *ep,
                                                 struct doca_devemu_pci_db_completion *db_comp,
                                                 uint8_t id, uint64_t start_addr, uint32_t db_id,
                                                 uint64_t user_data,
                                                 struct doca_devemu_pci_db **db);
doca_error_t doca_devemu_pci_ep_create_msix_on_dpa(struct doca_devemu_pci_ep *ep, uint8_t id,
                                                   uint64_t start_addr, uint16_t msix_idx,
                                                   uint64_t user_data,
                                                   struct doca_devemu_pci_msix **msix);
doca_error_t doca_devemu_pci_ep_mmap_create(struct doca_devemu_pci_ep *ep, struct doca_mmap **mmap);

#ifdef __cplusplus
}
#endif

#endif
