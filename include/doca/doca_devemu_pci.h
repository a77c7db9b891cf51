/*
 * doca_devemu_pci: contexts of emulated PCI functions (doca_devemu_pci_type.h), on the DPU's side of a
 * card that has two: hot plug, registers that the host writes, and, on the DPA, doorbells and
 * interrupts.
 *
 *     doca_devemu_pci_dev_create(type, rep, pe, &pci_dev);
 *     doca_devemu_pci_dev_event_hotplug_state_change_register(pci_dev, changed, data);
 *     doca_ctx_set_datapath_on_dpa(doca_devemu_pci_dev_as_ctx(pci_dev), dpa);
 *     doca_ctx_start(doca_devemu_pci_dev_as_ctx(pci_dev));
 *     doca_devemu_pci_dev_hotplug(pci_dev);                        // doca_pe_progress calls `changed`
 *
 *     doca_devemu_pci_db_completion_create(thread, &completion);   // wakes a thread of the DPA
 *     doca_devemu_pci_db_completion_start(completion);
 *     doca_devemu_pci_db_create_on_dpa(pci_dev, completion, 0, 0, 5, data, &db);
 *     ... the DPA binds it: doca_dpa_dev_devemu_pci.h ...
 *     doca_devemu_pci_db_start(db);
 *
 * Host programs find a function by VFIO if libdpakit-vfio.so is preloaded: doca-devemu(7).
 *
 * All functions return INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind. Callbacks run in doca_pe_progress. Registering a callback returns BAD_STATE if the context is
 * not idle (DOCA DevEmu PCI, and DevEmu PCI Generic).
 */
#ifndef DOCA_DEVEMU_PCI_H
#define DOCA_DEVEMU_PCI_H

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_devemu_pci_type.h"
#include "doca_dpa_types.h"
#include "doca_error.h"
#include "doca_pe.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devemu_pci_dev;
struct doca_devemu_pci_ep;
struct doca_devemu_pci_db;
struct doca_devemu_pci_db_completion;
struct doca_devemu_pci_msix;
struct doca_dpa_thread;
struct doca_mmap;

enum doca_devemu_pci_hotplug_state {
    DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF = 0,          /* the host does not see it */
    DOCA_DEVEMU_PCI_HP_STATE_UNPLUG_IN_PROGRESS = 1, /* until no host program uses it */
    DOCA_DEVEMU_PCI_HP_STATE_PLUG_IN_PROGRESS = 2,
    DOCA_DEVEMU_PCI_HP_STATE_POWER_ON = 3,
};

/* Largest number of functions of a card: 32, or 0 if the device cannot make functions. */
doca_error_t doca_devemu_pci_cap_get_max_hotplug_devices(const struct doca_devinfo *devinfo,
                                                         uint32_t *max_hotplug_devices);

/* ---- Contexts ---- */

/* Creates an idle context of a function of a started type, by its representor, connected to `pe`. One
 * running context at a time can use the function: doca_ctx_start returns IN_USE if another context of
 * any process uses it, and NOT_FOUND if the function was removed. doca_ctx_stop waits until the
 * doorbells, vectors and maps of the context are destroyed. Errors: NO_MEMORY. */
doca_error_t doca_devemu_pci_dev_create(struct doca_devemu_pci_type *pci_type,
                                        struct doca_dev_rep *dev_rep,
                                        struct doca_pe *progress_engine,
                                        struct doca_devemu_pci_dev **pci_dev);
/* Destroys the context. Errors: IN_USE if it runs, or has doorbells, vectors or maps. */
doca_error_t doca_devemu_pci_dev_destroy(struct doca_devemu_pci_dev *pci_dev);
/* Returns the object as a context. NULL if it is not of this kind. */
struct doca_ctx *doca_devemu_pci_dev_as_ctx(struct doca_devemu_pci_dev *pci_dev);
/* Returns the object as an endpoint (doca_devemu_pci_ep.h). NULL if it is not of this kind. */
struct doca_devemu_pci_ep *doca_devemu_pci_dev_as_ep(struct doca_devemu_pci_dev *pci_dev);

/* ---- Identity of the function ---- */

/* Replace identifiers of the type for this function. The host sees them from the next start. Errors:
 * BAD_STATE if the context is not idle, INVALID_VALUE also if a class has more than 24 bits. */
doca_error_t doca_devemu_pci_dev_set_device_id(struct doca_devemu_pci_dev *pci_dev,
                                               uint16_t device_id);
doca_error_t doca_devemu_pci_dev_get_device_id(const struct doca_devemu_pci_dev *pci_dev,
                                               uint16_t *device_id);
