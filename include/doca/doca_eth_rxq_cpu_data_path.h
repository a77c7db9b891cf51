/*
 * doca_eth_rxq_cpu_data_path: how a program gets the frames of a doca_eth_rxq.
 *
 * A REGULAR queue has tasks, each with a buffer for one frame:
 *
 *     doca_eth_rxq_task_recv_allocate_init(rxq, buf, data, &task);
 *     doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(task));
 *     doca_pe_progress(pe);                      // calls done: buf has the frame as its data
 *
 * A MANAGED_MEMPOOL queue has events, of single frames or of batches:
 *
 *     doca_eth_rxq_event_managed_recv_register(rxq, data, came, failed);     // before the start
 *     doca_pe_progress(pe);                      // calls came with a buffer; free it with
 *                                                // doca_buf_dec_refcount
 *
 * Getters of a frame's properties return BAD_STATE unless the frame has arrived and the property was
 * requested (doca_eth_rxq_set_metadata_num and so on). Properties of an event are valid while its
 * callback runs. A task fails with IO_FAILED if the frame does not fit into the buffer or the buffer's
 * memory is gone (this stops the queue, as on a card), and with BAD_STATE if the queue was stopped.
 * Submitting a task returns INVALID_VALUE if its buffer is invalid, has no room, or has too long a
 * list; NOT_PERMITTED if the buffer must not be written; NOT_SUPPORTED if the buffer is of another
 * process; AGAIN if the queue has no room for another task.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (DOCA Ethernet programming guide, "DOCA ETH RXQ").
 */
#ifndef DOCA_ETH_RXQ_CPU_DATA_PATH_H
#define DOCA_ETH_RXQ_CPU_DATA_PATH_H

#include "doca_eth_rxq.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tasks ---- */

struct doca_eth_rxq_task_recv;

typedef void (*doca_eth_rxq_task_recv_completion_cb_t)(struct doca_eth_rxq_task_recv *task_recv,
                                                       union doca_data task_user_data,
                                                       union doca_data ctx_user_data);

/* Sets up tasks of an idle queue, at most `task_recv_num` at once. */
doca_error_t doca_eth_rxq_task_recv_set_conf(
    struct doca_eth_rxq *eth_rxq, doca_eth_rxq_task_recv_completion_cb_t task_completion_cb,
    doca_eth_rxq_task_recv_completion_cb_t task_error_cb, uint32_t task_recv_num);

/* Creates a task of a running queue. The frame is appended to the data of `pkt`, and of the buffers in
 * its list. Errors: NO_MEMORY also if all configured tasks exist. */
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)
doca_error_t doca_eth_rxq_task_recv_allocate_init(
    struct doca_eth_rxq *eth_rxq, union doca_data user_data, struct doca_buf *pkt,
    struct doca_eth_rxq_task_recv **task_recv) __asm__("doca_eth_rxq_task_recv_allocate_init_v2_5");
#else
doca_error_t doca_eth_rxq_task_recv_allocate_init(struct doca_eth_rxq *eth_rxq,
                                                  struct doca_buf *pkt, union doca_data user_data,
                                                  struct doca_eth_rxq_task_recv **task_recv);
#endif
struct doca_task *doca_eth_rxq_task_recv_as_doca_task(struct doca_eth_rxq_task_recv *task_recv);
/* Set and get the buffer. A submitted task keeps its buffer. */
void doca_eth_rxq_task_recv_set_pkt(struct doca_eth_rxq_task_recv *task_recv, struct doca_buf *pkt);
doca_error_t doca_eth_rxq_task_recv_get_pkt(const struct doca_eth_rxq_task_recv *task_recv,
                                            struct doca_buf **pkt);

/* Return 1 if the checksum of IPv4, or of TCP or UDP, is right, and 0 if it is wrong or missing. */
doca_error_t doca_eth_rxq_task_recv_get_l3_ok(const struct doca_eth_rxq_task_recv *task_recv,
                                              uint8_t *l3_ok);
doca_error_t doca_eth_rxq_task_recv_get_l4_ok(const struct doca_eth_rxq_task_recv *task_recv,
                                              uint8_t *l4_ok);
/* Gets the metadata words. The array is valid until the task is submitted again or freed. */
doca_error_t
doca_eth_rxq_task_recv_get_metadata_array(const struct doca_eth_rxq_task_recv *task_recv,
                                          const uint32_t **metadata_array);
doca_error_t doca_eth_rxq_task_recv_get_flow_tag(const struct doca_eth_rxq_task_recv *task_recv,
                                                 uint32_t *flow_tag);
