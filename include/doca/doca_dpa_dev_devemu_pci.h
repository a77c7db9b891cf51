/*
 * doca_dpa_dev_devemu_pci: doorbells and interrupts of emulated PCI functions (doca_devemu_pci.h) in
 * DPA code. Link the program with -ldoca_dpa_dev_comm.
 *
 *     doca_dpa_dev_devemu_pci_db_completion_bind_db(completion, db);       // once, before it is started
 *
 *     while (doca_dpa_dev_devemu_pci_get_db_completion(completion, &element)) {
 *         doca_dpa_dev_devemu_pci_db_completion_element_get_db_properties(completion, element, &db, &data);
 *         doca_dpa_dev_devemu_pci_db_completion_ack(completion, 1);
 *         doca_dpa_dev_devemu_pci_db_request_notification(db);
 *         value = doca_dpa_dev_devemu_pci_db_get_value(db);
 *     }
 *     doca_dpa_dev_devemu_pci_db_completion_request_notification(completion);
 *     doca_dpa_dev_thread_reschedule();
 *
 * A doorbell gives one completion. It gives the next completion only after a request: at once if it was
 * rung meanwhile. The thread faults on a bad handle, and on more acknowledgements than completions
 * (DOCA DevEmu PCI Generic programming guide).
 */
#ifndef DOCA_DPA_DEV_DEVEMU_PCI_H
#define DOCA_DPA_DEV_DEVEMU_PCI_H

#include "doca_dpa_dev.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* a fault in one of these functions is reported with the caller's line */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* A completion of a doorbell. Use the functions below to read it. */
typedef uint64_t doca_dpa_dev_devemu_pci_db_completion_element_t;

/* Bind a doorbell to its completion, and unbind it. A bound doorbell reports rings to the completion.
 * Return 0, or -1 if the doorbell is already bound (for unbind, not bound), or was created for another
 * completion. */
int doca_dpa_dev_devemu_pci_db_completion_bind_db(doca_dpa_dev_devemu_pci_db_completion_t comp,
                                                  doca_dpa_dev_devemu_pci_db_t db);
int doca_dpa_dev_devemu_pci_db_completion_unbind_db(doca_dpa_dev_devemu_pci_db_completion_t comp,
                                                    doca_dpa_dev_devemu_pci_db_t db);

/* Takes the next completion. Returns 1, or 0 if there is no completion. */
int doca_dpa_dev_devemu_pci_get_db_completion(
    doca_dpa_dev_devemu_pci_db_completion_t comp,
    doca_dpa_dev_devemu_pci_db_completion_element_t *comp_element);
/* Gets the doorbell that was rung and its user data. The doorbell is 0 if it was destroyed
 * meanwhile. */
void doca_dpa_dev_devemu_pci_db_completion_element_get_db_properties(
    doca_dpa_dev_devemu_pci_db_completion_t comp,
    doca_dpa_dev_devemu_pci_db_completion_element_t comp_element, doca_dpa_dev_devemu_pci_db_t *db,
    doca_dpa_dev_uintptr_t *db_user_data);
/* Acknowledges the oldest `num_comp` completions that were taken. */
void doca_dpa_dev_devemu_pci_db_completion_ack(doca_dpa_dev_devemu_pci_db_completion_t comp,
                                               uint64_t num_comp);
/* Requests that the next completion wakes the thread, as doca_dpa_dev_completion_request_notification
 * does. */
void doca_dpa_dev_devemu_pci_db_completion_request_notification(
    doca_dpa_dev_devemu_pci_db_completion_t comp);

/* Requests the doorbell's next completion: at once if the doorbell was rung since the last
 * completion. */
void doca_dpa_dev_devemu_pci_db_request_notification(doca_dpa_dev_devemu_pci_db_t db);
/* Returns the value that was last written to the doorbell, in the byte order of the DPA; 0 by
 * default. */
uint32_t doca_dpa_dev_devemu_pci_db_get_value(doca_dpa_dev_devemu_pci_db_t db);

/* Raises the interrupt at the host. */
void doca_dpa_dev_devemu_pci_msix_raise(doca_dpa_dev_devemu_pci_msix_t msix);
/* Returns the user data with which the host created the doorbell. */
doca_dpa_dev_uintptr_t
doca_dpa_dev_devemu_pci_msix_get_user_data(doca_dpa_dev_devemu_pci_msix_t msix);

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
