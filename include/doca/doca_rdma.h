/*
 * doca_rdma: reliable connections between programs, in one process or between processes of this
 * machine. The data path is on the host, and tasks are submitted; or it is on the DPA, and kernels and
 * threads post (doca_dpa_dev_rdma.h).
 *
 *     struct doca_rdma *rdma;  struct doca_rdma_connection *connection;
 *     doca_rdma_create(dev, &rdma);
 *     doca_rdma_set_permissions(rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
 *                                     DOCA_ACCESS_FLAG_RDMA_WRITE);
 *     doca_ctx_set_datapath_on_dpa(doca_rdma_as_ctx(rdma), dpa);     // on the DPA
 *     doca_rdma_dpa_completion_attach(rdma, completion);
 *     doca_pe_connect_ctx(pe, doca_rdma_as_ctx(rdma));               // or on the host
 *     doca_rdma_task_send_set_conf(rdma, completed, failed, 16);
 *     doca_ctx_start(doca_rdma_as_ctx(rdma));
 *     doca_rdma_export(rdma, &details, &size, &connection);   // to the peer, by whatever means
 *     doca_rdma_connect(rdma, theirs, their_size, connection);
 *     doca_rdma_get_dpa_handle(rdma, &handle);                // for a kernel's argument
 *     doca_rdma_task_send_allocate_init(rdma, connection, buffer, data, &send);
 *     doca_task_submit(doca_rdma_task_send_as_task(send));    // doca_pe_progress calls `completed`
 *
 * Operations reach memory of maps that were given the context's device (doca_mmap_add_dev), at either
 * end. Sends wait for receives of the peer. All connections of a context share its receives. When a
 * context is stopped, what is still posted completes with an error; when a peer goes or its process
 * dies, so does what was posted to it, and what will be.
 *
 * Setters are for a context that is idle: else BAD_STATE. Every function returns INVALID_VALUE for
 * NULL, for a destroyed object, and for an object of another kind (DOCA RDMA programming guide).
 */
#ifndef DOCA_RDMA_H
#define DOCA_RDMA_H

#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_dpa_types.h"
#include "doca_error.h"
#include "doca_pe.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_rdma;
struct doca_rdma_connection;
struct doca_dpa_completion;

/* Only the first is there. */
enum doca_rdma_transport_type {
    DOCA_RDMA_TRANSPORT_TYPE_RC = 0,
    DOCA_RDMA_TRANSPORT_TYPE_DC = 1,
};

/* ---- What devices can do: DOCA_SUCCESS if so ---- */

/* NOT_SUPPORTED: another transport than RC. */
doca_error_t
doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
                                          enum doca_rdma_transport_type transport_type);
doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_send_queue_size);
doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_recv_queue_size);
/* Buffers in a list that a task sends or writes. */
doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
                                                     uint32_t *max_send_buf_list_len);
/* In bytes. */
doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
                                                uint32_t *max_message_size);

/* The addresses of a device, by their index: as ibv_query_gid tells. Zeros: there is none. */
struct doca_rdma_gid {
    uint8_t raw[DOCA_GID_BYTE_LENGTH];
};
doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
                                              uint32_t *gid_table_size);
/* INVALID_VALUE: also entries that are not in the table, or none. */
doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo, uint32_t start_index,
                                   uint32_t num_entries, struct doca_rdma_gid *gid_array);

/* ---- Contexts ---- */

/* Makes an idle context on a device. NO_MEMORY. */
doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma);

/* In any state: one that runs is stopped first. */
doca_error_t doca_rdma_destroy(struct doca_rdma *rdma);

/* Returns the object as a context. NULL if the argument is not an object of this kind. */
struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/* What peers may do with memory of this process, as far as its map permits it: bits of enum
 * doca_access_flag; at first none. INVALID_VALUE: bits for PCI, or unknown ones. */
doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions);
doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions);

/* Operations that can be posted at once on each connection, and receives on all; at first 128. A
 * kernel that posts more waits. INVALID_VALUE: 0 (for receives: fine), or more than the maximum. */
doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size);
doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size);
doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *size);
doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *size);

/* Connections it may have; at first 1. INVALID_VALUE: 0, or more than 8192. */
doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
                                               uint16_t max_num_connections);
doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
                                               uint16_t *max_num_connections);

