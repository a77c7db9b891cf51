/* The device program of msgq_cases.c. */
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_comch_msgq.h>

#include "msgq.h"

/* Sends back what comes, each byte one more, to consumer 1. */
__dpa_global__ void echo_thread(uint64_t arg)
{
    struct echo_arg *a = (struct echo_arg *)arg;
    doca_dpa_dev_comch_consumer_completion_element_t e;
    uint32_t n = 0, length;
    uint8_t bytes[32];
    while (doca_dpa_dev_comch_consumer_get_completion(a->completion, &e)) {
        if (a->left > 0 && --a->left == 0)
            __builtin_trap();
        const uint8_t *imm = doca_dpa_dev_comch_consumer_get_completion_imm(e, &length);
        for (uint32_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)(imm[i] + 1);
        if (length == 32) /* the last byte is who sent it */
            bytes[31] = (uint8_t)doca_dpa_dev_comch_consumer_get_completion_producer_id(e);
        doca_dpa_dev_comch_producer_post_send_imm_only(
            a->producer, 1, bytes, length,
            DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
        n++;
    }
    if (n > 0) {
        doca_dpa_dev_comch_consumer_completion_ack(a->completion, n);
        doca_dpa_dev_comch_consumer_ack(a->consumer, n);
    }
    doca_dpa_dev_comch_consumer_completion_request_notification(a->completion);
    doca_dpa_dev_thread_reschedule();
}

/* Takes nothing. */
__dpa_global__ void deaf_thread(uint64_t arg)
{
    (void)arg;
    doca_dpa_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t receive_rpc(doca_dpa_dev_comch_consumer_t consumer, uint32_t count)
{
    doca_dpa_dev_comch_consumer_ack(consumer, count);
    return 0;
}

/* `count` numbers of 64 bits, from `first` on; `length` of their bytes. */
__dpa_rpc__ uint64_t send_rpc(doca_dpa_dev_comch_producer_t producer, uint32_t consumer,
                              uint64_t first, uint32_t count, uint32_t length, uint32_t flags)
{
    uint64_t value[8] = {first};
    for (uint32_t i = 0; i < count; i++, value[0]++)
        doca_dpa_dev_comch_producer_post_send_imm_only(producer, consumer, (const uint8_t *)value,
                                                       length, flags);
    return 0;
}

__dpa_rpc__ uint64_t copy_rpc(doca_dpa_dev_comch_producer_t producer, uint32_t to, uint64_t to_at,
                              uint32_t from, uint64_t from_at, uint64_t length)
{
    static const char imm[] = "copied";
    doca_dpa_dev_comch_producer_dma_copy(producer, 1, to, to_at, from, from_at, length,
                                         (const uint8_t *)imm, sizeof imm,
                                         DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
    return 0;
}

__dpa_rpc__ uint64_t is_empty_rpc(doca_dpa_dev_comch_producer_t producer, uint32_t consumer)
{
    return (uint64_t)doca_dpa_dev_comch_producer_is_consumer_empty(producer, consumer);
}

/* The next completion: its type and user data; NOTHING. */
__dpa_rpc__ uint64_t next_rpc(doca_dpa_dev_completion_t queue)
{
    doca_dpa_dev_completion_element_t e;
    if (!doca_dpa_dev_get_completion(queue, &e))
        return NOTHING;
    doca_dpa_dev_completion_ack(queue, 1);
    return (uint64_t)doca_dpa_dev_get_completion_type(e) << 32 |
           doca_dpa_dev_get_completion_user_data(e);
}
