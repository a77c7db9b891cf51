/*
 * doca_eth_txq_cpu_data_path: how a program sends frames with a doca_eth_txq.
 *
 *     doca_eth_txq_task_send_allocate_init(txq, buf, data, &task);
 *     doca_task_submit(doca_eth_txq_task_send_as_doca_task(task));
 *     doca_pe_progress(pe);                      // calls done when the frame has left
 *
 * The data of `buf`, and of the buffers in its list, is one frame. A segmented task (LSO) has TCP/IP
 * headers and data of any length. Each of its frames has the headers, with adjusted lengths, sequence
 * numbers and flags, and the next `mss` bytes. Headers without IP are not changed. The tasks of a batch
 * are submitted and end together.
 *
 * Without DOCA_TASK_SUBMIT_FLAG_FLUSH a task may wait for the next task that has the flag, or for
 * doca_ctx_flush_tasks. Submitting a task returns INVALID_VALUE if its buffer is invalid, has no data,
 * or has too long a list; NOT_PERMITTED if the buffer is not on the queue's device; NOT_SUPPORTED if it
 * is of another process; AGAIN if the queue has no room. A task fails with IO_FAILED if it is not a
 * frame (14 to 9234 bytes) or its memory is gone (this stops the queue, as on a card), and with
 * BAD_STATE if the queue was stopped.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (DOCA Ethernet programming guide, "DOCA ETH TXQ").
 */
#ifndef DOCA_ETH_TXQ_CPU_DATA_PATH_H
#define DOCA_ETH_TXQ_CPU_DATA_PATH_H

