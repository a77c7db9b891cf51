/* The device program of devemu_cases.c. */
#include <doca_dpa_dev_devemu_pci.h>

#include "devemu.h"

/* Writes down what is rung, and asks for more. */
__dpa_global__ void bell_thread(uint64_t arg)
{
    struct bell *bell = (struct bell *)arg;
    doca_dpa_dev_devemu_pci_db_completion_element_t e;
    doca_dpa_dev_devemu_pci_db_t db;
    doca_dpa_dev_uintptr_t data;
    while (doca_dpa_dev_devemu_pci_get_db_completion(bell->completion, &e) == 1) {
        doca_dpa_dev_devemu_pci_db_completion_element_get_db_properties(bell->completion, e, &db,
                                                                        &data);
        doca_dpa_dev_devemu_pci_db_completion_ack(bell->completion, 1);
        doca_dpa_dev_devemu_pci_db_request_notification(db);
        bell->data = data;
        bell->value = doca_dpa_dev_devemu_pci_db_get_value(db);
        __atomic_fetch_add(&bell->rings, 1, __ATOMIC_RELEASE);
    }
    doca_dpa_dev_devemu_pci_db_completion_request_notification(bell->completion);
    doca_dpa_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t bind_rpc(doca_dpa_dev_devemu_pci_db_completion_t completion,
                              doca_dpa_dev_devemu_pci_db_t db)
{
    return (uint64_t)doca_dpa_dev_devemu_pci_db_completion_bind_db(completion, db);
}

__dpa_rpc__ uint64_t unbind_rpc(doca_dpa_dev_devemu_pci_db_completion_t completion,
                                doca_dpa_dev_devemu_pci_db_t db)
{
    return (uint64_t)doca_dpa_dev_devemu_pci_db_completion_unbind_db(completion, db);
}

__dpa_rpc__ uint64_t raise_rpc(doca_dpa_dev_devemu_pci_msix_t msix)
{
    doca_dpa_dev_devemu_pci_msix_raise(msix);
    return doca_dpa_dev_devemu_pci_msix_get_user_data(msix);
}
