/* Protection domains, thread domains and parent domains. */
#include "domains.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "context.h"

#define NUMBERS 0xffffffu

struct domain {
    struct ibv_pd ib; /* first: programs hold a pointer to it */
    LIST_ENTRY(domain) link;
    uint32_t number; /* in commands; 24 bits, of all devices of the process */
    struct dpk_memory_domain memory;
    struct dpk_memory_domain *joined; /* used instead of its own; NULL: its own */
    atomic_uint users; /* queue pairs, shared receive queues, memory regions, parent domains */
    struct ibv_pd *of; /* underlying domain of a parent domain; NULL: not a parent domain */
    struct thread_domain *thread; /* of a parent domain, or NULL */
};

struct thread_domain {
    struct ibv_td ib; /* first */
    atomic_uint users;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static LIST_HEAD(, domain) domains = LIST_HEAD_INITIALIZER(domains);

/* Returns the domain with a number, or NULL. The caller has the lock. */
static struct domain *find(uint32_t number)
{
    struct domain *d = LIST_FIRST(&domains);
    while (d && d->number != number)
        d = LIST_NEXT(d, link);
    return d;
}

static void list_domain(struct domain *d)
{
    static uint32_t last;
    pthread_mutex_lock(&lock);
    do
        last = last % NUMBERS + 1;
    while (find(last));
    d->number = last;
    LIST_INSERT_HEAD(&domains, d, link);
    pthread_mutex_unlock(&lock);
}

uint32_t dpk_verbs_pd_number(const struct ibv_pd *pd)
{
    return ((const struct domain *)pd)->number;
}

struct ibv_pd *dpk_verbs_use_pd_number(struct ibv_context *context, uint32_t number)
{
    pthread_mutex_lock(&lock);
    struct domain *d = find(number);
    struct ibv_pd *pd = d && d->ib.context == context ? &d->ib : NULL;
    if (pd)
        dpk_verbs_use_pd(pd);
    pthread_mutex_unlock(&lock);
    return pd;
}

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
    if (d->of)
        d = (struct domain *)d->of;
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
    d->memory.fabric = context_of(context)->device.fabric;
    d->ib.handle = atomic_fetch_add(&context_of(context)->pds, 1);
    list_domain(d);
    return &d->ib;
}

int dpk_verbs_dealloc_pd(struct ibv_pd *pd)
{
    if (!pd)
        return EINVAL;
    struct domain *d = (struct domain *)pd;
    pthread_mutex_lock(&lock);
    const bool busy = atomic_load(&d->memory.keys) > 0 || atomic_load(&d->users) > 0;
    if (!busy)
        LIST_REMOVE(d, link);
    pthread_mutex_unlock(&lock);
    if (busy)
        return EBUSY;
    if (d->thread)
        atomic_fetch_sub(&d->thread->users, 1);
    if (d->of)
        dpk_verbs_leave_pd(d->of);
    atomic_fetch_sub(&context_of(pd->context)->pds, 1);
    free(pd);
    return 0;
}

/* ---- Parent domains ---- */

struct ibv_td *verbs_domain_new_thread(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
    struct thread_domain *t = attr && !attr->comp_mask ? calloc(1, sizeof *t) : NULL;
    if (!t) {
        errno = !attr ? EINVAL : attr->comp_mask ? EOPNOTSUPP : ENOMEM;
        return NULL;
    }
    t->ib.context = context;
    return &t->ib;
}

int verbs_domain_free_thread(struct ibv_td *td)
{
    struct thread_domain *t = (struct thread_domain *)td;
    if (!t)
        return EINVAL;
    if (atomic_load(&t->users) > 0)
        return EBUSY;
    free(t);
    return 0;
}

/* Makes a parent domain. A parent of a parent domain uses the same underlying domain. Allocation
 * functions of the program for queues would not be called, so they are refused. */
struct ibv_pd *verbs_domain_new_parent(struct ibv_context *context,
                                       struct ibv_parent_domain_init_attr *attr)
{
    const uint32_t known = IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
    if (!attr || !attr->pd || attr->pd->context != context ||
        (attr->td && attr->td->context != context)) {
        errno = EINVAL;
        return NULL;
    }
    if (attr->comp_mask & ~known) {
        errno = EOPNOTSUPP;
        return NULL;
    }
    struct ibv_pd *pd = dpk_verbs_alloc_pd(context);
    if (!pd)
        return NULL;
    struct domain *d = (struct domain *)pd, *under = (struct domain *)attr->pd;
    d->of = under->of ? under->of : attr->pd;
    d->thread = (struct thread_domain *)attr->td;
    dpk_verbs_use_pd(d->of);
    if (d->thread)
        atomic_fetch_add(&d->thread->users, 1);
    return pd;
}

bool verbs_domain_is_parent(const struct ibv_pd *pd)
{
    return pd && ((const struct domain *)pd)->of;
}