doca_error_t doca_devemu_pci_dev_set_vendor_id(struct doca_devemu_pci_dev *pci_dev,
                                               uint16_t vendor_id);
doca_error_t doca_devemu_pci_dev_get_vendor_id(const struct doca_devemu_pci_dev *pci_dev,
                                               uint16_t *vendor_id);
doca_error_t doca_devemu_pci_dev_set_subsystem_id(struct doca_devemu_pci_dev *pci_dev,
                                                  uint16_t subsystem_id);
doca_error_t doca_devemu_pci_dev_get_subsystem_id(const struct doca_devemu_pci_dev *pci_dev,
                                                  uint16_t *subsystem_id);
doca_error_t doca_devemu_pci_dev_set_subsystem_vendor_id(struct doca_devemu_pci_dev *pci_dev,
                                                         uint16_t subsystem_vendor_id);
doca_error_t doca_devemu_pci_dev_get_subsystem_vendor_id(const struct doca_devemu_pci_dev *pci_dev,
                                                         uint16_t *subsystem_vendor_id);
doca_error_t doca_devemu_pci_dev_set_revision_id(struct doca_devemu_pci_dev *pci_dev,
                                                 uint8_t revision_id);
doca_error_t doca_devemu_pci_dev_get_revision_id(const struct doca_devemu_pci_dev *pci_dev,
                                                 uint8_t *revision_id);
doca_error_t doca_devemu_pci_dev_set_class_code(struct doca_devemu_pci_dev *pci_dev,
                                                uint32_t class_code);
doca_error_t doca_devemu_pci_dev_get_class_code(const struct doca_devemu_pci_dev *pci_dev,
                                                uint32_t *class_code);

/* As doca_devemu_pci_ep_set_num_msix and doca_devemu_pci_ep_get_num_msix (doca_devemu_pci_ep.h). */
doca_error_t doca_devemu_pci_dev_set_num_msix(struct doca_devemu_pci_dev *pci_dev,
                                              uint16_t num_msix);
doca_error_t doca_devemu_pci_dev_get_num_msix(const struct doca_devemu_pci_dev *pci_dev,
                                              uint16_t *num_msix);

/* ---- Hot plug of a running context (else BAD_STATE) ---- */

doca_error_t doca_devemu_pci_dev_get_hotplug_state(struct doca_devemu_pci_dev *pci_dev,
                                                   enum doca_devemu_pci_hotplug_state *state);
/* Gets the state of a function without a running context. Errors: NOT_PERMITTED for a physical function
 * of the card. */
doca_error_t doca_devemu_pci_rep_get_hotplug_state(struct doca_dev_rep *rep_dev,
                                                   enum doca_devemu_pci_hotplug_state *state);
/* Start to plug or unplug the function; the callback reports the progress. Errors: BAD_STATE if the
 * function is not off, or for unplug, not on. */
doca_error_t doca_devemu_pci_dev_hotplug(struct doca_devemu_pci_dev *pci_dev);
doca_error_t doca_devemu_pci_dev_hotunplug(struct doca_devemu_pci_dev *pci_dev);

typedef void (*doca_devemu_pci_dev_event_hotplug_state_change_handler_cb_t)(
    struct doca_devemu_pci_dev *pci_dev, union doca_data user_data);
doca_error_t doca_devemu_pci_dev_event_hotplug_state_change_register(
    struct doca_devemu_pci_dev *pci_dev,
    doca_devemu_pci_dev_event_hotplug_state_change_handler_cb_t handler, union doca_data user_data);

/* ---- Resets by the host ---- */

typedef void (*doca_devemu_pci_dev_event_flr_handler_cb_t)(struct doca_devemu_pci_dev *pci_dev,
                                                           union doca_data user_data);
/* The handler must stop the context and start it again. */
doca_error_t
doca_devemu_pci_dev_event_flr_register(struct doca_devemu_pci_dev *pci_dev,
                                       doca_devemu_pci_dev_event_flr_handler_cb_t handler,
                                       union doca_data user_data);

/* Gets 1 if the host has reset the function since the start of its context, else 0. Errors:
 * BAD_STATE if the context does not run. */
doca_error_t doca_devemu_pci_dev_is_flr(const struct doca_devemu_pci_dev *pci_dev, uint8_t *flr);

/* ---- Virtual functions ---- */

/* Virtual functions belong to the static physical functions of a card. Emulated cards have no such
 * functions, so all calls return NOT_PERMITTED. They return BAD_STATE in the wrong state: get_total_vfs
 * and get_num_free need a running context, the others an idle context. */
