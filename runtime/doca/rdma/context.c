/* RDMA contexts and their connections, as objects. */
#include <stdlib.h>

#include "rdma.h"

#define QUEUE_DEFAULT 128u
#define RNR_MS        1u    /* until a message that found no receive is tried again */
#define CALL_MS       2000u /* until a call that nobody answers is given up, on a card */

/* ---- Contexts ---- */

static void rdma_left(void *object)
{
    struct dpk_rdma *r = object;
    r->telling = 0;        /* a callback that destroys its context can stop it */
    dpk_ctx_stop(&r->ctx); /* if it runs */
    dpk_ctx_left(&r->ctx);
    dpk_object_end_use(r->dev);
}

static void rdma_release(void *object)
{
    struct dpk_rdma *r = object;
    dpk_rdma_cm_close(r, true);
    dpk_ctx_clear(&r->ctx);
    dpk_object_drop(r->queue);
    dpk_object_drop(r->dev);
    free(r);
}
const struct dpk_kind dpk_rdma_kind = {.left = rdma_left, .release = rdma_release, .is_ctx = true};

/* Tasks end in a progress engine. */
static doca_error_t check_host(const struct dpk_rdma *r)
{
    if (r->queue || !r->ctx.pe)
        return dpk_doca_bad_config(r,
                                   "doca_ctx_start: the RDMA context's data path is on no DPA "
                                   "(doca_ctx_set_datapath_on_dpa), and it has %s",
                                   r->queue ? "a completion queue of one"
                                            : "no progress engine (doca_pe_connect_ctx)");
    return DOCA_SUCCESS;
}

/* The context that the data path is on must run, and be that of the completion queue. */
static doca_error_t check_dpa(struct dpk_rdma *r)
{
    struct dpk_dpa *base = dpk_dpa_base(dpk_rdma_dpa(r));
    if (r->queue && dpk_dpa_base(r->queue->dpa) != base)
        return dpk_doca_bad_config(
            r,
            "doca_ctx_start: the completion queue of the RDMA context is of another DPA context");
    if (!dpk_dpa_enter(dpk_rdma_dpa(r), 0))
        return DOCA_ERROR_BAD_STATE;
    r->run = base->run;
    dpk_dpa_leave(dpk_rdma_dpa(r));
    return DOCA_SUCCESS;
}

/* What peers may do. */
static unsigned permissions_of(uint32_t flags)
{
    return (flags & DOCA_ACCESS_FLAG_RDMA_READ ? DPK_MEMORY_REMOTE_READ : 0) |
           (flags & DOCA_ACCESS_FLAG_RDMA_WRITE ? DPK_MEMORY_REMOTE_WRITE : 0) |
           (flags & DOCA_ACCESS_FLAG_RDMA_ATOMIC ? DPK_MEMORY_REMOTE_ATOMIC : 0);
}

/* Every task may be submitted at once. */
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
    return o;
}

static doca_error_t rdma_start(struct dpk_ctx *ctx)
{
    struct dpk_rdma *r = (struct dpk_rdma *)ctx;
    struct dpk_error err = {0};
    const bool on_dpa = dpk_rdma_dpa(r) != NULL;
    doca_error_t result = on_dpa ? check_dpa(r) : check_host(r);
    if (result != DOCA_SUCCESS)
        return result;
    if (dpk_rc_enter(&r->rc, &err) != DPK_OK)
        return dpk_doca_failed("doca_ctx_start", &err);
    const struct dpk_rc_end_options sizes = queues_of(r);
    const struct dpk_rc_end_options options = {.ops = on_dpa ? &dpk_rdma_ops : &dpk_rdma_host_ops,
                                               .context = r,
                                               .domain = r->dev->domain,
                                               .permissions = permissions_of(r->permissions),
                                               .sends = sizes.sends,
                                               .receives = sizes.receives};
    if (dpk_rc_end_create(r->rc, &options, &r->end, &err) != DPK_OK) {
        dpk_rc_leave(r->rc);
        r->rc = NULL;
        return dpk_doca_failed("doca_ctx_start", &err);
    }
    if (r->queue)
        dpk_object_use(r->queue);
    return DOCA_SUCCESS;
}

void dpk_rdma_close(struct dpk_rdma *r)
{
    if (!r->end)
        return;
    dpk_rdma_cm_close(r, false);
    dpk_rc_end_destroy(r->end);
    r->end = NULL;
    for (uint32_t i = 0; i < r->count; i++)
        r->connections[i]->qp = NULL;
}

static doca_error_t rdma_stop(struct dpk_ctx *ctx)
{
    struct dpk_rdma *r = (struct dpk_rdma *)ctx;
    if (r->telling > 0)
        return DOCA_ERROR_IN_PROGRESS; /* doca_pe_progress goes on when the callback has returned */
    dpk_rdma_close(r);
    dpk_rc_leave(r->rc);
    r->rc = NULL;
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
                                       .has_datapath = true};
const struct dpk_ctx_ops dpk_rdma_cm_ctx_ops = {.start = rdma_start,
                                                .stop = rdma_stop,
                                                .progress = dpk_rdma_progress,
                                                .is_ready = dpk_rdma_is_ready,
                                                .rest = dpk_rdma_rest,
                                                .has_datapath = true};

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

