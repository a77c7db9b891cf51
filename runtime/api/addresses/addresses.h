/*
 * addresses: memory of DPA processes that is identified only by its address, since DOCA 2.2 and FlexIO
 * 2.2 free memory in this way. All processes have the same address space, but addresses must be unique
 * among all owners. So a registry maps addresses to owners, and avoids the addresses of other owners.
 * Each of these libraries has its own copy of this room and its registry.
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

/* The owner of an allocation. */
struct dpk_address_owner {
    const void *object;
    uint64_t run; /* distinguishes the runs of an object */
};
/* All such memory of one API. */
struct dpk_addresses {
    pthread_mutex_t lock;
    void *tree;                   /* of tsearch(3) */
    struct dpk_allocation *first; /* of all */
    /* Returns true if an owner still has its memory. Called with the lock. Otherwise the next
     * allocation may reuse its address. May be NULL. */
    bool (*lives)(const void *object, uint64_t run);
};
/* Allocates `size` bytes in `p` at an address that no other owner has. *address is unchanged on
 * failure. Errors: DPK_ERR_NOMEM, and as of dpk_heap_alloc. */
enum dpk_status dpk_address_new(struct dpk_addresses *all, const struct dpk_address_owner *owner,
                                struct dpk_process *p, uint64_t size, uint64_t *address,
                                struct dpk_error *err);
/* Removes an allocation, which the caller frees, and gets its owner. Returns false if the address is
 * unknown. */
bool dpk_address_leave(struct dpk_addresses *all, uint64_t address,
                       struct dpk_address_owner *owner);
/* Removes all allocations of an owner. */
void dpk_addresses_forget(struct dpk_addresses *all, const void *object);

#endif
