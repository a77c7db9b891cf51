/* Protection domains and memory regions. */
#include <errno.h>
#include <stdlib.h>

#include "context.h"

/* ---- Protection domains ---- */

struct domain {
    struct ibv_pd ib; /* first: programs hold a pointer to it */
    struct dpk_memory_domain memory;
    struct dpk_memory_domain *joined; /* that it has instead of its own; NULL: its own */
    atomic_uint users;                /* queue pairs, shared receive queues, memory regions */
};

void dpk_verbs_use_pd(struct ibv_pd *pd)
{
    atomic_fetch_add(&((struct domain *)pd)->users, 1);
}

void dpk_verbs_leave_pd(struct ibv_pd *pd)
{
    atomic_fetch_sub(&((struct domain *)pd)->users, 1);
}

struct dpk_memory_domain *dpk_verbs_domain(struct ibv_pd *pd)
{
    struct domain *d = (struct domain *)pd;
    return d->joined ? d->joined : &d->memory;
}

void dpk_verbs_join_domain(struct ibv_pd *pd, struct dpk_memory_domain *domain)
{
    ((struct domain *)pd)->joined = domain;
}

struct ibv_pd *dpk_verbs_alloc_pd(struct ibv_context *context)
{
    struct domain *d = context ? calloc(1, sizeof *d) : NULL;
    if (!d) {
        errno = context ? ENOMEM : EINVAL;
        return NULL;
    }
    d->ib.context = context;
    if (context_of(context)->device.directory[0])
        d->memory.device = context_of(context)->device.directory;
    d->ib.handle = atomic_fetch_add(&context_of(context)->pds, 1);
    return &d->ib;
}

int dpk_verbs_dealloc_pd(struct ibv_pd *pd)
{
    if (!pd)
        return EINVAL;
    if (atomic_load(&((struct domain *)pd)->memory.keys) > 0 ||
        atomic_load(&((struct domain *)pd)->users) > 0)
        return EBUSY;
    atomic_fetch_sub(&context_of(pd->context)->pds, 1);
    free(pd);
    return 0;
}

/* ---- Memory regions ---- */

uint32_t memory_register(struct dpk_memory_domain *domain, void *addr, size_t length, uint64_t iova,
                         int access)
{
    const int remote_writes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    if (length == 0 || length > UINTPTR_MAX - (uintptr_t)addr || length > UINT64_MAX - iova ||
        (access & remote_writes && !(access & IBV_ACCESS_LOCAL_WRITE))) {
        errno = EINVAL;
        return 0;
    }
    uint32_t key = 0;
    enum dpk_status status = dpk_memory_add(&(struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                                                 .rights = dpk_verbs_rights(access),
                                                                 .address = iova,
                                                                 .size = length,
                                                                 .host = addr,
                                                                 .domains = {domain}},
                                            &key, NULL);
    if (status != DPK_OK)
        errno = status == DPK_ERR_RANGE ? EFAULT : ENOMEM;
    return key;
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                             int access)
{
    struct ibv_mr *mr = pd ? calloc(1, sizeof *mr) : NULL;
    if (!mr) {
        errno = pd ? ENOMEM : EINVAL;
        return NULL;
    }
    uint32_t key = memory_register(dpk_verbs_domain(pd), addr, length, iova, access);
    if (key == 0) {
        free(mr);
        return NULL;
    }
    dpk_verbs_use_pd(pd);
    *mr = (struct ibv_mr){.context = pd->context,
                          .pd = pd,
                          .addr = addr,
                          .length = length,
                          .handle = key >> 8,
                          .lkey = key,
                          .rkey = key};
    return mr;
}

struct ibv_mr *dpk_verbs_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
    return reg_mr(pd, addr, length, (uintptr_t)addr, access);
}

struct ibv_mr *dpk_verbs_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                                     int access)
{
    return reg_mr(pd, addr, length, iova, access);
}

struct ibv_mr *dpk_verbs_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                                      unsigned int access)
{
    return reg_mr(pd, addr, length, iova, (int)access);
}

int dpk_verbs_dereg_mr(struct ibv_mr *mr)
{
    if (!mr)
        return EINVAL;
    dpk_memory_remove(mr->lkey);
    dpk_verbs_leave_pd(mr->pd);
    free(mr);
    return 0;
}
