#include <doca_dpa_dev.h>
#include <doca_dpa_dev_sync_event.h>

__dpa_global__ void dpa_endpoint_copy_kernel(doca_dpa_dev_ep_t ep, uint64_t local,
                                             doca_dpa_dev_mem_t local_mem, uint64_t length,
                                             uint64_t remote, doca_dpa_dev_mem_t remote_mem,
                                             doca_dpa_dev_sync_event_remote_t arrived)
{
    doca_dpa_dev_put_signal_set_nb(ep, local, local_mem, length, remote,
                                   doca_dpa_dev_mem_rkey_get(remote_mem), arrived, 1);
    doca_dpa_dev_ep_synchronize(ep);
}
