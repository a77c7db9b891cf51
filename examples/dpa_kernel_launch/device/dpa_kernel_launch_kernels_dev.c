/* The DPA side: every thread tells its rank, and counts itself. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_sync_event.h>

__dpa_global__ void hello_world(doca_dpa_dev_sync_event_t count)
{
    unsigned int rank = doca_dpa_dev_thread_rank();
    DOCA_DPA_DEV_LOG_DBG("rank %u is about to count\n", rank);
    DOCA_DPA_DEV_LOG_INFO("Hello from thread %u of %u\n", rank, doca_dpa_dev_num_threads());
    doca_dpa_dev_sync_event_update_add(count, 1);
}
