/*
 * doca_devemu_pci_type: types of emulated PCI functions: what the host sees of each that is made of one.
 *
 *     doca_devemu_pci_type_create("a disk", &type);
 *     doca_devemu_pci_type_set_dev(type, dev);
 *     doca_devemu_pci_type_set_device_id(type, 0x1021);  ...
 *     doca_devemu_pci_type_set_memory_bar_conf(type, 0, 14, DOCA_DEVEMU_PCI_BAR_MEM_TYPE_64_BIT, 1);
 *     doca_devemu_pci_type_set_bar_db_region_by_offset_conf(type, 0, 0, 0x1000, 2, 2);
 *     doca_devemu_pci_type_start(type);
 *     doca_devemu_pci_type_create_rep(type, &rep);         // an emulated function, which is off
 *
 * Functions stay when their type and program are gone: doca_devemu_pci_type_create_rep_list finds
 * those of a type by its name. All types of a name are configured the same (DOCA DevEmu PCI, "PCIe
 * type"). Functions that configure give BAD_STATE once the type is started. All give INVALID_VALUE for
 * NULL, for an object that is gone, and for one of another kind.
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
    DOCA_DEVEMU_PCI_BAR_MEM_TYPE_64_BIT = 2, /* it takes the next BAR, too, whose size is 0 */
};

/* ---- What a card can ---- */

/* Whether a device, on the DPU's side of a card that has two, manages functions of a type; and whether
 * it plugs them in, and out. */
doca_error_t doca_devemu_pci_cap_type_is_mgmt_supported(const struct doca_devinfo *devinfo,
                                                        const struct doca_devemu_pci_type *pci_type,
                                                        uint8_t *is_supported);
doca_error_t
doca_devemu_pci_cap_type_is_hotplug_supported(const struct doca_devinfo *devinfo,
                                              const struct doca_devemu_pci_type *pci_type,
                                              uint8_t *is_supported);
/* Doorbells of a region; 0: the device emulates nothing. */
doca_error_t doca_devemu_pci_cap_type_get_max_num_db(const struct doca_devinfo *devinfo,
                                                     uint16_t *max_num_db);

/* ---- Types ---- */

/* `name` has 1 to DOCA_DEVEMU_PCI_TYPE_NAME_LEN - 1 letters. NO_MEMORY. */
doca_error_t doca_devemu_pci_type_create(const char *name, struct doca_devemu_pci_type **pci_type);
/* IN_USE: there are contexts of its functions. */
doca_error_t doca_devemu_pci_type_destroy(struct doca_devemu_pci_type *pci_type);
/* BAD_CONFIG: no device, or a configuration that cannot be; the log says what. ALREADY_EXIST: there are
 * functions of a type of that name which is configured otherwise. */
doca_error_t doca_devemu_pci_type_start(struct doca_devemu_pci_type *pci_type);
/* IN_USE: there are contexts of its functions. BAD_STATE: it is not started. */
doca_error_t doca_devemu_pci_type_stop(struct doca_devemu_pci_type *pci_type);

/* The device whose card has the functions; it is in use until the type has another, or none. */
doca_error_t doca_devemu_pci_type_set_dev(struct doca_devemu_pci_type *pci_type,
                                          struct doca_dev *dev);

/* The registers of configuration space; 0 to begin with. */
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

/* ---- BARs, 0 to 5, and what is in them ---- */

/* 2^`log_sz` bytes, 12 to 26; 0: none. */
doca_error_t doca_devemu_pci_type_set_memory_bar_conf(struct doca_devemu_pci_type *pci_type,
                                                      uint8_t id, uint8_t log_sz,
                                                      enum doca_devemu_pci_bar_mem_type memory_type,
                                                      uint8_t prefetchable);
/* Regions begin and end at multiples of 8 bytes, and do not overlap. One at the same place replaces what
 * was there. FULL: there are 16 already.
 *
 * Doorbells of 2^`log_db_size` bytes, which is 4 here (else NOT_SUPPORTED), each 2^`log_stride_size`
 * bytes after the one before; that is its number. */
doca_error_t doca_devemu_pci_type_set_bar_db_region_by_offset_conf(
    struct doca_devemu_pci_type *pci_type, uint8_t id, uint64_t start_addr, uint64_t size,
    uint8_t log_db_size, uint8_t log_stride_size);
/* Doorbells whose number is in what is written: bytes db_id_lsbyte to db_id_msbyte of the
 * 2^log_db_size, counted from 0 as they lie in memory. The region has a place for each 2^log_db_size bytes, and
 * any of them takes any doorbell. Of several rings at one place between two looks only the last is heard
 * (doca-devemu(7)): drivers should have a place for each doorbell. */
doca_error_t doca_devemu_pci_type_set_bar_db_region_by_data_conf(
    struct doca_devemu_pci_type *pci_type, uint8_t id, uint64_t start_addr, uint64_t size,
    uint8_t log_db_size, uint16_t db_id_msbyte, uint16_t db_id_lsbyte);
/* The table of MSI-X, and the bits of vectors that are pending. */
doca_error_t
doca_devemu_pci_type_set_bar_msix_table_region_conf(struct doca_devemu_pci_type *pci_type,
                                                    uint8_t id, uint64_t start_addr, uint64_t size);
doca_error_t
doca_devemu_pci_type_set_bar_msix_pba_region_conf(struct doca_devemu_pci_type *pci_type, uint8_t id,
                                                  uint64_t start_addr, uint64_t size);
/* Registers: memory of which the DPU is told when the host writes. */
doca_error_t
doca_devemu_pci_type_set_bar_stateful_region_conf(struct doca_devemu_pci_type *pci_type, uint8_t id,
                                                  uint64_t start_addr, uint64_t size);

/* ---- Functions, by their representors ---- */

/* A new function of a started type, which is off, and its representor. FULL: the card has 32. */
doca_error_t doca_devemu_pci_type_create_rep(struct doca_devemu_pci_type *pci_type,
                                             struct doca_dev_rep **dev_rep);
/* Removes a function that is off, and closes its representor. BAD_STATE: it is not off, or a context of it
 * runs, of any process; it stays.
 * doca_dev_rep_close closes a representor, and leaves its function. */
doca_error_t doca_devemu_pci_type_destroy_rep(struct doca_dev_rep *dev_rep);
/* The functions of a started type; for doca_devinfo_rep_destroy_list. One that is not on has the PCI
 * address 0000:00:00.0. */
doca_error_t doca_devemu_pci_type_create_rep_list(struct doca_devemu_pci_type *pci_type,
                                                  struct doca_devinfo_rep ***dev_list_rep,
                                                  uint32_t *nb_devs_rep);

#ifdef __cplusplus
}
#endif

#endif
