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
    bool keeps_out;         /* it is not shared any more */
    unsigned removers;      /* who wait for accesses in flight */
    struct slot *next_free; /* in the queue */
};

/* The slot of a key, whose memory stays until slot_unpin. NULL: it is no key. */
struct slot *slot_pin(uint32_t key);
void slot_unpin(struct slot *slot);

/* Whether a number that is no key was one. */
bool key_was_given(uint32_t key);

/* What the checker says of an access to that memory, in this order: who, what, where. */
enum dpk_memory_why memory_check(const struct dpk_memory *m, const struct dpk_memory_access *a);

/* Whether host or DPA memory is there, with its rights; of other kinds nothing is asked. */
bool memory_is_present(const struct dpk_memory *m);

#endif
