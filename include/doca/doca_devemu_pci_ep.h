/*
 * doca_devemu_pci_ep: functions for emulated PCI functions as DOCA 3.3 names them (doca_devemu_pci.h,
 * which includes this file). An endpoint is another name for the context of a function.
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

/* As doca_ctx_set_datapath_on_dpa. Errors: BAD_STATE if the context is not idle, NOT_PERMITTED if it
 * has a DPA. */
doca_error_t doca_devemu_pci_ep_set_datapath_on_dpa(struct doca_devemu_pci_ep *ep,
                                                    struct doca_dpa *dpa_dev);
/* Number of MSI-X vectors: by default all of the type, or fewer; the host sees a change from the next
 * start. 0: no MSI-X. Number of doorbells in each region: by default all (get_num_db then returns
 * 1024), or a limit. Errors: BAD_STATE if the context is not idle, NOT_SUPPORTED if there are more
 * vectors than the type has, or more than 1024 doorbells. */
doca_error_t doca_devemu_pci_ep_set_num_msix(struct doca_devemu_pci_ep *ep, uint16_t num_msix);
doca_error_t doca_devemu_pci_ep_get_num_msix(const struct doca_devemu_pci_ep *ep,
                                             uint16_t *num_msix);
doca_error_t doca_devemu_pci_ep_set_num_db(struct doca_devemu_pci_ep *ep, uint16_t num_db);
doca_error_t doca_devemu_pci_ep_get_num_db(const struct doca_devemu_pci_ep *ep, uint16_t *num_db);
/* As doca_devemu_pci_db_create_on_dpa, doca_devemu_pci_msix_create_on_dpa and
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
