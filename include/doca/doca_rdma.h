/*
 * doca_rdma: reliable connections between programs, in one process or between processes of this
 * machine. If the data path is on the host, the program submits tasks. If it is on the DPA, kernels and
 * threads post operations (doca_dpa_dev_rdma.h).
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
 * Operations access memory of maps that have the context's device (doca_mmap_add_dev), on both sides.
 * Sends wait for receives of the peer. All connections of a context share its receives. When a context
 * is stopped, its posted operations complete with an error. When a peer stops or its process dies,
 * current and later operations to it complete with an error.
 *
 * Setters return BAD_STATE if the context is not idle. Every function returns INVALID_VALUE for NULL,
 * for a destroyed object, and for an object of another kind (DOCA RDMA programming guide).
 */
#ifndef DOCA_RDMA_H
#define DOCA_RDMA_H

#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_dpa_types.h"
#include "doca_error.h"
#include "doca_pe.h"
#include "doca_types.h"
#include "doca_version.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_rdma;
struct doca_rdma_connection;
struct doca_dpa_completion;

/* Transports. Only RC is supported. */
enum doca_rdma_transport_type {
    DOCA_RDMA_TRANSPORT_TYPE_RC = 0,
    DOCA_RDMA_TRANSPORT_TYPE_DC = 1,
};

/* ---- Capabilities of devices: DOCA_SUCCESS if supported ---- */

/* Returns DOCA_SUCCESS if a transport is supported. Errors: NOT_SUPPORTED for any transport except
 * RC. */
doca_error_t
doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
                                          enum doca_rdma_transport_type transport_type);
doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_send_queue_size);
doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_recv_queue_size);
/* Largest number of buffers in a list that a task sends or writes. */
doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
                                                     uint32_t *max_send_buf_list_len);
/* Largest size of a message in bytes. */
doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
                                                uint32_t *max_message_size);

/* An address of a device, by its index, as from ibv_query_gid. Zeros: an unused index. */
struct doca_rdma_gid {
    uint8_t raw[DOCA_GID_BYTE_LENGTH];
};
#ifdef DOCA_2_5
#define DPK_RDMA_GID_INFO struct doca_devinfo
#else
#define DPK_RDMA_GID_INFO const struct doca_devinfo
#endif
doca_error_t doca_rdma_cap_get_gid_table_size(DPK_RDMA_GID_INFO *devinfo, uint32_t *gid_table_size);
/* Gets entries of the table of addresses. Errors: INVALID_VALUE also if an entry is outside the table,
 * or the number is 0. */
doca_error_t doca_rdma_cap_get_gid(DPK_RDMA_GID_INFO *devinfo, uint32_t start_index,
                                   uint32_t num_entries, struct doca_rdma_gid *gid_array);

/* ---- Contexts ---- */

#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 9, 0)
/* Creates an idle context on a device. Unless its data path is on the DPA, doca_ctx_start returns
 * IN_PROGRESS: the context is starting until doca_rdma_connect. Errors: NO_MEMORY. */
doca_error_t doca_rdma_create(struct doca_dev *dev,
                              struct doca_rdma **rdma) __asm__("doca_rdma_create_v2_5");
#else
/* Creates an idle context on a device. Errors: NO_MEMORY. */
doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma);
#endif

/* Destroys the context in any state. A running context is stopped first. */
doca_error_t doca_rdma_destroy(struct doca_rdma *rdma);

/* Returns the object as a context. NULL if the argument is not an object of this kind. */
struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/* Permissions of peers for memory of this process, within the permissions of its map: bits of enum
 * doca_access_flag; none by default. Errors: INVALID_VALUE for PCI bits and unknown bits. */
doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions);
doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions);

/* Largest number of posted operations of each connection, and of posted receives of all connections;
 * 128 by default. A kernel that posts more waits. Errors: INVALID_VALUE for 0 (receives may be 0), or
 * more than the maximum. */
doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size);
doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size);
doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *size);
doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *size);

/* Largest number of connections; 1 by default. Errors: INVALID_VALUE for 0, or more than 8192. */
doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
                                               uint16_t max_num_connections);
doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
                                               uint16_t *max_num_connections);

/* Number of retries, about a millisecond apart, of a message for which the peer has no receive. After
 * the last retry its task fails with IO_FAILED. 7 (the default) means without limit. Errors:
 * INVALID_VALUE for more than 7. */
doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count);
doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count);

