/* Memory maps. */
#include "mmap.h"

#include <sys/mman.h>

#define ALL_PERMISSIONS                                                                            \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | RDMA_PERMISSIONS | PCI_PERMISSIONS |                      \
     DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING)

/* ---- Keys ---- */

unsigned dpk_mmap_rights(uint32_t permissions)
{
    static const struct {
        uint32_t flag;
        unsigned rights;
    } each[] = {
        {DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, DPK_MEMORY_WRITE},
        {DOCA_ACCESS_FLAG_RDMA_READ, DPK_MEMORY_REMOTE_READ},
        {DOCA_ACCESS_FLAG_RDMA_WRITE, DPK_MEMORY_REMOTE_WRITE},
        {DOCA_ACCESS_FLAG_RDMA_ATOMIC, DPK_MEMORY_REMOTE_ATOMIC},
        {DOCA_ACCESS_FLAG_PCI_READ_ONLY, DPK_MEMORY_EXPORT_READ},
        {DOCA_ACCESS_FLAG_PCI_READ_WRITE, DPK_MEMORY_EXPORT_READ | DPK_MEMORY_EXPORT_WRITE},
    };
    unsigned rights = DPK_MEMORY_READ;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (permissions & each[i].flag)
            rights |= each[i].rights;
    return rights;
}

/* DPA memory is always on two devices: that of its context, and that of the context which it
 * extends. */
static bool is_of_dpa(const struct dpk_mmap *m, const struct dpk_dev *d)
{
    return m->dpa &&
           (m->dpa->dev->domain == d->domain || dpk_dpa_base(m->dpa)->dev->domain == d->domain);
}

/* Fills in the domains of all devices of a map. Returns false if there are too many. */
static bool put_domains(const struct dpk_mmap *m, struct dpk_memory *what)
{
    const struct dpk_dev *implied[] = {m->dpa ? m->dpa->dev : NULL,
                                       m->dpa ? dpk_dpa_base(m->dpa)->dev : NULL};
    unsigned count = 0;
    for (; count < m->dev_count; count++)
        what->domains[count] = m->devs[count]->domain;
    for (unsigned i = 0; i < 2 && implied[i]; i++) {
        if (dpk_memory_is_in(what, implied[i]->domain))
            continue;
        if (count == DPK_MEMORY_DOMAINS_MAX)
            return false;
        what->domains[count++] = implied[i]->domain;
    }
    return true;
}

/* Stores the reason why a key could not be made. */
static doca_error_t key_failed(const struct dpk_memory *what, const struct dpk_error *err)
{
    if (what->kind == DPK_MEMORY_REMOTE) {
        return dpk_doca_because(err->status == DPK_ERR_REFUSED  ? DOCA_ERROR_NOT_PERMITTED
                                : err->status == DPK_ERR_FORMAT ? DOCA_ERROR_INVALID_VALUE
                                                                : dpk_doca_error(err->status),
                                "%s", err->message);
    }
    if (err->status != DPK_ERR_RANGE)
        return DOCA_ERROR_NO_MEMORY;
    return dpk_doca_because(DOCA_ERROR_DRIVER, "%s", err->message);
}

doca_error_t dpk_mmap_make_key(struct dpk_mmap *m)
{
    struct dpk_memory what = m->memory;
    struct dpk_error err = {0};
    what.rights = dpk_mmap_rights(m->permissions);
    if (!put_domains(m, &what))
        return dpk_doca_because(DOCA_ERROR_FULL, "the map is on more than %d devices",
                                DPK_MEMORY_DOMAINS_MAX);
    if (what.kind == DPK_MEMORY_HOST)
        what.host = m->view.at ? (uint8_t *)m->view.at + m->view.skip
                               : dpk_gpu_bus(dpk_pointer(what.address));
    if (what.kind == DPK_MEMORY_DPA && !(what.process = dpk_dpa_enter(m->dpa, 0)))
        return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                "the DPA context of the memory is not running");
    enum dpk_status status = dpk_memory_add(&what, &m->key, &err);
    if (what.kind == DPK_MEMORY_DPA)
        dpk_dpa_leave(m->dpa);
    return status == DPK_OK ? DOCA_SUCCESS : key_failed(&what, &err);
}

