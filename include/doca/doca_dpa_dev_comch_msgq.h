/*
 * doca_dpa_dev_comch_msgq: message queues between CPU and DPA (doca_comch_msgq.h) in DPA code. Link the
 * program with -ldoca_dpa_dev_comm.
 *
 *     doca_dpa_dev_comch_consumer_ack(consumer, 16);               // once: 16 messages may come
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
 * A bad handle, more receives than the consumer may have, and more acknowledged than came fault the
 * thread (DOCA Comch programming guide, "MsgQ").
 */
#ifndef DOCA_DPA_DEV_COMCH_MSGQ_H
#define DOCA_DPA_DEV_COMCH_MSGQ_H

#include "doca_dpa_dev.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* so that a fault in one of these is told with the line that calls it */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* ---- Receiving ---- */

/* A message that came. Its contents are for the functions below. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_element_t;

/* The consumer may get `num_msg` messages more. */
void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg);

/* Takes the next message of a completion; 1, or 0 if there is none. */
int doca_dpa_dev_comch_consumer_get_completion(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp,
    doca_dpa_dev_comch_consumer_completion_element_t *comp_element);
/* Its immediate data, which stays until the message is acknowledged, and its length in bytes; which
 * producer sent it, a number of doca_comch_producer_get_id. */
const uint8_t *doca_dpa_dev_comch_consumer_get_completion_imm(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element, uint32_t *imm_length);
uint32_t doca_dpa_dev_comch_consumer_get_completion_producer_id(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element);
/* Gives the room of the oldest `num_comp` messages that were taken back to the completion. */
void doca_dpa_dev_comch_consumer_completion_ack(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp, uint32_t num_comp);
/* The next message wakes the completion's thread, as of other completions (doca_dpa_dev.h). */
void doca_dpa_dev_comch_consumer_completion_request_notification(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp);

/* ---- Sending ---- */

/* Whether a consumer has posted no receive: 1; and 1 if there is no such consumer. */
int doca_dpa_dev_comch_producer_is_consumer_empty(doca_dpa_dev_comch_producer_t producer,
                                                  uint32_t consumer_id);

/*
 * Sends `length` bytes of immediate data to the consumer of that number; it waits for a receive of it.
 * It completes with DOCA_DPA_DEV_COMP_SEND, the producer's number as user data, unless `flags` have
 * DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS; or, in any case, with DOCA_DPA_DEV_COMP_SEND_ERR: there is no
 * such consumer, or it takes less immediate data. Without flags the completion is lost if its queue is
 * full: before DOCA 2.10 the last argument asks for one, so that 0 is for none.
 */
void doca_dpa_dev_comch_producer_post_send_imm_only(doca_dpa_dev_comch_producer_t producer,
                                                    uint32_t consumer_id, const uint8_t *imm,
                                                    uint32_t length, uint32_t flags);

/* The same, behind a copy of `length` bytes between memory maps of the producer's device. If the copy
 * fails, it completes with DOCA_DPA_DEV_COMP_SEND_ERR, and nothing is sent. */
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
