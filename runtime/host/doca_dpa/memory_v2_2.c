/*
 * DPA memory of DOCA 2.2: doca_dpa_mem_free gets an address and no context, so addresses must be
 * unique among all such contexts although every process has the same address space: this file knows
 * which address is whose, and allocates around the addresses of other contexts.
 */
#include <search.h>

#include "private.h"

struct dpa_allocation {
    uint64_t address; /* first: the key */
    struct dpk_dpa *dpa;
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

static enum entered enter(struct dpk_dpa *d, uint64_t address)
{
    struct dpa_allocation *a = calloc(1, sizeof *a);
    if (!a)
        return NO_ROOM;
    *a = (struct dpa_allocation){.address = address, .dpa = d};
    pthread_mutex_lock(&registry.lock);
    struct dpa_allocation **found = tsearch(a, &registry.tree, by_address);
    enum entered result = !found ? NO_ROOM : *found == a ? ENTERED : TAKEN;
    if (result == ENTERED) {
        a->link = &d->allocations;
        if ((a->next = d->allocations))
            a->next->link = &a->next;
        d->allocations = a;
    }
    pthread_mutex_unlock(&registry.lock);
    if (result != ENTERED)
        free(a);
    return result;
}

/* With the lock held. */
static void remove_entry(struct dpa_allocation *a)
{
    if ((*a->link = a->next))
        a->next->link = a->link;
    tdelete(a, &registry.tree, by_address);
    free(a);
}

struct dpk_dpa *dpa_allocation_leave(uint64_t address)
{
    struct dpk_dpa *d = NULL;
    pthread_mutex_lock(&registry.lock);
    struct dpa_allocation **found = tfind(&address, &registry.tree, by_address);
    if (found) {
        dpk_object_hold(d = (*found)->dpa);
        remove_entry(*found);
    }
    pthread_mutex_unlock(&registry.lock);
    return d;
}

void dpa_allocations_forget(struct dpk_dpa *d)
{
    pthread_mutex_lock(&registry.lock);
    for (struct dpa_allocation *a = d->allocations, *next; a; a = next) {
        next = a->next;
        tdelete(a, &registry.tree, by_address);
        free(a);
    }
    d->allocations = NULL;
    pthread_mutex_unlock(&registry.lock);
}

#define SPACERS_MAX 20 /* they double: 64 bytes, 128, ... 32 MiB */

/* While the heap offers a taken address, blocks of growing size push it on. */
enum dpk_status dpa_allocate_unique(struct dpk_dpa *d, struct dpk_process *p, uint64_t size,
                                    uint64_t *address, struct dpk_error *err)
{
    uint64_t spacers[SPACERS_MAX];
    unsigned count = 0;
    enum dpk_status status;
    for (;;) {
        if ((status = dpk_heap_alloc(p, size, address, err)) != DPK_OK)
            break;
        enum entered result = enter(d, *address);
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
