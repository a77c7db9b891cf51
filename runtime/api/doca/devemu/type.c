/* Types of emulated functions: what they are configured to be. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

static void type_left(void *object)
{
    struct pci_type *t = object;
    dpk_object_unuse(t->dev);
}
const struct dpk_kind pci_type_kind = {.left = type_left, .release = free};

bool devemu_is_able(const struct dpk_device_info *card)
{
    return card->pair && card->side == DPK_SIDE_DPU;
}

doca_error_t devemu_failed(const char *call, const struct dpk_error *err)
{
    const doca_error_t result = dpk_doca_failed(call, err);
    return err->status == DPK_ERR_EXISTS      ? DOCA_ERROR_ALREADY_EXIST
           : err->status == DPK_ERR_RANGE     ? DOCA_ERROR_FULL
           : err->status == DPK_ERR_NOT_FOUND ? DOCA_ERROR_NOT_FOUND
           : err->status == DPK_ERR_REFUSED   ? DOCA_ERROR_BAD_STATE
                                              : result;
}

/* ---- What a card can ---- */

static doca_error_t is_able(const struct doca_devinfo *devinfo,
                            const struct doca_devemu_pci_type *pci_type, uint8_t *able)
{
    struct dpk_device_info card;
    struct pci_type *t = able ? dpk_object_pin(pci_type, &pci_type_kind) : NULL;
    doca_error_t result = t ? dpk_devinfo_ask(devinfo, &card) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(t);
    if (result == DOCA_SUCCESS)
        *able = devemu_is_able(&card);
    return result;
}

doca_error_t doca_devemu_pci_cap_type_is_mgmt_supported(const struct doca_devinfo *devinfo,
                                                        const struct doca_devemu_pci_type *pci_type,
                                                        uint8_t *is_supported)
{
    return is_able(devinfo, pci_type, is_supported);
}

doca_error_t
doca_devemu_pci_cap_type_is_hotplug_supported(const struct doca_devinfo *devinfo,
                                              const struct doca_devemu_pci_type *pci_type,
                                              uint8_t *is_supported)
{
    return is_able(devinfo, pci_type, is_supported);
}

doca_error_t doca_devemu_pci_cap_get_max_hotplug_devices(const struct doca_devinfo *devinfo,
                                                         uint32_t *max_hotplug_devices)
{
    struct dpk_device_info card;
    const doca_error_t result =
        max_hotplug_devices ? dpk_devinfo_ask(devinfo, &card) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *max_hotplug_devices = devemu_is_able(&card) ? DPK_PCI_FUNCTIONS : 0;
    return result;
}

doca_error_t doca_devemu_pci_cap_type_get_max_num_db(const struct doca_devinfo *devinfo,
                                                     uint16_t *max_num_db)
{
    struct dpk_device_info card;
    const doca_error_t result =
        max_num_db ? dpk_devinfo_ask(devinfo, &card) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *max_num_db = devemu_is_able(&card) ? DPK_PCI_DOORBELLS : 0;
    return result;
}

/* ---- Life ---- */

