/* DOCA RDMA: the public side of connections. */
#include <doca_rdma.h>

#include "api/doca/rdma/rdma.h"

#undef doca_rdma_export
#undef doca_rdma_connect

doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **details, size_t *details_size,
                              struct doca_rdma_connection **connection)
{
    struct dpk_rdma_connection *c = NULL;
    if (connection)
        *connection = NULL;
    struct dpk_rdma *r =
        details && details_size && connection ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    if (!r)
        return dpk_doca_no_object(__func__);
    doca_error_t result = dpk_rdma_connection_new(r, &c);
    if (result == DOCA_SUCCESS) {
        *details = c->details.data;
        *details_size = c->details.size;
        *connection = c->object.handle;
    }
    dpk_object_drop(r);
    return dpk_doca_end(rdma, __func__, result);
}

/* Returns a connection, pinned, or NULL if it does not belong to that context. */
static struct dpk_rdma_connection *pin_of(const struct doca_rdma *rdma,
                                          const struct doca_rdma_connection *connection)
{
    struct dpk_rdma *r = dpk_object_pin(rdma, &dpk_rdma_kind);
    struct dpk_rdma_connection *c = dpk_object_pin(connection, &dpk_rdma_connection_kind);
    const bool good = r && c && c->rdma == r;
    dpk_object_drop(r);
    if (!good)
        dpk_object_drop(c);
    return good ? c : NULL;
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *details, size_t details_size,
                               struct doca_rdma_connection *connection)
{
    struct dpk_rdma_connection *c = details ? pin_of(rdma, connection) : NULL;
    const doca_error_t result =
        c ? dpk_rdma_connect(c, details, details_size) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(rdma, __func__, result);
}

doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *connection,
                                         uint32_t *connection_id)
{
    struct dpk_rdma_connection *c =
        connection_id ? dpk_object_pin(connection, &dpk_rdma_connection_kind) : NULL;
    if (!c)
        return dpk_doca_end(connection, __func__, DOCA_ERROR_INVALID_VALUE);
    *connection_id = c->id;
    dpk_object_drop(c);
    return dpk_doca_end(connection, __func__, DOCA_SUCCESS);
}

doca_error_t doca_rdma_connection_set_user_data(struct doca_rdma_connection *connection,
                                                union doca_data user_data)
{
    struct dpk_rdma_connection *c = dpk_object_pin(connection, &dpk_rdma_connection_kind);
    if (!c)
        return dpk_doca_end(connection, __func__, DOCA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&c->rdma->ctx.object.lock);
    c->user_data = user_data;
    pthread_mutex_unlock(&c->rdma->ctx.object.lock);
    dpk_object_drop(c);
    return dpk_doca_end(connection, __func__, DOCA_SUCCESS);
}

doca_error_t doca_rdma_connection_get_user_data(const struct doca_rdma_connection *connection,
                                                union doca_data *user_data)
{
    struct dpk_rdma_connection *c =
        user_data ? dpk_object_pin(connection, &dpk_rdma_connection_kind) : NULL;
    if (!c)
        return dpk_doca_end(connection, __func__, DOCA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&c->rdma->ctx.object.lock);
    *user_data = c->user_data;
    pthread_mutex_unlock(&c->rdma->ctx.object.lock);
    dpk_object_drop(c);
    return dpk_doca_end(connection, __func__, DOCA_SUCCESS);
}

doca_error_t doca_rdma_connection_get_addr(const struct doca_rdma_connection *connection,
                                           struct doca_rdma_addr **addr)
{
    if (addr)
        *addr = NULL;
    struct dpk_rdma_connection *c =
        addr ? dpk_object_pin(connection, &dpk_rdma_connection_kind) : NULL;
    if (!c)
        return dpk_doca_end(connection, __func__, DOCA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&c->rdma->ctx.object.lock);
    if (c->addr)
        *addr = c->addr->object.handle;
    pthread_mutex_unlock(&c->rdma->ctx.object.lock);
    dpk_object_drop(c);
    return dpk_doca_end(connection, __func__,
                        *addr ? DOCA_SUCCESS
                              : dpk_doca_because(DOCA_ERROR_NOT_FOUND,
                                                 "the connection was made without an address"));
}

/* ---- Addresses ---- */

doca_error_t doca_rdma_addr_create(enum doca_rdma_addr_type addr_type, const char *address,
                                   uint16_t port, struct doca_rdma_addr **addr)
{
    struct dpk_rdma_addr a = {.type = addr_type, .at = {.port = port}};
    if (addr)
        *addr = NULL;
    if (!addr || !address || port == 0 || (unsigned)addr_type > DOCA_RDMA_ADDR_TYPE_GID ||
        strlen(address) >= sizeof a.text)
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_INVALID_VALUE);
    memcpy(a.text, address, strlen(address));
    if (!dpk_rdma_addr_parse(&a)) {
        dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "\"%s\" is not an address of that type", a.text);
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_INVALID_VALUE);
    }
    struct dpk_rdma_addr *made = dpk_rdma_addr_copy(&a);
    if (made)
        *addr = made->object.handle;
    dpk_object_drop(made);
    return dpk_doca_end(NULL, __func__, made ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr)
{
    return dpk_doca_destroy(addr, &dpk_rdma_addr_kind, __func__);
}

