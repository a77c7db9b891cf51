/* The struct dpk_rc of an opened device, which children of fork() may not use. */
#include <errno.h>

#include "qp.h"

/* In a child of fork(), the lock of the parent's struct dpk_rc may stay held forever. */
static atomic_uint generation;

static void in_child(void)
{
    atomic_fetch_add(&generation, 1);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

unsigned verbs_qp_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

struct dpk_rc *verbs_context_rc(struct context *c)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct ibv_context *ib = &c->extended.context;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&ib->mutex);
    if (!c->rc && dpk_rc_enter(&c->rc, NULL) != DPK_OK)
        errno = ENOMEM;
    pthread_mutex_unlock(&ib->mutex);
    return c->rc;
}

struct dpk_rc *verbs_context_known_rc(struct context *c)
{
    struct ibv_context *ib = &c->extended.context;
    pthread_mutex_lock(&ib->mutex);
    struct dpk_rc *rc = c->rc;
    pthread_mutex_unlock(&ib->mutex);
    return rc;
}
