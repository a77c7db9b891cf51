/*
 * doca_comch: channels between host programs (clients) and DPU programs (servers).
 *
 *     struct doca_comch_server *server;                            // on the DPU
 *     doca_comch_server_create(dev, rep, "echo", &server);         // for the function of rep
 *     doca_comch_server_task_send_set_conf(server, sent, failed, 16);
 *     doca_comch_server_event_msg_recv_register(server, received);
 *     doca_comch_server_event_connection_status_changed_register(server, came, went);
 *     doca_pe_connect_ctx(pe, doca_comch_server_as_ctx(server));
 *     doca_ctx_start(doca_comch_server_as_ctx(server));            // it runs
 *
 *     struct doca_comch_client *client;                            // on the host
 *     doca_comch_client_create(dev, "echo", &client);              // dev: the function of rep
 *     ...                                                          // as the server, without `came, went`
 *     doca_ctx_start(doca_comch_client_as_ctx(client));            // IN_PROGRESS: it runs once the
 *     while (running)                                              // server has answered
 *         doca_pe_progress(pe);
 *     doca_comch_client_get_connection(client, &connection);
 *     doca_comch_client_task_send_alloc_init(client, connection, "hi", 2, &task);
 *     doca_task_submit(doca_comch_task_send_as_task(task));
 *
 * All callbacks are called by doca_pe_progress. Messages of a connection arrive complete and in the
 * order of sending. For large or frequent messages, use producers and consumers (doca_comch_producer.h,
 * doca_comch_consumer.h). See doca_comch(7).
 *
 * A connection ends when one side stops, disconnects or dies. Messages sent before still arrive. The
 * server receives an event; the client starts to stop, as by doca_ctx_stop. Waiting sends fail with
 * CONNECTION_RESET, new sends with NOT_CONNECTED. The handle of the connection is invalid after the
 * event, and after the client or the server has stopped.
 *
 * Starting a client fails with NOT_FOUND if no server has that name. Starting a server fails with
 * ALREADY_EXIST if another server has the name. Starting either fails with BAD_CONFIG without a
 * progress engine. The log gives the reason. A stop closes the connections without an event.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind, and functions that configure return BAD_STATE for a server or client that is not idle (DOCA
 * Comch programming guide).
 */
#ifndef DOCA_COMCH_H
#define DOCA_COMCH_H

#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_error.h"
#include "doca_pe.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_server;
struct doca_comch_client;
struct doca_comch_connection; /* between one client and its server */
struct doca_comch_task_send;

/* The events of callbacks. They have no functions. */
struct doca_comch_event_msg_recv;
struct doca_comch_event_connection_status_changed;
struct doca_comch_event_consumer;

/* Called when a send has ended. */
typedef void (*doca_comch_task_send_completion_cb_t)(struct doca_comch_task_send *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);
/* Called when a message has arrived. Its bytes are aligned to 8 and valid until the callback
 * returns. */
typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event,
                                               uint8_t *recv_buffer, uint32_t msg_len,
                                               struct doca_comch_connection *comch_connection);
/* Called when a client has connected or disconnected. `change_success`: always 1. */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
    struct doca_comch_event_connection_status_changed *event,
    struct doca_comch_connection *comch_connection, uint8_t change_success);
/* Called when a consumer of the peer has started or stopped. `id`: its number on this connection, from
 * 1. */
typedef void (*doca_comch_event_consumer_cb_t)(struct doca_comch_event_consumer *event,
                                               struct doca_comch_connection *comch_connection,
                                               uint32_t id);

/* ---- Capabilities of devices of a pair (dpadev create --pair); NOT_SUPPORTED for others ---- */

/* Returns DOCA_SUCCESS on the DPU side. */
doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);
/* Returns DOCA_SUCCESS on the host side. */
doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);
/* Largest size of a server's name in bytes, with the NUL. */
doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
                                             uint32_t *max_name_len);
/* Largest size of a message in bytes. */
doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size);
/* Largest number of messages in a receive queue. */
doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                    uint32_t *size);
/* Largest number of send tasks of a client or a server. */
doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                               uint32_t *max_send_tasks);
/* Largest number of clients that a server can have at once. */
doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
                                            uint32_t *num_clients);

/* ---- Connections ---- */