/* Settings of a network. Without a network they have no effect; the getters return them. A timeout is
 * in milliseconds. Errors: INVALID_VALUE for lists of length 0 or more than 16, a raw MTU, a service
 * level above 15, or an index outside the table of GIDs, NOT_SUPPORTED for any transport except RC. */
doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
                                                 uint32_t max_send_buf_list_len);
doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
                                                 uint32_t *max_send_buf_list_len);
doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu);
doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu);
doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl);
doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl);
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 6, 0)
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, bool grh_enabled);
doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, bool *grh_enabled);
#else
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled);
doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled);
#endif
doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);
doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index);
doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma, uint16_t timeout);
doca_error_t doca_rdma_get_connection_request_timeout(const struct doca_rdma *rdma,
                                                      uint16_t *timeout);
doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type transport_type);
doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type *transport_type);

/* Gets the handle for kernels (doca_gpunetio_dev_rdma.cuh), of a context whose data path is on a GPU
 * (doca_ctx_set_datapath_on_gpu). It is valid until the context is stopped. Such a context needs a progress engine
 * only for the connection manager, and has no tasks. Errors, with NULL in *gpu_rdma: NOT_SUPPORTED if the data
 * path is not on a GPU, BAD_STATE if the context does not run. */
struct doca_gpu_dev_rdma;
doca_error_t doca_rdma_get_gpu_handle(struct doca_rdma *rdma, struct doca_gpu_dev_rdma **gpu_rdma);

/* Sets the queue for the context's completions. It must be of the DPA context of the data path, else
 * doca_ctx_start returns BAD_CONFIG. While the context runs, the queue cannot be stopped (IN_USE).
 * Without a queue an error ends the DPA process. */
doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
                                             struct doca_dpa_completion *dpa_comp);

/* Gets the handle for DPA code. It is valid until this context or the DPA context of its data path is
 * stopped. Errors: BAD_STATE if the context is not started, or the DPA context was stopped since. */
doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma);

#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 9, 0)
/* ---- Shared receive queues (DOCA 2.6 to 2.8) ---- */

/*
 * A queue of receives that the messages of several RDMA contexts take, in the order of posting. It is a
 * context, whose data path is on the DPA: DPA code of 2.6 posts receives
 * (doca_dpa_dev_rdma_srq_post_receive). The completion of a receive comes to the completion queue of the
 * context whose peer sent the message; its index is that of the shared queue.
 *
 *     doca_rdma_srq_create(dev, &srq);
 *     doca_rdma_srq_set_shared_recv_queue_size(srq, 64);
 *     doca_ctx_set_datapath_on_dpa(doca_rdma_srq_as_ctx(srq), dpa);
 *     doca_ctx_start(doca_rdma_srq_as_ctx(srq));
 *     doca_rdma_create_with_srq(dev, srq, &rdma);      // and further contexts
 *     doca_rdma_srq_get_dpa_handle(srq, &handle);      // for a kernel's argument
 */
struct doca_rdma_srq;

enum doca_rdma_srq_type {
    DOCA_RDMA_SRQ_TYPE_LINKED_LIST = 0,
    DOCA_RDMA_SRQ_TYPE_CYCLIC,
};

/* Largest number of receives of a queue, and of buffers in the list of a receive. Errors: INVALID_VALUE
 * if `devinfo` is not a device. */
doca_error_t doca_rdma_srq_cap_get_max_shared_recv_queue_size(const struct doca_devinfo *devinfo,
                                                              uint32_t *max_shared_recv_queue_size);
doca_error_t
doca_rdma_srq_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_dst_buf_list_len);

/* Creates an idle queue. Errors: INVALID_VALUE if `dev` is not a device, NO_MEMORY. */
doca_error_t doca_rdma_srq_create(struct doca_dev *dev, struct doca_rdma_srq **srq);
/* Destroys the queue. Errors: INVALID_VALUE, IN_USE while an RDMA context has the queue. */
doca_error_t doca_rdma_srq_destroy(struct doca_rdma_srq *srq);
/* Returns the object as a context; NULL if the argument is not a queue. doca_ctx_start returns
 * NOT_SUPPORTED if its data path is not on a DPA, BAD_STATE if this DPA context does not run.
 * doca_ctx_stop returns IN_USE while RDMA contexts with the queue run; receives that are left vanish. */
struct doca_ctx *doca_rdma_srq_as_ctx(struct doca_rdma_srq *srq);

