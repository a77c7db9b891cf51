/* What our contexts hold besides what programs see. */
#ifndef DPK_HOST_IBVERBS_CONTEXT_H
#define DPK_HOST_IBVERBS_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "verbs/verbs.h"

struct context {
    struct ibv_context ib;      /* first: programs hold a pointer to it */
    pthread_rwlock_t keys_lock; /* for a moment: not while a key is held */
    struct slot {
        struct dpk_host_key key; /* first; pd NULL: free */
        struct dpk_pins pins;    /* who holds it */
        uint8_t generation;
    } * *keys; /* which stay where they are; a key's number is index << 8 | generation; index 0 is
                  never used */
    uint32_t key_count, key_capacity, last_key;
    void *attached; /* of another library */
    void (*end_attached)(void *attached);
    atomic_uint pds; /* protection domains that are not deallocated */
};

static inline struct context *context_of(struct ibv_context *ib)
{
    return (struct context *)ib;
}

#endif
