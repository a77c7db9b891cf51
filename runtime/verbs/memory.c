/* Memory regions. */
#include <errno.h>
#include <stdlib.h>

#include "context.h"

#define KNOWN_ACCESS                                                                               \
    (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |                   \
     IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED |                       \
     IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB | IBV_ACCESS_OPTIONAL_RANGE)

uint32_t memory_register(struct dpk_memory_domain *domain, void *addr, size_t length, uint64_t iova,
                         int access)
{
    const int remote_writes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    if (length == 0 || length > UINTPTR_MAX - (uintptr_t)addr || length > UINT64_MAX - iova ||
        (access & remote_writes && !(access & IBV_ACCESS_LOCAL_WRITE)) ||
        (unsigned)access & ~(unsigned)KNOWN_ACCESS) {
        errno = EINVAL;
        return 0;
    }
    if (access & IBV_ACCESS_ON_DEMAND) {
        errno = EOPNOTSUPP;
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

struct region {
    struct ibv_mr ib; /* first: programs hold a pointer to it */
    uint64_t iova;
    int access;
};

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                             int access)
{
    struct region *r = pd ? calloc(1, sizeof *r) : NULL;
    if (!r) {
        errno = pd ? ENOMEM : EINVAL;
        return NULL;
    }
    uint32_t key = memory_register(dpk_verbs_domain(pd), addr, length, iova, access);
    if (key == 0) {
        free(r);
        return NULL;
    }
    dpk_verbs_use_pd(pd);
    r->iova = iova;
    r->access = access;
    r->ib = (struct ibv_mr){.context = pd->context,
                            .pd = pd,
                            .addr = addr,
                            .length = length,
                            .handle = key >> 8,
                            .lkey = key,
                            .rkey = key};
    return &r->ib;
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

/* What flags do not name stays. The keys are new ones, as on a card where more than rights change. */
int dpk_verbs_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
                       int access)
{
    const int known =
        IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS;
    if (!mr || !flags || flags & ~known ||
        (flags & IBV_REREG_MR_CHANGE_PD && (!pd || pd->context != mr->context))) {
        errno = EINVAL;
        return IBV_REREG_MR_ERR_INPUT;
    }
    struct region *r = (struct region *)mr, next = *r;
    if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
        next.ib.addr = addr;
        next.ib.length = length;
        next.iova = (uintptr_t)addr;
    }
    if (flags & IBV_REREG_MR_CHANGE_PD)
        next.ib.pd = pd;
    if (flags & IBV_REREG_MR_CHANGE_ACCESS)
        next.access = access;
    uint32_t key = memory_register(dpk_verbs_domain(next.ib.pd), next.ib.addr, next.ib.length,
                                   next.iova, next.access);
    if (key == 0)
        return IBV_REREG_MR_ERR_CMD;
    dpk_memory_remove(mr->lkey);
    dpk_verbs_use_pd(next.ib.pd);
    dpk_verbs_leave_pd(mr->pd);
    next.ib.handle = key >> 8;
    next.ib.lkey = next.ib.rkey = key;
    *r = next;
    return 0;
}
