/* Capabilities of cards: what the configuration of types and functions may be. */
#include <stdlib.h>

#include "private.h"

static doca_error_t ask(const struct doca_devinfo *devinfo, uint8_t *able)
{
    struct dpk_device_info card;
    const doca_error_t result = able ? dpk_devinfo_ask(devinfo, &card) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *able = devemu_is_able(&card);
    return result;
}

doca_error_t devemu_answer_able(const char *call, const struct doca_devinfo *devinfo, uint8_t *able)
{
    return dpk_doca_end(devinfo, call, ask(devinfo, able));
}

static doca_error_t is_able(const struct doca_devinfo *devinfo,
                            const struct doca_devemu_pci_type *pci_type, uint8_t *able)
{
    struct pci_type *t = able ? dpk_object_pin(pci_type, &devemu_pci_type_kind) : NULL;
    dpk_object_drop(t);
    return t ? ask(devinfo, able) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devemu_pci_cap_type_is_mgmt_supported(const struct doca_devinfo *devinfo,
                                                        const struct doca_devemu_pci_type *pci_type,
                                                        uint8_t *is_supported)
{
    return dpk_doca_end(devinfo, __func__, is_able(devinfo, pci_type, is_supported));
}

doca_error_t
doca_devemu_pci_cap_type_is_hotplug_supported(const struct doca_devinfo *devinfo,
                                              const struct doca_devemu_pci_type *pci_type,
                                              uint8_t *is_supported)
{
    return dpk_doca_end(devinfo, __func__, is_able(devinfo, pci_type, is_supported));
}

/* ---- Numbers: 0 if the device cannot emulate functions ---- */

static doca_error_t answer(const char *call, const struct doca_devinfo *devinfo, bool has_result,
                           uint32_t *value)
{
    struct dpk_device_info card;
    if (!has_result || dpk_devinfo_ask(devinfo, &card) != DOCA_SUCCESS)
        return dpk_doca_no_object(call);
    if (!devemu_is_able(&card))
        *value = 0;
    return DOCA_SUCCESS;
}

#define CAP(name, type, most)                                                                      \
    doca_error_t name(const struct doca_devinfo *devinfo, type *value)                             \
    {                                                                                              \
        uint32_t wide = (most);                                                                    \
        const doca_error_t result = answer(__func__, devinfo, value != NULL, &wide);               \
        if (result == DOCA_SUCCESS)                                                                \
            *value = (type)wide;                                                                   \
        return result;                                                                             \
    }

/* Regions start and end at multiples of 8 bytes, and may fill the largest BAR. */
#define BLOCK      8u
#define BLOCKS_MAX ((UINT32_C(1) << DPK_PCI_LOG_MAX) / BLOCK)

CAP(doca_devemu_pci_cap_get_max_types, uint16_t, DPK_PCI_FUNCTIONS)
CAP(doca_devemu_pci_cap_get_max_hotplug_devices, uint32_t, DPK_PCI_FUNCTIONS)
CAP(doca_devemu_pci_cap_type_get_max_num_msix, uint16_t, DPK_PCI_VECTORS)
CAP(doca_devemu_pci_cap_type_get_max_num_db, uint16_t, DPK_PCI_DOORBELLS)
CAP(doca_devemu_pci_cap_type_get_max_bars, uint8_t, DPK_PCI_BARS)
CAP(doca_devemu_pci_cap_type_get_log_min_bar_size, uint8_t, DPK_PCI_LOG_MIN)
CAP(doca_devemu_pci_cap_type_get_log_max_bar_size, uint8_t, DPK_PCI_LOG_MAX)

CAP(doca_devemu_pci_cap_type_get_max_bar_regions, uint32_t, DPK_PCI_REGIONS)
CAP(doca_devemu_pci_cap_type_get_max_bar_db_regions, uint32_t, DPK_PCI_REGIONS)
CAP(doca_devemu_pci_cap_type_get_max_bar_msix_table_regions, uint32_t, 1)
CAP(doca_devemu_pci_cap_type_get_max_bar_msix_pba_regions, uint32_t, 1)
CAP(doca_devemu_pci_cap_type_get_max_bar_stateful_regions, uint32_t, DPK_PCI_REGIONS)
CAP(doca_devemu_pci_cap_bar_get_max_bar_regions, uint32_t, DPK_PCI_REGIONS)
CAP(doca_devemu_pci_cap_bar_get_max_bar_db_regions, uint32_t, DPK_PCI_REGIONS)
CAP(doca_devemu_pci_cap_bar_get_max_bar_msix_table_regions, uint32_t, 1)
CAP(doca_devemu_pci_cap_bar_get_max_bar_msix_pba_regions, uint32_t, 1)
CAP(doca_devemu_pci_cap_bar_get_max_bar_stateful_regions, uint32_t, DPK_PCI_REGIONS)

CAP(doca_devemu_pci_cap_bar_db_region_get_region_block_size, uint32_t, BLOCK)
CAP(doca_devemu_pci_cap_bar_db_region_get_max_num_region_blocks, uint32_t, BLOCKS_MAX)
CAP(doca_devemu_pci_cap_bar_db_region_get_start_addr_alignment, uint32_t, BLOCK)
CAP(doca_devemu_pci_cap_bar_msix_table_region_get_region_block_size, uint32_t, BLOCK)
CAP(doca_devemu_pci_cap_bar_msix_table_region_get_max_num_region_blocks, uint32_t, BLOCKS_MAX)
CAP(doca_devemu_pci_cap_bar_msix_table_region_get_start_addr_alignment, uint32_t, BLOCK)
CAP(doca_devemu_pci_cap_bar_msix_pba_region_get_region_block_size, uint32_t, BLOCK)
CAP(doca_devemu_pci_cap_bar_msix_pba_region_get_max_num_region_blocks, uint32_t, BLOCKS_MAX)
CAP(doca_devemu_pci_cap_bar_msix_pba_region_get_start_addr_alignment, uint32_t, BLOCK)
CAP(doca_devemu_pci_cap_bar_stateful_region_get_region_block_size, uint32_t, BLOCK)
CAP(doca_devemu_pci_cap_bar_stateful_region_get_max_num_region_blocks, uint32_t, BLOCKS_MAX)
CAP(doca_devemu_pci_cap_bar_stateful_region_get_start_addr_alignment, uint32_t, BLOCK)

/* Doorbells have 4 bytes, at distances of 4 to 2^16 bytes. */
CAP(doca_devemu_pci_cap_type_get_log_min_db_size, uint8_t, 2)
CAP(doca_devemu_pci_cap_type_get_log_max_db_size, uint8_t, 2)
CAP(doca_devemu_pci_cap_type_get_log_min_db_stride_size, uint8_t, 2)
CAP(doca_devemu_pci_cap_type_get_log_max_db_stride_size, uint8_t, 16)
CAP(doca_devemu_pci_cap_bar_db_region_is_identify_by_offset_supported, uint8_t, 1)
CAP(doca_devemu_pci_cap_bar_db_region_is_identify_by_data_supported, uint8_t, 1)

doca_error_t
doca_devemu_pci_cap_type_is_bar_mem_type_supported(const struct doca_devinfo *devinfo,
                                                   enum doca_devemu_pci_bar_mem_type mem_type,
                                                   uint8_t *supported)
{
    uint32_t wide = (unsigned)mem_type <= DOCA_DEVEMU_PCI_BAR_MEM_TYPE_64_BIT;
    const doca_error_t result = answer(__func__, devinfo, supported != NULL, &wide);
    if (result == DOCA_SUCCESS)
        *supported = (uint8_t)wide;
    return result;
}

/* ---- Resources that functions have not taken ---- */

struct resources {
    struct dpk_object object;
    uint32_t functions; /* that can be made */
};
static const struct dpk_kind resources_kind = {.release = free};

static uint32_t count_free(const struct dpk_device_info *card)
{
    uint32_t count = devemu_is_able(card) ? DPK_PCI_FUNCTIONS : 0;
    for (unsigned i = 1; count > 0 && i <= DPK_PCI_FUNCTIONS; i++) {
        struct dpk_pci *f;
        struct dpk_error err = {0};
        if (dpk_pci_open(card->path, i, &f, &err) == DPK_OK) {
            dpk_pci_close(f);
            count--;
        }
    }
    return count;
}

doca_error_t doca_devemu_pci_get_available_resources(const struct doca_devinfo *devinfo,
                                                     struct doca_devemu_pci_resources **resources)
{
    struct dpk_device_info card;
    if (resources)
        *resources = NULL;
    if (!resources || dpk_devinfo_ask(devinfo, &card) != DOCA_SUCCESS)
        return dpk_doca_no_object(__func__);
    struct resources *r = calloc(1, sizeof *r);
    if (r) {
        r->functions = count_free(&card);
        *resources = dpk_object_enter(r, &resources_kind);
    }
    return *resources ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_devemu_pci_release_resources(struct doca_devemu_pci_resources *resources)
{
    return dpk_doca_destroy(resources, &resources_kind, __func__);
}

static doca_error_t get_resource(const char *call,
                                 const struct doca_devemu_pci_resources *resources,
                                 uint32_t of_each, uint32_t *value)
{
    struct resources *r = value ? dpk_object_lock(resources, &resources_kind) : NULL;
    if (!r)
        return dpk_doca_no_object(call);
    *value = r->functions * of_each;
    return dpk_object_unlock(r, DOCA_SUCCESS);
}

doca_error_t
doca_devemu_pci_resources_get_num_msix(const struct doca_devemu_pci_resources *resources,
                                       uint32_t *num_msix)
{
    return get_resource(__func__, resources, DPK_PCI_VECTORS, num_msix);
}

doca_error_t doca_devemu_pci_resources_get_num_db(const struct doca_devemu_pci_resources *resources,
                                                  uint32_t *num_db)
{
    return get_resource(__func__, resources, DPK_PCI_DOORBELLS, num_db);
}