/* Largest number of receives that no message has taken; 128 by default. Errors: INVALID_VALUE for 0 or
 * more than the maximum, BAD_STATE if the queue is not idle. */
doca_error_t doca_rdma_srq_set_shared_recv_queue_size(struct doca_rdma_srq *srq,
                                                      uint32_t shared_recv_queue_size);
doca_error_t doca_rdma_srq_get_shared_recv_queue_size(const struct doca_rdma_srq *srq,
                                                      uint32_t *shared_recv_queue_size);
/* Type of the queue (a linked list by default), and number of buffers of a receive (1 by default). Both
 * are only stored: receives of either type are taken in order, and DPA code posts one buffer. Errors: as
 * for the size. */
doca_error_t doca_rdma_srq_set_type(struct doca_rdma_srq *srq, enum doca_rdma_srq_type srq_type);
doca_error_t doca_rdma_srq_get_type(struct doca_rdma_srq *srq, enum doca_rdma_srq_type *srq_type);
doca_error_t doca_rdma_srq_task_receive_set_dst_buf_list_len(struct doca_rdma_srq *srq,
                                                             uint32_t dst_buf_list_len);
doca_error_t doca_rdma_srq_task_receive_get_dst_buf_list_len(const struct doca_rdma_srq *srq,
                                                             uint32_t *dst_buf_list_len);

/* Gets the handle for DPA code. It is valid until this context or its DPA context is stopped. Errors:
 * BAD_STATE if the queue is not started, or the DPA context was stopped since. */
doca_error_t doca_rdma_srq_get_dpa_handle(const struct doca_rdma_srq *srq,
                                          doca_dpa_dev_rdma_srq_t *dpa_srq);

/* As doca_rdma_create, for a context whose receives are those of a started queue. The context's own
 * receive queue does not exist, and its data path must be on the queue's DPA. Errors: INVALID_VALUE also
 * if the queue is of another device, BAD_STATE if it is not started. */
doca_error_t doca_rdma_create_with_srq(struct doca_dev *dev, struct doca_rdma_srq *srq,
                                       struct doca_rdma **rdma);
#endif

/* ---- Connections ---- */

/*
 * Creates a connection, and the details that its peer needs to connect to it.
 *   details       [out]  bytes that the connection owns; a queue pair of libflexio needs the number in
 *                        bytes 24 to 27, big endian (flexio_queues.h)
 *   details_size  [out]  bytes of the details
 *   connection    [out]  valid until the context is stopped
 * Errors: BAD_STATE if the context is not started, FULL if it has the largest number of connections,
 * NO_MEMORY, IO_FAILED if other processes cannot reach this process.
 */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **details, size_t *details_size,
                              struct doca_rdma_connection **connection);
#endif

/*
 * Connects to the peer that made `details`. The peer must connect with the details of this side.
 * Operations posted before wait at most ten seconds for the peer, then fail. For a queue pair of
 * libflexio, `details` are "DPKN" and four bytes, the queue pair's number, big-endian. Errors:
 * INVALID_VALUE also if the details are damaged or the connection is of another context,
 * UNSUPPORTED_VERSION, BAD_STATE if the context is not started or the connection is connected,
 * CONNECTION_ABORTED if the peer is gone.
 */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *details, size_t details_size,
                               struct doca_rdma_connection *connection);
#endif

/* doca_rdma_export and doca_rdma_connect of DOCA 2.5 to 2.9, which have one connection and no
 * argument for it. Programs call them by these names, with three arguments. The first
 * doca_rdma_export creates the connection; doca_rdma_connect returns BAD_STATE before. */
doca_error_t doca_rdma_export_single(struct doca_rdma *rdma, const void **details,
                                     size_t *details_size);
doca_error_t doca_rdma_connect_single(struct doca_rdma *rdma, const void *details,
                                      size_t details_size);
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 9, 0)
doca_error_t doca_rdma_export(const struct doca_rdma *rdma, const void **details,
                              size_t *details_size) __asm__("doca_rdma_export_single");
doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *details,
                               size_t details_size) __asm__("doca_rdma_connect_single");
#endif

/* Gets the connection's number, from 0. Kernels post with it, and completions report it. */
doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *connection,
                                         uint32_t *connection_id);

/* A value of a connection for the program's own use; 0 by default. */
doca_error_t doca_rdma_connection_set_user_data(struct doca_rdma_connection *connection,
                                                union doca_data user_data);
