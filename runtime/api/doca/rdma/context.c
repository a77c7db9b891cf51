/* RDMA contexts as objects: start, stop and destruction. */
#include <stdlib.h>

#include "rdma.h"

#define QUEUE_DEFAULT 128u
#define CALL_MS       2000u /* timeout of requests on a card */

static void rdma_left(void *object)
{
    struct dpk_rdma *r = object;
    r->telling = 0;        /* lets a callback destroy its context */
    dpk_ctx_stop(&r->ctx); /* if it runs */
    dpk_ctx_left(&r->ctx);
    dpk_object_end_use(r->dev);
    dpk_object_end_use(r->srq);
}

static void rdma_release(void *object)
{
    struct dpk_rdma *r = object;
    dpk_rdma_cm_close(r, true);
    dpk_ctx_clear(&r->ctx);
    dpk_object_drop(r->queue);
    dpk_object_drop(r->srq);
    dpk_object_drop(r->dev);
    free(r);
}
const struct dpk_kind dpk_rdma_kind = {.left = rdma_left, .release = rdma_release, .is_ctx = true};

/* Checks a context with its data path on the host. Tasks need a progress engine. */
static doca_error_t check_host(const struct dpk_rdma *r)
{
    if (r->queue || !r->ctx.pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "the RDMA context's data path is on no DPA "
                                "(doca_ctx_set_datapath_on_dpa), and it has %s",
                                r->queue ? "a completion queue of one"
                                         : "no progress engine (doca_pe_connect_ctx)");
    return DOCA_SUCCESS;
}

/* Checks that the DPA context of the data path runs, and that the completion queue belongs to
 * it. */
static doca_error_t check_dpa(struct dpk_rdma *r)
{
    struct dpk_dpa *base = dpk_dpa_base(dpk_rdma_dpa(r));
    if (r->queue && dpk_dpa_base(r->queue->dpa) != base)
        return dpk_doca_because(
            DOCA_ERROR_BAD_CONFIG,
            "the completion queue of the RDMA context is of another DPA context");
    if (!dpk_dpa_enter(dpk_rdma_dpa(r), 0))
        return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                "the DPA context of the data path is not running");
    r->run = base->run;
    dpk_dpa_leave(dpk_rdma_dpa(r));
    return DOCA_SUCCESS;
}

/* Checks a context with its data path on a GPU, where DPAs have no part. */
static doca_error_t check_gpu(const struct dpk_rdma *r)
{
    return r->queue || r->srq
               ? dpk_doca_because(
                     DOCA_ERROR_BAD_CONFIG,
                     "the data path is on a GPU, and the RDMA context has a %s of a DPA",
                     r->queue ? "completion queue" : "shared receive queue")
               : DOCA_SUCCESS;
}

/* Returns the rights of peers. */
static unsigned permissions_of(uint32_t flags)
{
    return (flags & DOCA_ACCESS_FLAG_RDMA_READ ? DPK_MEMORY_REMOTE_READ : 0) |
           (flags & DOCA_ACCESS_FLAG_RDMA_WRITE ? DPK_MEMORY_REMOTE_WRITE : 0) |
           (flags & DOCA_ACCESS_FLAG_RDMA_ATOMIC ? DPK_MEMORY_REMOTE_ATOMIC : 0);
}

/* The queues must hold all tasks at once. */
static struct dpk_rc_end_options queues_of(const struct dpk_rdma *r)
{
    struct dpk_rc_end_options o = {.sends = r->sends, .receives = r->receives};
    uint32_t works = 0;
    for (unsigned k = 0; k < DPK_RDMA_WORK_KINDS; k++)
        works += k == DPK_RDMA_RECEIVE ? 0 : r->pools[k].max;
    if (works > o.sends)
        o.sends = works;
    if (r->pools[DPK_RDMA_RECEIVE].max > o.receives)
        o.receives = r->pools[DPK_RDMA_RECEIVE].max;
    if (dpk_rdma_gpu(r)) {
        o.sends = dpk_rdma_gpu_depth(r->sends);
        o.receives = dpk_rdma_gpu_depth(r->receives);
    }
    return o;
}

/* Returns the functions of the context's end. */
static const struct dpk_rc_ops *ops_of(const struct dpk_rdma *r)
{
    if (dpk_rdma_gpu(r))
        return &dpk_rdma_gpu_ops;
    if (!dpk_rdma_dpa(r))
        return &dpk_rdma_host_ops;
    return r->srq ? &dpk_rdma_srq_ops : &dpk_rdma_ops;
}

