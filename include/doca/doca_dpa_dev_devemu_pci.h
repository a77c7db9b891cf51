/*
 * doca_dpa_dev_devemu_pci: doorbells and interrupts of emulated PCI functions (doca_devemu_pci.h) in DPA
 * code. Link the program with -ldoca_dpa_dev_comm.
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
 * A doorbell gives one completion, and gives the next one only when it was asked for it: at once if it
 * was rung meanwhile. A bad handle, and more acknowledged than came, fault the thread (DOCA DevEmu PCI
 * Generic programming guide).
 */
#ifndef DOCA_DPA_DEV_DEVEMU_PCI_H
#define DOCA_DPA_DEV_DEVEMU_PCI_H

#include "doca_dpa_dev.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* so that a fault in one of these is told with the line that calls it */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* One that a doorbell gave. Its contents are for the functions below. */
typedef uint64_t doca_dpa_dev_devemu_pci_db_completion_element_t;

/* Rings of a doorbell go to the completion that it was made for, from now on, until it is unbound.
 * 0; -1: it is bound, or not unbound; or it was made for another completion. */
int doca_dpa_dev_devemu_pci_db_completion_bind_db(doca_dpa_dev_devemu_pci_db_completion_t comp,
                                                  doca_dpa_dev_devemu_pci_db_t db);
int doca_dpa_dev_devemu_pci_db_completion_unbind_db(doca_dpa_dev_devemu_pci_db_completion_t comp,
                                                    doca_dpa_dev_devemu_pci_db_t db);

/* Takes the next one; 1, or 0 if there is none. */
int doca_dpa_dev_devemu_pci_get_db_completion(
    doca_dpa_dev_devemu_pci_db_completion_t comp,
    doca_dpa_dev_devemu_pci_db_completion_element_t *comp_element);
/* Which doorbell was rung, and its user data. A doorbell that is destroyed meanwhile is 0. */
void doca_dpa_dev_devemu_pci_db_completion_element_get_db_properties(
    doca_dpa_dev_devemu_pci_db_completion_t comp,
    doca_dpa_dev_devemu_pci_db_completion_element_t comp_element, doca_dpa_dev_devemu_pci_db_t *db,
    doca_dpa_dev_uintptr_t *db_user_data);
/* Gives the room of the oldest `num_comp` that were taken back. */
void doca_dpa_dev_devemu_pci_db_completion_ack(doca_dpa_dev_devemu_pci_db_completion_t comp,
                                               uint64_t num_comp);
/* The next one wakes the completion's thread, as of other completions (doca_dpa_dev.h). */
void doca_dpa_dev_devemu_pci_db_completion_request_notification(
    doca_dpa_dev_devemu_pci_db_completion_t comp);

/* The doorbell gives another completion when it is rung; at once if it was since the last one. */
void doca_dpa_dev_devemu_pci_db_request_notification(doca_dpa_dev_devemu_pci_db_t db);
/* The bytes that were written to it last, in the byte order of the DPA; 0 to begin with. */
uint32_t doca_dpa_dev_devemu_pci_db_get_value(doca_dpa_dev_devemu_pci_db_t db);

/* Interrupts the host. */
void doca_dpa_dev_devemu_pci_msix_raise(doca_dpa_dev_devemu_pci_msix_t msix);
/* What the host gave with it when it made it. */
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