#include "doca_eth_txq.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every task, and every entry of a batch, has metadata (doca_eth_txq_set_metadata_num; 0 by default),
 * an mss if it is segmented (by default the queue's), and offload flags. The arrays belong to the task
 * or batch; the program writes them before it submits. The metadata array has all words of a frame,
 * then those of the next frame; its getter returns BAD_STATE if there is no metadata. The meaning of
 * the flags is not published: 0 (the default) uses the settings of the queue, and a task with other
 * flags is not submitted (NOT_SUPPORTED).
 *
 * Functions that end in _num_expand raise the number of tasks or batches of a queue that is not idle.
 * Errors: BAD_STATE if the queue is idle or has no configuration of them, INVALID_VALUE also if the
 * number is 0 or too large. */

/* ---- Frames ---- */

struct doca_eth_txq_task_send;

typedef void (*doca_eth_txq_task_send_completion_cb_t)(struct doca_eth_txq_task_send *task_send,
                                                       union doca_data task_user_data,
                                                       union doca_data ctx_user_data);

/* Sets up tasks of an idle queue, at most `task_send_num` at once. */
doca_error_t doca_eth_txq_task_send_set_conf(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_send_completion_cb_t task_error_cb, uint32_t task_send_num);
/* Creates a task of a running queue. Errors: NO_MEMORY also if all configured tasks exist. */
doca_error_t doca_eth_txq_task_send_allocate_init(struct doca_eth_txq *eth_txq,
                                                  struct doca_buf *pkt, union doca_data user_data,
                                                  struct doca_eth_txq_task_send **task_send);
struct doca_task *doca_eth_txq_task_send_as_doca_task(struct doca_eth_txq_task_send *task_send);
/* Set and get the buffer. A submitted task keeps its buffer. */
void doca_eth_txq_task_send_set_pkt(struct doca_eth_txq_task_send *task_send, struct doca_buf *pkt);
doca_error_t doca_eth_txq_task_send_get_pkt(const struct doca_eth_txq_task_send *task_send,
                                            struct doca_buf **pkt);

doca_error_t doca_eth_txq_task_send_num_expand(struct doca_eth_txq *eth_txq,
                                               uint32_t task_send_num);
doca_error_t doca_eth_txq_task_send_get_metadata_array(struct doca_eth_txq_task_send *task_send,
                                                       uint32_t **metadata_array);
void doca_eth_txq_task_send_set_ol_flags(struct doca_eth_txq_task_send *task_send,
                                         uint16_t ol_flags);

/* ---- Segmented data (LSO) ---- */

struct doca_eth_txq_task_lso_send;

typedef void (*doca_eth_txq_task_lso_send_completion_cb_t)(
    struct doca_eth_txq_task_lso_send *task_lso_send, union doca_data task_user_data,
    union doca_data ctx_user_data);

#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)
/* Does what doca_eth_txq_set_mss and doca_eth_txq_set_max_lso_header_size do, too. */
doca_error_t doca_eth_txq_task_lso_send_set_conf(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_lso_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_lso_send_completion_cb_t task_error_cb, uint16_t mss,
    uint16_t max_lso_header_size,
    uint32_t task_lso_send_num) __asm__("doca_eth_txq_task_lso_send_set_conf_v2_5");
#else
doca_error_t doca_eth_txq_task_lso_send_set_conf(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_lso_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_lso_send_completion_cb_t task_error_cb, uint32_t task_lso_send_num);
#endif
/* Submitting the task reads `headers`. It returns INVALID_VALUE if there are no headers, or more bytes
 * than configured. */
doca_error_t doca_eth_txq_task_lso_send_allocate_init(
    struct doca_eth_txq *eth_txq, struct doca_buf *pkt_payload, struct doca_gather_list *headers,
    union doca_data user_data, struct doca_eth_txq_task_lso_send **task_lso_send);
struct doca_task *
doca_eth_txq_task_lso_send_as_doca_task(struct doca_eth_txq_task_lso_send *task_lso_send);
void doca_eth_txq_task_lso_send_set_pkt_payload(struct doca_eth_txq_task_lso_send *task_lso_send,
                                                struct doca_buf *pkt_payload);
doca_error_t
doca_eth_txq_task_lso_send_get_pkt_payload(const struct doca_eth_txq_task_lso_send *task_lso_send,
                                           struct doca_buf **pkt_payload);
void doca_eth_txq_task_lso_send_set_headers(struct doca_eth_txq_task_lso_send *task_lso_send,
                                            struct doca_gather_list *headers);
doca_error_t
doca_eth_txq_task_lso_send_get_headers(const struct doca_eth_txq_task_lso_send *task_lso_send,
                                       struct doca_gather_list **headers);

doca_error_t doca_eth_txq_task_lso_send_num_expand(struct doca_eth_txq *eth_txq,
                                                   uint32_t task_lso_send_num);
doca_error_t
doca_eth_txq_task_lso_send_get_metadata_array(struct doca_eth_txq_task_lso_send *task_lso_send,
                                              uint32_t **metadata_array);
/* Sets the mss. 0 is ignored. */
void doca_eth_txq_task_lso_send_set_mss(struct doca_eth_txq_task_lso_send *task_lso_send,
                                        uint16_t mss);
void doca_eth_txq_task_lso_send_set_ol_flags(struct doca_eth_txq_task_lso_send *task_lso_send,
                                             uint16_t ol_flags);

/* ---- Batches ---- */

/* Arrays have an entry for each of the `tasks_num` tasks. */
typedef void (*doca_eth_txq_task_batch_send_completion_cb_t)(
    struct doca_task_batch *task_batch, uint16_t tasks_num, union doca_data ctx_user_data,
    union doca_data task_batch_user_data, union doca_data *task_user_data_array,
    struct doca_buf **pkt_array, doca_error_t *status_array);

/* Sets up `num_task_batches` batches of at most `max_tasks_number` tasks. */
doca_error_t doca_eth_txq_task_batch_send_set_conf(
    struct doca_eth_txq *eth_txq, enum doca_task_batch_max_tasks_number max_tasks_number,
    uint16_t num_task_batches, doca_eth_txq_task_batch_send_completion_cb_t success_task_batch_cb,
    doca_eth_txq_task_batch_send_completion_cb_t error_task_batch_cb);
/* Creates a batch of a running queue. The program fills the batch's arrays before it submits the batch.
 * Errors: INVALID_VALUE also if tasks_num is 0 or more than configured. */
doca_error_t doca_eth_txq_task_batch_send_allocate(struct doca_eth_txq *eth_txq, uint16_t tasks_num,
                                                   union doca_data task_batch_user_data,
                                                   struct doca_buf ***pkt_array,
                                                   union doca_data **task_user_data_array,
                                                   struct doca_task_batch **task_batch);

typedef void (*doca_eth_txq_task_batch_lso_send_completion_cb_t)(
    struct doca_task_batch *task_batch, uint16_t tasks_num, union doca_data ctx_user_data,
    union doca_data task_batch_user_data, union doca_data *task_user_data_array,
    struct doca_buf **pkt_payload_array, struct doca_gather_list **headers_array,
    doca_error_t *status_array);

doca_error_t doca_eth_txq_task_batch_lso_send_set_conf(
    struct doca_eth_txq *eth_txq, enum doca_task_batch_max_tasks_number max_tasks_number,
    uint16_t num_task_batches,
    doca_eth_txq_task_batch_lso_send_completion_cb_t success_task_batch_cb,
    doca_eth_txq_task_batch_lso_send_completion_cb_t error_task_batch_cb);
doca_error_t doca_eth_txq_task_batch_lso_send_allocate(
    struct doca_eth_txq *eth_txq, uint16_t tasks_num, union doca_data task_batch_user_data,
    struct doca_buf ***pkt_payload_array, struct doca_gather_list ***headers_array,
    union doca_data **task_user_data_array, struct doca_task_batch **task_batch);

doca_error_t doca_eth_txq_task_batch_send_num_expand(struct doca_eth_txq *eth_txq,
                                                     uint16_t num_task_batches);
doca_error_t doca_eth_txq_task_batch_lso_send_num_expand(struct doca_eth_txq *eth_txq,
                                                         uint16_t num_task_batches);
doca_error_t doca_eth_txq_task_batch_send_get_metadata_array(struct doca_task_batch *task_batch,
                                                             uint32_t **metadata_array);
doca_error_t doca_eth_txq_task_batch_lso_send_get_metadata_array(struct doca_task_batch *task_batch,
                                                                 uint32_t **metadata_array);
/* Gets the array of mss. A batch with an mss of 0 is not submitted (INVALID_VALUE). */
doca_error_t doca_eth_txq_task_batch_lso_send_get_mss_array(struct doca_task_batch *task_batch,
                                                            uint16_t **mss_array);
doca_error_t doca_eth_txq_task_batch_send_get_ol_flags_array(struct doca_task_batch *task_batch,
                                                             uint16_t **ol_flags_array);
doca_error_t doca_eth_txq_task_batch_lso_send_get_ol_flags_array(struct doca_task_batch *task_batch,
                                                                 uint16_t **ol_flags_array);

#ifdef __cplusplus
}
#endif

#endif
