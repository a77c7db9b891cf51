#include <doca_dpa_dev.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#define SYNC_EVENT_MASK_FFS 0xFFFFFFFFFFFFFFFF

/* Each thread sends to some of the ranks, and waits for their messages. */
__dpa_global__ void alltoall_kernel(doca_dpa_dev_t dpa_ctx_handle, doca_dpa_dev_uintptr_t rdmas_ptr,
                                    uint64_t local_buf_addr, doca_dpa_dev_mmap_t local_buf_mmap,
                                    uint64_t count, uint64_t type_length, uint64_t num_ranks,
                                    uint64_t my_rank, doca_dpa_dev_uintptr_t remote_addrs_ptr,
                                    doca_dpa_dev_uintptr_t remote_mmaps_ptr,
                                    doca_dpa_dev_uintptr_t local_events_ptr,
                                    doca_dpa_dev_uintptr_t remote_events_ptr, uint64_t a2a_seq_num)
{
    doca_dpa_dev_rdma_t *rdmas = (doca_dpa_dev_rdma_t *)rdmas_ptr;
    uint64_t *remote_addrs = (uint64_t *)remote_addrs_ptr;
    doca_dpa_dev_mmap_t *remote_mmaps = (doca_dpa_dev_mmap_t *)remote_mmaps_ptr;
    doca_dpa_dev_sync_event_t *local_events = (doca_dpa_dev_sync_event_t *)local_events_ptr;
    doca_dpa_dev_sync_event_remote_net_t *remote_events =
        (doca_dpa_dev_sync_event_remote_net_t *)remote_events_ptr;
    const uint64_t size = count * type_length;

    doca_dpa_dev_device_set(dpa_ctx_handle);
    for (uint64_t i = doca_dpa_dev_thread_rank(); i < num_ranks; i += doca_dpa_dev_num_threads()) {
        doca_dpa_dev_rdma_post_write(rdmas[i], 0, remote_mmaps[i], remote_addrs[i] + my_rank * size,
                                     local_buf_mmap, local_buf_addr + i * size, size,
                                     DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH |
                                         DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
        doca_dpa_dev_rdma_signal_set(rdmas[i], 0, remote_events[i], a2a_seq_num);
    }
    for (uint64_t i = doca_dpa_dev_thread_rank(); i < num_ranks; i += doca_dpa_dev_num_threads())
        doca_dpa_dev_sync_event_wait_gt(local_events[i], a2a_seq_num - 1, SYNC_EVENT_MASK_FFS);
}
