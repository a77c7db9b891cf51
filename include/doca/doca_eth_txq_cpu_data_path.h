/*
 * doca_eth_txq_cpu_data_path: how a program sends frames with a doca_eth_txq.
 *
 *     doca_eth_txq_task_send_allocate_init(txq, buf, data, &task);
 *     doca_task_submit(doca_eth_txq_task_send_as_doca_task(task));
 *     doca_pe_progress(pe);                      // calls done when the frame has left
 *
 * The data of `buf`, and of the buffers in its list, is one frame. A task that is cut (LSO) has headers
 * of TCP over IP and data of any length: each frame has the headers, with their lengths, sequence
 * numbers and flags set, and the next `mss` bytes; headers without IP are not changed. A batch is many
 * such tasks that are submitted and end together.
 *
 * Without DOCA_TASK_SUBMIT_FLAG_FLUSH a task may wait for the next one that has it, or for
 * doca_ctx_flush_tasks. A task is not submitted whose buffer is none, has no data, or has too long a
 * list (INVALID_VALUE), is not on the device of the queue (NOT_PERMITTED), or is of another process
 * (NOT_SUPPORTED); AGAIN: there is no room in the queue. One that fails, which stops the queue as on a
 * card: IO_FAILED: it is no frame (14 to 9234 bytes), or its memory is gone. BAD_STATE: the queue was
 * stopped.
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

/* Every task and every place of a batch has metadata (doca_eth_txq_set_metadata_num; 0 at first), the
 * mss of the queue where its data is cut, and flags of offload. The arrays are the task's or the
 * batch's; the program writes them before it submits that. Of metadata they have the numbers of one
 * frame behind those of the other; BAD_STATE: there is none. What flags mean is not published: none
 * (0, at first) is as the queue was set, and whatever has others is not submitted (NOT_SUPPORTED).
 *
 * Functions that end in _num_expand let a queue that is not idle have so many tasks or batches more.
 * BAD_STATE: it is idle, or was not set up for any. INVALID_VALUE: also 0, and more than can be
 * counted. */

/* ---- Frames ---- */

struct doca_eth_txq_task_send;

typedef void (*doca_eth_txq_task_send_completion_cb_t)(struct doca_eth_txq_task_send *task_send,
                                                       union doca_data task_user_data,
                                                       union doca_data ctx_user_data);

/* Sets up tasks of an idle queue, at most `task_send_num` at once. */
doca_error_t doca_eth_txq_task_send_set_conf(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_send_completion_cb_t task_error_cb, uint32_t task_send_num);
/* Makes a task of a running queue. NO_MEMORY: also if there are as many as were set up. */
doca_error_t doca_eth_txq_task_send_allocate_init(struct doca_eth_txq *eth_txq,
                                                  struct doca_buf *pkt, union doca_data user_data,
                                                  struct doca_eth_txq_task_send **task_send);
struct doca_task *doca_eth_txq_task_send_as_doca_task(struct doca_eth_txq_task_send *task_send);
/* One that is submitted keeps its buffer. */
void doca_eth_txq_task_send_set_pkt(struct doca_eth_txq_task_send *task_send, struct doca_buf *pkt);
doca_error_t doca_eth_txq_task_send_get_pkt(const struct doca_eth_txq_task_send *task_send,
                                            struct doca_buf **pkt);

doca_error_t doca_eth_txq_task_send_num_expand(struct doca_eth_txq *eth_txq,
                                               uint32_t task_send_num);
doca_error_t doca_eth_txq_task_send_get_metadata_array(struct doca_eth_txq_task_send *task_send,
                                                       uint32_t **metadata_array);
void doca_eth_txq_task_send_set_ol_flags(struct doca_eth_txq_task_send *task_send,
                                         uint16_t ol_flags);

/* ---- Data that is cut into frames ---- */

struct doca_eth_txq_task_lso_send;

typedef void (*doca_eth_txq_task_lso_send_completion_cb_t)(
    struct doca_eth_txq_task_lso_send *task_lso_send, union doca_data task_user_data,
    union doca_data ctx_user_data);

doca_error_t doca_eth_txq_task_lso_send_set_conf(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_lso_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_lso_send_completion_cb_t task_error_cb, uint32_t task_lso_send_num);
/* `headers` are read when the task is submitted, which is refused if there are none, or more bytes
 * than were set up (INVALID_VALUE). */
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
/* 0 is ignored. */
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
/* Makes a batch of a running queue. The program fills the arrays, which are the batch's, before it
 * submits it. INVALID_VALUE: 0 tasks, or more than were set up. */
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
/* An mss of 0 is not submitted (INVALID_VALUE). */
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
