/* Exports of memory maps for processes on the same PCIe bus and for RDMA peers, and imports. */
#include "mmap.h"

/* ---- Exporting ---- */

/* Permits other processes to access the memory. DPA memory stays private. Call this with the
 * lock. */
static doca_error_t share(const struct dpk_mmap *m, struct descriptor *d)
{
    struct dpk_exporter who;
    struct dpk_error err = {0};
    if (m->memory.kind != DPK_MEMORY_HOST)
        return DOCA_SUCCESS;
    if (dpk_memory_export(m->key, dpk_process_identity(), &who, &err) != DPK_OK)
        return dpk_doca_because(dpk_doca_error(err.status), "%s", err.message);
    d->process = who.process;
    d->file = who.file;
    return DOCA_SUCCESS;
}

/* Call this with the lock. */
static doca_error_t describe(const struct dpk_mmap *m, enum descriptor_kind kind,
                             struct dpk_buf *out)
{
    struct descriptor d = {.kind = kind,
                           .permissions = m->permissions,
                           .owner = *dpk_process_identity(),
                           .key = m->key,
                           .address = m->memory.address,
                           .size = m->memory.size};
    const doca_error_t result = kind == DESCRIPTOR_MMAP_PCI ? share(m, &d) : DOCA_SUCCESS;
    if (result == DOCA_SUCCESS)
        core_descriptor_write(&d, out);
    if (!out->failed)
        return result;
    dpk_buf_free(out);
    return DOCA_ERROR_NO_MEMORY;
}

static doca_error_t export_locked(struct dpk_mmap *m, enum descriptor_kind kind,
                                  const void **export_desc, size_t *export_desc_len)
{
    const uint32_t needs = kind == DESCRIPTOR_MMAP_PCI ? PCI_PERMISSIONS : RDMA_PERMISSIONS;
    struct dpk_buf *bytes = &m->exports[kind == DESCRIPTOR_MMAP_RDMA];
    doca_error_t result = DOCA_SUCCESS;
    if (m->memory.kind == DPK_MEMORY_REMOTE)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the map is imported: its owner exports it");
    if (m->key == 0 || m->stopping)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the map is being stopped");
    if (m->memory.kind == DPK_MEMORY_BUS)
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "the memory is the host's, and only its owner exports it");
    if ((m->permissions & needs) == 0)
        return dpk_doca_because(DOCA_ERROR_NOT_PERMITTED,
                                "the map's permissions 0x%x have no flag %s_... "
                                "(doca_mmap_set_permissions)",
                                m->permissions,
                                kind == DESCRIPTOR_MMAP_PCI ? "DOCA_ACCESS_FLAG_PCI"
                                                            : "DOCA_ACCESS_FLAG_RDMA");
    if (bytes->size == 0)
        result = describe(m, kind, bytes);
    if (result == DOCA_SUCCESS) {
        *export_desc = bytes->data;
        *export_desc_len = bytes->size;
    }
    return result;
}

static doca_error_t export_to(struct doca_mmap *mmap, const struct doca_dev *dev,
                              enum descriptor_kind kind, const void **export_desc,
                              size_t *export_desc_len)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_mmap *m =
        dev && export_desc && export_desc_len ? dpk_mmap_pin_started(mmap, dev, &result) : NULL;
    if (!m)
        return result;
    pthread_mutex_lock(&m->object.lock);
    result = export_locked(m, kind, export_desc, export_desc_len);
    pthread_mutex_unlock(&m->object.lock);
    dpk_object_drop(m);
    return result;
}

doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len)
{
    return dpk_doca_end(mmap, __func__,
                        export_to(mmap, dev, DESCRIPTOR_MMAP_PCI, export_desc, export_desc_len));
}

doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len)
{
    return dpk_doca_end(mmap, __func__,
                        export_to(mmap, dev, DESCRIPTOR_MMAP_RDMA, export_desc, export_desc_len));
}

/* ---- Importing ---- */

/* Returns the exporter. Memory of another process on the same bus can be copied from there. */
static struct dpk_exporter exporter_of(const struct descriptor *what)
{
    const bool own = dpk_uuid_equal(&what->owner, dpk_process_identity());
    struct dpk_exporter who = {.identity = what->owner};
    if (what->kind == DESCRIPTOR_MMAP_PCI && !own) {
        who.process = what->process;
        who.file = what->file;
    }
    return who;
}

static struct dpk_mmap *import_new(const struct descriptor *what, union doca_data user_data)
{
    struct dpk_mmap *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->memory = (struct dpk_memory){.kind = DPK_MEMORY_REMOTE,
                                    .address = what->address,
                                    .size = what->size,
                                    .exporter = exporter_of(what),
                                    .exported_key = (uint32_t)what->key};
    m->permissions = what->permissions;
    m->user_data = user_data;
    m->max_devs = 1;
    return m;
}

static doca_error_t import(const struct descriptor *what, struct dpk_dev *d,
                           union doca_data user_data, struct doca_mmap **mmap)
{
    struct dpk_mmap *m = import_new(what, user_data);
    if (!m)
        return DOCA_ERROR_NO_MEMORY;
    dpk_mmap_put_dev(m, d);
    if (!(*mmap = dpk_object_enter(m, &dpk_mmap_kind)))
        return DOCA_ERROR_NO_MEMORY;
    pthread_mutex_lock(&m->object.lock);
    doca_error_t result = dpk_mmap_make_key(m);
    if (result == DOCA_SUCCESS)
        atomic_store(&m->started, m->was_started = true);
    pthread_mutex_unlock(&m->object.lock);
    if (result != DOCA_SUCCESS) {
        dpk_object_destroy(*mmap, &dpk_mmap_kind); /* keeps the reason */
        *mmap = NULL;
    }
    return result;
}

bool dpk_mmap_imports_pci(const struct dpk_device_info *info)
{
    return !info->pair || info->side == DPK_SIDE_DPU;
}

static doca_error_t imports_pci(const struct dpk_dev *d)
{
    struct dpk_device_info info;
    doca_error_t result = dpk_devinfo_ask(doca_dev_as_devinfo(d->object.handle), &info);
    if (result != DOCA_SUCCESS || dpk_mmap_imports_pci(&info))
        return result;
    return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                            "the host's side of a card imports no memory; the DPU's does "
                            "(DPAKIT_SIDE=dpu)");
}

doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap)
{
    struct descriptor what;
    if (mmap)
        *mmap = NULL;
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    doca_error_t result = d && mmap ? core_descriptor_read(export_desc, export_desc_len, &what)
                                    : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS &&
        ((what.kind != DESCRIPTOR_MMAP_PCI && what.kind != DESCRIPTOR_MMAP_RDMA) ||
         !dpk_mmap_is_range(what.address, what.size) || what.key > UINT32_MAX))
        result =
            dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the bytes are not the export of a map");
    if (result == DOCA_SUCCESS && what.kind == DESCRIPTOR_MMAP_PCI)
        result = imports_pci(d);
    if (result == DOCA_SUCCESS)
        result = import(&what, d, user_data ? *user_data : (union doca_data){0}, mmap);
    dpk_object_drop(d);
    return dpk_doca_end(dev, __func__, result);
}
