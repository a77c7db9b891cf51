/*
 * doca_devemu_pci_type: types of emulated PCI functions. A type defines what the host sees of its
 * functions.
 *
 *     doca_devemu_pci_type_create("a disk", &type);
 *     doca_devemu_pci_type_set_dev(type, dev);
 *     doca_devemu_pci_type_set_device_id(type, 0x1021);  ...
 *     doca_devemu_pci_type_set_memory_bar_conf(type, 0, 14, DOCA_DEVEMU_PCI_BAR_MEM_TYPE_64_BIT, 1);
 *     doca_devemu_pci_type_set_bar_db_region_by_offset_conf(type, 0, 0, 0x1000, 2, 2);
 *     doca_devemu_pci_type_start(type);
 *     doca_devemu_pci_type_create_rep(type, &rep);         // an emulated function, which is off
 *
 * Emulated functions outlive their type and program: doca_devemu_pci_type_create_rep_list finds the
 * functions of a type by its name. All types with one name must have the same configuration (DOCA
 * DevEmu PCI, "PCIe type"). Calls that configure return BAD_STATE if the type is started. All calls
 * return INVALID_VALUE for NULL, for a destroyed object, and for an object of another kind.
 */
#ifndef DOCA_DEVEMU_PCI_TYPE_H
#define DOCA_DEVEMU_PCI_TYPE_H

#include <stdint.h>

#include "doca_compat.h"
#include "doca_dev.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devemu_pci_type;

#define DOCA_DEVEMU_PCI_TYPE_NAME_LEN 32 /* with the NUL */

enum doca_devemu_pci_bar_mem_type {
    DOCA_DEVEMU_PCI_BAR_MEM_TYPE_32_BIT = 0,
    DOCA_DEVEMU_PCI_BAR_MEM_TYPE_1_MB = 1,
    DOCA_DEVEMU_PCI_BAR_MEM_TYPE_64_BIT = 2, /* it also occupies the next BAR, whose size is 0 */
};

/* ---- Capabilities ---- */

/* Get 1 if a device manages functions of a type, or can plug and unplug them, else 0. Only devices
 * on the DPU side of a card with two sides can. */
doca_error_t doca_devemu_pci_cap_type_is_mgmt_supported(const struct doca_devinfo *devinfo,
                                                        const struct doca_devemu_pci_type *pci_type,
                                                        uint8_t *is_supported);
doca_error_t
doca_devemu_pci_cap_type_is_hotplug_supported(const struct doca_devinfo *devinfo,
                                              const struct doca_devemu_pci_type *pci_type,
                                              uint8_t *is_supported);
/* Numbers of the configuration of types. All are 0 if the device cannot emulate functions. */

/* Types with functions at once; vectors of MSI-X of a type; doorbells of a region. */
doca_error_t doca_devemu_pci_cap_get_max_types(const struct doca_devinfo *devinfo,
                                               uint16_t *max_types);
doca_error_t doca_devemu_pci_cap_type_get_max_num_msix(const struct doca_devinfo *devinfo,
                                                       uint16_t *max_num_msix);
doca_error_t doca_devemu_pci_cap_type_get_max_num_db(const struct doca_devinfo *devinfo,
                                                     uint16_t *max_num_db);
/* BARs, log2 of the bytes of a BAR, and 1 if a BAR may be such memory. */
doca_error_t doca_devemu_pci_cap_type_get_max_bars(const struct doca_devinfo *devinfo,
                                                   uint8_t *max_bars);
doca_error_t doca_devemu_pci_cap_type_get_log_min_bar_size(const struct doca_devinfo *devinfo,
                                                           uint8_t *log_min_bar_size);
doca_error_t doca_devemu_pci_cap_type_get_log_max_bar_size(const struct doca_devinfo *devinfo,
                                                           uint8_t *log_max_bar_size);
doca_error_t
doca_devemu_pci_cap_type_is_bar_mem_type_supported(const struct doca_devinfo *devinfo,
                                                   enum doca_devemu_pci_bar_mem_type mem_type,
                                                   uint8_t *supported);
/* Regions of a type, and of a BAR: all, and those of a kind. */
doca_error_t doca_devemu_pci_cap_type_get_max_bar_regions(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_regions);
doca_error_t doca_devemu_pci_cap_type_get_max_bar_db_regions(const struct doca_devinfo *devinfo,
                                                             uint32_t *max_regions);
doca_error_t
doca_devemu_pci_cap_type_get_max_bar_msix_table_regions(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_regions);
doca_error_t
doca_devemu_pci_cap_type_get_max_bar_msix_pba_regions(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_regions);
doca_error_t
doca_devemu_pci_cap_type_get_max_bar_stateful_regions(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_regions);
doca_error_t doca_devemu_pci_cap_bar_get_max_bar_regions(const struct doca_devinfo *devinfo,
                                                         uint32_t *max_regions);
