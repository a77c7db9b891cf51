/* Types of emulated functions: their configuration. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

#define IS_DEFAULT "the type is a default type of its device, which the library keeps"

static void type_left(void *object)
{
    struct pci_type *t = object;
    dpk_object_unuse(t->dev);
}

static void type_release(void *object)
{
    struct pci_type *t = object;
    for (unsigned i = 0; i < DPK_PCI_REGIONS; i++)
        free(t->defaults[i]);
    free(t);
}
const struct dpk_kind devemu_pci_type_kind = {.left = type_left, .release = type_release};

bool devemu_is_able(const struct dpk_device_info *card)
{
    return card->pair && card->side == DPK_SIDE_DPU;
}

doca_error_t devemu_failed(const struct dpk_error *err)
{
    const doca_error_t result = err->status == DPK_ERR_EXISTS      ? DOCA_ERROR_ALREADY_EXIST
                                : err->status == DPK_ERR_RANGE     ? DOCA_ERROR_FULL
                                : err->status == DPK_ERR_NOT_FOUND ? DOCA_ERROR_NOT_FOUND
                                : err->status == DPK_ERR_REFUSED   ? DOCA_ERROR_BAD_STATE
                                                                   : dpk_doca_error(err->status);
    return dpk_doca_because(result, "%s", err->message);
}

/* ---- Life ---- */

doca_error_t doca_devemu_pci_type_create(const char *name, struct doca_devemu_pci_type **pci_type)
{
    if (pci_type)
        *pci_type = NULL;
    const size_t n = name ? strnlen(name, DPK_PCI_NAME_SIZE) : 0;
    if (!pci_type)
        return dpk_doca_no_object(__func__);
    if (n == 0 || n == DPK_PCI_NAME_SIZE)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "the name of the type does not have 1 to %u bytes",
                                    (unsigned)DPK_PCI_NAME_SIZE - 1);
    struct pci_type *t = calloc(1, sizeof *t);
    if (t)
        memcpy(t->config.name, name, n);
    *pci_type = t ? dpk_object_enter(t, &devemu_pci_type_kind) : NULL;
    return dpk_doca_end(NULL, __func__, *pci_type ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_devemu_pci_type_destroy(struct doca_devemu_pci_type *pci_type)
{
    struct pci_type *t = dpk_object_lock(pci_type, &devemu_pci_type_kind);
    if (t && t->is_vfs)
        return dpk_doca_unlock(t, __func__, DOCA_ERROR_NOT_PERMITTED, IS_DEFAULT);
    dpk_object_unlock(t, DOCA_SUCCESS);
    return dpk_doca_destroy(pci_type, &devemu_pci_type_kind, __func__);
}

/* Call this with the lock. */
static doca_error_t start(struct pci_type *t)
{
    struct dpk_error err = {0};
    if (!t->dev)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the type has no device, as by "
                                                       "doca_devemu_pci_type_set_dev");
    if (!devemu_is_able(&t->card))
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "emulated functions are for "
                                                       "programs of the DPU (DPAKIT_SIDE=dpu)");
    if (dpk_pci_check(&t->config, &err) != DPK_OK)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "\"%s\": %s", t->config.name, err.message);
    if (dpk_pci_agree(t->card.path, &t->config, &err) != DPK_OK)
        return devemu_failed(&err);
    t->started = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_devemu_pci_type_start(struct doca_devemu_pci_type *pci_type)
{
    struct pci_type *t = dpk_object_lock(pci_type, &devemu_pci_type_kind);
    if (!t || t->started)
        return dpk_doca_unlock(t, __func__, DOCA_ERROR_BAD_STATE, "the type is started already");
    return dpk_doca_end(pci_type, __func__, dpk_object_unlock(t, start(t)));
}

