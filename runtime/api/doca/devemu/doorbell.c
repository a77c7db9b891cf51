/* Doorbells on the DPA. */
#include <stdlib.h>

#include "private.h"

/* ---- Rings, with the lock of the listener ---- */

/* Posts one completion for each request. */
void devemu_doorbell_tell(struct doorbell *b)
{
    if (!b->bound || !b->asked || !b->rung)
        return;
    b->asked = b->rung = false;
    dpk_completion_post(b->queue, &(struct dpk_completion){.user_data = b->place});
}

void devemu_doorbell_rung(struct doorbell *b)
{
    b->rung = true;
    devemu_doorbell_tell(b);
}

/* ---- Life ---- */

static void leave_completion(const struct doorbell *b)
{
    struct db_completion *k = b->completion;
    pthread_mutex_lock(&k->object.lock);
    if (k->doorbells)
        k->doorbells[b->place] = NULL;
    pthread_mutex_unlock(&k->object.lock);
}

static void doorbell_left(void *object)
{
    struct doorbell *b = object;
    devemu_listener_remove(b->dev, b);
    if (b->object.handle) /* no handle: no room was left, and the caller has the lock */
        leave_completion(b);
    dpk_object_end_use(b->completion);
    dpk_object_end_use(b->dev);
}

static void doorbell_release(void *object)
{
    struct doorbell *b = object;
    dpk_object_drop(b->queue);
    dpk_object_drop(b->completion);
    dpk_object_drop(b->dev);
    free(b);
}
const struct dpk_kind devemu_doorbell_kind = {.left = doorbell_left, .release = doorbell_release};

/* Call this with the lock of the completion. */
static doca_error_t enter(struct db_completion *k, const struct doorbell *what,
                          struct doca_devemu_pci_db **db)
{
    uint32_t place = 0;
    while (place < k->max && k->doorbells[place])
        place++;
    struct doorbell *b = place < k->max ? malloc(sizeof *b) : NULL;
    if (!b)
        return place < k->max ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_FULL;
    *b = *what;
    b->place = place;
    dpk_object_use(b->completion = k);
    dpk_object_use(b->dev);
    dpk_object_hold(b->queue = k->on_dpa.queue);
    *db = k->doorbells[place] = dpk_object_enter(b, &devemu_doorbell_kind);
    return *db ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY; /* it and its uses were released */
}

/* Call this with the lock of the context. */
static doca_error_t create(struct dpk_dpa *dpa, struct db_completion *k,
                           const struct doorbell *what, struct doca_devemu_pci_db **db)
{
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    pthread_mutex_lock(&k->object.lock);
    if (devemu_db_completion_runs(k) && dpk_dpa_base(k->on_dpa.queue->dpa) == dpk_dpa_base(dpa))
        result = enter(k, what, db);
    pthread_mutex_unlock(&k->object.lock);
    return result;
}

/* Returns the index of a region of doorbells, by place or by data, or -1. */
static int find_region(const struct dpk_pci_config *c, unsigned bar, uint64_t start)
{
    const int region = dpk_pci_find(c, DPK_PCI_RINGS, bar, start);
    return region >= 0 ? region : dpk_pci_find(c, DPK_PCI_MESSAGES, bar, start);
}

static bool is_number(const struct dpk_pci_region *r, uint32_t id)
{
    return id < (r->use == DPK_PCI_MESSAGES ? dpk_pci_ids(r) : r->size >> r->log_stride);
}

/* Call this with the lock of the context, which it unlocks. */
static doca_error_t create_in(struct pci_dev *d, struct dpk_dpa *dpa, struct db_completion *k,
                              unsigned bar, uint64_t start, struct doorbell *what,
                              struct doca_devemu_pci_db **db)
{
    const char *call = "doca_devemu_pci_db_create_on_dpa";
    const struct dpk_pci_config *c = dpk_pci_config_of(d->f);
    const int region = find_region(c, bar, start);
    if (region < 0)
        return dpk_doca_unlock(d, call, DOCA_ERROR_NOT_FOUND,
                               "no region of doorbells of BAR %u begins at 0x%llx", bar,
                               (unsigned long long)start);
    if (d->bells_set && what->id >= d->bells)
        return dpk_doca_unlock(d, call, DOCA_ERROR_INVALID_VALUE,
                               "the function has no doorbell %u, and %u doorbells from 0 "
                               "(doca_devemu_pci_ep_set_num_db)",
                               what->id, d->bells);
    if (!is_number(&c->regions[region], what->id))
        return dpk_doca_unlock(d, call, DOCA_ERROR_INVALID_VALUE,
                               "the region has no doorbell %u: its size is 0x%llx", what->id,
                               (unsigned long long)c->regions[region].size);
    what->region = (unsigned)region;
    const doca_error_t result = create(dpa, k, what, db);
    return dpk_doca_unlock(d, call, result, "%s",
                           result == DOCA_ERROR_FULL
                               ? "the completion has no place for another doorbell "
                                 "(doca_devemu_pci_db_completion_set_max_num_dbs)"
                           : result == DOCA_ERROR_BAD_STATE
                               ? "the completion is not started on the DPA context of the function"
                               : "memory is exhausted");
}