doca_error_t doca_devemu_pci_cap_bar_get_max_bar_db_regions(const struct doca_devinfo *devinfo,
                                                            uint32_t *max_regions);
doca_error_t
doca_devemu_pci_cap_bar_get_max_bar_msix_table_regions(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_regions);
doca_error_t
doca_devemu_pci_cap_bar_get_max_bar_msix_pba_regions(const struct doca_devinfo *devinfo,
                                                     uint32_t *max_regions);
doca_error_t
doca_devemu_pci_cap_bar_get_max_bar_stateful_regions(const struct doca_devinfo *devinfo,
                                                     uint32_t *max_regions);
/* The size of a region is a number of blocks, of so many bytes each; its start is a multiple of so many
 * bytes. */
doca_error_t
doca_devemu_pci_cap_bar_db_region_get_region_block_size(const struct doca_devinfo *devinfo,
                                                        uint32_t *block_size);
doca_error_t
doca_devemu_pci_cap_bar_db_region_get_max_num_region_blocks(const struct doca_devinfo *devinfo,
                                                            uint32_t *max_blocks);
doca_error_t
doca_devemu_pci_cap_bar_db_region_get_start_addr_alignment(const struct doca_devinfo *devinfo,
                                                           uint32_t *alignment);
doca_error_t
doca_devemu_pci_cap_bar_msix_table_region_get_region_block_size(const struct doca_devinfo *devinfo,
                                                                uint32_t *block_size);
doca_error_t doca_devemu_pci_cap_bar_msix_table_region_get_max_num_region_blocks(
    const struct doca_devinfo *devinfo, uint32_t *max_blocks);
doca_error_t doca_devemu_pci_cap_bar_msix_table_region_get_start_addr_alignment(
    const struct doca_devinfo *devinfo, uint32_t *alignment);
doca_error_t
doca_devemu_pci_cap_bar_msix_pba_region_get_region_block_size(const struct doca_devinfo *devinfo,
                                                              uint32_t *block_size);
doca_error_t doca_devemu_pci_cap_bar_msix_pba_region_get_max_num_region_blocks(
    const struct doca_devinfo *devinfo, uint32_t *max_blocks);
doca_error_t
doca_devemu_pci_cap_bar_msix_pba_region_get_start_addr_alignment(const struct doca_devinfo *devinfo,
                                                                 uint32_t *alignment);
doca_error_t
doca_devemu_pci_cap_bar_stateful_region_get_region_block_size(const struct doca_devinfo *devinfo,
                                                              uint32_t *block_size);
doca_error_t doca_devemu_pci_cap_bar_stateful_region_get_max_num_region_blocks(
    const struct doca_devinfo *devinfo, uint32_t *max_blocks);
doca_error_t
doca_devemu_pci_cap_bar_stateful_region_get_start_addr_alignment(const struct doca_devinfo *devinfo,
                                                                 uint32_t *alignment);
/* log2 of the bytes of a doorbell, and of the distance between doorbells; 1 if doorbells may be numbered
 * by their offset, or by the written data. */
doca_error_t doca_devemu_pci_cap_type_get_log_min_db_size(const struct doca_devinfo *devinfo,
                                                          uint8_t *log_min_db_size);
doca_error_t doca_devemu_pci_cap_type_get_log_max_db_size(const struct doca_devinfo *devinfo,
                                                          uint8_t *log_max_db_size);
doca_error_t doca_devemu_pci_cap_type_get_log_min_db_stride_size(const struct doca_devinfo *devinfo,
                                                                 uint8_t *log_min_db_stride_size);
doca_error_t doca_devemu_pci_cap_type_get_log_max_db_stride_size(const struct doca_devinfo *devinfo,
                                                                 uint8_t *log_max_db_stride_size);
doca_error_t doca_devemu_pci_cap_bar_db_region_is_identify_by_offset_supported(
    const struct doca_devinfo *devinfo, uint8_t *supported);
doca_error_t
doca_devemu_pci_cap_bar_db_region_is_identify_by_data_supported(const struct doca_devinfo *devinfo,
                                                                uint8_t *supported);

/* ---- Types ---- */

/* Creates a type. `name` has 1 to DOCA_DEVEMU_PCI_TYPE_NAME_LEN - 1 characters. Errors: NO_MEMORY. */
doca_error_t doca_devemu_pci_type_create(const char *name, struct doca_devemu_pci_type **pci_type);
/* Destroys the type. Errors: IN_USE if one of its functions has a context. */
doca_error_t doca_devemu_pci_type_destroy(struct doca_devemu_pci_type *pci_type);
/* Starts the type. Errors: BAD_CONFIG if it has no device or an impossible configuration (the log names
 * it), ALREADY_EXIST if functions exist of a type with the same name and another configuration. */
