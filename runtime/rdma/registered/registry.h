/* Slots of the registry, for the checker. */
#ifndef DPK_RDMA_REGISTERED_REGISTRY_H
#define DPK_RDMA_REGISTERED_REGISTRY_H

#include "rdma/registered/registered.h"

struct slot {
    struct dpk_memory memory; /* first: accesses hold a pointer to it */
    struct dpk_pins pins;     /* accesses in flight */
    _Atomic uint32_t key;     /* 0: free */
    uint32_t index;
    uint32_t generation;
    bool exported, shared;  /* with the lock of the registry */
    bool keeps_out;         /* it is no longer shared */
    unsigned removers;      /* number of threads that wait for accesses in flight */
    bool ends;              /* one of them removes the key */
    struct slot *next_free; /* in the queue */
};

/* Returns the slot of a key; its memory is valid until registered_slot_unpin. Returns NULL if the number is not a
 * key. */
struct slot *registered_slot_pin(uint32_t key);
void registered_slot_unpin(struct slot *slot);

/* Returns true if a number was a key and no longer is. */
bool registered_key_was_given(uint32_t key);

/* Checks an access to that memory, in this order: domain, rights, range. */
enum dpk_memory_why registered_check(const struct dpk_memory *m, const struct dpk_memory_access *a);

/* Returns true if host or DPA memory exists with the rights, and for all other kinds. */
bool registered_is_present(const struct dpk_memory *m);

#endif
