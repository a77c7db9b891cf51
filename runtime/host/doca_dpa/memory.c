/*
 * DPA memory. doca_dpa_mem_free of DOCA 2.2 gets an address and no context, so addresses must be
 * unique among all contexts although every process has the same address space: this file knows
 * which address is whose, and allocates around the addresses of other contexts.
 */
#include <search.h>
#include <stdlib.h>

#include "private.h"

struct dpa_allocation {
    uint64_t address; /* first: the key */
    struct doca_dpa *dpa;
    struct dpa_allocation *next, **link; /* of the same context */
};

/* All allocations by address: the API gives nothing else to find them with. */
static struct {
    pthread_mutex_t lock;
    void *tree; /* of tsearch(3) */
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int by_address(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

enum entered { ENTERED, TAKEN, NO_ROOM };

static enum entered enter(struct doca_dpa *dpa, uint64_t address)
{
    struct dpa_allocation *a = calloc(1, sizeof *a);
    if (!a)
        return NO_ROOM;
    *a = (struct dpa_allocation){.address = address, .dpa = dpa};
    pthread_mutex_lock(&registry.lock);
    struct dpa_allocation **found = tsearch(a, &registry.tree, by_address);
    enum entered result = !found ? NO_ROOM : *found == a ? ENTERED : TAKEN;
    if (result == ENTERED) {
        a->link = &dpa->allocations;
        if ((a->next = dpa->allocations))
            a->next->link = &a->next;
        dpa->allocations = a;
    }
    pthread_mutex_unlock(&registry.lock);
    if (result != ENTERED)
        free(a);
    return result;
}

/* Takes an address out of the registry; the context it belongs to, or NULL. */
static struct doca_dpa *leave(uint64_t address)
{
    struct doca_dpa *dpa = NULL;
    pthread_mutex_lock(&registry.lock);
    struct dpa_allocation **found = tfind(&address, &registry.tree, by_address);
    if (found) {
        struct dpa_allocation *a = *found;
        dpa = a->dpa;
        if ((*a->link = a->next))
            a->next->link = a->link;
        tdelete(a, &registry.tree, by_address);
        free(a);
    }
    pthread_mutex_unlock(&registry.lock);
    return dpa;
}

void dpk_dpa_memory_forget(const struct doca_dpa *dpa)
{
    while (dpa->allocations)
        leave(dpa->allocations->address);
}

/* ---- Allocating ------------------------------------------------------------------------------ */

#define SPACERS_MAX 20 /* they double: 64 bytes, 128, ... 32 MiB */

/* Allocates where no other context has an allocation: while the heap offers a taken address, blocks
 * of growing size push it on. */
static enum dpk_status allocate(struct doca_dpa *dpa, uint64_t size, uint64_t *address,
                                struct dpk_error *err)
{
    struct dpk_process *p = dpk_host_process(dpa->process);
    uint64_t spacers[SPACERS_MAX];
    unsigned count = 0;
    enum dpk_status status;
    for (;;) {
        if ((status = dpk_heap_alloc(p, size, address, err)) != DPK_OK)
            break;
        enum entered result = enter(dpa, *address);
        if (result == ENTERED)
            break;
        dpk_heap_free(p, *address, NULL);
        if (result == NO_ROOM || count == SPACERS_MAX) {
            status = dpk_fail_nomem(err);
            break;
        }
        if ((status = dpk_heap_alloc(p, UINT64_C(64) << count, &spacers[count], err)) != DPK_OK)
            break;
        count++;
    }
    while (count > 0)
        dpk_heap_free(p, spacers[--count], NULL);
    return status;
}

doca_error_t doca_dpa_mem_alloc(doca_dpa_t dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr)
{
    struct dpk_error err = {0};
    uint64_t address = 0;
    if (dev_ptr)
        *dev_ptr = 0;
    if (!dpa || !dpa->process || !dev_ptr || size == 0)
        return DOCA_ERROR_INVALID_VALUE;
    if (allocate(dpa, size, &address, &err) != DPK_OK)
        return dpk_dpa_failed(__func__, &err);
    *dev_ptr = address;
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_mem_free(doca_dpa_dev_uintptr_t dev_ptr)
{
    struct dpk_error err = {0};
    struct doca_dpa *dpa = leave(dev_ptr);
    if (!dpa)
        return DOCA_ERROR_INVALID_VALUE;
    if (dpk_heap_free(dpk_host_process(dpa->process), dev_ptr, &err) != DPK_OK)
        return dpk_dpa_failed(__func__, &err);
    return DOCA_SUCCESS;
}

/* ---- Filling --------------------------------------------------------------------------------- */

doca_error_t doca_dpa_h2d_memcpy(doca_dpa_t dpa, doca_dpa_dev_uintptr_t dev_ptr, void *src_ptr,
                                 size_t size)
{
    struct dpk_error err = {0};
    if (!dpa || !dpa->process || !src_ptr)
        return DOCA_ERROR_INVALID_VALUE;
    if (dpk_copy_in(dpk_host_process(dpa->process), dev_ptr, src_ptr, size, &err) != DPK_OK)
        return dpk_dpa_failed(__func__, &err);
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_memset(doca_dpa_t dpa, doca_dpa_dev_uintptr_t dev_ptr, int value, size_t size)
{
    struct dpk_error err = {0};
    if (!dpa || !dpa->process)
        return DOCA_ERROR_INVALID_VALUE;
    if (dpk_fill(dpk_host_process(dpa->process), dev_ptr, value, size, &err) != DPK_OK)
        return dpk_dpa_failed(__func__, &err);
    return DOCA_SUCCESS;
}
