#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#include "basic_initiator_target_defs.h"

__dpa_global__ void thread_kernel(uint64_t arg)
{
    struct thread_arg *thread_arg = (struct thread_arg *)arg;
    doca_dpa_dev_completion_element_t comp_element;

    DOCA_DPA_DEV_LOG_INFO("thread runs\n");
    doca_dpa_dev_device_set(thread_arg->dpa_ctx_handle);
    if (doca_dpa_dev_get_completion(thread_arg->dpa_comp_handle, &comp_element) != 0) {
        DOCA_DPA_DEV_LOG_INFO("completion of type %d, connection %u\n",
                              doca_dpa_dev_get_completion_type(comp_element),
                              doca_dpa_dev_get_completion_user_data(comp_element));
        doca_dpa_dev_sync_event_update_set(thread_arg->sync_event_handle,
                                           *(uint64_t *)thread_arg->recv_addr);
    }
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

__dpa_rpc__ uint64_t rdma_post_send_rpc(doca_dpa_dev_t dpa_ctx_handle, doca_dpa_dev_rdma_t rdma,
                                        uintptr_t addr, doca_dpa_dev_mmap_t mmap_handle,
                                        uint64_t length)
{
    doca_dpa_dev_device_set(dpa_ctx_handle);
    doca_dpa_dev_rdma_post_send(rdma, 0, mmap_handle, addr, length, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
    return 0;
}
