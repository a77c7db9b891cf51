/*
 * doca_comch_producer: the sending end of a fast path of a connection (doca_comch.h), for any consumer
 * of the peer (doca_comch_consumer.h).
 *
 *     doca_comch_producer_create(connection, &producer);
 *     doca_comch_producer_task_send_set_conf(producer, sent, failed, 16);
 *     doca_pe_connect_ctx(pe, doca_comch_producer_as_ctx(producer));
 *     doca_ctx_start(doca_comch_producer_as_ctx(producer));
 *     doca_comch_producer_task_send_alloc_init(producer, buf, imm, sizeof imm, consumer_id, &task);
 *     while (doca_task_submit(doca_comch_producer_task_send_as_task(task)) == DOCA_ERROR_AGAIN)
 *         ;                                       // the consumer has posted no receive yet
 *
 * doca_task_submit takes a receive of the consumer. Errors: AGAIN if the consumer has no free receive,
 * NOT_FOUND if the peer does not have the consumer, INVALID_VALUE if the message is empty, too large,
 * or has more immediate data than the consumer accepts, NOT_CONNECTED if the peer is gone. After an
 * error the program keeps the task. A send ends when its buffer can be used again. Messages to a
 * consumer arrive in order. A send fails with NOT_PERMITTED or IO_FAILED because of the buffer's
 * memory; NOT_CONNECTED if the consumer stopped meanwhile; CONNECTION_RESET if the peer is gone (then
 * the producer starts to stop); BAD_STATE if the producer was stopped. The consumer's receive then
 * fails, too.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (DOCA Comch programming guide, "Producer").
 */
#ifndef DOCA_COMCH_PRODUCER_H
#define DOCA_COMCH_PRODUCER_H

#include "doca_buf.h"
#include "doca_comch.h"
#include "doca_dpa_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_producer;
struct doca_comch_producer_task_send;
struct doca_dpa_completion;

typedef void (*doca_comch_producer_task_send_completion_cb_t)(
    struct doca_comch_producer_task_send *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* ---- Capabilities of devices of a pair; NOT_SUPPORTED for others ---- */

doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);
/* Largest number of producers on one side of a connection. */
doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_producers);
/* Largest number of send tasks of a producer. */
doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);
/* Largest size of a message in bytes. */
doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);
/* Largest number of buffers in a list. */
doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);

/* ---- Producers ---- */

/* Creates an idle producer of a connection. The producer keeps the connection's handle valid. Errors:
 * NO_MEMORY. */
doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_comch_producer **producer);
/* Stops the producer if it runs, and destroys it. Errors: IN_USE if it has a task that is not freed;
 * nothing changes then. */
doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);
/* Returns the object as a context. NULL if the argument is not an object of this kind. doca_ctx_start
 * needs a progress engine and a send configuration, else it returns BAD_CONFIG. Its other errors:
 * NOT_CONNECTED if the connection has ended, FULL if this side of the connection has no room for
 * another producer. */
struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);
/* Gets the producer's number on this connection. Each start assigns a new number. Errors: BAD_STATE if
 * the producer was not started. */
doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id);

/* ---- Sends ---- */

/* Sets the callbacks of successful and failed sends, and the largest number of send tasks. */
doca_error_t doca_comch_producer_task_send_set_conf(
    struct doca_comch_producer *producer,
    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);
/*
 * Creates a send task. Free it with doca_task_free.
 *   buf                     [in]   the data: a buffer or a list, which the caller keeps; NULL: no data
 *   imm_data, imm_data_len  [in]   immediate data, which is copied; NULL, 0: none
 *   consumer_id             [in]   the number of a consumer of the peer
 *   task                    [out]  NULL on failure
 * Errors: BAD_STATE if the producer does not run, NO_MEMORY also if all configured send tasks exist.
 */
doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
                                                      const struct doca_buf *buf, uint8_t *imm_data,
                                                      uint32_t imm_data_len, uint32_t consumer_id,
                                                      struct doca_comch_producer_task_send **task);
/* Set and get the data and the consumer. New values count from the next submission; a submitted task
 * keeps its values. */
void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
                                           const struct doca_buf *buf);
const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task);
void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
                                                uint8_t *imm_data, uint32_t imm_data_len);
uint8_t *
doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task);
uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task);
void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
                                                   uint32_t consumer_id);
uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task);
/* Returns the object as a task. NULL if the argument is not a task of this kind. */
struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task);

/* ---- Producers on the DPA, of a message queue (doca_comch_msgq.h) ---- */

/* All of these functions return NOT_SUPPORTED for a producer of a connection. The first two return
 * BAD_STATE if the producer is not idle. doca_ctx_start returns BAD_CONFIG unless the data path is on
 * the DPA (doca_ctx_set_datapath_on_dpa). */

/* Sets the completion that reports ended sends. Without a completion they are not reported. */
doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
                                                       struct doca_dpa_completion *dpa_comp);
/* Largest number of sends in flight, 1 to 8192. Here each send ends before the next. */
doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
                                                      uint32_t dev_num_send);
/* Gets the handle for DPA code. Errors: BAD_STATE if the producer does not run, or not on the DPA. */
doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
                                                doca_dpa_dev_comch_producer_t *dpa_producer);

#ifdef __cplusplus
}
#endif

#endif
