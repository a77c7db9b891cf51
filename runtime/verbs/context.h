/* What our contexts hold besides what programs see. */
#ifndef DPK_HOST_IBVERBS_CONTEXT_H
#define DPK_HOST_IBVERBS_CONTEXT_H

#include <stdatomic.h>

#include "memory/memory.h"
#include "verbs/verbs.h"

struct context {
    struct ibv_context ib; /* first: programs hold a pointer to it */
    struct dpk_verbs_device device;
    void *attached; /* of another library */
    void (*end_attached)(void *attached);
    atomic_uint pds; /* protection domains that are not deallocated */
};

static inline struct context *context_of(struct ibv_context *ib)
{
    return (struct context *)ib;
}

/* A key of host memory, as ibv_reg_mr makes it; 0: errno says why not. */
uint32_t memory_register(struct dpk_memory_domain *domain, void *addr, size_t length, uint64_t iova,
                         int access);

/* ---- cq.c: what <infiniband/verbs.h> calls through a context ---- */
int cq_poll(struct ibv_cq *ib, int num_entries, struct ibv_wc *wc);
int cq_arm(struct ibv_cq *ib, int solicited_only);

#endif