doca_error_t doca_devemu_pci_type_stop(struct doca_devemu_pci_type *pci_type)
{
    struct pci_type *t = dpk_object_lock(pci_type, &devemu_pci_type_kind);
    if (t && t->is_vfs)
        return dpk_doca_unlock(t, __func__, DOCA_ERROR_NOT_PERMITTED, IS_DEFAULT);
    doca_error_t result = t && t->started ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
    if (result == DOCA_SUCCESS && atomic_load(&t->object.users) > 0)
        result = DOCA_ERROR_IN_USE;
    if (result == DOCA_SUCCESS)
        t->started = false;
    return dpk_doca_unlock(t, __func__, result, "%s",
                           result == DOCA_ERROR_IN_USE ? "contexts of functions use the type"
                                                       : "the type is not started");
}

/* ---- Configuration ---- */

/* Returns the type, locked, if it may be configured. Otherwise reports the error for `call` and
 * returns NULL with the error in *result. */
static struct pci_type *begin(const char *call, const struct doca_devemu_pci_type *pci_type,
                              doca_error_t *result)
{
    struct pci_type *t = dpk_object_lock(pci_type, &devemu_pci_type_kind);
    *result = DOCA_SUCCESS;
    if (t && !t->started)
        return t;
    *result =
        dpk_doca_unlock(t, call, DOCA_ERROR_BAD_STATE, "the type is started, and must not be");
    return NULL;
}

doca_error_t doca_devemu_pci_type_set_dev(struct doca_devemu_pci_type *pci_type,
                                          struct doca_dev *dev)
{
    struct dpk_device_info card;
    struct dpk_dev *before = NULL, *d = dpk_object_pin(dev, &dpk_dev_kind);
    if (!d)
        return dpk_doca_no_object(__func__);
    doca_error_t result = dpk_devinfo_ask(doca_dev_as_devinfo(dev), &card);
    if (result != DOCA_SUCCESS)
        dpk_doca_refuse_call(d, result, __func__, "the device is gone");
    struct pci_type *t = result == DOCA_SUCCESS ? begin(__func__, pci_type, &result) : NULL;
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
        doca_error_t result;                                                                       \
        const uint32_t wide = value;                                                               \
        if (wide > (mask))                                                                         \
            return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,                  \
                                        "0x%x is more than 0x%x", wide, (unsigned)(mask));         \
        struct pci_type *t = begin(__func__, pci_type, &result);                                   \
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
    doca_error_t result;
    const bool fits = id < DPK_PCI_BARS && prefetchable <= 1 &&
                      (unsigned)memory_type <= DOCA_DEVEMU_PCI_BAR_MEM_TYPE_64_BIT &&
                      (log_sz == 0 || (log_sz >= DPK_PCI_LOG_MIN && log_sz <= DPK_PCI_LOG_MAX));
    if (!fits)
        return dpk_doca_refuse_call(
            NULL, DOCA_ERROR_INVALID_VALUE, __func__,
            "BAR %u (0 to %u) of 2^%u bytes (0, %u to %u), memory of type %u (0 to "
            "%u), prefetchable %u (0 or 1)",
            id, DPK_PCI_BARS - 1, log_sz, DPK_PCI_LOG_MIN, DPK_PCI_LOG_MAX, (unsigned)memory_type,
            DOCA_DEVEMU_PCI_BAR_MEM_TYPE_64_BIT, prefetchable);
    struct pci_type *t = begin(__func__, pci_type, &result);
    if (!t)
        return result;
    t->config.bars[id] = (struct dpk_pci_bar){
        .log_size = log_sz, .type = (uint8_t)memory_type, .prefetchable = prefetchable};
    return dpk_object_unlock(t, DOCA_SUCCESS);
}

/* Returns the region that starts there, or a new region; NULL if there is no room. */
static struct dpk_pci_region *place(struct dpk_pci_config *c, unsigned bar, uint64_t start)
{
    for (unsigned i = 0; i < c->region_count; i++)
        if (c->regions[i].bar == bar && c->regions[i].start == start)
            return &c->regions[i];
    return c->region_count < DPK_PCI_REGIONS ? &c->regions[c->region_count++] : NULL;
}