doca_error_t doca_devemu_pci_db_create_on_dpa(struct doca_devemu_pci_dev *pci_dev,
                                              struct doca_devemu_pci_db_completion *db_comp,
                                              uint8_t id, uint64_t start_addr, uint32_t db_id,
                                              uint64_t user_data, struct doca_devemu_pci_db **db)
{
    struct dpk_dpa *dpa;
    doca_error_t result;
    if (db)
        *db = NULL;
    struct db_completion *k = db ? dpk_object_pin(db_comp, &devemu_db_completion_kind) : NULL;
    struct pci_dev *d = devemu_pci_dev_lock_running(__func__, k ? pci_dev : NULL, &dpa, &result);
    struct doorbell what = {.dev = d, .id = db_id, .user_data = user_data};
    if (d)
        result = create_in(d, dpa, k, id, start_addr, &what, db);
    dpk_object_drop(k);
    return result;
}

doca_error_t doca_devemu_pci_db_destroy(struct doca_devemu_pci_db *db)
{
    return dpk_doca_destroy(db, &devemu_doorbell_kind, __func__);
}

doca_error_t doca_devemu_pci_db_start(struct doca_devemu_pci_db *db)
{
    struct doorbell *b = dpk_object_lock(db, &devemu_doorbell_kind);
    if (!b || b->object.gone) { /* with the lock: it leaves before or after this */
        dpk_object_unlock(b, DOCA_SUCCESS);
        return dpk_doca_no_object(__func__);
    }
    const doca_error_t result = devemu_listener_add(b->dev, b);
    return dpk_doca_unlock(b, __func__, result, "%s",
                           result == DOCA_ERROR_BAD_STATE ? "the doorbell is started already"
                           : result == DOCA_ERROR_ALREADY_EXIST
                               ? "another started doorbell has this number in this region"
                               : "no thread can be started that listens");
}

doca_error_t doca_devemu_pci_db_stop(struct doca_devemu_pci_db *db)
{
    struct doorbell *b = dpk_object_lock(db, &devemu_doorbell_kind);
    const bool started = b && devemu_listener_remove(b->dev, b);
    return dpk_doca_unlock(b, __func__, started ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the doorbell is not started");
}

doca_error_t doca_devemu_pci_db_get_dpa_handle(struct doca_devemu_pci_db *db,
                                               doca_dpa_dev_devemu_pci_db_t *db_handle)
{
    struct doorbell *b = db_handle ? dpk_object_pin(db, &devemu_doorbell_kind) : NULL;
    if (b)
        *db_handle = (uintptr_t)b->object.handle;
    dpk_object_drop(b);
    return b ? DOCA_SUCCESS : dpk_doca_no_object(__func__);
}

doca_error_t doca_devemu_pci_db_modify_value(struct doca_devemu_pci_db *db, uint32_t db_value)
{
    struct doorbell *b = dpk_object_pin(db, &devemu_doorbell_kind);
    if (!b)
        return dpk_doca_no_object(__func__);
    pthread_mutex_lock(&b->dev->listener.lock);
    b->value = db_value;
    if (b->started)
        devemu_doorbell_rung(b);
    pthread_mutex_unlock(&b->dev->listener.lock);
    dpk_object_drop(b);
    return DOCA_SUCCESS;
}

doca_error_t doca_devemu_pci_db_query_value(struct doca_devemu_pci_db *db, uint32_t *db_value)
{
    struct doorbell *b = db_value ? dpk_object_pin(db, &devemu_doorbell_kind) : NULL;
    if (!b)
        return dpk_doca_no_object(__func__);
    pthread_mutex_lock(&b->dev->listener.lock);
    *db_value = b->value;
    pthread_mutex_unlock(&b->dev->listener.lock);
    dpk_object_drop(b);
    return DOCA_SUCCESS;
}
