/* A thread of the DPA: what comes by one message queue goes back by another, in capitals. */
#include <doca_dpa_dev_comch_msgq.h>

#include "capitals.h"

__dpa_global__ void capitals(uint64_t argument)
{
    const struct handles *h = (const struct handles *)argument;
    doca_dpa_dev_comch_consumer_completion_element_t message;
    uint8_t text[MESSAGE_MAX];
    uint32_t size, messages = 0;
    while (doca_dpa_dev_comch_consumer_get_completion(h->completion, &message)) {
        const uint8_t *from = doca_dpa_dev_comch_consumer_get_completion_imm(message, &size);
        for (uint32_t i = 0; i < size; i++)
            text[i] = from[i] >= 'a' && from[i] <= 'z' ? (uint8_t)(from[i] - 'a' + 'A') : from[i];
        doca_dpa_dev_comch_producer_post_send_imm_only(
            h->producer, 1, text, size,
            DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
        messages++;
    }
    if (messages > 0) {
        doca_dpa_dev_comch_consumer_completion_ack(h->completion, messages);
        doca_dpa_dev_comch_consumer_ack(h->consumer, messages);
    }
    doca_dpa_dev_comch_consumer_completion_request_notification(h->completion);
    doca_dpa_dev_thread_reschedule();
}

/* Before the first message: the consumer may get so many. */
__dpa_rpc__ uint64_t post_receives(doca_dpa_dev_comch_consumer_t consumer, uint32_t count)
{
    doca_dpa_dev_comch_consumer_ack(consumer, count);
    return 0;
}
