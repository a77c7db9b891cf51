/*
 * Memory of DPA processes that is found by its address alone, as old generations of the APIs free
 * it: addresses must be unique among all owners although every process has the same address space.
 * So a registry knows which address is whose, and allocates around the addresses of others.
 */
#include <search.h>

#include "private.h"

struct dpk_allocation {
    uint64_t address; /* first: the key */
    void *owner;
    struct dpk_allocation *next, **link; /* of the same owner */
};

static int by_address(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

enum entered { ENTERED, TAKEN, NO_ROOM };

static enum entered enter(struct dpk_addresses *all, void *owner, struct dpk_allocation **list,
                          uint64_t address)
{
    struct dpk_allocation *a = calloc(1, sizeof *a);
    if (!a)
        return NO_ROOM;
    *a = (struct dpk_allocation){.address = address, .owner = owner};
    pthread_mutex_lock(&all->lock);
    struct dpk_allocation **found = tsearch(a, &all->tree, by_address);
    enum entered result = !found ? NO_ROOM : *found == a ? ENTERED : TAKEN;
    if (result == ENTERED) {
        a->link = list;
        if ((a->next = *list))
            a->next->link = &a->next;
        *list = a;
    }
    pthread_mutex_unlock(&all->lock);
    if (result != ENTERED)
        free(a);
    return result;
}

/* With the lock held. */
static void remove_entry(struct dpk_addresses *all, struct dpk_allocation *a)
{
    if ((*a->link = a->next))
        a->next->link = a->link;
    tdelete(a, &all->tree, by_address);
    free(a);
}

void *dpk_address_leave(struct dpk_addresses *all, uint64_t address, void (*hold)(void *owner))
{
    void *owner = NULL;
    pthread_mutex_lock(&all->lock);
    struct dpk_allocation **found = tfind(&address, &all->tree, by_address);
    if (found) {
        owner = (*found)->owner;
        if (hold)
            hold(owner);
        remove_entry(all, *found);
    }
    pthread_mutex_unlock(&all->lock);
    return owner;
}

void dpk_addresses_forget(struct dpk_addresses *all, struct dpk_allocation **list)
{
    pthread_mutex_lock(&all->lock);
    while (*list)
        remove_entry(all, *list);
    pthread_mutex_unlock(&all->lock);
}

#define SPACERS_MAX 20 /* they double: 64 bytes, 128, ... 32 MiB */

/* While the heap offers a taken address, blocks of growing size push it on. */
enum dpk_status dpk_address_new(struct dpk_addresses *all, void *owner,
                                struct dpk_allocation **list, struct dpk_process *p, uint64_t size,
                                uint64_t *address, struct dpk_error *err)
{
    uint64_t spacers[SPACERS_MAX];
    unsigned count = 0;
    enum dpk_status status;
    for (;;) {
        if ((status = dpk_heap_alloc(p, size, address, err)) != DPK_OK)
            break;
        enum entered result = enter(all, owner, list, *address);
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