doca_error_t doca_rdma_connection_get_user_data(const struct doca_rdma_connection *connection,
                                                union doca_data *user_data);

/* ---- The connection manager ---- */

/*
 * One context listens, the other connects. Both get callbacks of connections in doca_pe_progress:
 *
 *     doca_rdma_set_connection_state_callbacks(rdma, request, established, failed, disconnected);
 *     doca_ctx_start(doca_rdma_as_ctx(rdma));
 *     doca_rdma_start_listen_to_port(rdma, 13579);       // `request` calls doca_rdma_connection_accept
 *
 *     doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 13579, &addr);
 *     doca_rdma_connect_to_addr(rdma, addr, data);       // in the other program
 *
 * Addresses are only names: every address leads to the listener of the port on this machine with the
 * same user and runtime directory.
 */
struct doca_rdma_addr;

/* The form of an address: "192.0.2.1", "2001:db8::1", or a GID, which is written like an IPv6
 * address. */
enum doca_rdma_addr_type {
    DOCA_RDMA_ADDR_TYPE_IPv4 = 0,
    DOCA_RDMA_ADDR_TYPE_IPv6,
    DOCA_RDMA_ADDR_TYPE_GID,
};

/* Creates an address. Errors: INVALID_VALUE also if the text is not an address of the type, or the port
 * is 0, NO_MEMORY. */
doca_error_t doca_rdma_addr_create(enum doca_rdma_addr_type addr_type, const char *address,
                                   uint16_t port, struct doca_rdma_addr **addr);
doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr);
/* Gets the parts of an address. The text belongs to the address. */
doca_error_t doca_rdma_addr_get_params(struct doca_rdma_addr *addr,
                                       enum doca_rdma_addr_type *addr_type, const char **address,
                                       uint16_t *port);

/* A peer requests a connection. Accept or reject it, now or later. */
typedef void (*doca_rdma_connection_request_cb_t)(struct doca_rdma_connection *connection,
                                                  union doca_data ctx_user_data);
/* A connection is established. Called on both sides. */
typedef void (*doca_rdma_connection_established_cb_t)(struct doca_rdma_connection *connection,
                                                      union doca_data connection_user_data,
                                                      union doca_data ctx_user_data);
/* A connection failed: no program listens, the peer rejected it, or the peer is gone. */
typedef void (*doca_rdma_connection_failure_cb_t)(struct doca_rdma_connection *connection,
                                                  union doca_data connection_user_data,
                                                  union doca_data ctx_user_data);
/* The peer has ended the connection, or is gone. */
typedef void (*doca_rdma_connection_disconnection_cb_t)(struct doca_rdma_connection *connection,
                                                        union doca_data connection_user_data,
                                                        union doca_data ctx_user_data);

/* Sets the callbacks; all four are needed. Errors: BAD_STATE if the context is not idle. */
doca_error_t doca_rdma_set_connection_state_callbacks(
    struct doca_rdma *rdma, doca_rdma_connection_request_cb_t request,
    doca_rdma_connection_established_cb_t established, doca_rdma_connection_failure_cb_t failed,
    doca_rdma_connection_disconnection_cb_t disconnected);

/* Starts to listen to a port. Errors: INVALID_VALUE if the port is 0, BAD_STATE if the context does not
 * run or has no callbacks, IN_USE if another context listens to the port. */
doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port);
/* Stops listening. The connections stay. Errors: NOT_FOUND if the context does not listen to the
 * port. */
doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/* Requests a connection to the listener of an address. If no program listens yet, the request waits a
 * short time. A callback reports the result: success of this function means only that the request was
 * made. `connection_user_data` is for the new connection. Errors: BAD_STATE if the context does not run
 * or has no callbacks, FULL if it has the largest number of connections. */
doca_error_t doca_rdma_connect_to_addr(struct doca_rdma *rdma, struct doca_rdma_addr *addr,
                                       union doca_data connection_user_data);

/* Answer a request of a peer. `private_data` goes to the peer; DOCA programs cannot read it. NULL: no
 * data. Errors: BAD_STATE if the connection is not a request or is already answered, CONNECTION_ABORTED
 * if the peer is gone. */
doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *connection,
                                         void *private_data, uint8_t private_data_len);
doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *connection);

/* Ends a connection, or confirms its end. Its submitted tasks fail, the peer gets an event, and another
 * connection can take its place; the handle is then invalid. Errors: BAD_STATE if the connection
 * manager did not make the connection. */
doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *connection);

/*
 * A program that listens with librdmacm passes a request (RDMA_CM_EVENT_CONNECT_REQUEST) to these
 * functions, and reports when the peer has confirmed it (RDMA_CM_EVENT_ESTABLISHED). The connection
 * then owns the identifier and destroys it, so acknowledge its events before. The program gets
 * RDMA_CM_EVENT_DISCONNECTED at the end, and calls doca_rdma_connection_disconnect. Callbacks are not
 * needed and not called. To refuse a request, call doca_rdma_connection_reject.
 *
 *     rdma_get_cm_event(channel, &event);  id = event->id;  rdma_ack_cm_event(event);
 *     doca_rdma_bridge_prepare_connection(rdma, id, &connection);
 *     doca_rdma_bridge_accept(rdma, NULL, 0, connection);
 *     ...                                                        // the next event
 *     doca_rdma_bridge_established(rdma, connection);
 */
struct rdma_cm_id;
/* Prepares a connection. Errors: INVALID_VALUE if the identifier is not of a request at an emulated
 * device, BAD_STATE if the context does not run, FULL. */
doca_error_t doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
                                                 struct doca_rdma_connection **rdma_connection);
/* Accepts the request. Up to DOCA 2.10 it prepares the connection, too. Errors: BAD_STATE if the connection
 * is not bridged or is already answered, CONNECTION_ABORTED if the peer is gone. */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 0, 0)
doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
                                     uint8_t private_data_len,
                                     struct doca_rdma_connection *rdma_connection);
#else
doca_error_t doca_rdma_bridge_accept(
    struct doca_rdma *rdma, struct rdma_cm_id *cm_id, void *private_data, uint8_t private_data_len,
    struct doca_rdma_connection **rdma_connection) __asm__("doca_rdma_bridge_accept_v2_10");
#endif
/* Reports that the peer has confirmed the connection. Errors: INVALID_VALUE if the request was not
 * accepted. */
doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
                                          struct doca_rdma_connection *rdma_connection);

/* Gets the address of the listening side. The address belongs to the connection. Errors: NOT_FOUND if
 * the connection manager did not make the connection. */
doca_error_t doca_rdma_connection_get_addr(const struct doca_rdma_connection *connection,
                                           struct doca_rdma_addr **addr);

/* ---- Tasks ---- */

/*
 * Tasks are for contexts whose data path is not on the DPA. Each type of task has these functions:
 *   ..._is_supported    DOCA_SUCCESS
 *   ..._set_conf        sets the callbacks of successful and failed tasks, and the largest number of
 *                       tasks. Errors: INVALID_VALUE also for 0 or more than 32768, BAD_STATE if the
 *                       context is not idle.
 *   ..._allocate_init   creates a task; free it with doca_task_free. The caller keeps the buffers until
 *                       the task has ended. Errors: BAD_STATE if the context does not run, NO_MEMORY
 *                       also if all configured tasks exist.
 *   ..._as_task         returns the object as a task, NULL if it is not a task of the type
 *   ..._get_..., ..._set_...  get and set an operand. A new operand counts from the next submission. A
 *                       submitted task keeps its operands, and a connection of another context is
 *                       ignored. Getters return NULL or 0 if the argument is not such a task.
 * Local memory may be a list of up to 16 buffers; for the peer's memory only the first buffer counts.
 * Submitting returns INVALID_VALUE if a buffer is invalid or too small, NOT_PERMITTED if the context's
 * device must not access it, NOT_CONNECTED if the connection has ended, NO_MEMORY if a queue is full.
 * Tasks of a connection end in the order of submission. A task fails with NOT_PERMITTED (a side does
 * not permit the access), CONNECTION_ABORTED (the peer is gone), IO_FAILED (another error of the peer
 * or the card), or BAD_STATE (an earlier task failed, or the context stops).
 */
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 9, 0)
/* A context has one connection: the functions do not name it, and have symbols of their own. */
#define DPK_RDMA_CONNECTION
#define DPK_RDMA_SYMBOL(name) __asm__(name "_v2_5")
#else
#define DPK_RDMA_CONNECTION struct doca_rdma_connection *connection,
#define DPK_RDMA_SYMBOL(name)
#endif
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

/* The operation that consumed a receive. */
enum doca_rdma_opcode {
    DOCA_RDMA_OPCODE_RECV_SEND = 0,
    DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM,
    DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM,
};