doca_error_t doca_devemu_pci_type_create(const char *name, struct doca_devemu_pci_type **pci_type)
{
    if (pci_type)
        *pci_type = NULL;
    const size_t n = name ? strnlen(name, DPK_PCI_NAME_SIZE) : 0;
    if (!pci_type || n == 0 || n == DPK_PCI_NAME_SIZE)
        return DOCA_ERROR_INVALID_VALUE;
    struct pci_type *t = calloc(1, sizeof *t);
    if (t)
        memcpy(t->config.name, name, n);
    *pci_type = t ? dpk_object_enter(t, &pci_type_kind) : NULL;
    return *pci_type ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_devemu_pci_type_destroy(struct doca_devemu_pci_type *pci_type)
{
    return dpk_object_destroy(pci_type, &pci_type_kind);
}

/* With the lock. */
static doca_error_t start(struct pci_type *t)
{
    struct dpk_error err = {0};
    if (!t->dev)
        return dpk_doca_bad_config(t, "doca_devemu_pci_type_start: the type has no device, as by "
                                      "doca_devemu_pci_type_set_dev");
    if (!devemu_is_able(&t->card))
        return dpk_doca_bad_config(t, "doca_devemu_pci_type_start: emulated functions are for "
                                      "programs of the DPU (DPAKIT_SIDE=dpu)");
    if (dpk_pci_check(&t->config, &err) != DPK_OK)
        return dpk_doca_bad_config(t, "doca_devemu_pci_type_start: \"%s\": %s", t->config.name,
                                   err.message);
    if (dpk_pci_agree(t->card.path, &t->config, &err) != DPK_OK)
        return devemu_failed("doca_devemu_pci_type_start", &err);
    t->started = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_devemu_pci_type_start(struct doca_devemu_pci_type *pci_type)
{
    struct pci_type *t = dpk_object_lock(pci_type, &pci_type_kind);
    return dpk_object_unlock(t, t && !t->started ? start(t) : DOCA_ERROR_BAD_STATE);
}

doca_error_t doca_devemu_pci_type_stop(struct doca_devemu_pci_type *pci_type)
{
    struct pci_type *t = dpk_object_lock(pci_type, &pci_type_kind);
    doca_error_t result = t && t->started ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
    if (result == DOCA_SUCCESS && atomic_load(&t->object.users) > 0)
        result = DOCA_ERROR_IN_USE;
    if (result == DOCA_SUCCESS)
        t->started = false;
    return dpk_object_unlock(t, result);
}

/* ---- Configuration ---- */

/* Locked, if it may be configured. NULL: *result says why. */
static struct pci_type *begin(const struct doca_devemu_pci_type *pci_type, doca_error_t *result)
{
    struct pci_type *t = dpk_object_lock(pci_type, &pci_type_kind);
    *result = t ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (t && t->started) {
        *result = dpk_object_unlock(t, DOCA_ERROR_BAD_STATE);
        return NULL;
    }
    return t;
}

doca_error_t doca_devemu_pci_type_set_dev(struct doca_devemu_pci_type *pci_type,
                                          struct doca_dev *dev)
{
    struct dpk_device_info card;
    struct dpk_dev *before = NULL, *d = dpk_object_pin(dev, &dpk_dev_kind);
    doca_error_t result =
        d ? dpk_devinfo_ask(doca_dev_as_devinfo(dev), &card) : DOCA_ERROR_INVALID_VALUE;
    struct pci_type *t = result == DOCA_SUCCESS ? begin(pci_type, &result) : NULL;
    if (t) {
        before = t->dev;
        dpk_object_use(t->dev = d);
        t->card = card;
        dpk_object_unlock(t, DOCA_SUCCESS);
    }
    dpk_object_unuse(before);
    dpk_object_drop(d);
    return result;
}

#define REGISTER(setter, member, type, mask)                                                       \
    doca_error_t setter(struct doca_devemu_pci_type *pci_type, type value)                         \
    {                                                                                              \
        doca_error_t result = DOCA_ERROR_INVALID_VALUE;                                            \
        const uint32_t wide = value;                                                               \
        struct pci_type *t = wide <= (mask) ? begin(pci_type, &result) : NULL;                     \
        if (!t)                                                                                    \
            return result;                                                                         \
        t->config.member = value;                                                                  \
        return dpk_object_unlock(t, DOCA_SUCCESS);                                                 \
    }

REGISTER(doca_devemu_pci_type_set_device_id, device, uint16_t, 0xffff)
REGISTER(doca_devemu_pci_type_set_vendor_id, vendor, uint16_t, 0xffff)
REGISTER(doca_devemu_pci_type_set_subsystem_id, subsystem, uint16_t, 0xffff)
REGISTER(doca_devemu_pci_type_set_subsystem_vendor_id, subsystem_vendor, uint16_t, 0xffff)
REGISTER(doca_devemu_pci_type_set_revision_id, revision, uint8_t, 0xff)
REGISTER(doca_devemu_pci_type_set_class_code, class_code, uint32_t, 0xffffff)
REGISTER(doca_devemu_pci_type_set_num_msix, vectors, uint16_t, DPK_PCI_VECTORS)

doca_error_t doca_devemu_pci_type_set_memory_bar_conf(struct doca_devemu_pci_type *pci_type,
                                                      uint8_t id, uint8_t log_sz,
                                                      enum doca_devemu_pci_bar_mem_type memory_type,
                                                      uint8_t prefetchable)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    const bool fits = id < DPK_PCI_BARS && prefetchable <= 1 &&
                      (unsigned)memory_type <= DOCA_DEVEMU_PCI_BAR_MEM_TYPE_64_BIT &&
                      (log_sz == 0 || (log_sz >= DPK_PCI_LOG_MIN && log_sz <= DPK_PCI_LOG_MAX));
    struct pci_type *t = fits ? begin(pci_type, &result) : NULL;
    if (!t)
        return result;
    t->config.bars[id] = (struct dpk_pci_bar){
        .log_size = log_sz, .type = (uint8_t)memory_type, .prefetchable = prefetchable};
    return dpk_object_unlock(t, DOCA_SUCCESS);
}

/* The region that begins there, or a new one; NULL: there is no room. */
static struct dpk_pci_region *place(struct dpk_pci_config *c, unsigned bar, uint64_t start)
{
    for (unsigned i = 0; i < c->region_count; i++)
        if (c->regions[i].bar == bar && c->regions[i].start == start)
            return &c->regions[i];
    return c->region_count < DPK_PCI_REGIONS ? &c->regions[c->region_count++] : NULL;
}

static doca_error_t set_region(struct doca_devemu_pci_type *pci_type,
                               const struct dpk_pci_region *what)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct pci_type *t =
        what->bar < DPK_PCI_BARS && what->size > 0 ? begin(pci_type, &result) : NULL;
    struct dpk_pci_region *r = t ? place(&t->config, what->bar, what->start) : NULL;
    if (r)
        *r = *what;
    return t ? dpk_object_unlock(t, r ? DOCA_SUCCESS : DOCA_ERROR_FULL) : result;
}

