/* The private part of our contexts. */
#ifndef DPK_API_VERBS_CONTEXT_H
#define DPK_API_VERBS_CONTEXT_H

#include <stdatomic.h>

#include "api/verbs/async.h"
#include "api/verbs/verbs.h"
#include "rdma/registered/registered.h"

struct dpk_rc; /* rdma/pairs/pairs.h */
struct qp;     /* api/verbs/qp.h */

struct context {
    struct verbs_context extended; /* programs hold a pointer to its last member */
    struct dpk_verbs_device device;
    void *attached; /* of another library */
    void (*end_attached)(void *attached);
    atomic_uint pds; /* protection domains that are not deallocated */
    struct async async;
    /* With the mutex of the ibv_context. */
    struct dpk_rc *rc;   /* NULL: it never had a queue pair */
    LIST_HEAD(, qp) qps; /* that are not destroyed */
};

static inline struct context *context_of(struct ibv_context *ib)
{
    return (struct context *)((char *)ib - offsetof(struct context, extended.context));
}

/* Creates a key of host memory, as ibv_reg_mr. Returns 0 with the reason in errno. */
uint32_t verbs_memory_register(struct dpk_memory_domain *domain, void *addr, size_t length,
                               uint64_t iova, int access);

/* ---- query.c: queries of <infiniband/verbs.h> through a context ---- */
int verbs_query_device_ex(struct ibv_context *context,
                          const struct ibv_query_device_ex_input *input,
                          struct ibv_device_attr_ex *attr, size_t attr_size);
int verbs_query_port_ex(struct ibv_context *context, uint8_t port_num,
                        struct ibv_port_attr *port_attr, size_t size);

#endif
