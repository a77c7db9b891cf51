/* Message queues between CPU and DPA. */
#include "guest/abi/comch_calls.h"
#include "guest/abi/syscall.h"

#include <doca_dpa_dev_comch_msgq.h>

static uint64_t comch_call(unsigned call, uint64_t a, uint64_t b)
{
    return dpa_call3(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, call), a, b, 0);
}

/* ---- Receiving ---- */

static const struct dpa_comch_completion *
completion_of(doca_dpa_dev_comch_consumer_completion_t handle)
{
    return (const struct dpa_comch_completion *)handle;
}

static const struct dpa_comch_message *
message_of(doca_dpa_dev_comch_consumer_completion_element_t element)
{
    return (const struct dpa_comch_message *)element;
}

void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg)
{
    comch_call(DPA_COMCH_RECEIVE, consumer, num_msg);
}

int doca_dpa_dev_comch_consumer_get_completion(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp,
    doca_dpa_dev_comch_consumer_completion_element_t *comp_element)
{
    const struct dpa_comch_completion *c = completion_of(consumer_comp);
    doca_dpa_dev_completion_element_t e;
    if (!doca_dpa_dev_get_completion(c->queue, &e))
        return 0;
    *comp_element = (uintptr_t)&c->messages[doca_dpa_dev_completion_element_get_wqe_counter(e)];
    return 1;
}

const uint8_t *doca_dpa_dev_comch_consumer_get_completion_imm(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element, uint32_t *imm_length)
{
    const struct dpa_comch_message *m = message_of(comp_element);
    *imm_length = m->imm_size;
    return m->imm;
}

uint32_t doca_dpa_dev_comch_consumer_get_completion_producer_id(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element)
{
    return message_of(comp_element)->producer;
}

void doca_dpa_dev_comch_consumer_completion_ack(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp, uint64_t num_comp)
{
    doca_dpa_dev_completion_ack(completion_of(consumer_comp)->queue, num_comp);
}

void doca_dpa_dev_comch_consumer_completion_request_notification(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp)
{
    doca_dpa_dev_completion_request_notification(completion_of(consumer_comp)->queue);
}

/* ---- Sending ---- */

int doca_dpa_dev_comch_producer_is_consumer_empty(doca_dpa_dev_comch_producer_t producer,
                                                  uint32_t consumer_id)
{
    return (int)comch_call(DPA_COMCH_IS_EMPTY, producer, consumer_id);
}

/* Sends when the consumer has a receive. The host refuses immediate data that is too long. */
static void post(doca_dpa_dev_comch_producer_t producer, struct dpa_comch_send *send,
                 const uint8_t *imm, uint32_t length, uint32_t flags)
{
    send->imm_size = length;
    send->report = flags & DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS ? DPA_COMCH_SILENT
                   : flags                                           ? DPA_COMCH_REPORT
                                                                     : DPA_COMCH_REPORT_IF_ROOM;
    for (uint32_t i = 0; i < length && i < sizeof send->imm; i++)
        send->imm[i] = imm[i];
    while (!comch_call(DPA_COMCH_SEND, producer, (uintptr_t)send))
        dpa_call0(DPA_SYS_YIELD);
}

void doca_dpa_dev_comch_producer_post_send_imm_only(doca_dpa_dev_comch_producer_t producer,
                                                    uint32_t consumer_id, const uint8_t *imm,
                                                    uint32_t length, uint32_t flags)
{
    struct dpa_comch_send send = {.consumer = consumer_id};
    post(producer, &send, imm, length, flags);
}

void doca_dpa_dev_comch_producer_dma_copy(doca_dpa_dev_comch_producer_t producer,
                                          uint32_t consumer_id, doca_dpa_dev_mmap_t dst_mmap,
                                          uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap,
                                          uint64_t src_addr, size_t length, const uint8_t *imm,
                                          uint32_t imm_length, uint32_t flags)
{
    struct dpa_comch_send send = {.consumer = consumer_id,
                                  .to = dst_mmap,
                                  .from = src_mmap,
                                  .to_address = dst_addr,
                                  .from_address = src_addr,
                                  .length = length};
    post(producer, &send, imm, imm_length, flags);
}