typedef void (*doca_devemu_pci_dev_event_sriov_handler_cb_t)(struct doca_devemu_pci_dev *pci_dev,
                                                             uint16_t prev_numvfs,
                                                             uint16_t curr_numvfs,
                                                             union doca_data user_data);
doca_error_t
doca_devemu_pci_dev_event_sriov_register(struct doca_devemu_pci_dev *pci_dev,
                                         doca_devemu_pci_dev_event_sriov_handler_cb_t handler,
                                         union doca_data user_data);
doca_error_t doca_devemu_pci_dev_reset_msix(struct doca_devemu_pci_dev *pci_dev, uint8_t reset);
doca_error_t doca_devemu_pci_dev_reset_db(struct doca_devemu_pci_dev *pci_dev, uint8_t reset);
doca_error_t doca_devemu_pci_dev_get_total_vfs(const struct doca_devemu_pci_dev *pci_dev,
                                               uint16_t *total_vfs);
doca_error_t doca_devemu_pci_dev_get_num_vfs(const struct doca_devemu_pci_dev *pci_dev,
                                             uint16_t *num_vfs);
doca_error_t
doca_devemu_pci_dev_get_num_free_dynamic_vf_msix(const struct doca_devemu_pci_dev *pci_dev,
                                                 uint16_t *num_free_msix);
doca_error_t
doca_devemu_pci_dev_get_num_free_dynamic_vf_db(const struct doca_devemu_pci_dev *pci_dev,
                                               uint16_t *num_free_db);

/* ---- Registers: stateful regions ---- */

struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write;
typedef void (*doca_devemu_pci_dev_event_bar_stateful_region_driver_write_handler_cb_t)(
    struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event,
    union doca_data user_data);
/* Registers a handler for the region that starts at the address. The handler is called when the bytes
 * of the region have changed since the last look. Errors: NOT_FOUND if no region starts there. */
doca_error_t doca_devemu_pci_dev_event_bar_stateful_region_driver_write_register(
    struct doca_devemu_pci_dev *pci_dev,
    doca_devemu_pci_dev_event_bar_stateful_region_driver_write_handler_cb_t handler, uint8_t id,
    uint64_t start_addr, union doca_data user_data);
/* Call this only in the handler. */
struct doca_devemu_pci_dev *doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_pci_dev(
    struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event);
/* Get the place of the region. Call these only in the handler. */
uint8_t doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_bar_id(
    struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event);
uint64_t doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_bar_region_start_addr(
    struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event);
/* Reads bytes from a region of a running context. Errors: NOT_FOUND if the bytes are not in one
 * region. */
doca_error_t
doca_devemu_pci_dev_query_bar_stateful_region_values(struct doca_devemu_pci_dev *pci_dev,
                                                     uint8_t id, uint64_t start_addr,
                                                     void *out_values, size_t size);
/* Writes bytes to a region of a running context. The host reads them afterwards. Errors as for the
 * read. */
doca_error_t
doca_devemu_pci_dev_modify_bar_stateful_region_values(struct doca_devemu_pci_dev *pci_dev,
                                                      uint8_t id, uint64_t start_addr,
                                                      void *in_values, size_t size);

/* Sets the initial bytes of the region that starts at the address. The region gets them at each later
 * plug and reset, as long as this object exists and its progress engine runs; without that, the region
 * keeps its bytes. Call this for a running context. Errors: NOT_FOUND if no region starts there,
 * INVALID_VALUE also if there are fewer bytes than the region has (further bytes are ignored),
 * NO_MEMORY. */
doca_error_t
doca_devemu_pci_dev_modify_bar_stateful_region_default_values(struct doca_devemu_pci_dev *pci_dev,
                                                              uint8_t id, uint64_t start_addr,
                                                              void *default_values, uint64_t size);

/* ---- Doorbells on the DPA ---- */

/* Creates a completion for a DPA thread, which doorbells wake. Errors: NO_MEMORY. */
doca_error_t doca_devemu_pci_db_completion_create(struct doca_dpa_thread *dpa_thread,
                                                  struct doca_devemu_pci_db_completion **db_comp);
/* Destroys the completion. Errors (also of stop): IN_USE if it has doorbells. */
doca_error_t doca_devemu_pci_db_completion_destroy(struct doca_devemu_pci_db_completion *db_comp);
/* Largest number of doorbells, 1 to 1024; 64 by default. */
doca_error_t
doca_devemu_pci_db_completion_set_max_num_dbs(struct doca_devemu_pci_db_completion *db_comp,
                                              uint32_t max_num_dbs);
