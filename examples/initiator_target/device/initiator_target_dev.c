/* The DPA's side of both programs: what the target's two threads do, and the initiator's sends. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#include "../common/initiator_target.h"

/* They live as long as the DPA context: each activation finds what the last one left. */
static uint64_t received_values[MESSAGES];
static unsigned int num_receive;

/* One activation for each message. */
__dpa_global__ void thread1_kernel(uint64_t arg)
{
    const struct thread1_arg *a = (const struct thread1_arg *)arg;
    doca_dpa_dev_completion_element_t element;
    doca_dpa_dev_device_set(a->dpa);
    doca_dpa_dev_get_completion(a->completion, &element);
    if (doca_dpa_dev_get_completion_type(element) == DOCA_DPA_DEV_COMP_RECV_SEND_IMM)
        received_values[num_receive] = doca_dpa_dev_get_completion_immediate(element);
    DOCA_DPA_DEV_LOG_INFO("message %u of connection %u: %lu\n", num_receive,
                          doca_dpa_dev_get_completion_user_data(element),
                          (unsigned long)received_values[num_receive]);
    num_receive++;
    doca_dpa_dev_completion_ack(a->completion, 1);
    if (num_receive == MESSAGES) {
        doca_dpa_dev_thread_notify(a->notification);
        doca_dpa_dev_thread_finish();
    }
    doca_dpa_dev_rdma_post_receive(a->rdma, a->map, a->address, a->length);
    doca_dpa_dev_completion_request_notification(a->completion);
    doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void thread2_kernel(uint64_t arg)
{
    const struct thread2_arg *a = (const struct thread2_arg *)arg;
    uint64_t sum = 0;
    for (unsigned int i = 0; i < MESSAGES; i++)
        sum += received_values[i];
    doca_dpa_dev_sync_event_update_set(a->event, sum == a->expected ? sum : a->expected + 1);
    doca_dpa_dev_thread_finish();
}

__dpa_rpc__ uint64_t rdma_post_receive_rpc(doca_dpa_dev_t dpa, doca_dpa_dev_rdma_t rdma,
                                           doca_dpa_dev_uintptr_t address, doca_dpa_dev_mmap_t map,
                                           uint64_t length)
{
    doca_dpa_dev_device_set(dpa);
    doca_dpa_dev_rdma_post_receive(rdma, map, address, length);
    return 0;
}

__dpa_rpc__ uint64_t rdma_post_send_imm_rpc(doca_dpa_dev_t dpa, doca_dpa_dev_rdma_t rdma,
                                            uint32_t connection, uintptr_t address,
                                            doca_dpa_dev_mmap_t map, uint64_t length,
                                            uint32_t immediate)
{
    doca_dpa_dev_device_set(dpa);
    doca_dpa_dev_rdma_post_send_imm(rdma, connection, map, address, length, immediate,
                                    DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
    return 0;
}

/* Polls until as many sends have completed; what the first failure was, 0: none. */
__dpa_rpc__ uint64_t wait_for_sends_rpc(doca_dpa_dev_completion_t completion, uint32_t sends)
{
    doca_dpa_dev_completion_element_t element;
    uint64_t bad = 0;
    for (uint32_t done = 0; done < sends;) {
        if (!doca_dpa_dev_get_completion(completion, &element))
            continue;
        done++;
        doca_dpa_dev_completion_ack(completion, 1);
        if (doca_dpa_dev_get_completion_type(element) != DOCA_DPA_DEV_COMP_SEND && bad == 0)
            bad = (uint64_t)doca_dpa_dev_get_completion_type(element);
    }
    return bad;
}
