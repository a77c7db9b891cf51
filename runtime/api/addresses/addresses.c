/* Allocations by address: a tree by address, and a list of all. */
#include <search.h>
#include <stdlib.h>

#include "api/addresses/addresses.h"

struct dpk_allocation {
    uint64_t address; /* first: the key */
    struct dpk_address_owner owner;
    struct dpk_allocation *next, **link; /* in the registry's list */
};

static int by_address(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* With the lock held. */
static struct dpk_allocation *find_allocation(struct dpk_addresses *all, uint64_t address)
{
    struct dpk_allocation **found = tfind(&address, &all->tree, by_address);
    return found ? *found : NULL;
}

/* Call this with the lock. */
static void remove_entry(struct dpk_addresses *all, struct dpk_allocation *a)
{
    if ((*a->link = a->next))
        a->next->link = a->link;
    tdelete(a, &all->tree, by_address);
    free(a);
}

enum entered { ENTERED, TAKEN, NO_ROOM };

/* Call this with the lock. */
static enum entered enter_new(struct dpk_addresses *all, const struct dpk_address_owner *owner,
                              uint64_t address)
{
    struct dpk_allocation *a = calloc(1, sizeof *a);
    if (!a)
        return NO_ROOM;
    *a = (struct dpk_allocation){
        .address = address, .owner = *owner, .next = all->first, .link = &all->first};
    if (!tsearch(a, &all->tree, by_address)) {
        free(a);
        return NO_ROOM;
    }
    if (a->next)
        a->next->link = &a->next;
    all->first = a;
    return ENTERED;
}

static enum entered enter(struct dpk_addresses *all, const struct dpk_address_owner *owner,
                          uint64_t address)
{
    enum entered result = ENTERED;
    pthread_mutex_lock(&all->lock);
    struct dpk_allocation *there = find_allocation(all, address);
    if (!there)
        result = enter_new(all, owner, address);
    else if (all->lives && !all->lives(there->owner.object, there->owner.run))
        there->owner = *owner;
    else
        result = TAKEN;
    pthread_mutex_unlock(&all->lock);
    return result;
}

bool dpk_address_leave(struct dpk_addresses *all, uint64_t address, struct dpk_address_owner *owner)
{
    pthread_mutex_lock(&all->lock);
    struct dpk_allocation *a = find_allocation(all, address);
    if (a) {
        *owner = a->owner;
        remove_entry(all, a);
    }
    pthread_mutex_unlock(&all->lock);
    return a != NULL;
}

void dpk_addresses_forget(struct dpk_addresses *all, const void *object)
{
    pthread_mutex_lock(&all->lock);
    for (struct dpk_allocation *a = all->first, *next; a; a = next) {
        next = a->next;
        if (a->owner.object == object)
            remove_entry(all, a);
    }
    pthread_mutex_unlock(&all->lock);
}

#define SPACERS_MAX 20 /* they double: 64 bytes, 128, ... 32 MiB */

/* If the heap returns an address of another owner, allocates blocks of growing size until the heap
 * returns an unused address. */
enum dpk_status dpk_address_new(struct dpk_addresses *all, const struct dpk_address_owner *owner,
                                struct dpk_process *p, uint64_t size, uint64_t *address,
                                struct dpk_error *err)
{
    uint64_t spacers[SPACERS_MAX], offered;
    unsigned count = 0;
    enum dpk_status status;
    for (;;) {
        if ((status = dpk_heap_alloc(p, size, &offered, err)) != DPK_OK)
            break;
        enum entered result = enter(all, owner, offered);
        if (result == ENTERED) {
            *address = offered;
            break;
        }
        dpk_heap_free(p, offered, NULL);
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