/*
 * Receives a message of any peer of the context and appends it to the data of `dst_buf`; NULL: a
 * message without bytes. A write with an immediate also consumes a receive, and leaves its buffers
 * unchanged.
 */
typedef void (*doca_rdma_task_receive_completion_cb_t)(struct doca_rdma_task_receive *task,
                                                       union doca_data task_user_data,
                                                       union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo);
doca_error_t
doca_rdma_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
                                                    enum doca_rdma_transport_type transport_type,
                                                    uint32_t *max_buf_list_len);
/* Number of buffers in the list of a receive. The value is only stored: each receive accepts the
 * largest number. Errors: INVALID_VALUE for 0, or more than the largest number. */
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
/* Results of a successful receive: the operation that consumed it, the size of the message in bytes,
 * the immediate (four bytes, if any), and the connection. */
enum doca_rdma_opcode
doca_rdma_task_receive_get_result_opcode(const struct doca_rdma_task_receive *task);
uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task);
doca_be32_t
doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task);
const struct doca_rdma_connection *
doca_rdma_task_receive_get_result_rdma_connection(const struct doca_rdma_task_receive *task);

/*
 * Sends a message to the peer. The task waits until the peer has a receive. `src_buf` NULL: a message
 * without bytes.
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
                                               DPK_RDMA_CONNECTION const struct doca_buf *src_buf,
                                               union doca_data user_data,
                                               struct doca_rdma_task_send **task)
    DPK_RDMA_SYMBOL("doca_rdma_task_send_allocate_init");
struct doca_task *doca_rdma_task_send_as_task(struct doca_rdma_task_send *task);
const struct doca_rdma_connection *
doca_rdma_task_send_get_rdma_connection(const struct doca_rdma_task_send *task);
void doca_rdma_task_send_set_rdma_connection(struct doca_rdma_task_send *task,
                                             struct doca_rdma_connection *connection);
void doca_rdma_task_send_set_src_buf(struct doca_rdma_task_send *task,
                                     const struct doca_buf *src_buf);
const struct doca_buf *doca_rdma_task_send_get_src_buf(const struct doca_rdma_task_send *task);

/*
 * Sends a message with an immediate: four bytes that the peer's receive reports.
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
    struct doca_rdma *rdma, DPK_RDMA_CONNECTION const struct doca_buf *src_buf,
    doca_be32_t immediate_data, union doca_data user_data, struct doca_rdma_task_send_imm **task)
    DPK_RDMA_SYMBOL("doca_rdma_task_send_imm_allocate_init");
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
 * Appends the data of `src_buf`, of a map that the peer exported, to the data of `dst_buf`.
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
                                               DPK_RDMA_CONNECTION const struct doca_buf *src_buf,
                                               struct doca_buf *dst_buf, union doca_data user_data,
                                               struct doca_rdma_task_read **task)
    DPK_RDMA_SYMBOL("doca_rdma_task_read_allocate_init");
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
/* Returns the number of received bytes, after the task has completed. */
uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task);

/*
 * Appends the data of `src_buf` to the data of `dst_buf`, of a map that the peer exported. `src_buf`
 * NULL: a write without bytes.
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
                                                DPK_RDMA_CONNECTION const struct doca_buf *src_buf,
                                                struct doca_buf *dst_buf, union doca_data user_data,
                                                struct doca_rdma_task_write **task)
    DPK_RDMA_SYMBOL("doca_rdma_task_write_allocate_init");
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
 * Writes with an immediate: a receive of the peer reports its four bytes.
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
    struct doca_rdma *rdma, DPK_RDMA_CONNECTION const struct doca_buf *src_buf,
    struct doca_buf *dst_buf, doca_be32_t immediate_data, union doca_data user_data,
    struct doca_rdma_task_write_imm **task)
    DPK_RDMA_SYMBOL("doca_rdma_task_write_imm_allocate_init");
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
 * Compares eight aligned bytes at the start of the data of `dst_buf`, in memory of the peer, with
 * `cmp_data`, and stores `swap_data` there if they are equal. Appends the old bytes to the data of
 * `result_buf`.
 */
typedef void (*doca_rdma_task_atomic_cmp_swp_completion_cb_t)(
    struct doca_rdma_task_atomic_cmp_swp *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_atomic_cmp_swp_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_atomic_cmp_swp_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_atomic_cmp_swp_completion_cb_t completed,
    doca_rdma_task_atomic_cmp_swp_completion_cb_t failed, uint32_t num_tasks);
doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
    struct doca_rdma *rdma, DPK_RDMA_CONNECTION struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
    struct doca_rdma_task_atomic_cmp_swp **task)
    DPK_RDMA_SYMBOL("doca_rdma_task_atomic_cmp_swp_allocate_init");
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
 * Adds `add_data` to eight bytes, addressed as for compare and swap.
 */
typedef void (*doca_rdma_task_atomic_fetch_add_completion_cb_t)(
    struct doca_rdma_task_atomic_fetch_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
doca_error_t doca_rdma_cap_task_atomic_fetch_add_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_task_atomic_fetch_add_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_atomic_fetch_add_completion_cb_t completed,
    doca_rdma_task_atomic_fetch_add_completion_cb_t failed, uint32_t num_tasks);
doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
    struct doca_rdma *rdma, DPK_RDMA_CONNECTION struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_atomic_fetch_add **task)
    DPK_RDMA_SYMBOL("doca_rdma_task_atomic_fetch_add_allocate_init");
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
 * Reads the value of an event that the peer exported (doca_sync_event.h), and appends it to the data of
 * `dst_buf`.
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
    struct doca_rdma *rdma, DPK_RDMA_CONNECTION const struct doca_sync_event_remote_net *event,
    struct doca_buf *dst_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_get **task)
    DPK_RDMA_SYMBOL("doca_rdma_task_remote_net_sync_event_get_allocate_init");
struct doca_task *doca_rdma_task_remote_net_sync_event_get_as_task(
    struct doca_rdma_task_remote_net_sync_event_get *task);
const struct doca_rdma_connection *doca_rdma_task_remote_net_sync_event_get_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_get *task);
void doca_rdma_task_remote_net_sync_event_get_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_get *task, struct doca_rdma_connection *connection);
/* Sets the event. An argument that is not such an event is ignored. */
void doca_rdma_task_remote_net_sync_event_get_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_get *task,
    const struct doca_sync_event_remote_net *event);
const struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_get_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_get *task);
void doca_rdma_task_remote_net_sync_event_get_set_dst_buf(
    struct doca_rdma_task_remote_net_sync_event_get *task, struct doca_buf *dst_buf);
struct doca_buf *doca_rdma_task_remote_net_sync_event_get_get_dst_buf(
    const struct doca_rdma_task_remote_net_sync_event_get *task);
/* Returns the number of received bytes, after the task has completed. */
uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_len(
    const struct doca_rdma_task_remote_net_sync_event_get *task);

/*
 * Sets an event of the peer to the first eight bytes of the data of `src_buf`.
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
    struct doca_rdma *rdma, DPK_RDMA_CONNECTION struct doca_sync_event_remote_net *event,
    const struct doca_buf *src_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_set **task)
    DPK_RDMA_SYMBOL("doca_rdma_task_remote_net_sync_event_notify_set_allocate_init");
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
 * Adds to an event of the peer, and appends the old value to the data of `result_buf`.
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
    struct doca_rdma *rdma, DPK_RDMA_CONNECTION struct doca_sync_event_remote_net *event,
    struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_add **task)
    DPK_RDMA_SYMBOL("doca_rdma_task_remote_net_sync_event_notify_add_allocate_init");
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

/* Names that DOCA 2.5 has for ..._get_result_len. */
uint32_t doca_rdma_task_receive_get_result_length(const struct doca_rdma_task_receive *task);
uint32_t doca_rdma_task_read_get_result_length(const struct doca_rdma_task_read *task);
uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_length(
    const struct doca_rdma_task_remote_net_sync_event_get *task);

#ifdef __cplusplus
}
#endif
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 9, 0)
#elif defined(__cplusplus)
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
/* Selects the function by the number of arguments. */
#define DOCA_RDMA_OF_4(a, b, c, d, function, ...) function
#define doca_rdma_export(...)                                                                      \
    DOCA_RDMA_OF_4(__VA_ARGS__, doca_rdma_export, doca_rdma_export_single, 0)(__VA_ARGS__)
#define doca_rdma_connect(...)                                                                     \
    DOCA_RDMA_OF_4(__VA_ARGS__, doca_rdma_connect, doca_rdma_connect_single, 0)(__VA_ARGS__)
#endif

#endif
