#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_sync_event.h>
#include <doca_sync_event.h>
#include <dpaintrin.h>
#include <stddef.h>

#include "nvqual_defs.h"

__dpa_global__ void dpa_nvqual_memory_stress_kernel(void)
{
    struct dpa_nvqual_tls *tls = (struct dpa_nvqual_tls *)doca_dpa_dev_thread_get_local_storage();
    uint8_t *data = (uint8_t *)tls->data_ptr;
    uint64_t cycles = __dpa_thread_cycles();

    DOCA_DPA_DEV_LOG_DBG("unit %lu begins\n", tls->eu);
    for (uint64_t i = 0; i < tls->num_ops; i++) {
        data[i % tls->data_size] = (uint8_t)(data[(i + 64) % tls->data_size] + 1);
        __dpa_compiler_barrier();
    }
    tls->cycles = __dpa_thread_cycles() - cycles;
    doca_dpa_dev_sync_event_update_add(tls->completion_event, 1);
    doca_dpa_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t dpa_nvqual_entry_point(doca_dpa_dev_uintptr_t notifications, uint64_t num)
{
    const doca_dpa_dev_notification_completion_t *n =
        (const doca_dpa_dev_notification_completion_t *)notifications;
    for (uint64_t i = 0; i < num; i++)
        doca_dpa_dev_thread_notify(n[i]);
    return 0;
}
