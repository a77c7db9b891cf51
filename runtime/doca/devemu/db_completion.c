/* Completions of doorbells: completion queues of the DPA, with the doorbells that fill them. */
#include <doca_dpa.h>
#include <stdlib.h>

#include "guest/devemu_calls.h"
#include "private.h"

#define DOORBELLS_DEFAULT 64u
#define ROOM              2u /* completions for each doorbell: one may come before the last is acknowledged */

/* ---- Start and stop, with the lock ---- */

/* What was made is given back; of a DPA context that was stopped it is gone. */
static void end(struct db_completion *k)
{
    struct dpk_error err = {0};
    struct dpk_process *p = k->memory ? dpk_dpa_enter(k->queue->dpa, k->queue->run) : NULL;
    if (p) {
        dpk_heap_free(p, k->memory, &err);
        dpk_dpa_leave(k->queue->dpa);
    }
    doca_dpa_completion_destroy(k->handle);
    dpk_object_drop(k->queue);
    free(k->doorbells);
    k->handle = NULL;
    k->queue = NULL;
    k->memory = 0;
    k->doorbells = NULL;
}

static doca_error_t make_memory(struct db_completion *k, struct doca_dpa *dpa)
{
    const struct dpa_devemu_completion head = {.queue = (uintptr_t)k->handle,
                                               .handle = (uintptr_t)k->object.handle};
    const doca_error_t result = doca_dpa_mem_alloc(dpa, sizeof head, &k->memory);
    return result == DOCA_SUCCESS
               ? doca_dpa_h2d_memcpy(dpa, k->memory, (void *)(uintptr_t)&head, sizeof head)
               : result;
}

static doca_error_t start(struct db_completion *k)
{
    struct doca_dpa *dpa = dpk_dpa_of_thread(k->thread);
    if (!dpa)
        return DOCA_ERROR_BAD_STATE; /* the thread is gone */
    doca_error_t result = doca_dpa_completion_create(dpa, k->max * ROOM, &k->handle);
    if (result != DOCA_SUCCESS)
        return result;
    k->queue = dpk_object_pin(k->handle, &dpk_completion_kind);
    if (!(k->doorbells = calloc(k->max, sizeof *k->doorbells)))
        result = DOCA_ERROR_NO_MEMORY;
    if (result == DOCA_SUCCESS)
        result = doca_dpa_completion_set_thread(k->handle, k->thread);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_completion_start(k->handle);
    if (result == DOCA_SUCCESS)
        result = make_memory(k, dpa);
    if (result != DOCA_SUCCESS)
        end(k);
    return result;
}

static void completion_left(void *object)
{
    struct db_completion *k = object;
    pthread_mutex_lock(&k->object.lock);
    if (k->handle)
        end(k);
    pthread_mutex_unlock(&k->object.lock);
}
const struct dpk_kind db_completion_kind = {.left = completion_left, .release = free};

bool devemu_dpa_runs(struct dpk_dpa *dpa, uint64_t run)
{
    const bool runs = dpk_dpa_enter(dpa, run) != NULL;
    if (runs)
        dpk_dpa_leave(dpa);
    return runs;
}

bool db_completion_runs(const struct db_completion *k)
{
    return k->handle && devemu_dpa_runs(k->queue->dpa, k->queue->run);
}

/* ---- The public side ---- */

doca_error_t doca_devemu_pci_db_completion_create(struct doca_dpa_thread *dpa_thread,
                                                  struct doca_devemu_pci_db_completion **db_comp)
{
    if (db_comp)
        *db_comp = NULL;
    if (!db_comp || !dpk_dpa_of_thread(dpa_thread))
        return DOCA_ERROR_INVALID_VALUE;
    struct db_completion *k = calloc(1, sizeof *k);
    if (k) {
        k->thread = dpa_thread;
        k->max = DOORBELLS_DEFAULT;
    }
    *db_comp = k ? dpk_object_enter(k, &db_completion_kind) : NULL;
    return *db_comp ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_devemu_pci_db_completion_destroy(struct doca_devemu_pci_db_completion *db_comp)
{
    return dpk_object_destroy(db_comp, &db_completion_kind);
}

doca_error_t
doca_devemu_pci_db_completion_set_max_num_dbs(struct doca_devemu_pci_db_completion *db_comp,
                                              uint32_t max_num_dbs)
{
    if (max_num_dbs == 0 || max_num_dbs > DPK_PCI_DOORBELLS)
        return DOCA_ERROR_INVALID_VALUE;
    struct db_completion *k = dpk_object_lock(db_comp, &db_completion_kind);
    const bool idle = k && !k->handle;
    if (idle)
        k->max = max_num_dbs;
    return dpk_object_unlock(k, idle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE);
}

doca_error_t
doca_devemu_pci_db_completion_get_max_num_dbs(const struct doca_devemu_pci_db_completion *db_comp,
                                              uint32_t *max_num_dbs)
{
    struct db_completion *k = max_num_dbs ? dpk_object_lock(db_comp, &db_completion_kind) : NULL;
    if (k)
        *max_num_dbs = k->max;
    return dpk_object_unlock(k, DOCA_SUCCESS);
}

doca_error_t doca_devemu_pci_db_completion_start(struct doca_devemu_pci_db_completion *db_comp)
{
    struct db_completion *k = dpk_object_lock(db_comp, &db_completion_kind);
    return dpk_object_unlock(k, k && !k->handle ? start(k) : DOCA_ERROR_BAD_STATE);
}

doca_error_t doca_devemu_pci_db_completion_stop(struct doca_devemu_pci_db_completion *db_comp)
{
    struct db_completion *k = dpk_object_lock(db_comp, &db_completion_kind);
    doca_error_t result = k && k->handle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
    if (result == DOCA_SUCCESS && atomic_load(&k->object.users) > 0)
        result = DOCA_ERROR_IN_USE;
    if (result == DOCA_SUCCESS)
        end(k);
    return dpk_object_unlock(k, result);
}

doca_error_t doca_devemu_pci_db_completion_get_dpa_handle(
    struct doca_devemu_pci_db_completion *db_comp,
    doca_dpa_dev_devemu_pci_db_completion_t *db_comp_handle)
{
    struct db_completion *k = db_comp_handle ? dpk_object_lock(db_comp, &db_completion_kind) : NULL;
    const bool runs = k && db_completion_runs(k);
    if (runs)
        *db_comp_handle = k->memory;
    return dpk_object_unlock(k, runs ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE);
}