static doca_error_t set_region(const char *call, struct doca_devemu_pci_type *pci_type,
                               const struct dpk_pci_region *what)
{
    doca_error_t result;
    if (what->bar >= DPK_PCI_BARS || what->size == 0)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                    "a region of 0x%llx bytes (at least 1) of BAR %u (0 to %u)",
                                    (unsigned long long)what->size, what->bar, DPK_PCI_BARS - 1);
    struct pci_type *t = begin(call, pci_type, &result);
    if (!t)
        return result;
    struct dpk_pci_region *r = place(&t->config, what->bar, what->start);
    if (r)
        *r = *what;
    return dpk_doca_unlock(t, call, r ? DOCA_SUCCESS : DOCA_ERROR_FULL,
                           "the type has its %u regions already", DPK_PCI_REGIONS);
}

/* Refuses a size of doorbells, unless the type cannot be configured at all. */
static doca_error_t refuse(const char *call, const struct doca_devemu_pci_type *pci_type,
                           uint8_t log_db_size)
{
    doca_error_t result;
    struct pci_type *t = begin(call, pci_type, &result);
    return t ? dpk_doca_unlock(t, call, DOCA_ERROR_NOT_SUPPORTED,
                               "doorbells of 2^%u bytes: they have 2^2", log_db_size)
             : result;
}

doca_error_t doca_devemu_pci_type_set_bar_db_region_by_offset_conf(
    struct doca_devemu_pci_type *pci_type, uint8_t id, uint64_t start_addr, uint64_t size,
    uint8_t log_db_size, uint8_t log_stride_size)
{
    if (log_db_size > log_stride_size)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "doorbells of 2^%u bytes, 2^%u bytes apart", log_db_size,
                                    log_stride_size);
    if (log_db_size != 2)
        return refuse(__func__, pci_type, log_db_size);
    return set_region(__func__, pci_type,
                      &(struct dpk_pci_region){.use = DPK_PCI_RINGS,
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
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "a doorbell of 2^%u bytes (2^6 at most) has no bytes %u to %u",
                                    log_db_size, db_id_lsbyte, db_id_msbyte);
    if (log_db_size != 2)
        return refuse(__func__, pci_type, log_db_size);
    return set_region(__func__, pci_type,
                      &(struct dpk_pci_region){.use = DPK_PCI_MESSAGES,
                                               .bar = id,
                                               .start = start_addr,
                                               .size = size,
                                               .log_stride = log_db_size,
                                               .id_least = (uint8_t)db_id_lsbyte,
                                               .id_most = (uint8_t)db_id_msbyte});
}

static doca_error_t set_plain(const char *call, struct doca_devemu_pci_type *pci_type,
                              enum dpk_pci_use use, uint8_t id, uint64_t start, uint64_t size)
{
    return set_region(
        call, pci_type,
        &(struct dpk_pci_region){.use = use, .bar = id, .start = start, .size = size});
}

doca_error_t
doca_devemu_pci_type_set_bar_msix_table_region_conf(struct doca_devemu_pci_type *pci_type,
                                                    uint8_t id, uint64_t start_addr, uint64_t size)
{
    return set_plain(__func__, pci_type, DPK_PCI_TABLE, id, start_addr, size);
}

doca_error_t
doca_devemu_pci_type_set_bar_msix_pba_region_conf(struct doca_devemu_pci_type *pci_type, uint8_t id,
                                                  uint64_t start_addr, uint64_t size)
{
    return set_plain(__func__, pci_type, DPK_PCI_PENDING, id, start_addr, size);
}

doca_error_t
doca_devemu_pci_type_set_bar_stateful_region_conf(struct doca_devemu_pci_type *pci_type, uint8_t id,
                                                  uint64_t start_addr, uint64_t size)
{
    return set_plain(__func__, pci_type, DPK_PCI_STATEFUL, id, start_addr, size);
}