doca_error_t doca_eth_rxq_task_recv_get_rx_hash(const struct doca_eth_rxq_task_recv *task_recv,
                                                uint32_t *rx_hash);
doca_error_t doca_eth_rxq_task_recv_get_timestamp(const struct doca_eth_rxq_task_recv *task_recv,
                                                  uint64_t *timestamp);

/* ---- Events of single frames ---- */

struct doca_eth_rxq_event_managed_recv;

/* The program owns `pkt`. `pkt` is NULL if the event is an error, after which the queue stops. */
typedef void (*doca_eth_rxq_event_managed_recv_handler_cb_t)(
    struct doca_eth_rxq_event_managed_recv *event_managed_recv, struct doca_buf *pkt,
    union doca_data event_user_data);

doca_error_t doca_eth_rxq_event_managed_recv_register(
    struct doca_eth_rxq *eth_rxq, union doca_data user_data,
    doca_eth_rxq_event_managed_recv_handler_cb_t success_event_cb,
    doca_eth_rxq_event_managed_recv_handler_cb_t error_event_cb);

doca_error_t doca_eth_rxq_event_managed_recv_get_status(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv);
doca_error_t doca_eth_rxq_event_managed_recv_get_l3_ok(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv, uint8_t *l3_ok);
doca_error_t doca_eth_rxq_event_managed_recv_get_l4_ok(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv, uint8_t *l4_ok);
doca_error_t doca_eth_rxq_event_managed_recv_get_metadata_array(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv,
    const uint32_t **metadata_array);
doca_error_t doca_eth_rxq_event_managed_recv_get_flow_tag(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv, uint32_t *flow_tag);
doca_error_t doca_eth_rxq_event_managed_recv_get_rx_hash(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv, uint32_t *rx_hash);
doca_error_t doca_eth_rxq_event_managed_recv_get_timestamp(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv, uint64_t *timestamp);
/* Returns the queue of an event. NULL if the argument is not an event. */
struct doca_ctx *doca_eth_rxq_event_managed_recv_get_ctx(
    const struct doca_eth_rxq_event_managed_recv *event_managed_recv);

/* ---- Events of batches ---- */

struct doca_eth_rxq_event_batch_managed_recv;

/* `pkt_array` has the buffers of `events_number` frames, which the program owns. NULL after an
 * error. */
typedef void (*doca_eth_rxq_event_batch_managed_recv_handler_cb_t)(
    struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv, uint16_t events_number,
    union doca_data event_batch_user_data, doca_error_t status, struct doca_buf **pkt_array);

/* Replaces events of single frames. An event has at most `events_number_max` frames, and waits until
 * `events_number_min` have arrived. */
doca_error_t doca_eth_rxq_event_batch_managed_recv_register(
    struct doca_eth_rxq *eth_rxq, enum doca_event_batch_events_number events_number_max,
    enum doca_event_batch_events_number events_number_min, union doca_data user_data,
    doca_eth_rxq_event_batch_managed_recv_handler_cb_t success_event_batch_cb,
    doca_eth_rxq_event_batch_managed_recv_handler_cb_t error_event_batch_cb);

/* Returns the queue of a batch as a context. NULL if the argument is not a batch. */
struct doca_ctx *doca_eth_rxq_event_batch_managed_recv_get_ctx(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv);
/* Get arrays with one entry for each frame. The metadata array has the configured number of words for
 * each frame. */
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_l3_ok_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint8_t **l3_ok_array);
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_l4_ok_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint8_t **l4_ok_array);
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_metadata_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint32_t **metadata_array);
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_flow_tag_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint32_t **flow_tag_array);
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_rx_hash_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint32_t **rx_hash_array);
doca_error_t doca_eth_rxq_event_batch_managed_recv_get_timestamp_array(
    const struct doca_eth_rxq_event_batch_managed_recv *event_batch_managed_recv,
    const uint64_t **timestamp_array);

/* Returns a word of the metadata array; 0 if the array is NULL. */
static inline uint32_t doca_eth_rxq_event_batch_managed_recv_metadata_array_get_metadata(
    const uint32_t *metadata_array, uint8_t metadata_num, uint16_t packet_index,
    uint8_t metadata_index)
{
    return metadata_array ? metadata_array[(size_t)packet_index * metadata_num + metadata_index]
                          : 0;
}

/* Frees all buffers of a batch, and the array, which the program owns until then. */
void doca_eth_rxq_event_batch_managed_recv_pkt_array_free(struct doca_buf **pkt_array);

#ifdef __cplusplus
}
#endif

#endif