doca_error_t doca_rdma_addr_get_params(struct doca_rdma_addr *addr,
                                       enum doca_rdma_addr_type *addr_type, const char **address,
                                       uint16_t *port)
{
    struct dpk_rdma_addr *a =
        addr_type && address && port ? dpk_object_pin(addr, &dpk_rdma_addr_kind) : NULL;
    if (!a)
        return dpk_doca_end(addr, __func__, DOCA_ERROR_INVALID_VALUE);
    *addr_type = a->type;
    *address = a->text;
    *port = a->at.port;
    dpk_object_drop(a);
    return dpk_doca_end(addr, __func__, DOCA_SUCCESS);
}

/* ---- The connection manager ---- */

doca_error_t doca_rdma_set_connection_state_callbacks(
    struct doca_rdma *rdma, doca_rdma_connection_request_cb_t request,
    doca_rdma_connection_established_cb_t established, doca_rdma_connection_failure_cb_t failed,
    doca_rdma_connection_disconnection_cb_t disconnected)
{
    const struct dpk_rdma_callbacks callbacks = {request, established, failed, disconnected};
    const bool all = request && established && failed && disconnected;
    struct dpk_rdma *r = all ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    const doca_error_t result =
        r ? dpk_rdma_set_callbacks(r, &callbacks) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(r);
    return dpk_doca_end(rdma, __func__, result);
}

doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port)
{
    struct dpk_rdma *r = port > 0 ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    const doca_error_t result = r ? dpk_rdma_listen(r, port) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(r);
    return dpk_doca_end(rdma, __func__, result);
}

doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port)
{
    struct dpk_rdma *r = dpk_object_pin(rdma, &dpk_rdma_kind);
    const doca_error_t result = r ? dpk_rdma_stop_listening(r, port) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(r);
    return dpk_doca_end(rdma, __func__, result);
}

doca_error_t doca_rdma_connect_to_addr(struct doca_rdma *rdma, struct doca_rdma_addr *addr,
                                       union doca_data connection_user_data)
{
    struct dpk_rdma *r = dpk_object_pin(rdma, &dpk_rdma_kind);
    struct dpk_rdma_addr *a = dpk_object_pin(addr, &dpk_rdma_addr_kind);
    const doca_error_t result =
        r && a ? dpk_rdma_call(r, a, connection_user_data) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(a);
    dpk_object_drop(r);
    return dpk_doca_end(rdma, __func__, result);
}

doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *connection,
                                         void *private_data, uint8_t private_data_len)
{
    const bool good = private_data || private_data_len == 0;
    struct dpk_rdma_connection *c =
        good ? dpk_object_pin(connection, &dpk_rdma_connection_kind) : NULL;
    const doca_error_t result =
        c ? dpk_rdma_accept(c, private_data, private_data_len) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(connection, __func__, result);
}

doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *connection)
{
    struct dpk_rdma_connection *c = dpk_object_pin(connection, &dpk_rdma_connection_kind);
    const doca_error_t result = c ? dpk_rdma_reject(c) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(connection, __func__, result);
}

doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *connection)
{
    struct dpk_rdma_connection *c = dpk_object_pin(connection, &dpk_rdma_connection_kind);
    const doca_error_t result = c ? dpk_rdma_disconnect(c) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(connection, __func__, result);
}

/* ---- Connections accepted with librdmacm ---- */

doca_error_t doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
                                                 struct doca_rdma_connection **rdma_connection)
{
    struct dpk_rdma_connection *c = NULL;
    if (rdma_connection)
        *rdma_connection = NULL;
    struct dpk_rdma *r = cm_id && rdma_connection ? dpk_object_pin(rdma, &dpk_rdma_kind) : NULL;
    const doca_error_t result =
        r ? dpk_rdma_bridge_prepare(r, cm_id, &c) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *rdma_connection = c->object.handle;
    dpk_object_drop(r);
    return dpk_doca_end(rdma, __func__, result);
}

doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
                                     uint8_t private_data_len,
                                     struct doca_rdma_connection *rdma_connection)
{
    const bool good = private_data || private_data_len == 0;
    struct dpk_rdma_connection *c = good ? pin_of(rdma, rdma_connection) : NULL;
    const doca_error_t result =
        c ? dpk_rdma_bridge_accept(c, private_data, private_data_len) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(rdma, __func__, result);
}

doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
                                          struct doca_rdma_connection *rdma_connection)
{
    struct dpk_rdma_connection *c = pin_of(rdma, rdma_connection);
    const doca_error_t result = c ? dpk_rdma_bridge_establish(c) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(rdma, __func__, result);
}
