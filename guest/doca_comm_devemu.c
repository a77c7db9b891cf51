/* Emulated PCI functions: doorbells that the host rings, and interrupts to it. */
#include "guest/abi/devemu_calls.h"
#include "guest/abi/syscall.h"

#include <doca_dpa_dev_devemu_pci.h>

static uint64_t devemu_call(unsigned call, uint64_t a, uint64_t b, uint64_t c)
{
    return dpa_call3(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, call), a, b, c);
}

static const struct dpa_devemu_completion *
completion_of(doca_dpa_dev_devemu_pci_db_completion_t handle)
{
    return (const struct dpa_devemu_completion *)handle;
}

/* ---- Completions ---- */

int doca_dpa_dev_devemu_pci_db_completion_bind_db(doca_dpa_dev_devemu_pci_db_completion_t comp,
                                                  doca_dpa_dev_devemu_pci_db_t db)
{
    return devemu_call(DPA_DEVEMU_BIND, completion_of(comp)->handle, db, 0) ? 0 : -1;
}

int doca_dpa_dev_devemu_pci_db_completion_unbind_db(doca_dpa_dev_devemu_pci_db_completion_t comp,
                                                    doca_dpa_dev_devemu_pci_db_t db)
{
    return devemu_call(DPA_DEVEMU_UNBIND, completion_of(comp)->handle, db, 0) ? 0 : -1;
}

int doca_dpa_dev_devemu_pci_get_db_completion(
    doca_dpa_dev_devemu_pci_db_completion_t comp,
    doca_dpa_dev_devemu_pci_db_completion_element_t *comp_element)
{
    doca_dpa_dev_completion_element_t e;
    if (!doca_dpa_dev_get_completion(completion_of(comp)->queue, &e))
        return 0;
    *comp_element = doca_dpa_dev_get_completion_user_data(e);
    return 1;
}

void doca_dpa_dev_devemu_pci_db_completion_element_get_db_properties(
    doca_dpa_dev_devemu_pci_db_completion_t comp,
    doca_dpa_dev_devemu_pci_db_completion_element_t comp_element, doca_dpa_dev_devemu_pci_db_t *db,
    doca_dpa_dev_uintptr_t *db_user_data)
{
    uint64_t found[2];
    devemu_call(DPA_DEVEMU_PROPERTIES, completion_of(comp)->handle, comp_element, (uintptr_t)found);
    *db = found[0];
    *db_user_data = found[1];
}

void doca_dpa_dev_devemu_pci_db_completion_ack(doca_dpa_dev_devemu_pci_db_completion_t comp,
                                               uint64_t num_comp)
{
    doca_dpa_dev_completion_ack(completion_of(comp)->queue, num_comp);
}

void doca_dpa_dev_devemu_pci_db_completion_request_notification(
    doca_dpa_dev_devemu_pci_db_completion_t comp)
{
    doca_dpa_dev_completion_request_notification(completion_of(comp)->queue);
}

/* ---- Doorbells and vectors ---- */

void doca_dpa_dev_devemu_pci_db_request_notification(doca_dpa_dev_devemu_pci_db_t db)
{
    devemu_call(DPA_DEVEMU_REQUEST, db, 0, 0);
}

uint32_t doca_dpa_dev_devemu_pci_db_get_value(doca_dpa_dev_devemu_pci_db_t db)
{
    return (uint32_t)devemu_call(DPA_DEVEMU_VALUE, db, 0, 0);
}

void doca_dpa_dev_devemu_pci_msix_raise(doca_dpa_dev_devemu_pci_msix_t msix)
{
    devemu_call(DPA_DEVEMU_RAISE, msix, 0, 0);
}

doca_dpa_dev_uintptr_t
doca_dpa_dev_devemu_pci_msix_get_user_data(doca_dpa_dev_devemu_pci_msix_t msix)
{
    return devemu_call(DPA_DEVEMU_DATA, msix, 0, 0);
}
