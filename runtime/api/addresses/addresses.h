/*
 * addresses: memory of DPA processes that is found by its address alone, as DOCA 2.2 and FlexIO 2.2
 * free it. Addresses must be unique among all owners although every process has the same address
 * space: so a registry knows which address is whose, and allocates around the addresses of others.
 * Each of these libraries has this room and its registry for itself.
 *
 *     static struct dpk_addresses all = {.lock = PTHREAD_MUTEX_INITIALIZER};
 *     dpk_address_new(&all, &(struct dpk_address_owner){object, 0}, process, 64, &address, &err);
 *     struct dpk_address_owner owner;
 *     if (dpk_address_leave(&all, address, &owner))
 *         dpk_heap_free(..., address, &err);                  // in the process of owner.object
 */
#ifndef DPK_API_ADDRESSES_ADDRESSES_H
#define DPK_API_ADDRESSES_ADDRESSES_H

#include <pthread.h>

#include "engine/proc/proc.h"

/* Whose an allocation is. */
struct dpk_address_owner {
    const void *object;
    uint64_t run; /* tells lives of one object */
};
/* All such memory of one API. */
struct dpk_addresses {
    pthread_mutex_t lock;
    void *tree;                   /* of tsearch(3) */
    struct dpk_allocation *first; /* of all */
    /* NULL, or whether an owner still has its memory; asked with the lock. Who has not loses the
     * address to the next who gets it. */
    bool (*lives)(const void *object, uint64_t run);
};
/* Allocates `size` bytes in `p` at an address that no other owner has. *address is unchanged on
 * failure. DPK_ERR_NOMEM, or what dpk_heap_alloc says. */
enum dpk_status dpk_address_new(struct dpk_addresses *all, const struct dpk_address_owner *owner,
                                struct dpk_process *p, uint64_t size, uint64_t *address,
                                struct dpk_error *err);
/* Forgets an allocation, which the caller frees, and says whose it was. False: not an address of
 * any. */
bool dpk_address_leave(struct dpk_addresses *all, uint64_t address,
                       struct dpk_address_owner *owner);
/* Forgets those of an owner. */
void dpk_addresses_forget(struct dpk_addresses *all, const void *object);

#endif
