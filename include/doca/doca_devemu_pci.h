/*
 * doca_devemu_pci: contexts of emulated PCI functions (doca_devemu_pci_type.h), on the DPU's side of a card
 * that has two: hot plug, registers that the host writes, and, on the DPA, doorbells and interrupts.
 *
 *     doca_devemu_pci_dev_create(type, rep, pe, &pci_dev);
 *     doca_devemu_pci_dev_event_hotplug_state_change_register(pci_dev, changed, data);
 *     doca_ctx_set_datapath_on_dpa(doca_devemu_pci_dev_as_ctx(pci_dev), dpa);
 *     doca_ctx_start(doca_devemu_pci_dev_as_ctx(pci_dev));
 *     doca_devemu_pci_dev_hotplug(pci_dev);                        // doca_pe_progress calls `changed`
 *
 *     doca_devemu_pci_db_completion_create(thread, &completion);   // who is told on the DPA
 *     doca_devemu_pci_db_completion_start(completion);
 *     doca_devemu_pci_db_create_on_dpa(pci_dev, completion, 0, 0, 5, data, &db);
 *     ... the DPA binds it: doca_dpa_dev_devemu_pci.h ...
 *     doca_devemu_pci_db_start(db);
 *
 * Programs of the host find a function by VFIO, with libdpakit-vfio.so before them: doca-devemu(7).
 *
 * All functions give INVALID_VALUE for NULL, for an object that is gone, and for one of another kind.
 * Callbacks run in doca_pe_progress, and are registered while the context is idle: else BAD_STATE (DOCA
 * DevEmu PCI, and DevEmu PCI Generic).
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
    DOCA_DEVEMU_PCI_HP_STATE_UNPLUG_IN_PROGRESS = 1, /* until no program of the host has it */
    DOCA_DEVEMU_PCI_HP_STATE_PLUG_IN_PROGRESS = 2,
    DOCA_DEVEMU_PCI_HP_STATE_POWER_ON = 3,
};

/* How many functions a card may have: 32, and 0 for who may make none. */
doca_error_t doca_devemu_pci_cap_get_max_hotplug_devices(const struct doca_devinfo *devinfo,
                                                         uint32_t *max_hotplug_devices);

/* ---- Contexts ---- */

/* An idle context of a function of a started type, by its representor, connected to `pe`. It has the
 * function alone while it runs: doca_ctx_start gives IN_USE if another context does, of any process, and
 * NOT_FOUND if the function was removed.
 * doca_ctx_stop waits until its doorbells, vectors and maps are destroyed. NO_MEMORY. */
doca_error_t doca_devemu_pci_dev_create(struct doca_devemu_pci_type *pci_type,
                                        struct doca_dev_rep *dev_rep,
                                        struct doca_pe *progress_engine,
                                        struct doca_devemu_pci_dev **pci_dev);
/* IN_USE: it runs, or has doorbells, vectors or maps. */
doca_error_t doca_devemu_pci_dev_destroy(struct doca_devemu_pci_dev *pci_dev);
/* NULL for anything else. */
struct doca_ctx *doca_devemu_pci_dev_as_ctx(struct doca_devemu_pci_dev *pci_dev);
/* The same, for doca_devemu_pci_ep.h. */
struct doca_devemu_pci_ep *doca_devemu_pci_dev_as_ep(struct doca_devemu_pci_dev *pci_dev);

/* ---- Who the function is ---- */

/* As its type says, or otherwise, of a context that is idle: else BAD_STATE. The host sees it from the next start on.
 * INVALID_VALUE: also, a class of more than 24 bits. */
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

/* ---- Hot plug, of a context that runs (else BAD_STATE) ---- */

doca_error_t doca_devemu_pci_dev_get_hotplug_state(const struct doca_devemu_pci_dev *pci_dev,
                                                   enum doca_devemu_pci_hotplug_state *state);
