/* The DPA side: a link of the chain waits for the one before, tells the next. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_sync_event.h>

__dpa_global__ void linear_kernel(uint64_t node, doca_dpa_dev_sync_event_t wait_ev,
                                  doca_dpa_dev_sync_event_t comp_ev)
{
    if (wait_ev)
        doca_dpa_dev_sync_event_wait_gt(wait_ev, 0, ~(uint64_t)0);
    doca_dpa_dev_printf("Kernel %c\n", (int)('A' + node));
    doca_dpa_dev_sync_event_update_add(comp_ev, 1);
}
