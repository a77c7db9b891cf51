/* Properties of a memory map, except its memory, devices and permissions. */
#include "mmap.h"

doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data)
{
    doca_error_t result;
    struct dpk_mmap *m = dpk_mmap_begin_change(mmap, &result);
    if (result == DOCA_SUCCESS)
        m->user_data = user_data;
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, result));
}

doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
                                   void *opaque)
{
    doca_error_t result;
    struct dpk_mmap *m = dpk_mmap_begin_change(mmap, &result);
    if (result == DOCA_SUCCESS) {
        m->free_cb = free_cb;
        m->free_cookie = opaque;
        m->free_cb_counts = false;
    }
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, result));
}

doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices)
{
    doca_error_t result;
    struct dpk_mmap *m = dpk_mmap_begin_change(mmap, &result);
    if (m && result != DOCA_ERROR_INVALID_VALUE && m->was_started)
        result = dpk_doca_because(DOCA_ERROR_NOT_PERMITTED, "the map was started before");
    else if (m && (max_num_devices == 0 || max_num_devices < m->dev_count))
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "%u is 0, or less than the %u devices that the map has",
                                  max_num_devices, m->dev_count);
    if (result == DOCA_SUCCESS)
        m->max_devs = max_num_devices;
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, result));
}

doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap)
{
    doca_error_t result;
    struct dpk_mmap *m = dpk_mmap_begin_change(mmap, &result);
    if (result == DOCA_ERROR_BAD_STATE)
        result = dpk_doca_because(DOCA_ERROR_NOT_PERMITTED, "the map is started, and must not be");
    if (result == DOCA_SUCCESS)
        m->thread_safe = true;
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, result));
}

/* ---- Getters ---- */

doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len)
{
    struct dpk_mmap *m = addr && len ? dpk_object_lock(mmap, &dpk_mmap_kind) : NULL;
    const bool is_set = m && m->memory.size != 0;
    const doca_error_t result =
        is_set ? DOCA_SUCCESS
               : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                  "the map has no memory (doca_mmap_set_memrange)");
    if (is_set) {
        *addr = dpk_pointer(m->memory.address);
        *len = (size_t)m->memory.size;
    }
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, result));
}

doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data)
{
    struct dpk_mmap *m = user_data ? dpk_object_lock(mmap, &dpk_mmap_kind) : NULL;
    if (m)
        *user_data = m->user_data;
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, DOCA_SUCCESS));
}

doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices)
{
    struct dpk_mmap *m = max_num_devices ? dpk_object_lock(mmap, &dpk_mmap_kind) : NULL;
    if (m)
        *max_num_devices = m->max_devs;
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, DOCA_SUCCESS));
}

doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs)
{
    struct dpk_mmap *m = num_bufs ? dpk_object_lock(mmap, &dpk_mmap_kind) : NULL;
    if (m)
        *num_bufs = atomic_load(&m->object.users);
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, DOCA_SUCCESS));
}

doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported)
{
    struct dpk_mmap *m = exported ? dpk_object_lock(mmap, &dpk_mmap_kind) : NULL;
    if (m)
        *exported = m->exports[0].size != 0 || m->exports[1].size != 0;
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, DOCA_SUCCESS));
}

doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export)
{
    struct dpk_mmap *m = from_export ? dpk_object_lock(mmap, &dpk_mmap_kind) : NULL;
    if (m)
        *from_export = m->memory.kind == DPK_MEMORY_REMOTE;
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, DOCA_SUCCESS));
}

doca_error_t doca_mmap_get_mkey(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *mkey)
{
    return dpk_doca_end(mmap, __func__,
                        dev && mkey ? dpk_mmap_key(mmap, dev, mkey) : DOCA_ERROR_INVALID_VALUE);
}

static doca_error_t is_able(const struct doca_devinfo *devinfo, uint8_t *answer)
{
    const doca_error_t result =
        answer ? dpk_devinfo_answer(devinfo, DOCA_SUCCESS) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *answer = 1;
    return result;
}

doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
                                                   uint8_t *mmap_export)
{
    return dpk_doca_end(devinfo, __func__, is_able(devinfo, mmap_export));
}

doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *from_export)
{
    struct dpk_device_info info;
    doca_error_t result = from_export ? dpk_devinfo_ask(devinfo, &info) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *from_export = dpk_mmap_imports_pci(&info);
    return dpk_doca_end(devinfo, __func__, result);
}
