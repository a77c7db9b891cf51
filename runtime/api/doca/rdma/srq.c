/* Shared receive queues as objects, and their receives. */
#include "rdma.h"

#include <doca_rdma.h>
#include <stdlib.h>

#define SIZE_DEFAULT 128u

static doca_error_t srq_start(struct dpk_ctx *ctx)
{
    struct dpk_rdma_srq *s = (struct dpk_rdma_srq *)ctx;
    struct dpk_error err = {0};
    struct dpk_dpa *base = ctx->datapath ? dpk_dpa_base(ctx->datapath) : NULL;
    if (!base)
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "the data path of the shared receive queue is on no DPA "
                                "(doca_ctx_set_datapath_on_dpa), and only DPA code posts to one");
    if (!dpk_dpa_enter(ctx->datapath, 0))
        return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                "the DPA context of the data path is not running");
    s->run = base->run;
    dpk_dpa_leave(ctx->datapath);
    s->ring = calloc(s->size, sizeof *s->ring);
    if (!s->ring)
        return dpk_doca_because(DOCA_ERROR_NO_MEMORY, "no memory for %u receives", s->size);
    if (dpk_rc_enter(&s->rc, &err) != DPK_OK) {
        free(s->ring);
        s->ring = NULL;
        return dpk_doca_error_of(&err);
    }
    s->posted = s->taken = 0;
    return DOCA_SUCCESS;
}

static doca_error_t srq_stop(struct dpk_ctx *ctx)
{
    struct dpk_rdma_srq *s = (struct dpk_rdma_srq *)ctx;
    if (s->contexts > 0)
        return dpk_doca_because(DOCA_ERROR_IN_USE,
                                "%u RDMA contexts with the shared receive queue are running",
                                s->contexts);
    dpk_rc_leave(s->rc);
    s->rc = NULL;
    free(s->ring);
    s->ring = NULL;
    return DOCA_SUCCESS;
}
static const struct dpk_ctx_ops ops = {.start = srq_start, .stop = srq_stop, .has_datapath = true};

const struct dpk_kind dpk_rdma_srq_kind = {
    .left = dpk_dev_ctx_left, .release = dpk_dev_ctx_release, .is_ctx = true};

void *dpk_rdma_srq_new(const struct doca_dev *dev, doca_error_t *result)
{
    void *handle =
        dpk_dev_ctx_new(dev, &dpk_rdma_srq_kind, &ops, sizeof(struct dpk_rdma_srq), result);
    struct dpk_rdma_srq *s = dpk_object_pin(handle, &dpk_rdma_srq_kind);
    if (s) { /* no other thread has its handle yet */
        s->size = SIZE_DEFAULT;
        s->list = 1;
        TAILQ_INIT(&s->waiting_line);
    }
    dpk_object_drop(s);
    return handle;
}

doca_error_t dpk_rdma_srq_join(struct dpk_rdma *r)
{
    struct dpk_rdma_srq *s = r->srq;
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&s->base.ctx.object.lock);
    if (!s->rc)
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                  "the shared receive queue of the context is not started");
    else if (!dpk_rdma_dpa(r) ||
             dpk_dpa_base(dpk_rdma_dpa(r)) != dpk_dpa_base(s->base.ctx.datapath) ||
             r->run != s->run)
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the data paths of the context and of its "
                                                        "shared receive queue are not on one DPA");
    else
        s->contexts++;
    pthread_mutex_unlock(&s->base.ctx.object.lock);
    return result;
}

void dpk_rdma_srq_leave(struct dpk_rdma *r)
{
    struct dpk_rdma_srq *s = r->srq;
    pthread_mutex_lock(&s->base.ctx.object.lock);
    s->contexts--;
    pthread_mutex_unlock(&s->base.ctx.object.lock);
}

void dpk_rdma_srq_leave_line(struct dpk_rdma *r)
{
    if (r->waits)
        TAILQ_REMOVE(&r->srq->waiting_line, r, in_line);
    r->waits = false;
}

enum dpk_rc_taken dpk_rdma_srq_take(void *context, struct dpk_rc_receive *out)
{
    struct dpk_rdma *r = context;
    struct dpk_rdma_srq *s = r->srq;
    if (s->taken != s->posted) {
        *out = s->ring[s->taken++ % s->size];
        return DPK_RC_TAKEN;
    }
    if (!r->waits)
        TAILQ_INSERT_TAIL(&s->waiting_line, r, in_line);
    r->waits = true;
    return DPK_RC_NONE;
}

/* Resumes messages that wait for a receive, the oldest context first. A context whose messages take the
 * last receive goes to the end of the line. */
static void resume(struct dpk_rdma_srq *s)
{
    struct dpk_rdma *r;
    unsigned count = 0;
    TAILQ_FOREACH(r, &s->waiting_line, in_line)
    count++;
    while (count-- > 0 && s->taken != s->posted && (r = TAILQ_FIRST(&s->waiting_line))) {
        TAILQ_REMOVE(&s->waiting_line, r, in_line);
        r->waits = false;
        dpk_rc_end_resume(r->end);
    }
}

bool dpk_rdma_srq_post(struct dpk_rdma_srq *s, const struct dpk_rc_receive *receive)
{
    dpk_rc_lock(s->rc);
    const bool room = s->posted - s->taken < s->size;
    if (room) {
        struct dpk_rc_receive *posted = &s->ring[s->posted % s->size];
        *posted = *receive;
        posted->index = s->posted++;
        resume(s);
    }
    dpk_rc_unlock(s->rc);
    return room;
}