/* How often a message is tried again that finds no receive at the peer, about a millisecond apart; then
 * its task fails with IO_FAILED. 7, as at first: until there is one. INVALID_VALUE: more than 7. */
doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count);
doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count);

/* What a network would need to know. There is none, so that these change nothing; they are kept, for who
 * asks. INVALID_VALUE: lists longer than 16 or 0, a raw MTU, a service level above 15, an index that is
 * not in the table of GIDs. A timeout is in milliseconds. NOT_SUPPORTED: another transport than RC. */
doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
                                                 uint32_t max_send_buf_list_len);
doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
                                                 uint32_t *max_send_buf_list_len);
doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu);
doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu);
doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl);
doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl);
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled);
doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled);
doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);
doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index);
doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma, uint16_t timeout);
doca_error_t doca_rdma_get_connection_request_timeout(const struct doca_rdma *rdma,
                                                      uint16_t *timeout);
doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type transport_type);
doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type *transport_type);

/* NOT_SUPPORTED: the emulated card has no GPU beside it; *gpu_rdma is NULL then. */
struct doca_gpu_dev_rdma;
doca_error_t doca_rdma_get_gpu_handle(struct doca_rdma *rdma, struct doca_gpu_dev_rdma **gpu_rdma);

/* Where the context's completions go: a queue of the DPA context that the data path is on (else
 * starting is BAD_CONFIG). While the context runs the queue cannot be stopped (IN_USE). Without a
 * queue an error ends the DPA process. */
doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
                                             struct doca_dpa_completion *dpa_comp);

/* What kernels call it; valid until it is stopped, or the DPA context that its data path is on.
 * BAD_STATE: not started, or that one was stopped since. */
doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma);

/* ---- Connections ---- */

/*
 * Makes one more connection, and what its peer needs to connect to it.
 *   details       [out]  owned by the connection; a queue pair of libflexio needs the number in bytes
 *                        24 to 27, big endian (flexio_queues.h)
 *   details_size  [out]  bytes of it
 *   connection    [out]  valid until the context is stopped
 * BAD_STATE: not started. FULL: it has as many as it may. NO_MEMORY. IO_FAILED: other processes
 * cannot reach this one.
 */
doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **details, size_t *details_size,
                              struct doca_rdma_connection **connection);

/*
 * Connects to the peer that made `details`; it must do the same with ours. What is posted before it
 * has waits, ten seconds at most, then fails. To a queue pair of libflexio, by its number: `details` are "DPKN" and the number's four
 * bytes, big endian.
 * INVALID_VALUE: also details that are damaged, or a connection of another context.
 * UNSUPPORTED_VERSION. BAD_STATE: not started, or connected. CONNECTION_ABORTED: the peer is gone.
 */
doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *details, size_t details_size,
                               struct doca_rdma_connection *connection);

/* The same for programs of DOCA 2.5 to 2.9, which have one connection and leave it out: the first
 * one. They call these by the names above, with three arguments. doca_rdma_export makes it the
 * first time; doca_rdma_connect is BAD_STATE before. */
doca_error_t doca_rdma_export_single(struct doca_rdma *rdma, const void **details,
                                     size_t *details_size);
doca_error_t doca_rdma_connect_single(struct doca_rdma *rdma, const void *details,
                                      size_t details_size);

/* Its number, from 0, by which kernels post to it and completions tell of it. */
doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *connection,
                                         uint32_t *connection_id);

/* What the program keeps with a connection; at first 0. */
doca_error_t doca_rdma_connection_set_user_data(struct doca_rdma_connection *connection,
                                                union doca_data user_data);
doca_error_t doca_rdma_connection_get_user_data(const struct doca_rdma_connection *connection,
                                                union doca_data *user_data);

/* ---- The connection manager ---- */

/*
 * One context listens, the other calls, and both are told of connections in doca_pe_progress:
 *
 *     doca_rdma_set_connection_state_callbacks(rdma, request, established, failed, disconnected);
 *     doca_ctx_start(doca_rdma_as_ctx(rdma));
 *     doca_rdma_start_listen_to_port(rdma, 13579);       // `request` calls doca_rdma_connection_accept
 *
 *     doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 13579, &addr);
 *     doca_rdma_connect_to_addr(rdma, addr, data);       // in the other program
 *
 * Addresses are names: whoever listens to a port on this machine, as the same user and with the same
 * runtime directory, is found by every address.
 */
