/* Connections of RDMA contexts in DOCA 2.5 to 2.9: a context has one connection, without a name. */
#include <doca_rdma.h>

#include "api/doca/rdma/rdma.h"

/* The names that programs of DOCA 2.5 use. */
#define EXPORT  "doca_rdma_export"
#define CONNECT "doca_rdma_connect"

/* Returns the first connection, with a reference, or NULL. */
static struct dpk_rdma_connection *first_connection(struct dpk_rdma *r)
{
    struct dpk_rdma_connection *c = NULL;
    pthread_mutex_lock(&r->ctx.object.lock);
    if (r->count > 0)
        dpk_object_hold(c = r->connections[0]);
    pthread_mutex_unlock(&r->ctx.object.lock);
    return c;
}

doca_error_t doca_rdma_export_single(struct doca_rdma *rdma, const void **details,
                                     size_t *details_size)
{
    struct dpk_rdma *r = details && details_size ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    doca_error_t result = DOCA_SUCCESS;
    if (!r)
        return dpk_doca_no_object(EXPORT);
    struct dpk_rdma_connection *c = first_connection(r);
    if (!c && (result = dpk_rdma_connection_new(EXPORT, r, &c)) == DOCA_SUCCESS)
        dpk_object_hold(c);
    if (result == DOCA_SUCCESS) {
        *details = c->details.data;
        *details_size = c->details.size;
    }
    dpk_object_drop(c);
    dpk_object_drop(r);
    return result;
}

doca_error_t doca_rdma_connect_single(struct doca_rdma *rdma, const void *details,
                                      size_t details_size)
{
    struct dpk_rdma *r = details ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    if (!r)
        return dpk_doca_no_object(CONNECT);
    struct dpk_rdma_connection *c = first_connection(r);
    const doca_error_t result =
        c ? dpk_rdma_connect(CONNECT, c, details, details_size)
          : dpk_doca_refuse_call(r, DOCA_ERROR_BAD_STATE, CONNECT,
                                 "the context has no connection (doca_rdma_export makes it)");
    dpk_object_drop(c);
    dpk_object_drop(r);
    return result;
}
