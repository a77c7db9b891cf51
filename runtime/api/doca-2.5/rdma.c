/* Connections of RDMA contexts and their tasks as DOCA 2.5 to 2.8 have them: a context has one
 * connection, without a name. */
#include <doca_rdma.h>

#include "api/doca/rdma/rdma.h"
#include "single.h"

doca_error_t doca_rdma_create_v2_5(struct doca_dev *dev, struct doca_rdma **rdma);
doca_error_t doca_rdma_create_v2_5(struct doca_dev *dev, struct doca_rdma **rdma)
{
    const doca_error_t result = doca_rdma_create(dev, rdma);
    struct dpk_rdma *r = result == DOCA_SUCCESS ? dpk_object_pin(*rdma, &dpk_rdma_kind) : NULL;
    if (r)
        r->single = true; /* no other thread has its handle yet */
    dpk_object_drop(r);
    return result;
}

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

/* Returns the connection, with a reference; the first call makes it. Stores the reason of a failure. */
static doca_error_t single_connection(struct dpk_rdma *r, struct dpk_rdma_connection **c)
{
    doca_error_t result = DOCA_SUCCESS;
    *c = first_connection(r);
    if (!*c && (result = dpk_rdma_connection_new(r, c)) == DOCA_SUCCESS)
        dpk_object_hold(*c);
    return result;
}

doca_error_t doca_rdma_export_single(struct doca_rdma *rdma, const void **details,
                                     size_t *details_size)
{
    struct dpk_rdma *r = details && details_size ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    struct dpk_rdma_connection *c = NULL;
    if (!r)
        return dpk_doca_no_object(EXPORT);
    doca_error_t result = single_connection(r, &c);
    if (result == DOCA_SUCCESS) {
        *details = c->details.data;
        *details_size = c->details.size;
    }
    dpk_object_drop(c);
    dpk_object_drop(r);
    return dpk_doca_end(rdma, EXPORT, result);
}

doca_error_t doca_rdma_connect_single(struct doca_rdma *rdma, const void *details,
                                      size_t details_size)
{
    struct dpk_rdma *r = details ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    if (!r)
        return dpk_doca_no_object(CONNECT);
    struct dpk_rdma_connection *c = first_connection(r);
    const doca_error_t result =
        c ? dpk_rdma_connect(c, details, details_size)
          : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                             "the context has no connection (doca_rdma_export makes it)");
    if (result == DOCA_SUCCESS)
        dpk_ctx_begin_run(&r->ctx); /* if it is starting */
    dpk_object_drop(c);
    dpk_object_drop(r);
    return dpk_doca_end(rdma, CONNECT, result);
}

doca_error_t generation_rdma_single_connection(const char *call, struct doca_rdma *rdma,
                                               void **task,
                                               struct doca_rdma_connection **connection)
{
    struct dpk_rdma_connection *c = NULL;
    if (task)
        *task = NULL;
    struct dpk_rdma *r = task ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    if (!r)
        return dpk_doca_no_object(call);
    doca_error_t result = single_connection(r, &c);
    if (result == DOCA_SUCCESS)
        *connection = c->object.handle;
    dpk_object_drop(c);
    dpk_object_drop(r);
    return dpk_doca_end(rdma, call, result);
}

/* ---- Names of DOCA 2.5 ---- */

uint32_t doca_rdma_task_receive_get_result_length(const struct doca_rdma_task_receive *task)
{
    return doca_rdma_task_receive_get_result_len(task);
}

uint32_t doca_rdma_task_read_get_result_length(const struct doca_rdma_task_read *task)
{
    return doca_rdma_task_read_get_result_len(task);
}

uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_length(
    const struct doca_rdma_task_remote_net_sync_event_get *task)
{
    return doca_rdma_task_remote_net_sync_event_get_get_result_len(task);
}

/* ---- Requests of librdmacm ---- */

doca_error_t doca_rdma_bridge_accept_v2_10(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
                                           void *private_data, uint8_t private_data_len,
                                           struct doca_rdma_connection **rdma_connection);
doca_error_t doca_rdma_bridge_accept_v2_10(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
                                           void *private_data, uint8_t private_data_len,
                                           struct doca_rdma_connection **rdma_connection)
{
    if (rdma_connection)
        *rdma_connection = NULL;
    if (!private_data && private_data_len > 0)
        return dpk_doca_end(rdma, "doca_rdma_bridge_accept", DOCA_ERROR_INVALID_VALUE);
    doca_error_t result = doca_rdma_bridge_prepare_connection(rdma, cm_id, rdma_connection);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_rdma_bridge_accept(rdma, private_data, private_data_len, *rdma_connection);
    if (result != DOCA_SUCCESS) {
        doca_rdma_connection_reject(*rdma_connection);
        *rdma_connection = NULL;
    }
    return result;
}