struct doca_rdma_addr;

/* How an address is written: "192.0.2.1", "2001:db8::1", and a GID like the latter. */
enum doca_rdma_addr_type {
    DOCA_RDMA_ADDR_TYPE_IPv4 = 0,
    DOCA_RDMA_ADDR_TYPE_IPv6,
    DOCA_RDMA_ADDR_TYPE_GID,
};

/* INVALID_VALUE: also text that is no such address, or port 0. NO_MEMORY. */
doca_error_t doca_rdma_addr_create(enum doca_rdma_addr_type addr_type, const char *address,
                                   uint16_t port, struct doca_rdma_addr **addr);
doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr);
/* The text stays the address's. */
doca_error_t doca_rdma_addr_get_params(struct doca_rdma_addr *addr,
                                       enum doca_rdma_addr_type *addr_type, const char **address,
                                       uint16_t *port);

/* A caller asks for a connection: to be accepted or rejected, now or later. */
typedef void (*doca_rdma_connection_request_cb_t)(struct doca_rdma_connection *connection,
                                                  union doca_data ctx_user_data);
/* A connection is there, on either side. */
typedef void (*doca_rdma_connection_established_cb_t)(struct doca_rdma_connection *connection,
                                                      union doca_data connection_user_data,
                                                      union doca_data ctx_user_data);
/* It will not be: nobody listens, the peer rejects it, or has gone. */
typedef void (*doca_rdma_connection_failure_cb_t)(struct doca_rdma_connection *connection,
                                                  union doca_data connection_user_data,
                                                  union doca_data ctx_user_data);
/* The peer has ended it, or has gone. */
typedef void (*doca_rdma_connection_disconnection_cb_t)(struct doca_rdma_connection *connection,
                                                        union doca_data connection_user_data,
                                                        union doca_data ctx_user_data);

/* All four are needed. BAD_STATE: not idle. */
doca_error_t doca_rdma_set_connection_state_callbacks(
    struct doca_rdma *rdma, doca_rdma_connection_request_cb_t request,
    doca_rdma_connection_established_cb_t established, doca_rdma_connection_failure_cb_t failed,
    doca_rdma_connection_disconnection_cb_t disconnected);

/* INVALID_VALUE: port 0. BAD_STATE: it does not run, or has no callbacks. IN_USE: somebody listens to
 * it. */
doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port);
/* Its connections stay. NOT_FOUND: it does not listen to it. */
doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/* Calls who listens there, and waits a moment if nobody does yet. What becomes of it is told later:
 * success says no more than that it was tried. `connection_user_data` is the new connection's.
 * BAD_STATE: it does not run, or has no callbacks. FULL: it has as many connections as it may. */
doca_error_t doca_rdma_connect_to_addr(struct doca_rdma *rdma, struct doca_rdma_addr *addr,
                                       union doca_data connection_user_data);

/* Answer a caller. BAD_STATE: it is none, or has its answer. CONNECTION_ABORTED: it has gone.
 * `private_data` goes to it; programs of DOCA do not see it. NULL: none. */
doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *connection,
                                         void *private_data, uint8_t private_data_len);
doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *connection);

/* Ends a connection, or says that the end of it was noticed: what is submitted on it fails, and its
 * place is free for another one, which ends the handle. The peer is told. BAD_STATE: it was not made by
 * the connection manager. */
doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *connection);

/*
 * A program that listens by librdmacm itself hands over who calls (RDMA_CM_EVENT_CONNECT_REQUEST), and tells
 * when the caller has confirmed it (RDMA_CM_EVENT_ESTABLISHED). The identifier is the connection's from then on; it
 * is destroyed with it, so its events must have been acknowledged. The program hears of its end by
 * RDMA_CM_EVENT_DISCONNECTED, and calls doca_rdma_connection_disconnect. No callbacks are needed, and none are called.
 * A caller that is refused: doca_rdma_connection_reject.
 *
 *     rdma_get_cm_event(channel, &event);  id = event->id;  rdma_ack_cm_event(event);
 *     doca_rdma_bridge_prepare_connection(rdma, id, &connection);
 *     doca_rdma_bridge_accept(rdma, NULL, 0, connection);
 *     ...                                                        // the next event
 *     doca_rdma_bridge_established(rdma, connection);
 */
