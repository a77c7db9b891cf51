/*
 * doca_comch_consumer: the receiving end of a fast path of a connection (doca_comch.h). The data of a
 * message goes into a posted buffer, with up to 32 bytes of immediate data.
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
 * When the consumer starts or stops, the peer gets an event with the consumer's number. Any producer of
 * the peer may send to it. Receives end in the order of posting. A receive fails with INVALID_VALUE if
 * the buffer is gone or too small, or if the message has more immediate data than the consumer accepts;
 * NOT_PERMITTED if the buffer's map has neither LOCAL_READ_WRITE nor PCI_READ_WRITE; IO_FAILED if the
 * sender gave up the message or the buffer's memory is gone; CONNECTION_RESET if the peer is gone (then
 * the consumer starts to stop); BAD_STATE if the consumer was stopped. A failed receive leaves the
 * buffer's data unchanged.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
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

/* ---- Capabilities of devices of a pair; NOT_SUPPORTED for others ---- */

doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);
/* Largest number of consumers on one side of a connection. */
doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_consumers);
/* Largest number of receive tasks of a consumer. */
doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);
/* Largest size of a message in bytes. */
doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);
/* Largest number of buffers in a list. */
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);
/* Largest size of immediate data in bytes. */
doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_imm_data_len);

/* ---- Consumers ---- */

/*
 * Creates an idle consumer of a connection. The consumer keeps the connection's handle valid.
 *   buf_mmap  [in]   a started map on the connection's device, for buffers of receives
 *   consumer  [out]  NULL on failure
 * Errors: BAD_STATE if the map is not started, NOT_FOUND if the map is not on the device, NO_MEMORY.
 */
doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_mmap *buf_mmap,
                                        struct doca_comch_consumer **consumer);
/* Stops the consumer if it runs, and destroys it. Errors: IN_USE if it has a task that is not freed;
 * nothing changes then. */
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);
/* Returns the object as a context. NULL if the argument is not an object of this kind. doca_ctx_start
 * needs a progress engine and a receive configuration, else it returns BAD_CONFIG. Its other errors:
 * NOT_CONNECTED if the connection has ended, FULL if this side of the connection has no room for
 * another consumer. */
struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

/* Most bytes of immediate data that the consumer accepts; 0 by default. Errors: INVALID_VALUE also if
 * the number is more than the capability, BAD_STATE if the consumer is not idle. */
doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
                                                  uint32_t imm_data_len);
doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
                                                  uint32_t *imm_data_len);
/* Gets the consumer's number on this connection. Each start assigns a new number. Errors: BAD_STATE if
 * the consumer was not started. */
doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id);

/* ---- Receives ---- */

/* Sets the callbacks of successful and failed receives, and the largest number of receive tasks. */
doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    struct doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks);
/* Creates a receive task. Free it with doca_task_free. `buf`: a buffer or a list, which the caller
 * keeps; the message is appended to its data. NULL: only for immediate data. Errors: BAD_STATE if the
 * consumer does not run, NO_MEMORY also if all configured receive tasks exist. */
doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
                                              struct doca_buf *buf,
                                              struct doca_comch_consumer_task_post_recv **task);
/* Set and get the buffer. A new buffer counts from the next submission. */
void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
                                                struct doca_buf *buf);
struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task);
/* Results of a successful receive: the number of the peer's producer; the immediate data, aligned to 8
 * and valid until the task is submitted again or freed (NULL: none); its length in bytes. */
uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
    const struct doca_comch_consumer_task_post_recv *task);
const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
    const struct doca_comch_consumer_task_post_recv *task);
uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
    const struct doca_comch_consumer_task_post_recv *task);
/* Returns the object as a task. NULL if the argument is not a task of this kind. */
struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task);

/* ---- Completions on the DPA, of consumers of a message queue (doca_comch_msgq.h) ---- */

/* Creates a completion. It is not started. Errors: NO_MEMORY. */
doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp);
/* Stops the object if it is started, then destroys it. */
doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp);
/* Starts the completion. Errors: BAD_CONFIG if it has no thread or the thread is destroyed, BAD_STATE
 * if it is started or the DPA context of its thread is not started, NO_MEMORY. */
doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp);
/* Stops the completion. Errors: BAD_STATE if it is not started, IN_USE if a running consumer uses
 * it. */
doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp);

/* The thread that messages wake. A thread is required. This setter and those below return BAD_STATE if
 * the completion is started. */
doca_error_t
doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
                                              struct doca_dpa_thread *dpa_thread);
/* Largest number of consumers at once, 1 to 64; 64 by default. */
doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers);
doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers);
/* Largest number of messages that are not acknowledged, 1 to 8192; 1024 by default. A further message
 * ends the DPA process. */
doca_error_t doca_comch_consumer_completion_set_max_num_recv(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv);
doca_error_t doca_comch_consumer_completion_get_max_num_recv(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv);
/* Bytes of immediate data of its consumers, up to 32; 32 by default. */
doca_error_t doca_comch_consumer_completion_set_imm_data_len(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len);
doca_error_t doca_comch_consumer_completion_get_imm_data_len(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len);
/* Gets the handle for DPA code. Errors: BAD_STATE if the completion is not started. */
doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    struct doca_comch_consumer_completion *consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t *dpa_consumer_comp);

/* ---- Consumers on the DPA ---- */

/* All of these functions return NOT_SUPPORTED for a consumer of a connection. The first two return
 * BAD_STATE if the consumer is not idle. doca_ctx_start returns BAD_CONFIG unless the data path is on
 * the DPA (doca_ctx_set_datapath_on_dpa), and the completion is started and accepts as much immediate
 * data as the consumer. */
doca_error_t
doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
                                   struct doca_comch_consumer_completion *consumer_comp,
                                   uint32_t user_data);
/* Largest number of posted receives, 1 to 8192; 8192 by default. */
doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
                                                      uint32_t dev_num_recv);
/* Gets the handle for DPA code. Errors: BAD_STATE if the consumer does not run, or not on the DPA. */
doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
                                                doca_dpa_dev_comch_consumer_t *dpa_consumer);

#ifdef __cplusplus
}
#endif

#endif
