/* Completions of doorbells: completion queues of the DPA, and the doorbells that use them. */
#include <doca_dpa.h>
#include <stdlib.h>

#include "guest/abi/devemu_calls.h"
#include "private.h"

#define DOORBELLS_DEFAULT 64u
#define ROOM              2u /* per doorbell: one may be posted before the last is acknowledged */

/* ---- Start and stop, with the lock ---- */

static void end(struct db_completion *k)
{
    dpk_dpa_queue_end(&k->on_dpa);
    free(k->doorbells);
    k->doorbells = NULL;
}

static doca_error_t start(struct db_completion *k)
{
    if (!(k->doorbells = calloc(k->max, sizeof *k->doorbells)))
        return DOCA_ERROR_NO_MEMORY;
    struct dpa_devemu_completion head = {.handle = (uintptr_t)k->object.handle};
    doca_error_t result = dpk_dpa_queue_start(&k->on_dpa, k->thread, k->max * ROOM, sizeof head);
    head.queue = (uintptr_t)k->on_dpa.handle;
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_dpa_h2d_memcpy(dpk_dpa_of_thread(k->thread), k->on_dpa.memory,
                                                    &head, sizeof head));
    if (result != DOCA_SUCCESS)
        end(k);
    return result;
}

static void completion_left(void *object)
{
    struct db_completion *k = object;
    pthread_mutex_lock(&k->object.lock);
    if (k->on_dpa.handle)
        end(k);
    pthread_mutex_unlock(&k->object.lock);
}
const struct dpk_kind devemu_db_completion_kind = {.left = completion_left, .release = free};

bool devemu_dpa_runs(struct dpk_dpa *dpa, uint64_t run)
{
    const bool runs = dpk_dpa_enter(dpa, run) != NULL;
    if (runs)
        dpk_dpa_leave(dpa);
    return runs;
}

bool devemu_db_completion_runs(const struct db_completion *k)
{
    return k->on_dpa.handle && devemu_dpa_runs(k->on_dpa.queue->dpa, k->on_dpa.queue->run);
}

/* ---- The public side ---- */

doca_error_t doca_devemu_pci_db_completion_create(struct doca_dpa_thread *dpa_thread,
                                                  struct doca_devemu_pci_db_completion **db_comp)
{
    if (db_comp)
        *db_comp = NULL;
    if (!db_comp || !dpk_dpa_of_thread(dpa_thread))
        return dpk_doca_no_object(__func__);
    struct db_completion *k = calloc(1, sizeof *k);
    if (k) {
        k->thread = dpa_thread;
        k->max = DOORBELLS_DEFAULT;
    }
    *db_comp = k ? dpk_object_enter(k, &devemu_db_completion_kind) : NULL;
    return dpk_doca_end(dpa_thread, __func__, *db_comp ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_devemu_pci_db_completion_destroy(struct doca_devemu_pci_db_completion *db_comp)
{
    return dpk_doca_destroy(db_comp, &devemu_db_completion_kind, __func__);
}

doca_error_t
doca_devemu_pci_db_completion_set_max_num_dbs(struct doca_devemu_pci_db_completion *db_comp,
                                              uint32_t max_num_dbs)
{
    if (max_num_dbs == 0 || max_num_dbs > DPK_PCI_DOORBELLS)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u is not within 1 to %u", max_num_dbs, DPK_PCI_DOORBELLS);
    struct db_completion *k = dpk_object_lock(db_comp, &devemu_db_completion_kind);
    const bool idle = k && !k->on_dpa.handle;
    if (idle)
        k->max = max_num_dbs;
    return dpk_doca_unlock(k, __func__, idle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the completion is started, and must not be");
}

doca_error_t
doca_devemu_pci_db_completion_get_max_num_dbs(struct doca_devemu_pci_db_completion *db_comp,
                                              uint32_t *max_num_dbs)
{
    struct db_completion *k =
        max_num_dbs ? dpk_object_lock(db_comp, &devemu_db_completion_kind) : NULL;
    if (k)
        *max_num_dbs = k->max;
    return k ? dpk_object_unlock(k, DOCA_SUCCESS) : dpk_doca_no_object(__func__);
}

doca_error_t
doca_devemu_pci_db_completion_get_curr_num_dbs(struct doca_devemu_pci_db_completion *db_comp,
                                               uint32_t *num_dbs)
{
    struct db_completion *k = num_dbs ? dpk_object_lock(db_comp, &devemu_db_completion_kind) : NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; k && k->doorbells && i < k->max; i++)
        count += k->doorbells[i] != NULL;
    if (k)
        *num_dbs = count;
    return k ? dpk_object_unlock(k, DOCA_SUCCESS) : dpk_doca_no_object(__func__);
}

doca_error_t doca_devemu_pci_db_completion_start(struct doca_devemu_pci_db_completion *db_comp)
{
    struct db_completion *k = dpk_object_lock(db_comp, &devemu_db_completion_kind);
    if (!k || k->on_dpa.handle)
        return dpk_doca_unlock(k, __func__, DOCA_ERROR_BAD_STATE,
                               "the completion is started already");
    return dpk_doca_end(db_comp, __func__, dpk_object_unlock(k, start(k)));
}

doca_error_t doca_devemu_pci_db_completion_stop(struct doca_devemu_pci_db_completion *db_comp)
{
    struct db_completion *k = dpk_object_lock(db_comp, &devemu_db_completion_kind);
    doca_error_t result = k && k->on_dpa.handle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
    if (result == DOCA_SUCCESS && atomic_load(&k->object.users) > 0)
        result = DOCA_ERROR_IN_USE;
    if (result == DOCA_SUCCESS)
        end(k);
    return dpk_doca_unlock(k, __func__, result, "%s",
                           result == DOCA_ERROR_IN_USE ? "doorbells use the completion"
                                                       : "the completion is not started");
}

doca_error_t doca_devemu_pci_db_completion_get_dpa_handle(
    struct doca_devemu_pci_db_completion *db_comp,
    doca_dpa_dev_devemu_pci_db_completion_t *db_comp_handle)
{
    struct db_completion *k =
        db_comp_handle ? dpk_object_lock(db_comp, &devemu_db_completion_kind) : NULL;
    const bool runs = k && devemu_db_completion_runs(k);
    if (runs)
        *db_comp_handle = k->on_dpa.memory;
    return dpk_doca_unlock(k, __func__, runs ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the completion is not started, or its DPA context was stopped");
}