/* Set and get a value for the program's own use. The value is {0} for an invalid handle. */
doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
                                                 union doca_data user_data);
union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection);

/* Return the server or the client that owns the connection. NULL if the handle is not a connection, or
 * if the other kind owns it. */
struct doca_comch_server *
doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection);
struct doca_comch_client *
doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection);

/* The counters of this side of a connection. */
enum doca_comch_counter {
    DOCA_COMCH_COUNTER_SENT_MESSAGES = 1,
    DOCA_COMCH_COUNTER_SENT_BYTES = 2,
    DOCA_COMCH_COUNTER_RECV_MESSAGES = 3,
    DOCA_COMCH_COUNTER_RECV_BYTES = 4,
};
/* Copies the current counters for doca_comch_connection_get_counter. Errors: CONNECTION_ABORTED if the
 * peer is gone; the counters are still copied. */
doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *connection);
/* Gets a counter from the last copy, or 0 before the first copy. Errors: INVALID_VALUE also if the
 * number is not a counter. */
doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *connection,
                                               enum doca_comch_counter counter_type,
                                               uint64_t *counter_value);

/* ---- Servers ---- */

/*
 * Creates an idle server.
 *   dev           [in]   a device of the DPU side
 *   repr          [in]   the representor of the clients' function, of the same card
 *   name          [in]   the name that clients use
 *   comch_server  [out]  NULL on failure
 * Errors: INVALID_VALUE also if the name is empty or too long, or the representor is of another card,
 * NOT_SUPPORTED if the device is not on the DPU side, NO_MEMORY.
 */
doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                      const char *name, struct doca_comch_server **comch_server);
/* Stops the server if it runs, and destroys it. Errors: IN_USE if it has a task that is not freed;
 * nothing changes then. */
doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);
/* Returns the object as a context. NULL if the argument is not an object of this kind. */
struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/* The largest message that the server sends or accepts, in bytes; the capability by default. A
 * connection uses the smaller value of its two sides. Errors: INVALID_VALUE also if the size is 0 or
 * more than the capability. */
doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
                                                uint32_t size);
doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
                                                uint32_t *size);
/* The size of the receive queue, in messages. Here messages wait in a socket, as many as the system
 * permits; when it is full, senders wait. */
doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
                                                   uint32_t size);
doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
                                                   uint32_t *size);
/* Get the arguments that created the server. */
doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
                                          struct doca_dev **dev);
doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
                                              struct doca_dev_rep **rep);
/* Ends a connection, without an event. */
doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
                                          struct doca_comch_connection *connection);

/* Sets the callbacks of successful and failed sends, and the largest number of send tasks. Errors:
 * INVALID_VALUE also if the number is 0 or more than the capability. */
doca_error_t doca_comch_server_task_send_set_conf(
    struct doca_comch_server *comch_server, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);
/*
 * Creates a send task. Free it with doca_task_free.
 *   peer      [in]   a connection of the server
 *   msg, len  [in]   the message; keep its bytes until the send has ended
 *   task      [out]  NULL on failure
 * Errors: INVALID_VALUE also if the message is empty or too large for the connection, BAD_STATE if the
 * server does not run or has no send configuration, NO_MEMORY also if all configured send tasks exist.
 */
doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);

/* Set the callbacks for messages, for clients that connect and disconnect, and for the clients'
 * consumers. */
doca_error_t
doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb);
doca_error_t doca_comch_server_event_connection_status_changed_register(
    struct doca_comch_server *comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);
doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/* ---- Clients: each function as the function of the server ---- */

/* Creates an idle client on a device of the host side. Errors: NOT_SUPPORTED if the device is not the
 * host side of a pair. */
doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
                                      struct doca_comch_client **comch_client);
doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);
struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client);
doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
                                                uint32_t size);
doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
                                                uint32_t *size);
doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
                                                   uint32_t size);
doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
                                                   uint32_t *size);
doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
                                          struct doca_dev **dev);
/* Gets the client's connection. Errors: BAD_STATE if the client does not run. */
doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
                                              struct doca_comch_connection **connection);
doca_error_t doca_comch_client_task_send_set_conf(
    struct doca_comch_client *comch_client, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);
doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);
doca_error_t
doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb);
doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/* Returns the object as a task. NULL if the argument is not a task of this kind. */
struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

#ifdef __cplusplus
}
#endif

#endif
