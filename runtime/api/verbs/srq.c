/* Shared receive queues. */
#include "srq.h"

#include <errno.h>
#include <stdlib.h>

#include "qp.h"

struct ibv_srq *dpk_verbs_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
    if (!pd || !attr || attr->attr.max_wr == 0 || attr->attr.max_wr >= QP_WR_MAX ||
        attr->attr.max_sge > QP_SGE_MAX) {
        errno = EINVAL;
        return NULL;
    }
    struct dpk_rc *rc = verbs_context_rc(context_of(pd->context));
    struct srq *s = rc ? calloc(1, sizeof *s) : NULL;
    if (!s || !verbs_receives_new(&s->receives, attr->attr.max_wr + 1, attr->attr.max_sge)) {
        free(s);
        errno = rc ? ENOMEM : errno;
        return NULL;
    }
    s->receives.most--; /* libmlx5 keeps one entry, which ends the list of free entries */
    s->ib = (struct ibv_srq){.context = pd->context, .srq_context = attr->srq_context, .pd = pd};
    s->rc = rc;
    s->generation = verbs_qp_generation();
    TAILQ_INIT(&s->waiting);
    pthread_mutex_init(&s->ib.mutex, NULL);
    pthread_cond_init(&s->ib.cond, NULL);
    dpk_verbs_use_pd(pd);
    attr->attr.max_wr = s->receives.most;
    attr->attr.max_sge = s->receives.sges;
    return &s->ib;
}

int dpk_verbs_destroy_srq(struct ibv_srq *ib)
{
    struct srq *s = (struct srq *)ib;
    if (!s)
        return EINVAL;
    dpk_rc_lock(s->rc);
    const bool used = s->users > 0;
    dpk_rc_unlock(s->rc);
    if (used)
        return EBUSY;
    const uint32_t taken = verbs_async_forget(&context_of(ib->context)->async, &s->async);
    pthread_mutex_lock(&ib->mutex);
    while (ib->events_completed != taken)
        pthread_cond_wait(&ib->cond, &ib->mutex);
    pthread_mutex_unlock(&ib->mutex);
    pthread_cond_destroy(&ib->cond);
    pthread_mutex_destroy(&ib->mutex);
    dpk_verbs_leave_pd(ib->pd);
    verbs_receives_free(&s->receives);
    free(s);
    return 0;
}

/* The size of a queue cannot change. */
int dpk_verbs_modify_srq(struct ibv_srq *ib, struct ibv_srq_attr *attr, int mask)
{
    struct srq *s = (struct srq *)ib;
    if (!s || !attr || mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT))
        return EINVAL;
    if (mask & IBV_SRQ_MAX_WR)
        return EOPNOTSUPP;
    if (mask & IBV_SRQ_LIMIT && attr->srq_limit > s->receives.most)
        return EINVAL;
    dpk_rc_lock(s->rc);
    if (mask & IBV_SRQ_LIMIT)
        s->limit = attr->srq_limit;
    dpk_rc_unlock(s->rc);
    return 0;
}

int dpk_verbs_query_srq(struct ibv_srq *ib, struct ibv_srq_attr *attr)
{
    struct srq *s = (struct srq *)ib;
    if (!s || !attr)
        return EINVAL;
    dpk_rc_lock(s->rc);
    *attr = (struct ibv_srq_attr){
        .max_wr = s->receives.most, .max_sge = s->receives.sges, .srq_limit = s->limit};
    dpk_rc_unlock(s->rc);
    return 0;
}

bool verbs_srq_take(struct srq *s, struct receive *out, struct dpk_rc_piece *pieces)
{
    if (!verbs_receives_take(&s->receives, out, pieces))
        return false;
    if (receives_left(&s->receives) < s->limit) {
        const struct ibv_async_event event = {.element.srq = &s->ib,
                                              .event_type = IBV_EVENT_SRQ_LIMIT_REACHED};
        s->limit = 0; /* the event occurs once */
        verbs_async_raise(&context_of(s->ib.context)->async, &s->async, &event);
    }
    return true;
}

/* Resumes messages that wait for a receive, the oldest first. */
static void resume(struct srq *s)
{
    struct qp *qp;
    unsigned count = 0;
    TAILQ_FOREACH(qp, &s->waiting, in_srq)
    count++;
    while (count-- > 0 && receives_left(&s->receives) > 0 && (qp = TAILQ_FIRST(&s->waiting))) {
        TAILQ_REMOVE(&s->waiting, qp, in_srq);
        qp->waits = false;
        dpk_rc_end_resume(qp->end);
    }
}

int verbs_srq_post_recv(struct ibv_srq *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
    struct srq *s = (struct srq *)ib;
    int why = 0;
    if (s->generation != verbs_qp_generation()) {
        *bad_wr = wr;
        return EINVAL;
    }
    dpk_rc_lock(s->rc);
    while (wr && (why = verbs_receives_post(&s->receives, wr)) == 0)
        wr = wr->next;
    resume(s);
    dpk_rc_unlock(s->rc);
    if (why)
        *bad_wr = wr;
    return why;
}
