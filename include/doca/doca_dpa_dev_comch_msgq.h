/*
 * doca_dpa_dev_comch_msgq: message queues between CPU and DPA (doca_comch_msgq.h) in DPA code. Link the
 * program with -ldoca_dpa_dev_comm.
 *
 *     doca_dpa_dev_comch_consumer_ack(consumer, 16);               // once: accept 16 messages
 *
 *     while (doca_dpa_dev_comch_consumer_get_completion(completion, &element)) {
 *         const uint8_t *imm = doca_dpa_dev_comch_consumer_get_completion_imm(element, &length);
 *         doca_dpa_dev_comch_producer_post_send_imm_only(producer, 1, imm, length,
 *                                                        DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
 *         doca_dpa_dev_comch_consumer_completion_ack(completion, 1);
 *         doca_dpa_dev_comch_consumer_ack(consumer, 1);
 *     }
 *     doca_dpa_dev_comch_consumer_completion_request_notification(completion);
 *     doca_dpa_dev_thread_reschedule();
 *
 * The thread faults on a bad handle, on more receives than the consumer may have, and on more
 * acknowledgements than messages (DOCA Comch programming guide, "MsgQ").
 */
#ifndef DOCA_DPA_DEV_COMCH_MSGQ_H
#define DOCA_DPA_DEV_COMCH_MSGQ_H

#include "doca_dpa_dev.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* a fault in one of these functions is reported with the caller's line */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* ---- Receiving ---- */

/* A received message. Use the functions below to read it. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_element_t;

/* Posts receives for `num_msg` further messages of the consumer. */
void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg);

/* Takes the next message of a completion. Returns 1, or 0 if there is no message. */
int doca_dpa_dev_comch_consumer_get_completion(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp,
    doca_dpa_dev_comch_consumer_completion_element_t *comp_element);
/* Return the message's immediate data and its length in bytes (valid until the message is
 * acknowledged), and the number of its producer (doca_comch_producer_get_id). */
const uint8_t *doca_dpa_dev_comch_consumer_get_completion_imm(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element, uint32_t *imm_length);
uint32_t doca_dpa_dev_comch_consumer_get_completion_producer_id(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element);
/* Acknowledges the oldest `num_comp` messages that were taken: the completion can use their room
 * again. */
void doca_dpa_dev_comch_consumer_completion_ack(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp, uint64_t num_comp);
/* Requests that the next message wakes the completion's thread, as
 * doca_dpa_dev_completion_request_notification does. */
void doca_dpa_dev_comch_consumer_completion_request_notification(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp);

/* ---- Sending ---- */

/* Returns 1 if the consumer has posted no receive or does not exist, else 0. */
int doca_dpa_dev_comch_producer_is_consumer_empty(doca_dpa_dev_comch_producer_t producer,
                                                  uint32_t consumer_id);

/*
 * Sends `length` bytes of immediate data to the consumer with that number, and waits for a receive of
 * the consumer. A success completes with DOCA_DPA_DEV_COMP_SEND, with the producer's number as user
 * data, unless `flags` have DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS. A failure always completes with
 * DOCA_DPA_DEV_COMP_SEND_ERR: the consumer does not exist, or accepts less immediate data. Without
 * flags the completion is lost if its queue is full: before DOCA 2.10 the last argument requests a
 * completion, so 0 means no completion.
 */
void doca_dpa_dev_comch_producer_post_send_imm_only(doca_dpa_dev_comch_producer_t producer,
                                                    uint32_t consumer_id, const uint8_t *imm,
                                                    uint32_t length, uint32_t flags);

/* Copies `length` bytes between memory maps of the producer's device, then sends as the function above.
 * If the copy fails, it completes with DOCA_DPA_DEV_COMP_SEND_ERR, and nothing is sent. */
void doca_dpa_dev_comch_producer_dma_copy(doca_dpa_dev_comch_producer_t producer,
                                          uint32_t consumer_id, doca_dpa_dev_mmap_t dst_mmap,
                                          uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap,
                                          uint64_t src_addr, size_t length, const uint8_t *imm,
                                          uint32_t imm_length, uint32_t flags);

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