/* Removes the memory, and waits for threads that use it. Call this without the lock, because these
 * threads may take it. */
static void key_end(struct dpk_mmap *m)
{
    pthread_mutex_lock(&m->object.lock);
    const uint32_t key = m->key;
    pthread_mutex_unlock(&m->object.lock);
    if (!dpk_memory_remove(key)) /* another thread may have removed it */
        dpk_doca_log(DOCA_LOG_LEVEL_WARNING,
                     "doca_mmap: a process that imported the map is stopped while it copies");
    pthread_mutex_lock(&m->object.lock);
    if (m->key == key)
        m->key = 0;
    pthread_mutex_unlock(&m->object.lock);
}

/* ---- Life ---- */

static void mmap_left(void *object)
{
    struct dpk_mmap *m = object;
    for (unsigned i = 0; i < m->dev_count; i++)
        dpk_object_end_use(m->devs[i]);
    dpk_object_end_use(m->behind);
}

static void view_free(const struct mmap_view *view)
{
    if (view->at)
        munmap(view->at, view->size);
}

static void mmap_release(void *object)
{
    struct dpk_mmap *m = object;
    for (unsigned i = 0; i < m->dev_count; i++)
        dpk_object_drop(m->devs[i]);
    dpk_object_drop(m->dpa);
    dpk_object_drop(m->behind);
    dpk_buf_free(&m->exports[0]);
    dpk_buf_free(&m->exports[1]);
    view_free(&m->view);
    free(m);
}
const struct dpk_kind dpk_mmap_kind = {.left = mmap_left, .release = mmap_release};

doca_error_t dpk_mmap_new_behind(const struct dpk_memory_bus *bus, void *object,
                                 struct doca_mmap **mmap)
{
    struct dpk_mmap *m = calloc(1, sizeof *m);
    if (m) {
        m->permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
        m->max_devs = MMAP_DEVS_MAX;
        m->memory.bus = bus;
        m->memory.bus_context = m->behind = object;
        if (object)
            dpk_object_use(object);
    }
    *mmap = m ? dpk_object_enter(m, &dpk_mmap_kind) : NULL;
    return *mmap ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_mmap_create(struct doca_mmap **mmap)
{
    return dpk_doca_end(NULL, __func__,
                        mmap ? dpk_mmap_new_behind(NULL, NULL, mmap) : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_mmap_destroy(struct doca_mmap *mmap)
{
    void *object = NULL;
    doca_error_t result = dpk_object_leave(mmap, &dpk_mmap_kind, &object);
    struct dpk_mmap *m = object;
    if (m) {
        key_end(m);
        atomic_store(&m->started, false);
        if (m->free_cb && m->free_cb_counts)
            m->free_cb(dpk_pointer(m->memory.address), (size_t)m->memory.size, m->free_cookie);
    }
    dpk_object_drop(m);
    return dpk_doca_end(mmap, __func__, result);
}

/* ---- Settings ---- */

struct dpk_mmap *dpk_mmap_begin_change(struct doca_mmap *mmap, doca_error_t *result)
{
    struct dpk_mmap *m = dpk_object_lock(mmap, &dpk_mmap_kind);
    *result = m ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (!m)
        return NULL;
    if (m->object.gone)
        *result = DOCA_ERROR_INVALID_VALUE;
    else if (m->memory.kind == DPK_MEMORY_REMOTE)
        *result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the map is imported, and never changes");
    else if (atomic_load(&m->started))
        *result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the map is started, and must not be");
    return m;
}

static unsigned find_dev(const struct dpk_mmap *m, const struct dpk_dev *d)
{
    unsigned i = 0;
    while (i < m->dev_count && m->devs[i] != d)
        i++;
    return i;
}

doca_error_t dpk_mmap_put_dev(struct dpk_mmap *m, struct dpk_dev *d)
{
    const uint32_t most = m->max_devs < MMAP_DEVS_MAX ? m->max_devs : MMAP_DEVS_MAX;
    if (find_dev(m, d) < m->dev_count)
        return dpk_doca_because(DOCA_ERROR_ALREADY_EXIST, "the map has the device already");
    if (m->dev_count >= most)
        return dpk_doca_because(DOCA_ERROR_NO_MEMORY,
                                "the map has %u devices, as many as it may have "
                                "(doca_mmap_set_max_num_devices)",
                                m->dev_count);
    dpk_object_use(d);
    m->devs[m->dev_count++] = d;
    return DOCA_SUCCESS;
}

static doca_error_t remove_dev(struct dpk_mmap *m, struct dpk_dev *d)
{
    unsigned i = find_dev(m, d);
    if (i == m->dev_count)
        return dpk_doca_because(DOCA_ERROR_NOT_FOUND, "the device was not added to the map");
    m->devs[i] = m->devs[--m->dev_count];
    dpk_object_unuse(d);
    return DOCA_SUCCESS;
}

static doca_error_t change_dev(struct doca_mmap *mmap, struct doca_dev *dev,
                               doca_error_t (*change)(struct dpk_mmap *m, struct dpk_dev *d))
{
    doca_error_t result;
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    struct dpk_mmap *m = dpk_mmap_begin_change(mmap, &result);
    if (!d)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the device is NULL, or was closed, or is of another kind");
    if (result == DOCA_SUCCESS)
        result = change(m, d);
    dpk_object_drop(d);
    return dpk_object_unlock(m, result);
}

doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
    return dpk_doca_end(mmap, __func__, change_dev(mmap, dev, dpk_mmap_put_dev));
}

doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
    return dpk_doca_end(mmap, __func__, change_dev(mmap, dev, remove_dev));
}

doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask)
{
    doca_error_t result;
    struct dpk_mmap *m = dpk_mmap_begin_change(mmap, &result);
    const uint32_t unknown = access_mask & ~(uint32_t)ALL_PERMISSIONS;
    if (m && unknown != 0)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the permissions 0x%x have bits that no flag of enum "
                                  "doca_access_flag has: 0x%x",
                                  access_mask, unknown);
    else if (m && (access_mask & PCI_PERMISSIONS) == PCI_PERMISSIONS)
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "DOCA_ACCESS_FLAG_PCI_READ_ONLY and _PCI_READ_WRITE exclude each "
                                  "other");
    if (result == DOCA_SUCCESS)
        m->permissions = access_mask;
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, result));
}