doca_error_t
doca_devemu_pci_db_completion_get_max_num_dbs(struct doca_devemu_pci_db_completion *db_comp,
                                              uint32_t *max_num_dbs);
/* Gets the number of its doorbells, started or not. */
doca_error_t
doca_devemu_pci_db_completion_get_curr_num_dbs(struct doca_devemu_pci_db_completion *db_comp,
                                               uint32_t *num_dbs);
/* Starts the completion. Errors: BAD_STATE if it is started, or the DPA context is not started. */
doca_error_t doca_devemu_pci_db_completion_start(struct doca_devemu_pci_db_completion *db_comp);
doca_error_t doca_devemu_pci_db_completion_stop(struct doca_devemu_pci_db_completion *db_comp);
/* Gets the handle for DPA code. Errors: BAD_STATE if the completion is not started, or the DPA context
 * was stopped since. */
doca_error_t doca_devemu_pci_db_completion_get_dpa_handle(
    struct doca_devemu_pci_db_completion *db_comp,
    doca_dpa_dev_devemu_pci_db_completion_t *db_comp_handle);

/* Creates the doorbell with a number in the region that starts at the address. Errors: BAD_STATE unless
 * the context runs, its data path is on the DPA of the completion, and the completion and the DPA
 * context are started; NOT_FOUND if no region starts there; INVALID_VALUE if the region has too few
 * doorbells; FULL if the completion has no room for another doorbell. */
doca_error_t doca_devemu_pci_db_create_on_dpa(struct doca_devemu_pci_dev *pci_dev,
                                              struct doca_devemu_pci_db_completion *db_comp,
                                              uint8_t id, uint64_t start_addr, uint32_t db_id,
                                              uint64_t user_data, struct doca_devemu_pci_db **db);
/* Stops the object if it is started, then destroys it. */
doca_error_t doca_devemu_pci_db_destroy(struct doca_devemu_pci_db *db);
/* Start and stop a doorbell. A started doorbell reports rings. Errors: ALREADY_EXIST if another
 * doorbell with the number is started, BAD_STATE if this doorbell is started, or for stop, not
 * started. */
doca_error_t doca_devemu_pci_db_start(struct doca_devemu_pci_db *db);
doca_error_t doca_devemu_pci_db_stop(struct doca_devemu_pci_db *db);
doca_error_t doca_devemu_pci_db_get_dpa_handle(struct doca_devemu_pci_db *db,
                                               doca_dpa_dev_devemu_pci_db_t *db_handle);
/* Sets the doorbell's value that the DPA reads. A changed value rings the doorbell if it is started. */
doca_error_t doca_devemu_pci_db_modify_value(struct doca_devemu_pci_db *db, uint32_t db_value);
doca_error_t doca_devemu_pci_db_query_value(struct doca_devemu_pci_db *db, uint32_t *db_value);

/* ---- Interrupts from the DPA ---- */

/* Creates the vector with a number in the table that starts at the address. Errors as for doorbells. */
doca_error_t doca_devemu_pci_msix_create_on_dpa(struct doca_devemu_pci_dev *pci_dev, uint8_t id,
                                                uint64_t start_addr, uint16_t msix_idx,
                                                uint64_t user_data,
                                                struct doca_devemu_pci_msix **msix);
doca_error_t doca_devemu_pci_msix_destroy(struct doca_devemu_pci_msix *msix);
doca_error_t doca_devemu_pci_msix_get_dpa_handle(struct doca_devemu_pci_msix *msix,
                                                 doca_dpa_dev_devemu_pci_msix_t *msix_handle);

/* ---- Memory of the host's driver ---- */

/* Gets 1 if a device can be added to such a memory map, else 0. */
doca_error_t doca_devemu_pci_cap_is_mmap_add_dev_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_supported);
/* Creates a map (doca_mmap.h) of the driver's memory. Its range consists of addresses that the driver
 * gave to the function, as with VFIO_IOMMU_MAP_DMA. Each access checks the driver's permission, so the
 * map may exist before and after the driver's memory: tasks without memory fail with IO_FAILED. DOCA
 * DMA can use the map; exporting it returns NOT_SUPPORTED. The context must run; its stop waits until
 * the map is destroyed. Errors: INVALID_VALUE, BAD_STATE. */
doca_error_t doca_devemu_pci_mmap_create(struct doca_devemu_pci_dev *pci_dev,
                                         struct doca_mmap **mmap);

#ifdef __cplusplus
}
#endif

#include "doca_devemu_pci_ep.h"

#endif
