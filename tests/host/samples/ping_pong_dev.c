#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#include "ping_pong_defs.h"

static void send_value(const struct dpa_thread_arg *arg, uint64_t value)
{
    *(uint64_t *)arg->send_addr = value;
    doca_dpa_dev_rdma_post_send(
        arg->rdma_handle, arg->connection_id, arg->send_mmap_handle, arg->send_addr, arg->length,
        DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
}

/* Every completion counts as a receive; the last send goes to a peer that has finished. */
__dpa_global__ void thread_kernel(uint64_t arg)
{
    struct dpa_thread_arg *thread_arg = (struct dpa_thread_arg *)arg;
    struct dpa_tls *tls = (struct dpa_tls *)doca_dpa_dev_thread_get_local_storage();
    doca_dpa_dev_completion_element_t comp_element;

    doca_dpa_dev_device_set(thread_arg->dpa_ctx_handle);
    while (1) {
        if (doca_dpa_dev_get_completion(thread_arg->comp_handle, &comp_element) == 0)
            continue;
        doca_dpa_dev_completion_ack(thread_arg->comp_handle, 1);
        tls->rounds++;
        tls->last_value = *(uint64_t *)thread_arg->recv_addr;
        doca_dpa_dev_rdma_post_receive(thread_arg->rdma_handle, thread_arg->recv_mmap_handle,
                                       thread_arg->recv_addr, thread_arg->length);
        send_value(thread_arg, tls->last_value + 1);
        if (tls->rounds == NUM_ROUNDS) {
            doca_dpa_dev_sync_event_update_set(thread_arg->sync_event_handle, tls->last_value);
            doca_dpa_dev_thread_finish();
        }
    }
}

__dpa_rpc__ uint64_t trigger_first_iteration_rpc(doca_dpa_dev_t dpa_ctx_handle,
                                                 struct dpa_thread_arg ping,
                                                 struct dpa_thread_arg pong)
{
    doca_dpa_dev_device_set(dpa_ctx_handle);
    doca_dpa_dev_rdma_post_receive(ping.rdma_handle, ping.recv_mmap_handle, ping.recv_addr,
                                   ping.length);
    doca_dpa_dev_rdma_post_receive(pong.rdma_handle, pong.recv_mmap_handle, pong.recv_addr,
                                   pong.length);
    send_value(&ping, 1);
    return 0;
}
