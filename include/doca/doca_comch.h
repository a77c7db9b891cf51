/*
 * doca_comch: channels between programs of the host (clients) and programs of the DPU (servers).
 *
 *     struct doca_comch_server *server;                            // on the DPU
 *     doca_comch_server_create(dev, rep, "echo", &server);         // for what rep stands for
 *     doca_comch_server_task_send_set_conf(server, sent, failed, 16);
 *     doca_comch_server_event_msg_recv_register(server, received);
 *     doca_comch_server_event_connection_status_changed_register(server, came, went);
 *     doca_pe_connect_ctx(pe, doca_comch_server_as_ctx(server));
 *     doca_ctx_start(doca_comch_server_as_ctx(server));            // it runs
 *
 *     struct doca_comch_client *client;                            // on the host
 *     doca_comch_client_create(dev, "echo", &client);              // dev: the function that rep stands for
 *     ...                                                          // the same without `came, went`
 *     doca_ctx_start(doca_comch_client_as_ctx(client));            // IN_PROGRESS: it runs once the
 *     while (running)                                              // server has answered
 *         doca_pe_progress(pe);
 *     doca_comch_client_get_connection(client, &connection);
 *     doca_comch_client_task_send_alloc_init(client, connection, "hi", 2, &task);
 *     doca_task_submit(doca_comch_task_send_as_task(task));
 *
 * All callbacks are called by doca_pe_progress. Messages of a connection arrive whole and in the order
 * in which they were sent. What is large, or frequent, goes by producers and consumers of a connection
 * (doca_comch_producer.h, doca_comch_consumer.h). doca_comch(7) has the whole.
 *
 * A connection ends when one side stops, disconnects or dies. What was sent before still arrives. The
 * server is told by an event; the client begins to stop, as doca_ctx_stop would do. Sends that wait fail
 * with CONNECTION_RESET, new ones with NOT_CONNECTED; the handle is gone after the event, and when the
 * client or the server has stopped.
 *
 * Starting fails with NOT_FOUND if there is no server of that name, with ALREADY_EXIST if there is one
 * already, and with BAD_CONFIG without a progress engine; the log says why. A stop hangs up and tells
 * no event.
 *
 * Every function gives INVALID_VALUE for NULL, for an object that is gone, and for one of another
 * kind, and functions that configure give BAD_STATE for one that is not idle (DOCA Comch programming
 * guide).
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

/* What events come with: nothing is to be asked of them. */
struct doca_comch_event_msg_recv;
struct doca_comch_event_connection_status_changed;
struct doca_comch_event_consumer;

/* A send has ended. */
typedef void (*doca_comch_task_send_completion_cb_t)(struct doca_comch_task_send *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);
/* A message has come. Its bytes, which are aligned to 8, are there until the callback returns. */
typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event,
                                               uint8_t *recv_buffer, uint32_t msg_len,
                                               struct doca_comch_connection *comch_connection);
/* A client has connected, or has gone. `change_success`: always 1. */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
    struct doca_comch_event_connection_status_changed *event,
    struct doca_comch_connection *comch_connection, uint8_t change_success);
/* A consumer of the peer's runs, or has stopped. `id`: its number on this connection, from 1 on. */
typedef void (*doca_comch_event_consumer_cb_t)(struct doca_comch_event_consumer *event,
                                               struct doca_comch_connection *comch_connection,
                                               uint32_t id);

/* ---- What devices can do: those of a pair (dpadev create --pair); else NOT_SUPPORTED ---- */

/* DOCA_SUCCESS: on the DPU's side. */
doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);
/* DOCA_SUCCESS: on the host's side. */
doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);
/* Bytes of a server's name, with the NUL. */
doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
                                             uint32_t *max_name_len);
/* Bytes of a message. */
doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size);
/* Messages of a receive queue. */
doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                    uint32_t *size);
/* Sends that a client or a server may be set up for. */
doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                               uint32_t *max_send_tasks);
/* Clients that a server may have at once. */
doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
                                            uint32_t *num_clients);

/* ---- Connections ---- */

/* What a program keeps with it; {0} for what is none. */
doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
                                                 union doca_data user_data);
union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection);

/* The server, or the client, whose connection it is; NULL: it is none, or is the other's. */
struct doca_comch_server *
doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection);
struct doca_comch_client *
doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection);

/* What is counted on this side of a connection. */
enum doca_comch_counter {
    DOCA_COMCH_COUNTER_SENT_MESSAGES = 1,
    DOCA_COMCH_COUNTER_SENT_BYTES = 2,
    DOCA_COMCH_COUNTER_RECV_MESSAGES = 3,
    DOCA_COMCH_COUNTER_RECV_BYTES = 4,
};
/* Takes the counters as they are now for doca_comch_connection_get_counter. CONNECTION_ABORTED: the
 * peer has gone; they are taken. */
doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *connection);
/* A counter, as it was taken last; 0 before. INVALID_VALUE: also what is no counter. */
doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *connection,
                                               enum doca_comch_counter counter_type,
                                               uint64_t *counter_value);

/* ---- Servers ---- */

/*
 * Makes an idle server.
 *   dev           [in]   of the DPU's side
 *   repr          [in]   the representor of the function whose clients it serves, of the same card
 *   name          [in]   what clients call it by
 *   comch_server  [out]  NULL on failure
 * INVALID_VALUE: also a name that is empty or too long, or a representor of another card.
 * NOT_SUPPORTED: the device is none of the DPU's. NO_MEMORY.
 */
doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                      const char *name, struct doca_comch_server **comch_server);
/* Stops it if it runs. IN_USE: a task of it is not freed; it stays. */
doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);
/* The same object as a context; NULL if it is none. */
struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/* The largest message that it sends or takes, the capability to begin with. Of a connection the
 * smaller one of both sides' counts. INVALID_VALUE: also 0, or more than the capability. */
doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
                                                uint32_t size);
doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
                                                uint32_t *size);
/* How many messages it wants to have waiting. Here they wait in a socket, for as many as the system
 * lets it have; senders wait beyond. */
doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
                                                   uint32_t size);
doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
                                                   uint32_t *size);
/* What it was made with. */
doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
                                          struct doca_dev **dev);
doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
                                              struct doca_dev_rep **rep);
/* Ends a connection; no event tells of it. */
doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
                                          struct doca_comch_connection *connection);

/* Sets sends up: who is told of those that succeed and fail, and how many there may be at once.
 * INVALID_VALUE: also 0, or more than the capability. */
doca_error_t doca_comch_server_task_send_set_conf(
    struct doca_comch_server *comch_server, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);
/*
 * Makes a send, to be given back with doca_task_free.
 *   peer      [in]   a connection of it
 *   msg, len  [in]   the message; its bytes must stay until it has ended
 *   task      [out]  NULL on failure
 * INVALID_VALUE: also an empty message, or one that is larger than the connection's may be.
 * BAD_STATE: it does not run, or sends were not set up. NO_MEMORY: also if there are as many as were
 * set up.
 */
doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);

/* Who is told of messages, of clients that come and go, and of the clients' consumers. */
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

/* ---- Clients: each function as the server's ---- */

/* Makes an idle client on a device of the host's side. NOT_SUPPORTED: it is none of a pair's there. */
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
/* Its connection. BAD_STATE: it does not run. */
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

/* The same object as a task; NULL if it is none. */
struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

#ifdef __cplusplus
}
#endif

#endif
