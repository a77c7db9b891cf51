/*
 * doca_rdma: reliable connections between programs, in one process or between processes of this
 * machine. The data path is on the DPA: kernels and threads post (doca_dpa_dev_rdma.h).
 *
 *     struct doca_rdma *rdma;  struct doca_rdma_connection *connection;
 *     doca_rdma_create(dev, &rdma);
 *     doca_rdma_set_permissions(rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
 *                                     DOCA_ACCESS_FLAG_RDMA_WRITE);
 *     doca_ctx_set_datapath_on_dpa(doca_rdma_as_ctx(rdma), dpa);
 *     doca_rdma_dpa_completion_attach(rdma, completion);
 *     doca_ctx_start(doca_rdma_as_ctx(rdma));
 *     doca_rdma_export(rdma, &details, &size, &connection);   // to the peer, by whatever means
 *     doca_rdma_connect(rdma, theirs, their_size, connection);
 *     doca_rdma_get_dpa_handle(rdma, &handle);                // for a kernel's argument
 *
 * Operations reach memory of maps that were given the context's device (doca_mmap_add_dev), at
 * either end. Sends wait for receives of the peer. All connections of a context share its receives.
 * When a context is stopped, what is still posted completes with an error; when a peer goes or its
 * process dies, so does what was posted to it, and what will be.
 *
 * Setters are for a context that is idle: else BAD_STATE. Every function gives INVALID_VALUE for
 * NULL, for an object that is gone, and for one of another kind (DOCA RDMA programming guide).
 */
#ifndef DOCA_RDMA_H
#define DOCA_RDMA_H

#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_dpa_types.h"
#include "doca_error.h"

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

doca_error_t doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_cap_task_read_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_rdma_cap_task_atomic_fetch_add_is_supported(const struct doca_devinfo *devinfo);
/* NOT_SUPPORTED: another transport than RC. */
doca_error_t
doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
                                          enum doca_rdma_transport_type transport_type);
doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_send_queue_size);
doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_recv_queue_size);

/* ---- Contexts ---- */

/* Makes an idle context on a device. NO_MEMORY. */
doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma);

/* In any state: one that runs is stopped first. */
doca_error_t doca_rdma_destroy(struct doca_rdma *rdma);

/* The same object as a context; NULL if it is none. */
struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/* What peers may do with memory of this process, as far as its map permits it: bits of enum
 * doca_access_flag; at first none. INVALID_VALUE: bits for PCI, or unknown ones. */
doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions);
doca_error_t doca_rdma_get_permissions(const struct doca_rdma *rdma, uint32_t *permissions);

/* Operations that can be posted at once on each connection, and receives on all; at first 128. A
 * kernel that posts more waits. INVALID_VALUE: 0 (for receives: fine), or more than the maximum. */
doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size);
doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size);
doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *size);
doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *size);

/* Connections it may have; at first 1. INVALID_VALUE: 0, or more than 8192. */
doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
                                               uint16_t max_num_connections);

/* How packets of a network are addressed; there is none, and they change nothing. NOT_SUPPORTED:
 * another transport than RC. */
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled);
doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);
doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type transport_type);
/* Buffers in a list that one receive fills; 1, others are NOT_SUPPORTED. */
doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
                                                         uint32_t dst_buf_list_len);

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