struct rdma_cm_id;
/* INVALID_VALUE: not the identifier of a caller at an emulated device. BAD_STATE: the context does not run. FULL. */
doca_error_t doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
                                                 struct doca_rdma_connection **rdma_connection);
/* BAD_STATE: it is not bridged, or has its answer. CONNECTION_ABORTED: the caller has gone. */
doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
                                     uint8_t private_data_len,
                                     struct doca_rdma_connection *rdma_connection);
/* INVALID_VALUE: it was not accepted. */
doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
                                          struct doca_rdma_connection *rdma_connection);

/* Where the side that listens was called; it stays the connection's. NOT_FOUND: it was not made by the
 * connection manager. */
doca_error_t doca_rdma_connection_get_addr(const struct doca_rdma_connection *connection,
                                           struct doca_rdma_addr **addr);

/* ---- Tasks ---- */

/*
 * What a context does whose data path is not on the DPA. For each type of task there is:
 *   ..._is_supported    DOCA_SUCCESS
 *   ..._set_conf        sets it up: who is told of those that succeed, and fail, and how many there may
 *                       be at once. INVALID_VALUE: also 0, or more than 32768. BAD_STATE: not idle.
 *   ..._allocate_init   makes one, to be given back with doca_task_free. Its buffers stay the caller's,
 *                       and must stay until it has ended. BAD_STATE: the context does not run.
 *                       NO_MEMORY: also if there are as many as were set up.
 *   ..._as_task         the same object as a task; NULL if it is none of that type
 *   ..._get_..., ..._set_...  what it was made with, for the next time that it is submitted; one that
 *                       is submitted stays as it is, and so does one that is given a connection of
 *                       another context. NULL or 0 of what is no such task.
 * Lists of up to 16 buffers are taken where the memory is of this process; of the peer's memory the
 * first buffer counts. Submitting is INVALID_VALUE if a buffer is none or too small, NOT_PERMITTED if
 * the context's device may not access it, NOT_CONNECTED if the connection has ended, NO_MEMORY if a
 * queue is full.
 * Tasks of a connection end in the order of submitting. They fail with NOT_PERMITTED (a side does not
 * permit the access), CONNECTION_ABORTED (the peer is gone), IO_FAILED (another error that the peer
 * or the card tells), and, after one that failed or when the context stops, BAD_STATE.
 */
struct doca_rdma_task_receive;
struct doca_rdma_task_send;
struct doca_rdma_task_send_imm;
struct doca_rdma_task_read;
struct doca_rdma_task_write;
struct doca_rdma_task_write_imm;
struct doca_rdma_task_atomic_cmp_swp;
struct doca_rdma_task_atomic_fetch_add;
struct doca_rdma_task_remote_net_sync_event_get;
struct doca_rdma_task_remote_net_sync_event_notify_set;
struct doca_rdma_task_remote_net_sync_event_notify_add;
struct doca_buf;
struct doca_sync_event_remote_net;

/* What used a receive. */
enum doca_rdma_opcode {
    DOCA_RDMA_OPCODE_RECV_SEND = 0,
    DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM,
    DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM,
};

/*
 * A message of any peer of the context, behind the data of `dst_buf`; NULL: it has no bytes. A write
 * with an immediate uses up a receive, too, and leaves its buffers as they are.
 */
typedef void (*doca_rdma_task_receive_completion_cb_t)(struct doca_rdma_task_receive *task,
                                                       union doca_data task_user_data,
                                                       union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo);
doca_error_t
doca_rdma_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
                                                    enum doca_rdma_transport_type transport_type,
                                                    uint32_t *max_buf_list_len);
/* Buffers in a list that one receive fills: kept, for who asks; each receive takes as many as there may
 * be. INVALID_VALUE: 0, or more than that. */
doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
                                                         uint32_t dst_buf_list_len);
doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
                                                         uint32_t *dst_buf_list_len);
doca_error_t doca_rdma_task_receive_set_conf(struct doca_rdma *rdma,
                                             doca_rdma_task_receive_completion_cb_t completed,
                                             doca_rdma_task_receive_completion_cb_t failed,
                                             uint32_t num_tasks);
doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
                                                  union doca_data user_data,
                                                  struct doca_rdma_task_receive **task);
