/* Connections as objects, and their queue pairs. */
#include <stdlib.h>

#include "rdma.h"

#define RNR_MS 1u /* delay before a message without a receive is sent again */

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

static doca_error_t no_memory(void)
{
    return dpk_doca_because(DOCA_ERROR_NO_MEMORY, "no memory for the connection");
}

/* Finds the place of a new connection: after the others, or the place of an ended connection. Errors:
 * FULL. With the context's lock, as the next ones. */
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
        return dpk_doca_because(DOCA_ERROR_FULL, "the context has its %u connections already",
                                r->connections_max);
    struct dpk_rdma_connection **more =
        reallocarray(r->connections, r->count + 1, sizeof(struct dpk_rdma_connection *));
    if (!more)
        return no_memory();
    r->connections = more;
    return DOCA_SUCCESS;
}

void dpk_rdma_drop_pair(struct dpk_rdma_connection *c)
{
    if (!c->qp)
        return;
    dpk_rdma_gpu_connect(c->rdma, c->id, NULL);
    dpk_rc_qp_destroy(c->qp);
    c->qp = NULL;
}

/* Removes an ended connection. */
static void clear_place(struct dpk_rdma *r, uint32_t place)
{
    struct dpk_rdma_connection *c = r->connections[place];
    dpk_rdma_drop_pair(c);
    dpk_object_destroy(c->object.handle, &dpk_rdma_connection_kind);
}

static doca_error_t make_queue_pair(struct dpk_rdma *r, struct dpk_rdma_connection *c)
{
    struct dpk_error err = {0};
    if (dpk_rc_qp_create(r->end, c->id, &c->qp, &err) != DPK_OK)
        return dpk_doca_because(dpk_doca_error(err.status), "%s", err.message);
    dpk_rc_qp_set_patience(
        c->qp, &(struct dpk_rc_patience){.rnr_retries = r->rnr_retries, .rnr_ms = RNR_MS});
    if (dpk_rc_qp_address(c->qp, &c->details, &err) == DPK_OK)
        return DOCA_SUCCESS;
    dpk_rc_qp_destroy(c->qp);
    c->qp = NULL;
    return dpk_doca_because(dpk_doca_error(err.status), "%s", err.message);
}

static doca_error_t add_connection(struct dpk_rdma *r, struct dpk_rdma_connection *c)
{
    doca_error_t result = r->end ? find_place(r, &c->id)
                                 : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                                    "the context is not started, or has failed");
    if (result == DOCA_SUCCESS)
        result = dpk_rdma_gpu_prepare(r, c->id);
    if (result == DOCA_SUCCESS)
        result = make_queue_pair(r, c);
    if (result != DOCA_SUCCESS)
        return result;
    if (c->id < r->count)
        clear_place(r, c->id);
    else
        r->count++;
    r->connections[c->id] = c;
    dpk_rdma_gpu_connect(r, c->id, c->qp);
    return DOCA_SUCCESS;
}

doca_error_t dpk_rdma_connection_add(struct dpk_rdma *r, struct dpk_rdma_connection **out)
{
    *out = NULL;
    struct dpk_rdma_connection *c = calloc(1, sizeof *c);
    if (!c)
        return no_memory();
    c->socket = -1;
    dpk_object_hold(c->rdma = r);
    if (!dpk_object_enter(c, &dpk_rdma_connection_kind))
        return no_memory();
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

static doca_error_t result_of_connect(enum dpk_status status)
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
        return dpk_doca_error(status);
    }
}

doca_error_t dpk_rdma_connect(struct dpk_rdma_connection *c, const void *details, size_t size)
{
    struct dpk_error err = {.status = DPK_ERR_USAGE,
                            .message = "the context of the connection is not started"};
    pthread_mutex_lock(&c->rdma->ctx.object.lock);
    if (c->qp)
        err.status = dpk_rc_qp_connect(c->qp, details, size, &err);
    pthread_mutex_unlock(&c->rdma->ctx.object.lock);
    const doca_error_t result = result_of_connect(err.status);
    return result == DOCA_SUCCESS ? result : dpk_doca_because(result, "%s", err.message);
}

void dpk_rdma_close(struct dpk_rdma *r)
{
    if (!r->end)
        return;
    dpk_rdma_cm_close(r, false);
    dpk_rdma_gpu_close(r);
    dpk_rc_lock(r->rc); /* so that a receive of a shared queue finds the end, or finds no context */
    dpk_rc_end_destroy(r->end);
    r->end = NULL;
    if (r->srq)
        dpk_rdma_srq_leave_line(r);
    dpk_rc_unlock(r->rc);
    for (uint32_t i = 0; i < r->count; i++)
        r->connections[i]->qp = NULL;
}
