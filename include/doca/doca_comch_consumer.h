/*
 * doca_comch_consumer: the receiving end of a fast path of a connection (doca_comch.h). The data of a
 * message goes into a buffer that was posted for it, with up to 32 bytes of immediate data.
 *
 *     doca_comch_consumer_create(connection, mmap, &consumer);
 *     doca_comch_consumer_task_post_recv_set_conf(consumer, received, failed, 16);
 *     doca_pe_connect_ctx(pe, doca_comch_consumer_as_ctx(consumer));
 *     doca_ctx_start(doca_comch_consumer_as_ctx(consumer));     // IN_PROGRESS: it runs soon
 *     while (!running)
 *         doca_pe_progress(pe);
 *     doca_comch_consumer_task_post_recv_alloc_init(consumer, buf, &task);
 *     doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
 *
 * When it runs, the peer gets an event with its number; when it stops, another. Any of the peer's
 * producers may send to it. Receives end in the order in which they were posted, with: INVALID_VALUE:
 * the buffer is gone, or too small, or there was more immediate data than it takes. NOT_PERMITTED: the
 * buffer's map has neither LOCAL_READ_WRITE nor PCI_READ_WRITE. IO_FAILED: the sender gave the message
 * up, or the buffer's memory is gone. CONNECTION_RESET: the peer has gone; then the consumer begins to stop. BAD_STATE:
 * it was stopped. Of a receive that fails the buffer's data is as it was.
 *
 * Every function gives INVALID_VALUE for NULL, for an object that is gone, and for one of another
 * kind (DOCA Comch programming guide, "Consumer").
 */
#ifndef DOCA_COMCH_CONSUMER_H
#define DOCA_COMCH_CONSUMER_H

#include "doca_buf.h"
#include "doca_comch.h"
#include "doca_dpa_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_consumer;
struct doca_comch_consumer_completion;
struct doca_comch_consumer_task_post_recv;
struct doca_dpa_thread;
struct doca_mmap;

typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
    struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* ---- What devices can do: those of a pair; else NOT_SUPPORTED ---- */

doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);
/* Consumers on one side of a connection. */
doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_consumers);
/* Receives that one may be set up for. */
doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);
/* Bytes of a message. */
doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);
/* Buffers in a list. */
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);
/* Bytes of immediate data. */
doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_imm_data_len);

/* ---- Consumers ---- */

/*
 * Makes an idle consumer of a connection, which stays known as long as it.
 *   buf_mmap  [in]   a started map on the connection's device, for buffers of receives
 *   consumer  [out]  NULL on failure
 * BAD_STATE: the map is not started. NOT_FOUND: it is not on the device. NO_MEMORY.
 */
doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_mmap *buf_mmap,
                                        struct doca_comch_consumer **consumer);
/* Stops it if it runs. IN_USE: a task of it is not freed; it stays. */
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);
/* The same object as a context; NULL if it is none. It starts with a progress engine and receives set
 * up (else BAD_CONFIG). NOT_CONNECTED: the connection has ended. FULL: it has as many as it may. */
struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

/* Bytes of immediate data that it takes; 0 to begin with. INVALID_VALUE: also more than the
 * capability. BAD_STATE: it is not idle. */
doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
                                                  uint32_t imm_data_len);
doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
                                                  uint32_t *imm_data_len);
/* Its number on this connection, a new one with each start. BAD_STATE: it was not started. */
doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id);

/* ---- Receives ---- */

/* Sets receives up: who is told of those that succeed and fail, and how many there may be at once. */
doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    struct doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks);
/* Makes a receive, to be given back with doca_task_free. `buf`, or a list: what comes is appended to
 * its data; it stays the caller's. NULL: for immediate data alone. BAD_STATE: the consumer does not run.
 * NO_MEMORY: also if there are as many as were set up. */
doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
                                              struct doca_buf *buf,
                                              struct doca_comch_consumer_task_post_recv **task);
/* The buffer, for the next time that it is submitted. */
void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
                                                struct doca_buf *buf);
struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task);
/* What came, of one that has succeeded: the number of the peer's producer; immediate data, aligned to 8,
 * which stays until the task is submitted again or freed, NULL: there was none; how many bytes it is. */
uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
    const struct doca_comch_consumer_task_post_recv *task);
const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
    const struct doca_comch_consumer_task_post_recv *task);
uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
    const struct doca_comch_consumer_task_post_recv *task);
/* The same object as a task; NULL if it is none. */
struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task);

/* ---- Completions on the DPA, of consumers of a message queue (doca_comch_msgq.h) ---- */

/* Makes one that is not started. NO_MEMORY. */
doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp);
/* Stops it if it is started. IN_USE: a consumer that has it runs; it stays. */
doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp);
/* BAD_CONFIG: it has no thread, or the thread is gone. BAD_STATE: it is started, or the context of its
 * thread is not. NO_MEMORY. */
doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp);
/* BAD_STATE: it is not started. IN_USE: a consumer that has it runs. */
doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp);

/* The thread that messages wake. It must have one. BAD_STATE of these: it is started. */
doca_error_t
doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
                                              struct doca_dpa_thread *dpa_thread);
/* Consumers that may have it at once, 1 to 64; 64 to begin with. */
doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers);
doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers);
/* Messages that it holds until they are acknowledged, 1 to 8192; 1024 to begin with. One more ends the
 * process of the DPA. */
doca_error_t doca_comch_consumer_completion_set_max_num_recv(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv);
doca_error_t doca_comch_consumer_completion_get_max_num_recv(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv);
/* Bytes of immediate data of its consumers, up to 32, as to begin with. */
doca_error_t doca_comch_consumer_completion_set_imm_data_len(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len);
doca_error_t doca_comch_consumer_completion_get_imm_data_len(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len);
/* What DPA code calls it. BAD_STATE: it is not started. */
doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    struct doca_comch_consumer_completion *consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t *dpa_consumer_comp);

/* ---- Consumers on the DPA ---- */

/* NOT_SUPPORTED of all these: the consumer is of a connection. BAD_STATE of the first two: it is not
 * idle. It starts if its data path is on the DPA (doca_ctx_set_datapath_on_dpa), its completion is
 * started and takes as much immediate data (else BAD_CONFIG). */
doca_error_t
doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
                                   struct doca_comch_consumer_completion *consumer_comp,
                                   uint32_t user_data);
/* Receives that it may have posted at once, 1 to 8192, as to begin with. */
doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
                                                      uint32_t dev_num_recv);
/* What DPA code calls it. BAD_STATE: it does not run, or not on the DPA. */
doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
                                                doca_dpa_dev_comch_consumer_t *dpa_consumer);

#ifdef __cplusplus
}
#endif

#endif