struct doca_task *doca_rdma_task_receive_as_task(struct doca_rdma_task_receive *task);
void doca_rdma_task_receive_set_dst_buf(struct doca_rdma_task_receive *task,
                                        struct doca_buf *dst_buf);
struct doca_buf *doca_rdma_task_receive_get_dst_buf(const struct doca_rdma_task_receive *task);
/* Of a receive that has succeeded: what used it, how many bytes the message had, the four bytes that came with that, if any, and on
 * which connection. */
enum doca_rdma_opcode
doca_rdma_task_receive_get_result_opcode(const struct doca_rdma_task_receive *task);
uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task);
doca_be32_t
doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task);
const struct doca_rdma_connection *
doca_rdma_task_receive_get_result_rdma_connection(const struct doca_rdma_task_receive *task);

/*
 * A message to the peer, who must have a receive for it: until it has, the task waits. `src_buf`
 * NULL: it has no bytes.
 */
typedef void (*doca_rdma_task_send_completion_cb_t)(struct doca_rdma_task_send *task,
                                                    union doca_data task_user_data,
                                                    union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_send_set_conf(struct doca_rdma *rdma,
                                          doca_rdma_task_send_completion_cb_t completed,
                                          doca_rdma_task_send_completion_cb_t failed,
                                          uint32_t num_tasks);
doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *connection,
                                               const struct doca_buf *src_buf,
                                               union doca_data user_data,
                                               struct doca_rdma_task_send **task);
struct doca_task *doca_rdma_task_send_as_task(struct doca_rdma_task_send *task);
const struct doca_rdma_connection *
doca_rdma_task_send_get_rdma_connection(const struct doca_rdma_task_send *task);
void doca_rdma_task_send_set_rdma_connection(struct doca_rdma_task_send *task,
                                             struct doca_rdma_connection *connection);
void doca_rdma_task_send_set_src_buf(struct doca_rdma_task_send *task,
                                     const struct doca_buf *src_buf);
const struct doca_buf *doca_rdma_task_send_get_src_buf(const struct doca_rdma_task_send *task);

/*
 * The same, with four bytes that the peer's receive tells.
 */
typedef void (*doca_rdma_task_send_imm_completion_cb_t)(struct doca_rdma_task_send_imm *task,
                                                        union doca_data task_user_data,
                                                        union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_send_imm_set_conf(struct doca_rdma *rdma,
                                              doca_rdma_task_send_imm_completion_cb_t completed,
                                              doca_rdma_task_send_imm_completion_cb_t failed,
                                              uint32_t num_tasks);
doca_error_t doca_rdma_task_send_imm_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection, const struct doca_buf *src_buf,
    doca_be32_t immediate_data, union doca_data user_data, struct doca_rdma_task_send_imm **task);
struct doca_task *doca_rdma_task_send_imm_as_task(struct doca_rdma_task_send_imm *task);
const struct doca_rdma_connection *
doca_rdma_task_send_imm_get_rdma_connection(const struct doca_rdma_task_send_imm *task);
void doca_rdma_task_send_imm_set_rdma_connection(struct doca_rdma_task_send_imm *task,
                                                 struct doca_rdma_connection *connection);
void doca_rdma_task_send_imm_set_src_buf(struct doca_rdma_task_send_imm *task,
                                         const struct doca_buf *src_buf);
const struct doca_buf *
doca_rdma_task_send_imm_get_src_buf(const struct doca_rdma_task_send_imm *task);
void doca_rdma_task_send_imm_set_immediate_data(struct doca_rdma_task_send_imm *task,
                                                doca_be32_t immediate_data);
doca_be32_t doca_rdma_task_send_imm_get_immediate_data(const struct doca_rdma_task_send_imm *task);

/*
 * Copies the data of `src_buf`, of a map that the peer exported, behind that of `dst_buf`.
 */
typedef void (*doca_rdma_task_read_completion_cb_t)(struct doca_rdma_task_read *task,
                                                    union doca_data task_user_data,
                                                    union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_read_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_read_set_conf(struct doca_rdma *rdma,
                                          doca_rdma_task_read_completion_cb_t completed,
                                          doca_rdma_task_read_completion_cb_t failed,
                                          uint32_t num_tasks);
doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *connection,
                                               const struct doca_buf *src_buf,
                                               struct doca_buf *dst_buf, union doca_data user_data,
                                               struct doca_rdma_task_read **task);
