/* Protection domains that <infiniband/verbs.h> makes through a context. Private to verbs. */
#ifndef DPK_API_VERBS_DOMAINS_H
#define DPK_API_VERBS_DOMAINS_H

#include <infiniband/verbs.h>
#include <stdbool.h>

/* A thread domain states that only one thread uses its objects. Our locks do not change. */
struct ibv_td *verbs_domain_new_thread(struct ibv_context *context, struct ibv_td_init_attr *attr);
int verbs_domain_free_thread(struct ibv_td *td);
/* A parent domain is a protection domain with the memory regions of another protection domain. It
 * may have a thread domain. */
struct ibv_pd *verbs_domain_new_parent(struct ibv_context *context,
                                       struct ibv_parent_domain_init_attr *attr);
bool verbs_domain_is_parent(const struct ibv_pd *pd);

#endif
