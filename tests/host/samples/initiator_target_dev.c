#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#include "initiator_target_defs.h"

uint32_t received_values[EXPECTED_NUM_RECEIVES] = {0};
int num_receive = 0;

/* Does not ask whether there was a completion: an activation without one spoils the values. */
__dpa_global__ void thread1_kernel(uint64_t arg)
{
    struct thread1_arg *thread_arg = (struct thread1_arg *)arg;
    doca_dpa_dev_completion_element_t comp_element;

    doca_dpa_dev_device_set(thread_arg->dpa_ctx_handle);
    num_receive += doca_dpa_dev_get_completion(thread_arg->dpa_comp_handle, &comp_element);
    received_values[num_receive - 1] = doca_dpa_dev_get_completion_immediate(comp_element);
    DOCA_DPA_DEV_LOG_INFO("activation %d: type %d, connection %u, immediate %u\n", num_receive,
                          doca_dpa_dev_get_completion_type(comp_element),
                          doca_dpa_dev_get_completion_user_data(comp_element),
                          received_values[num_receive - 1]);
    if (num_receive == EXPECTED_NUM_RECEIVES) {
        doca_dpa_dev_thread_notify(thread_arg->notification_comp_handle);
        doca_dpa_dev_thread_finish();
    }
    doca_dpa_dev_rdma_post_receive(thread_arg->rdma_handle, thread_arg->local_buf_mmap_handle,
                                   thread_arg->local_buf_addr, thread_arg->length);
    doca_dpa_dev_completion_ack(thread_arg->dpa_comp_handle, 1);
    doca_dpa_dev_completion_request_notification(thread_arg->dpa_comp_handle);
    doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void thread2_kernel(uint64_t arg)
{
    struct thread2_arg *thread_arg = (struct thread2_arg *)arg;
    uint64_t sum = 0;

    doca_dpa_dev_device_set(thread_arg->dpa_ctx_handle);
    for (int i = 0; i < EXPECTED_NUM_RECEIVES; i++)
        sum += received_values[i];
    doca_dpa_dev_sync_event_update_set(thread_arg->sync_event_handle, sum);
    doca_dpa_dev_thread_finish();
}

__dpa_rpc__ uint64_t rdma_post_receive_rpc(doca_dpa_dev_t dpa_ctx_handle, doca_dpa_dev_rdma_t rdma,
                                           doca_dpa_dev_uintptr_t addr,
                                           doca_dpa_dev_mmap_t mmap_handle, uint64_t length)
{
    doca_dpa_dev_device_set(dpa_ctx_handle);
    doca_dpa_dev_rdma_post_receive(rdma, mmap_handle, addr, length);
    return 0;
}

__dpa_rpc__ uint64_t rdma_post_send_imm_rpc(doca_dpa_dev_t dpa_ctx_handle, doca_dpa_dev_rdma_t rdma,
                                            uint32_t connection_id, uintptr_t addr,
                                            doca_dpa_dev_mmap_t mmap_handle, uint64_t length,
                                            uint32_t immediate)
{
    doca_dpa_dev_device_set(dpa_ctx_handle);
    doca_dpa_dev_rdma_post_send_imm(rdma, connection_id, mmap_handle, addr, length, immediate,
                                    DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
    return 0;
}