struct doca_task *doca_rdma_task_read_as_task(struct doca_rdma_task_read *task);
const struct doca_rdma_connection *
doca_rdma_task_read_get_rdma_connection(const struct doca_rdma_task_read *task);
void doca_rdma_task_read_set_rdma_connection(struct doca_rdma_task_read *task,
                                             struct doca_rdma_connection *connection);
void doca_rdma_task_read_set_src_buf(struct doca_rdma_task_read *task,
                                     const struct doca_buf *src_buf);
const struct doca_buf *doca_rdma_task_read_get_src_buf(const struct doca_rdma_task_read *task);
void doca_rdma_task_read_set_dst_buf(struct doca_rdma_task_read *task, struct doca_buf *dst_buf);
struct doca_buf *doca_rdma_task_read_get_dst_buf(const struct doca_rdma_task_read *task);
/* Bytes that came, once it has completed. */
uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task);

/*
 * Copies the data of `src_buf` behind that of `dst_buf`, which is of a map that the peer exported.
 * NULL for `src_buf`: it has no bytes.
 */
typedef void (*doca_rdma_task_write_completion_cb_t)(struct doca_rdma_task_write *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_write_set_conf(struct doca_rdma *rdma,
                                           doca_rdma_task_write_completion_cb_t completed,
                                           doca_rdma_task_write_completion_cb_t failed,
                                           uint32_t num_tasks);
doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
                                                struct doca_rdma_connection *connection,
                                                const struct doca_buf *src_buf,
                                                struct doca_buf *dst_buf, union doca_data user_data,
                                                struct doca_rdma_task_write **task);
struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task);
const struct doca_rdma_connection *
doca_rdma_task_write_get_rdma_connection(const struct doca_rdma_task_write *task);
void doca_rdma_task_write_set_rdma_connection(struct doca_rdma_task_write *task,
                                              struct doca_rdma_connection *connection);
void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task,
                                      const struct doca_buf *src_buf);
const struct doca_buf *doca_rdma_task_write_get_src_buf(const struct doca_rdma_task_write *task);
void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task, struct doca_buf *dst_buf);
struct doca_buf *doca_rdma_task_write_get_dst_buf(const struct doca_rdma_task_write *task);

/*
 * The same; a receive of the peer tells the four bytes.
 */
typedef void (*doca_rdma_task_write_imm_completion_cb_t)(struct doca_rdma_task_write_imm *task,
                                                         union doca_data task_user_data,
                                                         union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_write_imm_set_conf(struct doca_rdma *rdma,
                                               doca_rdma_task_write_imm_completion_cb_t completed,
                                               doca_rdma_task_write_imm_completion_cb_t failed,
                                               uint32_t num_tasks);
doca_error_t doca_rdma_task_write_imm_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection, const struct doca_buf *src_buf,
    struct doca_buf *dst_buf, doca_be32_t immediate_data, union doca_data user_data,
    struct doca_rdma_task_write_imm **task);
struct doca_task *doca_rdma_task_write_imm_as_task(struct doca_rdma_task_write_imm *task);
const struct doca_rdma_connection *
doca_rdma_task_write_imm_get_rdma_connection(const struct doca_rdma_task_write_imm *task);
void doca_rdma_task_write_imm_set_rdma_connection(struct doca_rdma_task_write_imm *task,
                                                  struct doca_rdma_connection *connection);
void doca_rdma_task_write_imm_set_src_buf(struct doca_rdma_task_write_imm *task,
                                          const struct doca_buf *src_buf);
const struct doca_buf *
doca_rdma_task_write_imm_get_src_buf(const struct doca_rdma_task_write_imm *task);
void doca_rdma_task_write_imm_set_dst_buf(struct doca_rdma_task_write_imm *task,
                                          struct doca_buf *dst_buf);
struct doca_buf *doca_rdma_task_write_imm_get_dst_buf(const struct doca_rdma_task_write_imm *task);
void doca_rdma_task_write_imm_set_immediate_data(struct doca_rdma_task_write_imm *task,
                                                 doca_be32_t immediate_data);
doca_be32_t
doca_rdma_task_write_imm_get_immediate_data(const struct doca_rdma_task_write_imm *task);