bool dpk_mmap_is_range(uint64_t address, uint64_t size)
{
    return address != 0 && size != 0 && size - 1 <= UINT64_MAX - address;
}

doca_error_t dpk_mmap_set_range(struct doca_mmap *mmap, struct dpk_dpa *dpa, uint64_t address,
                                uint64_t size, struct mmap_view view)
{
    doca_error_t result;
    struct dpk_dpa *before = NULL;
    struct mmap_view old = view; /* freed if it does not become that of the map */
    struct dpk_mmap *m = dpk_mmap_begin_change(mmap, &result);
    if (m && !dpk_mmap_is_range(address, size))
        result =
            dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                             "0x%llx, 0x%llx bytes, is not a range of addresses: address and size "
                             "are not 0, and the end is below 2^64",
                             (unsigned long long)address, (unsigned long long)size);
    else if (m && dpa && m->memory.bus)
        result =
            dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                             "a map of an emulated function's memory takes no memory of a DPA");
    if (result == DOCA_SUCCESS) {
        before = m->dpa;
        if (dpa)
            dpk_object_hold(dpa);
        m->dpa = dpa;
        old = m->view;
        m->view = view;
        m->memory.kind = dpa ? DPK_MEMORY_DPA : m->memory.bus ? DPK_MEMORY_BUS : DPK_MEMORY_HOST;
        m->memory.address = address;
        m->memory.size = size;
    }
    view_free(&old);
    dpk_object_drop(before);
    return dpk_object_unlock(m, result);
}

doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len)
{
    return dpk_doca_end(
        mmap, __func__,
        dpk_mmap_set_range(mmap, NULL, (uintptr_t)addr, len, (struct mmap_view){0}));
}

doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
                                        uint64_t dpa_addr, size_t len)
{
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    doca_error_t result =
        d ? dpk_mmap_set_range(mmap, d, dpa_addr, len, (struct mmap_view){0})
          : dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                             "the DPA context is NULL, or was destroyed, or is of another kind");
    dpk_object_drop(d);
    return dpk_doca_end(mmap, __func__, result);
}