/* The same of a function that nobody runs. NOT_PERMITTED: a function of the card's own. */
doca_error_t doca_devemu_pci_rep_get_hotplug_state(struct doca_dev_rep *rep_dev,
                                                   enum doca_devemu_pci_hotplug_state *state);
/* Begins: the callback tells how it goes on. BAD_STATE: it is not off, or not on. */
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
/* The handler stops the context, and starts it again. */
doca_error_t
doca_devemu_pci_dev_event_flr_register(struct doca_devemu_pci_dev *pci_dev,
                                       doca_devemu_pci_dev_event_flr_handler_cb_t handler,
                                       union doca_data user_data);

/* Whether the host has reset the function since its context was started, which runs: else BAD_STATE. */
doca_error_t doca_devemu_pci_dev_is_flr(const struct doca_devemu_pci_dev *pci_dev, uint8_t *flr);

/* ---- Virtual functions ---- */

/* They belong to physical functions that a card has by itself. Emulated cards have none, so all of these are
 * NOT_PERMITTED: of a context that is idle, or that runs for get_total_vfs and get_num_free; else BAD_STATE. */
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
/* Of the region that begins there: NOT_FOUND, if there is none. The handler is called when what is there
 * has changed since it was last looked at. */
doca_error_t doca_devemu_pci_dev_event_bar_stateful_region_driver_write_register(
    struct doca_devemu_pci_dev *pci_dev,
    doca_devemu_pci_dev_event_bar_stateful_region_driver_write_handler_cb_t handler, uint8_t id,
    uint64_t start_addr, union doca_data user_data);
/* In the handler alone. */
struct doca_devemu_pci_dev *doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_pci_dev(
    struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event);
/* Where the region is; in the handler alone. */
uint8_t doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_bar_id(
    struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event);
uint64_t doca_devemu_pci_dev_event_bar_stateful_region_driver_write_get_bar_region_start_addr(
    struct doca_devemu_pci_dev_event_bar_stateful_region_driver_write *event);
/* Bytes from any place within a region, of a context that runs. NOT_FOUND: they are in none. */
doca_error_t
doca_devemu_pci_dev_query_bar_stateful_region_values(struct doca_devemu_pci_dev *pci_dev,
                                                     uint8_t id, uint64_t start_addr,
                                                     void *out_values, size_t size);
/* The same the other way: the host reads them from then on. */
doca_error_t
doca_devemu_pci_dev_modify_bar_stateful_region_values(struct doca_devemu_pci_dev *pci_dev,
                                                      uint8_t id, uint64_t start_addr,
                                                      void *in_values, size_t size);

/* What all of the region that begins there holds when the function is plugged in or reset from then on, as long as
 * this object is there and its engine runs; without it, what it held before. The context runs. NOT_FOUND: no such
 * region. INVALID_VALUE: also, less than the region has; more is not looked at. NO_MEMORY. */
doca_error_t
doca_devemu_pci_dev_modify_bar_stateful_region_default_values(struct doca_devemu_pci_dev *pci_dev,
                                                              uint8_t id, uint64_t start_addr,
                                                              void *default_values, uint64_t size);

/* ---- Doorbells on the DPA ---- */

/* For a thread of the DPA, which doorbells wake. NO_MEMORY. */
doca_error_t doca_devemu_pci_db_completion_create(struct doca_dpa_thread *dpa_thread,
                                                  struct doca_devemu_pci_db_completion **db_comp);
/* IN_USE: it has doorbells; as of stop. */
doca_error_t doca_devemu_pci_db_completion_destroy(struct doca_devemu_pci_db_completion *db_comp);
/* How many doorbells it may have, 1 to 1024; 64 to begin with. */
doca_error_t
doca_devemu_pci_db_completion_set_max_num_dbs(struct doca_devemu_pci_db_completion *db_comp,
                                              uint32_t max_num_dbs);
doca_error_t
doca_devemu_pci_db_completion_get_max_num_dbs(struct doca_devemu_pci_db_completion *db_comp,
                                              uint32_t *max_num_dbs);