doca_error_t doca_devemu_pci_type_start(struct doca_devemu_pci_type *pci_type);
/* Stops the type. Errors: IN_USE if one of its functions has a context, BAD_STATE if it is not
 * started. */
doca_error_t doca_devemu_pci_type_stop(struct doca_devemu_pci_type *pci_type);

/* Sets the device whose card has the functions. The device stays in use until the type gets another
 * device or NULL. */
doca_error_t doca_devemu_pci_type_set_dev(struct doca_devemu_pci_type *pci_type,
                                          struct doca_dev *dev);

/* Registers of the configuration space; 0 by default. */
doca_error_t doca_devemu_pci_type_set_device_id(struct doca_devemu_pci_type *pci_type,
                                                uint16_t device_id);
doca_error_t doca_devemu_pci_type_set_vendor_id(struct doca_devemu_pci_type *pci_type,
                                                uint16_t vendor_id);
doca_error_t doca_devemu_pci_type_set_subsystem_id(struct doca_devemu_pci_type *pci_type,
                                                   uint16_t subsystem_id);
doca_error_t doca_devemu_pci_type_set_subsystem_vendor_id(struct doca_devemu_pci_type *pci_type,
                                                          uint16_t subsystem_vid);
doca_error_t doca_devemu_pci_type_set_revision_id(struct doca_devemu_pci_type *pci_type,
                                                  uint8_t revision_id);
/* 24 bits. */
doca_error_t doca_devemu_pci_type_set_class_code(struct doca_devemu_pci_type *pci_type,
                                                 uint32_t class_code);
/* Vectors of MSI-X: 0 to 2048. */
doca_error_t doca_devemu_pci_type_set_num_msix(struct doca_devemu_pci_type *pci_type,
                                               uint16_t num_msix);

/* Doorbells of each region of new contexts, as by doca_devemu_pci_ep_set_num_db: 0 to 1024, all by
 * default. */
doca_error_t doca_devemu_pci_type_set_num_db(struct doca_devemu_pci_type *pci_type,
                                             uint16_t num_db);

/* Get what was set, or the default. */
doca_error_t doca_devemu_pci_type_get_device_id(const struct doca_devemu_pci_type *pci_type,
                                                uint16_t *device_id);
doca_error_t doca_devemu_pci_type_get_vendor_id(const struct doca_devemu_pci_type *pci_type,
                                                uint16_t *vendor_id);
doca_error_t doca_devemu_pci_type_get_subsystem_id(const struct doca_devemu_pci_type *pci_type,
                                                   uint16_t *subsystem_id);
doca_error_t
doca_devemu_pci_type_get_subsystem_vendor_id(const struct doca_devemu_pci_type *pci_type,
                                             uint16_t *subsystem_vid);
doca_error_t doca_devemu_pci_type_get_revision_id(const struct doca_devemu_pci_type *pci_type,
                                                  uint8_t *revision_id);
doca_error_t doca_devemu_pci_type_get_class_code(const struct doca_devemu_pci_type *pci_type,
                                                 uint32_t *class_code);
doca_error_t doca_devemu_pci_type_get_num_msix(const struct doca_devemu_pci_type *pci_type,
                                               uint16_t *num_msix);
doca_error_t doca_devemu_pci_type_get_num_db(const struct doca_devemu_pci_type *pci_type,
                                             uint16_t *num_db);
/* NULL: no device was set. */
doca_error_t doca_devemu_pci_type_get_dev(const struct doca_devemu_pci_type *pci_type,
                                          struct doca_dev **dev);
doca_error_t doca_devemu_pci_type_is_started(const struct doca_devemu_pci_type *pci_type,
                                             uint8_t *started);
/* Copies the name to an array of DOCA_DEVEMU_PCI_TYPE_NAME_LEN bytes. */
doca_error_t doca_devemu_pci_type_get_name(const struct doca_devemu_pci_type *pci_type,
                                           char (*name)[DOCA_DEVEMU_PCI_TYPE_NAME_LEN]);

/* ---- BARs 0 to 5 and their regions ---- */

/* `log_sz`: log2 of the size in bytes, 12 to 26; 0: no BAR. */
doca_error_t doca_devemu_pci_type_set_memory_bar_conf(struct doca_devemu_pci_type *pci_type,
                                                      uint8_t id, uint8_t log_sz,
                                                      enum doca_devemu_pci_bar_mem_type memory_type,
                                                      uint8_t prefetchable);
/* Always returns NOT_SUPPORTED: emulated functions have memory alone. */
doca_error_t doca_devemu_pci_type_set_io_bar_conf(struct doca_devemu_pci_type *pci_type, uint8_t id,
                                                  uint8_t log_sz);
