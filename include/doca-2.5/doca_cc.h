/*
 * doca_cc (DOCA 2.5 and 2.6): doca_comch under the names of its first releases. A host program
 * is a client, a program of the DPU a server; everything is as ../doca/doca_comch.h says for the
 * function with the same end of the name.
 *
 *     struct doca_cc_client *client;                               // on the host
 *     doca_cc_client_create(dev, "echo", &client);
 *     doca_cc_client_task_send_set_conf(client, sent, failed, 16); // 2.5: ..._send_task_set_conf
 *     doca_cc_client_event_msg_recv_register(client, received);
 *     doca_pe_connect_ctx(pe, doca_cc_client_as_ctx(client));
 *     doca_ctx_start(doca_cc_client_as_ctx(client));               // IN_PROGRESS: it runs soon
 *
 * DOCA 2.5 has sizes of 64 bits where DOCA 2.6 has 32 bits, and other names for functions of tasks. A
 * size of 2.5 that 32 bits cannot hold is refused with INVALID_VALUE.
 */
#ifndef DOCA_2_5_CC_H
#define DOCA_2_5_CC_H

#include <stdbool.h>

#include "doca_2_5.h"

#include "../doca/doca_ctx.h"
#include "../doca/doca_dev.h"
#include "../doca/doca_pe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What differs between the two releases: the type of sizes, and symbols of the functions that have
 * sizes. */
#if DOCA_VERSION_MAJOR == 2 && DOCA_VERSION_MINOR < 6
#define DPK_CC_2_5          1
#define DPK_CC_SYMBOL(name) __asm__(name)
typedef size_t dpk_cc_size_t;
typedef bool dpk_cc_truth_t;
#else
#define DPK_CC_SYMBOL(name)
typedef uint32_t dpk_cc_size_t;
typedef uint8_t dpk_cc_truth_t;
#endif

struct doca_cc_server;
struct doca_cc_client;
struct doca_cc_connection;

/* The events of callbacks. They have no functions. */
struct doca_cc_event_msg_recv;
struct doca_cc_event_connection_status_changed;
struct doca_cc_event_consumer;

typedef void (*doca_cc_event_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event,
                                            uint8_t *recv_buffer, dpk_cc_size_t msg_len,
                                            struct doca_cc_connection *cc_connection);
typedef void (*doca_cc_event_connection_status_changed_cb_t)(
    struct doca_cc_event_connection_status_changed *event, struct doca_cc_connection *cc_connection,
    dpk_cc_truth_t change_success);
typedef void (*doca_cc_event_consumer_cb_t)(struct doca_cc_event_consumer *event,
                                            struct doca_cc_connection *cc_connection, uint32_t id);

/* ---- Capabilities ---- */

doca_error_t doca_cc_cap_server_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_cc_cap_client_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_cc_cap_get_max_name_len(const struct doca_devinfo *devinfo,
                                          uint32_t *max_name_len);
doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo, dpk_cc_size_t *size)
    DPK_CC_SYMBOL("doca_cc_cap_get_max_msg_size_v2_5");
doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                 dpk_cc_size_t *size)
    DPK_CC_SYMBOL("doca_cc_cap_get_max_recv_queue_size_v2_5");
doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                            dpk_cc_size_t *max_send_tasks)
    DPK_CC_SYMBOL("doca_cc_cap_get_max_send_tasks_v2_5");
doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo,
                                         dpk_cc_size_t *num_clients)
    DPK_CC_SYMBOL("doca_cc_cap_get_max_clients_v2_5");

/* ---- Connections ---- */

doca_error_t doca_cc_connection_set_user_data(struct doca_cc_connection *cc_connection,
                                              union doca_data user_data);
union doca_data doca_cc_connection_get_user_data(const struct doca_cc_connection *cc_connection);
struct doca_cc_server *
doca_cc_server_get_server_ctx(const struct doca_cc_connection *cc_connection);
struct doca_cc_client *
doca_cc_client_get_client_ctx(const struct doca_cc_connection *cc_connection);

enum doca_cc_counter {
    DOCA_CC_COUNTER_SENT_MESSAGES = 1,
    DOCA_CC_COUNTER_SENT_BYTES = 2,
    DOCA_CC_COUNTER_RECV_MESSAGES = 3,
    DOCA_CC_COUNTER_RECV_BYTES = 4,
};
doca_error_t doca_cc_connection_update_info(struct doca_cc_connection *cc_connection);
doca_error_t doca_cc_connection_get_counter(const struct doca_cc_connection *cc_connection,
                                            enum doca_cc_counter counter_type,
                                            uint64_t *counter_value);

/* ---- Servers ---- */

doca_error_t doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                   const char *name, struct doca_cc_server **cc_server);
doca_error_t doca_cc_server_destroy(struct doca_cc_server *cc_server);
struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *cc_server);
doca_error_t doca_cc_server_get_device(const struct doca_cc_server *cc_server,
                                       struct doca_dev **dev);