/* How many it has, started or not. */
doca_error_t
doca_devemu_pci_db_completion_get_curr_num_dbs(struct doca_devemu_pci_db_completion *db_comp,
                                               uint32_t *num_dbs);
/* BAD_STATE: it is started, or the DPA context is not. */
doca_error_t doca_devemu_pci_db_completion_start(struct doca_devemu_pci_db_completion *db_comp);
doca_error_t doca_devemu_pci_db_completion_stop(struct doca_devemu_pci_db_completion *db_comp);
/* BAD_STATE: it is not started, or the DPA context was stopped since. */
doca_error_t doca_devemu_pci_db_completion_get_dpa_handle(
    struct doca_devemu_pci_db_completion *db_comp,
    doca_dpa_dev_devemu_pci_db_completion_t *db_comp_handle);

/* The doorbell of a number in the region that begins there. The context runs, and its data path is on
 * the DPA of the completion, which is started, as the DPA context is: else BAD_STATE. NOT_FOUND: no such
 * region. INVALID_VALUE: the region has not so many. FULL: the completion has as many as it may have. */
doca_error_t doca_devemu_pci_db_create_on_dpa(struct doca_devemu_pci_dev *pci_dev,
                                              struct doca_devemu_pci_db_completion *db_comp,
                                              uint8_t id, uint64_t start_addr, uint32_t db_id,
                                              uint64_t user_data, struct doca_devemu_pci_db **db);
/* Stops it if it is started. */
doca_error_t doca_devemu_pci_db_destroy(struct doca_devemu_pci_db *db);
/* Rings are heard between these two. ALREADY_EXIST: another one of that number is started.
 * BAD_STATE: this one is, or for stop is not. */
doca_error_t doca_devemu_pci_db_start(struct doca_devemu_pci_db *db);
doca_error_t doca_devemu_pci_db_stop(struct doca_devemu_pci_db *db);
doca_error_t doca_devemu_pci_db_get_dpa_handle(struct doca_devemu_pci_db *db,
                                               doca_dpa_dev_devemu_pci_db_t *db_handle);
/* What the DPA reads as its value; a changed one rings it, if it is started. */
doca_error_t doca_devemu_pci_db_modify_value(struct doca_devemu_pci_db *db, uint32_t db_value);
doca_error_t doca_devemu_pci_db_query_value(struct doca_devemu_pci_db *db, uint32_t *db_value);

/* ---- Interrupts from the DPA ---- */

/* The vector of a number of the table that begins there; errors as for doorbells. */
doca_error_t doca_devemu_pci_msix_create_on_dpa(struct doca_devemu_pci_dev *pci_dev, uint8_t id,
                                                uint64_t start_addr, uint16_t msix_idx,
                                                uint64_t user_data,
                                                struct doca_devemu_pci_msix **msix);
doca_error_t doca_devemu_pci_msix_destroy(struct doca_devemu_pci_msix *msix);
doca_error_t doca_devemu_pci_msix_get_dpa_handle(struct doca_devemu_pci_msix *msix,
                                                 doca_dpa_dev_devemu_pci_msix_t *msix_handle);

/* ---- Memory of the host's driver ---- */

/* Whether a device may be one of such a map. */
doca_error_t doca_devemu_pci_cap_is_mmap_add_dev_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_supported);
/* A map (doca_mmap.h) of memory of the driver: its range is of addresses that the driver gave to the function, as
 * by VFIO_IOMMU_MAP_DMA. What the driver permits is looked up at every access, so a map is there before the
 * driver's memory, and stays when that is gone: tasks then fail with IO_FAILED. It is for DOCA DMA, and
 * cannot be exported (NOT_SUPPORTED). The context must run, and ends its stop when the map is destroyed.
 * INVALID_VALUE. BAD_STATE. */
doca_error_t doca_devemu_pci_mmap_create(struct doca_devemu_pci_dev *pci_dev,
                                         struct doca_mmap **mmap);

#ifdef __cplusplus
}
#endif

#include "doca_devemu_pci_ep.h"

#endif