/*
 * Where the data of `dst_buf` begins, in memory of the peer, are eight bytes, aligned: stores
 * `swap_data` there if they equal `cmp_data`. What they were goes behind the data of `result_buf`.
 */
typedef void (*doca_rdma_task_atomic_cmp_swp_completion_cb_t)(
    struct doca_rdma_task_atomic_cmp_swp *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_atomic_cmp_swp_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_atomic_cmp_swp_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_atomic_cmp_swp_completion_cb_t completed,
    doca_rdma_task_atomic_cmp_swp_completion_cb_t failed, uint32_t num_tasks);
doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
    struct doca_rdma_task_atomic_cmp_swp **task);
struct doca_task *doca_rdma_task_atomic_cmp_swp_as_task(struct doca_rdma_task_atomic_cmp_swp *task);
const struct doca_rdma_connection *
doca_rdma_task_atomic_cmp_swp_get_rdma_connection(const struct doca_rdma_task_atomic_cmp_swp *task);
void doca_rdma_task_atomic_cmp_swp_set_rdma_connection(struct doca_rdma_task_atomic_cmp_swp *task,
                                                       struct doca_rdma_connection *connection);
void doca_rdma_task_atomic_cmp_swp_set_dst_buf(struct doca_rdma_task_atomic_cmp_swp *task,
                                               struct doca_buf *dst_buf);
struct doca_buf *
doca_rdma_task_atomic_cmp_swp_get_dst_buf(const struct doca_rdma_task_atomic_cmp_swp *task);
void doca_rdma_task_atomic_cmp_swp_set_result_buf(struct doca_rdma_task_atomic_cmp_swp *task,
                                                  struct doca_buf *result_buf);
struct doca_buf *
doca_rdma_task_atomic_cmp_swp_get_result_buf(const struct doca_rdma_task_atomic_cmp_swp *task);
void doca_rdma_task_atomic_cmp_swp_set_cmp_data(struct doca_rdma_task_atomic_cmp_swp *task,
                                                uint64_t cmp_data);
uint64_t
doca_rdma_task_atomic_cmp_swp_get_cmp_data(const struct doca_rdma_task_atomic_cmp_swp *task);
void doca_rdma_task_atomic_cmp_swp_set_swap_data(struct doca_rdma_task_atomic_cmp_swp *task,
                                                 uint64_t swap_data);
uint64_t
doca_rdma_task_atomic_cmp_swp_get_swap_data(const struct doca_rdma_task_atomic_cmp_swp *task);

/*
 * The same place; adds `add_data`.
 */
typedef void (*doca_rdma_task_atomic_fetch_add_completion_cb_t)(
    struct doca_rdma_task_atomic_fetch_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_atomic_fetch_add_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_atomic_fetch_add_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_atomic_fetch_add_completion_cb_t completed,
    doca_rdma_task_atomic_fetch_add_completion_cb_t failed, uint32_t num_tasks);
doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_atomic_fetch_add **task);
struct doca_task *
doca_rdma_task_atomic_fetch_add_as_task(struct doca_rdma_task_atomic_fetch_add *task);
const struct doca_rdma_connection *doca_rdma_task_atomic_fetch_add_get_rdma_connection(
    const struct doca_rdma_task_atomic_fetch_add *task);
void doca_rdma_task_atomic_fetch_add_set_rdma_connection(
    struct doca_rdma_task_atomic_fetch_add *task, struct doca_rdma_connection *connection);
void doca_rdma_task_atomic_fetch_add_set_dst_buf(struct doca_rdma_task_atomic_fetch_add *task,
                                                 struct doca_buf *dst_buf);
struct doca_buf *
doca_rdma_task_atomic_fetch_add_get_dst_buf(const struct doca_rdma_task_atomic_fetch_add *task);
void doca_rdma_task_atomic_fetch_add_set_result_buf(struct doca_rdma_task_atomic_fetch_add *task,
                                                    struct doca_buf *result_buf);
struct doca_buf *
doca_rdma_task_atomic_fetch_add_get_result_buf(const struct doca_rdma_task_atomic_fetch_add *task);
void doca_rdma_task_atomic_fetch_add_set_add_data(struct doca_rdma_task_atomic_fetch_add *task,
                                                  uint64_t add_data);
uint64_t
doca_rdma_task_atomic_fetch_add_get_add_data(const struct doca_rdma_task_atomic_fetch_add *task);