static doca_error_t make_end(struct dpk_rdma *r)
{
    struct dpk_error err = {0};
    if (dpk_rc_enter(&r->rc, &err) != DPK_OK)
        return dpk_doca_error_of(&err);
    const struct dpk_rc_end_options sizes = queues_of(r);
    const struct dpk_rc_end_options options = {.ops = ops_of(r),
                                               .context = r,
                                               .domain = r->dev->domain,
                                               .permissions = permissions_of(r->permissions),
                                               .sends = sizes.sends,
                                               .receives = r->srq ? 0 : sizes.receives,
                                               .shares_receives = r->srq != NULL};
    if (dpk_rc_end_create(r->rc, &options, &r->end, &err) == DPK_OK)
        return DOCA_SUCCESS;
    dpk_rc_leave(r->rc);
    r->rc = NULL;
    return dpk_doca_error_of(&err);
}

/* Ends what make_end has made. */
static void end_end(struct dpk_rdma *r)
{
    dpk_rdma_close(r);
    dpk_rc_leave(r->rc);
    r->rc = NULL;
}

static doca_error_t rdma_start(struct dpk_ctx *ctx)
{
    struct dpk_rdma *r = (struct dpk_rdma *)ctx;
    const bool on_dpa = dpk_rdma_dpa(r) != NULL, on_gpu = dpk_rdma_gpu(r) != NULL;
    doca_error_t result = on_gpu ? check_gpu(r) : on_dpa ? check_dpa(r) : check_host(r);
    if (result == DOCA_SUCCESS && r->srq)
        result = dpk_rdma_srq_join(r);
    if (result != DOCA_SUCCESS)
        return result;
    if ((result = make_end(r)) != DOCA_SUCCESS) {
        if (r->srq)
            dpk_rdma_srq_leave(r);
        return result;
    }
    if (on_gpu && (result = dpk_rdma_gpu_start(r)) != DOCA_SUCCESS) {
        end_end(r);
        return result;
    }
    if (r->queue)
        dpk_object_use(r->queue);
    return r->single && !on_dpa && !on_gpu ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS;
}

static doca_error_t rdma_stop(struct dpk_ctx *ctx)
{
    struct dpk_rdma *r = (struct dpk_rdma *)ctx;
    if (r->telling > 0)
        return DOCA_ERROR_IN_PROGRESS; /* doca_pe_progress continues after the callback */
    end_end(r);
    dpk_rdma_gpu_stop(r);
    if (r->srq)
        dpk_rdma_srq_leave(r);
    for (uint32_t i = 0; i < r->count; i++)
        dpk_object_destroy(r->connections[i]->object.handle, &dpk_rdma_connection_kind);
    free(r->connections);
    r->connections = NULL;
    r->count = 0;
    if (r->queue)
        dpk_object_unuse(r->queue);
    return DOCA_SUCCESS;
}
static const struct dpk_ctx_ops ops = {.start = rdma_start,
                                       .stop = rdma_stop,
                                       .progress = dpk_rdma_progress,
                                       .is_ready = dpk_rdma_is_ready,
                                       .poll = dpk_rdma_poll,
                                       .rest = dpk_rdma_rest,
                                       .notifies = true,
                                       .has_datapath = true,
                                       .has_gpu = true};
/* A context with a connection manager polls its sockets, because no thread watches them. */
static const struct dpk_ctx_ops cm_ops = {.start = rdma_start,
                                          .stop = rdma_stop,
                                          .progress = dpk_rdma_progress,
                                          .is_ready = dpk_rdma_is_ready,
                                          .rest = dpk_rdma_rest,
                                          .has_datapath = true,
                                          .has_gpu = true};

doca_error_t dpk_rdma_set_callbacks(struct dpk_rdma *r, const struct dpk_rdma_callbacks *callbacks)
{
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&r->ctx.object.lock);
    if (r->rc) {
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context is %s, and must be idle",
                                  dpk_ctx_state_name(&r->ctx));
    } else {
        r->cm.callbacks = *callbacks;
        r->ctx.ops = &cm_ops;
    }
    pthread_mutex_unlock(&r->ctx.object.lock);
    return result;
}

struct dpk_rdma *dpk_rdma_new(struct dpk_dev *dev)
{
    struct dpk_rdma *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    dpk_ctx_init(&r->ctx, &ops);
    dpk_object_use(r->dev = dev);
    STAILQ_INIT(&r->ended);
    dpk_rdma_cm_init(r);
    r->sends = r->receives = QUEUE_DEFAULT;
    r->connections_max = 1;
    r->rnr_retries = DPK_RC_RNR_FOREVER;
    r->send_list = r->receive_list = 1;
    r->mtu = DOCA_MTU_SIZE_1K_BYTES;
    r->call_ms = CALL_MS;
    return dpk_object_enter(r, &dpk_rdma_kind) ? r : NULL;
}

doca_error_t dpk_rdma_destroy(const void *handle)
{
    return dpk_object_destroy(handle, &dpk_rdma_kind);
}