doca_error_t doca_cc_server_get_device_repr(const struct doca_cc_server *cc_server,
                                            struct doca_dev_rep **rep);
doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server, dpk_cc_size_t size)
    DPK_CC_SYMBOL("doca_cc_server_set_max_msg_size_v2_5");
doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *cc_server,
                                             dpk_cc_size_t *size)
    DPK_CC_SYMBOL("doca_cc_server_get_max_msg_size_v2_5");
doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server,
                                                dpk_cc_size_t size)
    DPK_CC_SYMBOL("doca_cc_server_set_recv_queue_size_v2_5");
doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *cc_server,
                                                dpk_cc_size_t *size)
    DPK_CC_SYMBOL("doca_cc_server_get_recv_queue_size_v2_5");
doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *cc_server,
                                                    doca_cc_event_msg_recv_cb_t recv_event_cb)
    DPK_CC_SYMBOL("doca_cc_server_event_msg_recv_register_v2_5");
doca_error_t doca_cc_server_event_connection_register(
    struct doca_cc_server *cc_server, doca_cc_event_connection_status_changed_cb_t connect_event_cb,
    doca_cc_event_connection_status_changed_cb_t disconnect_event_cb);
doca_error_t
doca_cc_server_event_consumer_register(struct doca_cc_server *cc_server,
                                       doca_cc_event_consumer_cb_t new_consumer_event_cb,
                                       doca_cc_event_consumer_cb_t expired_consumer_event_cb);

/* ---- Clients ---- */

doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name,
                                   struct doca_cc_client **cc_client);
doca_error_t doca_cc_client_destroy(struct doca_cc_client *cc_client);
struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *cc_client);
doca_error_t doca_cc_client_get_device(const struct doca_cc_client *cc_client,
                                       struct doca_dev **dev);
doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *cc_client,
                                           struct doca_cc_connection **cc_connection);
doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client, dpk_cc_size_t size)
    DPK_CC_SYMBOL("doca_cc_client_set_max_msg_size_v2_5");
doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client,
                                             dpk_cc_size_t *size)
    DPK_CC_SYMBOL("doca_cc_client_get_max_msg_size_v2_5");
doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client,
                                                dpk_cc_size_t size)
    DPK_CC_SYMBOL("doca_cc_client_set_recv_queue_size_v2_5");
doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client,
                                                dpk_cc_size_t *size)
    DPK_CC_SYMBOL("doca_cc_client_get_recv_queue_size_v2_5");
doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *cc_client,
                                                    doca_cc_event_msg_recv_cb_t recv_event_cb)
    DPK_CC_SYMBOL("doca_cc_client_event_msg_recv_register_v2_5");
doca_error_t
doca_cc_client_event_consumer_register(struct doca_cc_client *cc_client,
                                       doca_cc_event_consumer_cb_t new_consumer_event_cb,
                                       doca_cc_event_consumer_cb_t expired_consumer_event_cb);

/* ---- Sends ---- */

#ifdef DPK_CC_2_5

struct doca_cc_send_task;
typedef void (*doca_cc_send_task_comp_handler)(struct doca_cc_send_task *task,
                                               union doca_data task_user_data,
                                               union doca_data ctx_user_data);
doca_error_t doca_cc_server_send_task_set_conf(struct doca_cc_server *cc_server,
                                               doca_cc_send_task_comp_handler success_cb,
                                               doca_cc_send_task_comp_handler error_cb,
                                               uint8_t num_send_tasks);
doca_error_t doca_cc_server_send_task_alloc_init(struct doca_cc_server *cc_server,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 size_t len, struct doca_cc_send_task **task);
doca_error_t doca_cc_client_send_task_set_conf(struct doca_cc_client *cc_client,
                                               doca_cc_send_task_comp_handler success_cb,
                                               doca_cc_send_task_comp_handler error_cb,
                                               uint8_t num_send_tasks);
doca_error_t doca_cc_client_send_task_alloc_init(struct doca_cc_client *cc_client,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 size_t len, struct doca_cc_send_task **task);
struct doca_task *doca_cc_send_task_as_task(struct doca_cc_send_task *task);

#else

struct doca_cc_task_send;
typedef void (*doca_cc_task_send_completion_cb_t)(struct doca_cc_task_send *task,
                                                  union doca_data task_user_data,
                                                  union doca_data ctx_user_data);
doca_error_t doca_cc_server_task_send_set_conf(struct doca_cc_server *cc_server,
                                               doca_cc_task_send_completion_cb_t task_completion_cb,
                                               doca_cc_task_send_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks);
doca_error_t doca_cc_server_task_send_alloc_init(struct doca_cc_server *cc_server,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 uint32_t len, struct doca_cc_task_send **task);
doca_error_t doca_cc_client_task_send_set_conf(struct doca_cc_client *cc_client,
                                               doca_cc_task_send_completion_cb_t task_completion_cb,
                                               doca_cc_task_send_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks);
doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *cc_client,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 uint32_t len, struct doca_cc_task_send **task);
struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *task);

#endif

#ifdef __cplusplus
}
#endif

#endif