/* What no type can have: an error of who may configure one. */
static doca_error_t refuse(const struct doca_devemu_pci_type *pci_type)
{
    doca_error_t result;
    struct pci_type *t = begin(pci_type, &result);
    return t ? dpk_object_unlock(t, DOCA_ERROR_NOT_SUPPORTED) : result;
}

doca_error_t doca_devemu_pci_type_set_bar_db_region_by_offset_conf(
    struct doca_devemu_pci_type *pci_type, uint8_t id, uint64_t start_addr, uint64_t size,
    uint8_t log_db_size, uint8_t log_stride_size)
{
    if (log_db_size > log_stride_size)
        return DOCA_ERROR_INVALID_VALUE;
    if (log_db_size != 2)
        return refuse(pci_type);
    return set_region(pci_type, &(struct dpk_pci_region){.use = DPK_PCI_RINGS,
                                                         .bar = id,
                                                         .start = start_addr,
                                                         .size = size,
                                                         .log_stride = log_stride_size});
}

doca_error_t doca_devemu_pci_type_set_bar_db_region_by_data_conf(
    struct doca_devemu_pci_type *pci_type, uint8_t id, uint64_t start_addr, uint64_t size,
    uint8_t log_db_size, uint16_t db_id_msbyte, uint16_t db_id_lsbyte)
{
    if (log_db_size > 6 || db_id_msbyte >> log_db_size || db_id_lsbyte >> log_db_size)
        return DOCA_ERROR_INVALID_VALUE;
    if (log_db_size != 2)
        return refuse(pci_type);
    return set_region(pci_type, &(struct dpk_pci_region){.use = DPK_PCI_MESSAGES,
                                                         .bar = id,
                                                         .start = start_addr,
                                                         .size = size,
                                                         .log_stride = log_db_size,
                                                         .id_least = (uint8_t)db_id_lsbyte,
                                                         .id_most = (uint8_t)db_id_msbyte});
}

static doca_error_t set_plain(struct doca_devemu_pci_type *pci_type, enum dpk_pci_use use,
                              uint8_t id, uint64_t start, uint64_t size)
{
    return set_region(
        pci_type, &(struct dpk_pci_region){.use = use, .bar = id, .start = start, .size = size});
}

doca_error_t
doca_devemu_pci_type_set_bar_msix_table_region_conf(struct doca_devemu_pci_type *pci_type,
                                                    uint8_t id, uint64_t start_addr, uint64_t size)
{
    return set_plain(pci_type, DPK_PCI_TABLE, id, start_addr, size);
}

doca_error_t
doca_devemu_pci_type_set_bar_msix_pba_region_conf(struct doca_devemu_pci_type *pci_type, uint8_t id,
                                                  uint64_t start_addr, uint64_t size)
{
    return set_plain(pci_type, DPK_PCI_PENDING, id, start_addr, size);
}

doca_error_t
doca_devemu_pci_type_set_bar_stateful_region_conf(struct doca_devemu_pci_type *pci_type, uint8_t id,
                                                  uint64_t start_addr, uint64_t size)
{
    return set_plain(pci_type, DPK_PCI_STATEFUL, id, start_addr, size);
}