/* ---- States ---- */

doca_error_t doca_mmap_start(struct doca_mmap *mmap)
{
    doca_error_t result;
    struct dpk_mmap *m = dpk_mmap_begin_change(mmap, &result);
    if (result == DOCA_SUCCESS && m->memory.size == 0)
        result = dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                  "the map has no memory (doca_mmap_set_memrange)");
    else if (result == DOCA_SUCCESS && m->dev_count == 0 && !m->dpa)
        result =
            dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the map has no device (doca_mmap_add_dev)");
    if (result == DOCA_SUCCESS)
        result = dpk_mmap_make_key(m);
    if (result == DOCA_SUCCESS) {
        m->was_started = true;
        m->free_cb_counts = true;
        atomic_store(&m->started, true);
    }
    return dpk_doca_end(mmap, __func__, dpk_object_unlock(m, result));
}

doca_error_t doca_mmap_stop(struct doca_mmap *mmap)
{
    struct dpk_mmap *m = dpk_object_pin(mmap, &dpk_mmap_kind);
    doca_error_t result = DOCA_SUCCESS;
    if (!m)
        return dpk_doca_end(mmap, __func__, DOCA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&m->object.lock);
    if (!atomic_load(&m->started) || m->stopping) {
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the map is not started");
    } else if (atomic_load(&m->object.users) != 0) {
        result = dpk_doca_because(DOCA_ERROR_IN_USE, "%u buffers or other objects use the map",
                                  atomic_load(&m->object.users));
    } else {
        m->stopping = true;
    }
    pthread_mutex_unlock(&m->object.lock);
    if (result == DOCA_SUCCESS) {
        key_end(m);
        pthread_mutex_lock(&m->object.lock);
        atomic_store(&m->started, false);
        m->stopping = false;
        dpk_buf_free(&m->exports[0]);
        dpk_buf_free(&m->exports[1]);
        pthread_mutex_unlock(&m->object.lock);
    }
    dpk_object_drop(m);
    return dpk_doca_end(mmap, __func__, result);
}

/* ---- Access ---- */

struct dpk_mmap *dpk_mmap_pin_started(const struct doca_mmap *mmap, const struct doca_dev *dev,
                                      doca_error_t *result)
{
    struct dpk_mmap *m = dpk_object_pin(mmap, &dpk_mmap_kind);
    struct dpk_dev *d = dev ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    *result = DOCA_SUCCESS;
    if (!m || (dev && !d))
        *result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                   "the %s is NULL, or was destroyed, or is of another kind",
                                   m ? "device" : "map");
    else if (!atomic_load(&m->started))
        *result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the map is not started");
    else if (d && find_dev(m, d) == m->dev_count && !is_of_dpa(m, d))
        *result =
            dpk_doca_because(DOCA_ERROR_NOT_FOUND,
                             "the map is not on the device %s (doca_mmap_add_dev)", d->info->name);
    dpk_object_drop(d);
    if (*result == DOCA_SUCCESS)
        return m;
    dpk_object_drop(m);
    return NULL;
}

doca_error_t dpk_mmap_key(struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *key)
{
    doca_error_t result;
    struct dpk_mmap *m = dpk_mmap_pin_started(mmap, dev, &result);
    if (!m)
        return result;
    pthread_mutex_lock(&m->object.lock);
    *key = m->key;
    if (m->key == 0)
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the map was just stopped");
    pthread_mutex_unlock(&m->object.lock);
    dpk_object_drop(m);
    return result;
}

bool dpk_is_mmap(const struct doca_mmap *mmap)
{
    struct dpk_mmap *m = dpk_object_pin(mmap, &dpk_mmap_kind);
    dpk_object_drop(m);
    return m != NULL;
}

doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
                                          doca_dpa_dev_mmap_t *dpa_mmap)
{
    return dpk_doca_end(mmap, __func__,
                        dev && dpa_mmap ? dpk_mmap_key(mmap, dev, dpa_mmap)
                                        : DOCA_ERROR_INVALID_VALUE);
}
