/*
 * doca_comch_producer: the sending end of a fast path of a connection (doca_comch.h), for any consumer
 * of the peer's (doca_comch_consumer.h).
 *
 *     doca_comch_producer_create(connection, &producer);
 *     doca_comch_producer_task_send_set_conf(producer, sent, failed, 16);
 *     doca_pe_connect_ctx(pe, doca_comch_producer_as_ctx(producer));
 *     doca_ctx_start(doca_comch_producer_as_ctx(producer));
 *     doca_comch_producer_task_send_alloc_init(producer, buf, imm, sizeof imm, consumer_id, &task);
 *     while (doca_task_submit(doca_comch_producer_task_send_as_task(task)) == DOCA_ERROR_AGAIN)
 *         ;                                       // the consumer has posted no receive yet
 *
 * Submitting takes a receive of the consumer: AGAIN: it has posted none that is free. NOT_FOUND: the
 * peer has no such consumer. INVALID_VALUE: the message is empty, larger than devices take, or has more
 * immediate data than the consumer takes. NOT_CONNECTED: the peer has gone. The task stays the
 * program's then. A send ends when its buffer may be used again; messages to a consumer arrive in
 * order. It fails with NOT_PERMITTED, IO_FAILED: the buffer's memory; NOT_CONNECTED: the consumer
 * stopped in between; CONNECTION_RESET: the peer has gone, and the producer begins to stop; BAD_STATE:
 * it was stopped; the consumer's receive fails then, too.
 *
 * Every function gives INVALID_VALUE for NULL, for an object that is gone, and for one of another
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

/* ---- What devices can do: those of a pair; else NOT_SUPPORTED ---- */

doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);
/* Producers on one side of a connection. */
doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_producers);
/* Sends that one may be set up for. */
doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);
/* Bytes of a message. */
doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);
/* Buffers in a list. */
doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);

/* ---- Producers ---- */

/* Makes an idle producer of a connection, which stays known as long as it. NO_MEMORY. */
doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_comch_producer **producer);
/* Stops it if it runs. IN_USE: a task of it is not freed; it stays. */
doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);
/* The same object as a context; NULL if it is none. It starts with a progress engine and sends set up
 * (else BAD_CONFIG). NOT_CONNECTED: the connection has ended. FULL: it has as many as it may. */
struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);
/* Its number on this connection, a new one with each start. BAD_STATE: it was not started. */
doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id);

/* ---- Sends ---- */

/* Sets sends up: who is told of those that succeed and fail, and how many there may be at once. */
doca_error_t doca_comch_producer_task_send_set_conf(
    struct doca_comch_producer *producer,
    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);
/*
 * Makes a send, to be given back with doca_task_free.
 *   buf                     [in]   the data, of one buffer or of a list; the caller's; NULL: none
 *   imm_data, imm_data_len  [in]   immediate data, which is copied; NULL, 0: none
 *   consumer_id             [in]   the number of a consumer of the peer's
 *   task                    [out]  NULL on failure
 * BAD_STATE: the producer does not run. NO_MEMORY: also if there are as many as were set up.
 */
doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
                                                      const struct doca_buf *buf, uint8_t *imm_data,
                                                      uint32_t imm_data_len, uint32_t consumer_id,
                                                      struct doca_comch_producer_task_send **task);
/* What it sends, and to whom, for the next time that it is submitted; of one that is submitted it stays
 * as it is. */
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
/* The same object as a task; NULL if it is none. */
struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task);

/* ---- Producers on the DPA, of a message queue (doca_comch_msgq.h) ---- */

/* NOT_SUPPORTED of all these: the producer is of a connection. BAD_STATE of the first two: it is not
 * idle. It starts if its data path is on the DPA (doca_ctx_set_datapath_on_dpa; else BAD_CONFIG). */

/* Where the ends of its sends go. Without one nobody is told. */
doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
                                                       struct doca_dpa_completion *dpa_comp);
/* Sends that may be on their way at once, 1 to 8192; here each ends before the next. */
doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
                                                      uint32_t dev_num_send);
/* What DPA code calls it. BAD_STATE: it does not run, or not on the DPA. */
doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
                                                doca_dpa_dev_comch_producer_t *dpa_producer);

#ifdef __cplusplus
}
#endif

#endif
