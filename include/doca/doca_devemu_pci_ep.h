/*
 * doca_devemu_pci_ep: what programs of DOCA 3.3 call of an emulated function (doca_devemu_pci.h, which includes
 * this): an endpoint is a context of a function by another name.
 *
 *     doca_devemu_pci_ep_set_num_msix(doca_devemu_pci_dev_as_ep(function), 2);
 *     doca_devemu_pci_ep_set_datapath_on_dpa(doca_devemu_pci_dev_as_ep(function), dpa);
 *     ... the context starts ...
 *     doca_devemu_pci_ep_create_db_on_dpa(doca_devemu_pci_dev_as_ep(function), completion, 0, 0, 5, 0, &db);
 */
#ifndef DOCA_DEVEMU_PCI_EP_H
#define DOCA_DEVEMU_PCI_EP_H

#include "doca_devemu_pci.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As doca_ctx_set_datapath_on_dpa. BAD_STATE: it is not idle. NOT_PERMITTED: it has one. */
doca_error_t doca_devemu_pci_ep_set_datapath_on_dpa(struct doca_devemu_pci_ep *ep,
                                                    struct doca_dpa *dpa_dev);
/* How many vectors the function has: all of its type, or fewer, which the host sees from the next start on. 0:
 * it has no MSI-X. Doorbells: as many as their regions have, for which get_num_db says 1024, or at most so many
 * in each. BAD_STATE: it is not idle. NOT_SUPPORTED: more vectors than the type has, or more doorbells than 1024. */
doca_error_t doca_devemu_pci_ep_set_num_msix(struct doca_devemu_pci_ep *ep, uint16_t num_msix);
doca_error_t doca_devemu_pci_ep_get_num_msix(const struct doca_devemu_pci_ep *ep,
                                             uint16_t *num_msix);
doca_error_t doca_devemu_pci_ep_set_num_db(struct doca_devemu_pci_ep *ep, uint16_t num_db);
doca_error_t doca_devemu_pci_ep_get_num_db(const struct doca_devemu_pci_ep *ep, uint16_t *num_db);
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
