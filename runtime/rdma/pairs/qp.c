/* Queue pairs: the lock, the owner, the search for a queue pair, and completions. */
#include <unistd.h>

#include "gateway.h"

#define LOCK_TRIES  50u
#define LOCK_PAUSES 30u /* between two tries */

/* ---- The lock ---- */

/* A thread holds the lock for some microseconds, which is less than sleeping and waking take. */
void dpk_rc_lock(struct dpk_rc *rc)
{
    for (unsigned tries = 0; tries < LOCK_TRIES; tries++) {
        if (pthread_mutex_trylock(&rc->lock) == 0)
            return;
        for (unsigned i = 0; i < LOCK_PAUSES; i++)
            dpk_pause();
    }
    pthread_mutex_lock(&rc->lock);
}

void dpk_rc_unlock(struct dpk_rc *rc)
{
    pthread_mutex_unlock(&rc->lock);
}

/* In a child of fork() the lock may be held by a thread that exists only in the parent. */
bool pairs_rc_is_ours(const struct dpk_rc *rc)
{
    return rc->owner == getpid();
}

enum dpk_status pairs_check_owner(const struct dpk_rc *rc, struct dpk_error *err)
{
    return pairs_rc_is_ours(rc)
               ? DPK_OK
               : dpk_fail(err, DPK_ERR_USAGE, "RDMA belongs to the process that forked this one");
}

/* ---- Finding ---- */

struct dpk_rc_qp *pairs_qp_find(struct dpk_rc *rc, const struct address *address)
{
    struct dpk_rc_end *end;
    struct dpk_rc_qp *qp;
    TAILQ_FOREACH(end, &rc->ends, link)
    TAILQ_FOREACH(qp, &end->qps, in_end)
    if (pairs_address_means(address, &qp->address))
        return qp;
    return NULL;
}

void pairs_each_sender(struct dpk_rc_qp *qp, void (*visit)(struct dpk_rc_qp *sender))
{
    struct dpk_rc_end *end;
    struct dpk_rc_qp *q;
    TAILQ_FOREACH(end, &qp->end->rc->ends, link)
    TAILQ_FOREACH(q, &end->qps, in_end)
    if (q != qp && q->local == qp)
        visit(q);
}

uint32_t dpk_rc_qp_number(const struct dpk_rc_qp *qp)
{
    return qp->address.number;
}

/* ---- Completions ---- */

bool pairs_qp_complete(const struct dpk_rc_qp *qp, struct dpk_rc_completion completion)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    completion.connection = qp->connection;
    const bool taken = o->ops->complete(o->context, &completion);
    if (qp->end->rc->gateway)
        pairs_doze_end(qp->end->rc->gateway);
    return taken;
}