/* Regions start and end at multiples of 8 bytes, and do not overlap. A region at the same place
 * replaces the old region. Errors: FULL if there are 16 regions.
 *
 * A region of doorbells, numbered by their offset. Each doorbell has 2^`log_db_size` bytes, which must
 * be 4 (else NOT_SUPPORTED). The distance between doorbells is 2^`log_stride_size` bytes. */
doca_error_t doca_devemu_pci_type_set_bar_db_region_by_offset_conf(
    struct doca_devemu_pci_type *pci_type, uint8_t id, uint64_t start_addr, uint64_t size,
    uint8_t log_db_size, uint8_t log_stride_size);
/* A region of doorbells, numbered by the written data: bytes db_id_lsbyte to db_id_msbyte of the
 * 2^log_db_size bytes, counted from 0 in memory order, are the doorbell's number. Every 2^log_db_size
 * bytes of the region accept any doorbell. If several rings go to one place between two looks, only the
 * last counts (doca-devemu(7)): drivers should use one place for each doorbell. */
doca_error_t doca_devemu_pci_type_set_bar_db_region_by_data_conf(
    struct doca_devemu_pci_type *pci_type, uint8_t id, uint64_t start_addr, uint64_t size,
    uint8_t log_db_size, uint16_t db_id_msbyte, uint16_t db_id_lsbyte);
/* The MSI-X table, and the bits of pending vectors. */
doca_error_t
doca_devemu_pci_type_set_bar_msix_table_region_conf(struct doca_devemu_pci_type *pci_type,
                                                    uint8_t id, uint64_t start_addr, uint64_t size);
doca_error_t
doca_devemu_pci_type_set_bar_msix_pba_region_conf(struct doca_devemu_pci_type *pci_type, uint8_t id,
                                                  uint64_t start_addr, uint64_t size);
/* Registers: the DPU gets an event when the host writes this memory. */
doca_error_t
doca_devemu_pci_type_set_bar_stateful_region_conf(struct doca_devemu_pci_type *pci_type, uint8_t id,
                                                  uint64_t start_addr, uint64_t size);

/* Sets the values that registers have after a plug or a reset of functions whose contexts are created
 * afterwards, as doca_devemu_pci_dev_modify_bar_stateful_region_default_values does for a context.
 * `size`: at least that of the region. Errors: BAD_STATE if the type is not started, NOT_FOUND if no
 * stateful region begins there. */
doca_error_t doca_devemu_pci_type_modify_bar_stateful_region_default_values(
    struct doca_devemu_pci_type *pci_type, uint8_t id, uint64_t start_addr, void *default_values,
    uint64_t size);

/* ---- Resources ---- */

/* What a device has for functions that do not exist yet. */
struct doca_devemu_pci_resources;

/* Get the state of now; release it with doca_devemu_pci_release_resources. Errors: NO_MEMORY. */
doca_error_t doca_devemu_pci_get_available_resources(const struct doca_devinfo *devinfo,
                                                     struct doca_devemu_pci_resources **resources);
doca_error_t doca_devemu_pci_release_resources(struct doca_devemu_pci_resources *resources);
/* Vectors and doorbells: the largest numbers of a function, times the functions that can be made. */
doca_error_t
doca_devemu_pci_resources_get_num_msix(const struct doca_devemu_pci_resources *resources,
                                       uint32_t *num_msix);
doca_error_t doca_devemu_pci_resources_get_num_db(const struct doca_devemu_pci_resources *resources,
                                                  uint32_t *num_db);

/* ---- Functions, by their representors ---- */

/* Creates a function of a started type, and its representor. The function is powered off. Errors: FULL
 * if the card has 32 functions. */
doca_error_t doca_devemu_pci_type_create_rep(struct doca_devemu_pci_type *pci_type,
                                             struct doca_dev_rep **dev_rep);
/* Removes a function that is off, and closes its representor. Errors: BAD_STATE if the function is not
 * off, or if any process runs a context of it; nothing changes then. doca_dev_rep_close only closes a
 * representor and keeps its function. */
doca_error_t doca_devemu_pci_type_destroy_rep(struct doca_dev_rep *dev_rep);
/* The same under their earlier names. */
doca_error_t doca_devemu_pci_dev_create_rep(const struct doca_devemu_pci_type *pci_type,
                                            struct doca_dev_rep **dev_rep);
doca_error_t doca_devemu_pci_dev_destroy_rep(struct doca_dev_rep *dev_rep);
/* Lists the functions of a started type. Free the list with doca_devinfo_rep_destroy_list. A function
 * that is not on has the PCI address 0000:00:00.0. */
doca_error_t doca_devemu_pci_type_create_rep_list(struct doca_devemu_pci_type *pci_type,
                                                  struct doca_devinfo_rep ***dev_list_rep,
                                                  uint32_t *nb_devs_rep);

#ifdef __cplusplus
}
#endif

#endif