/*
 * The value of an event that the peer exported (doca_sync_event.h), behind the data of `dst_buf`.
 */
typedef void (*doca_rdma_task_remote_net_sync_event_get_completion_cb_t)(
    struct doca_rdma_task_remote_net_sync_event_get *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
doca_error_t
doca_rdma_cap_task_remote_net_sync_event_get_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_remote_net_sync_event_get_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_remote_net_sync_event_get_completion_cb_t completed,
    doca_rdma_task_remote_net_sync_event_get_completion_cb_t failed, uint32_t num_tasks);
doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection,
    const struct doca_sync_event_remote_net *event, struct doca_buf *dst_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_get **task);
struct doca_task *doca_rdma_task_remote_net_sync_event_get_as_task(
    struct doca_rdma_task_remote_net_sync_event_get *task);
const struct doca_rdma_connection *doca_rdma_task_remote_net_sync_event_get_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_get *task);
void doca_rdma_task_remote_net_sync_event_get_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_get *task, struct doca_rdma_connection *connection);
/* What is no such event changes nothing. */
void doca_rdma_task_remote_net_sync_event_get_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_get *task,
    const struct doca_sync_event_remote_net *event);
const struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_get_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_get *task);
void doca_rdma_task_remote_net_sync_event_get_set_dst_buf(
    struct doca_rdma_task_remote_net_sync_event_get *task, struct doca_buf *dst_buf);
struct doca_buf *doca_rdma_task_remote_net_sync_event_get_get_dst_buf(
    const struct doca_rdma_task_remote_net_sync_event_get *task);
/* Bytes that came, once it has completed. */
uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_len(
    const struct doca_rdma_task_remote_net_sync_event_get *task);

/*
 * Sets such an event to the first eight bytes of the data of `src_buf`.
 */
typedef void (*doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t)(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported(
    const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t completed,
    doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t failed, uint32_t num_tasks);
doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection,
    struct doca_sync_event_remote_net *event, const struct doca_buf *src_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_set **task);
struct doca_task *doca_rdma_task_remote_net_sync_event_notify_set_as_task(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task);
const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_set_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task);
void doca_rdma_task_remote_net_sync_event_notify_set_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task,
    struct doca_rdma_connection *connection);
void doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task,
    struct doca_sync_event_remote_net *event);
struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task);
void doca_rdma_task_remote_net_sync_event_notify_set_set_src_buf(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task, const struct doca_buf *src_buf);
const struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/*
 * Adds to such an event; what it was before goes behind the data of `result_buf`.
 */
typedef void (*doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t)(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(
    const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t completed,
    doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t failed, uint32_t num_tasks);
doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *connection,
    struct doca_sync_event_remote_net *event, struct doca_buf *result_buf, uint64_t add_data,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_add **task);
struct doca_task *doca_rdma_task_remote_net_sync_event_notify_add_as_task(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task);
const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_add_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);
void doca_rdma_task_remote_net_sync_event_notify_add_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task,
    struct doca_rdma_connection *connection);
void doca_rdma_task_remote_net_sync_event_notify_add_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task,
    struct doca_sync_event_remote_net *event);
struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);
void doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task, struct doca_buf *result_buf);
struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);
void doca_rdma_task_remote_net_sync_event_notify_add_set_add_data(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task, uint64_t add_data);
uint64_t doca_rdma_task_remote_net_sync_event_notify_add_get_add_data(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

#ifdef __cplusplus
}
static inline doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **details,
                                            size_t *details_size)
{
    return doca_rdma_export_single(rdma, details, details_size);
}
static inline doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *details,
                                             size_t details_size)
{
    return doca_rdma_connect_single(rdma, details, details_size);
}
#else
/* The function that has as many arguments as there are. */
#define DOCA_RDMA_OF_4(a, b, c, d, function, ...) function
#define doca_rdma_export(...)                                                                      \
    DOCA_RDMA_OF_4(__VA_ARGS__, doca_rdma_export, doca_rdma_export_single, 0)(__VA_ARGS__)
#define doca_rdma_connect(...)                                                                     \
    DOCA_RDMA_OF_4(__VA_ARGS__, doca_rdma_connect, doca_rdma_connect_single, 0)(__VA_ARGS__)
#endif

#endif