/* ---- Connections ---- */

static void connection_release(void *object)
{
    struct dpk_rdma_connection *c = object;
    if (c->bridged)
        dpk_rdma_bridge_release(c);
    dpk_buf_free(&c->details);
    dpk_rdma_addr_end(c->addr);
    dpk_object_drop(c->rdma);
    free(c);
}
const struct dpk_kind dpk_rdma_connection_kind = {.release = connection_release};

/* The place of a new one: behind the others, or that of one that has ended. FULL. With the context's
 * lock, as the next ones. */
static doca_error_t find_place(struct dpk_rdma *r, uint32_t *place)
{
    uint32_t i = r->count;
    if (r->count == r->connections_max)
        for (i = 0; i < r->count && r->connections[i]->state < DPK_RDMA_LEFT; i++)
            ;
    *place = i;
    if (i < r->count)
        return DOCA_SUCCESS;
    if (i == r->connections_max)
        return DOCA_ERROR_FULL;
    struct dpk_rdma_connection **more =
        reallocarray(r->connections, r->count + 1, sizeof(struct dpk_rdma_connection *));
    if (!more)
        return DOCA_ERROR_NO_MEMORY;
    r->connections = more;
    return DOCA_SUCCESS;
}

/* Takes one that has ended away. */
static void clear_place(struct dpk_rdma *r, uint32_t place)
{
    struct dpk_rdma_connection *c = r->connections[place];
    if (c->qp)
        dpk_rc_qp_destroy(c->qp);
    c->qp = NULL;
    dpk_object_destroy(c->object.handle, &dpk_rdma_connection_kind);
}

static doca_error_t make_queue_pair(struct dpk_rdma *r, struct dpk_rdma_connection *c)
{
    struct dpk_error err = {0};
    if (dpk_rc_qp_create(r->end, c->id, &c->qp, &err) != DPK_OK)
        return dpk_doca_failed("doca_rdma_export", &err);
    dpk_rc_qp_set_patience(
        c->qp, &(struct dpk_rc_patience){.rnr_retries = r->rnr_retries, .rnr_ms = RNR_MS});
    if (dpk_rc_qp_address(c->qp, &c->details, &err) == DPK_OK)
        return DOCA_SUCCESS;
    dpk_rc_qp_destroy(c->qp);
    c->qp = NULL;
    return dpk_doca_failed("doca_rdma_export", &err);
}

static doca_error_t add_connection(struct dpk_rdma *r, struct dpk_rdma_connection *c)
{
    doca_error_t result = r->end ? find_place(r, &c->id) : DOCA_ERROR_BAD_STATE;
    if (result == DOCA_SUCCESS)
        result = make_queue_pair(r, c);
    if (result != DOCA_SUCCESS)
        return result;
    if (c->id < r->count)
        clear_place(r, c->id);
    else
        r->count++;
    r->connections[c->id] = c;
    return DOCA_SUCCESS;
}

doca_error_t dpk_rdma_connection_add(struct dpk_rdma *r, struct dpk_rdma_connection **out)
{
    *out = NULL;
    struct dpk_rdma_connection *c = calloc(1, sizeof *c);
    if (!c)
        return DOCA_ERROR_NO_MEMORY;
    c->socket = -1;
    dpk_object_hold(c->rdma = r);
    if (!dpk_object_enter(c, &dpk_rdma_connection_kind))
        return DOCA_ERROR_NO_MEMORY;
    const doca_error_t result = add_connection(r, c);
    if (result == DOCA_SUCCESS)
        *out = c;
    else
        dpk_object_destroy(c->object.handle, &dpk_rdma_connection_kind);
    return result;
}

doca_error_t dpk_rdma_connection_new(struct dpk_rdma *r, struct dpk_rdma_connection **out)
{
    pthread_mutex_lock(&r->ctx.object.lock);
    const doca_error_t result = dpk_rdma_connection_add(r, out);
    pthread_mutex_unlock(&r->ctx.object.lock);
    return result;
}

static doca_error_t why_not_connected(enum dpk_status status, const struct dpk_error *err)
{
    switch (status) {
    case DPK_OK:
        return DOCA_SUCCESS;
    case DPK_ERR_FORMAT:
        return DOCA_ERROR_INVALID_VALUE;
    case DPK_ERR_UNSUPPORTED:
        return DOCA_ERROR_UNSUPPORTED_VERSION;
    case DPK_ERR_USAGE:
        return DOCA_ERROR_BAD_STATE;
    case DPK_ERR_NOT_FOUND:
        return DOCA_ERROR_CONNECTION_ABORTED;
    default:
        return dpk_doca_failed("doca_rdma_connect", err);
    }
}

doca_error_t dpk_rdma_connect(struct dpk_rdma_connection *c, const void *details, size_t size)
{
    struct dpk_error err = {0};
    pthread_mutex_lock(&c->rdma->ctx.object.lock);
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    if (c->qp)
        result = why_not_connected(dpk_rc_qp_connect(c->qp, details, size, &err), &err);
    pthread_mutex_unlock(&c->rdma->ctx.object.lock);
    return result;
}
