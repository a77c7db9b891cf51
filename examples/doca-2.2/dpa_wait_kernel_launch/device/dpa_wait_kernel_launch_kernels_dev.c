/* The DPA side: how many were launched together, told by the first of them. */
#include <doca_dpa_dev.h>

__dpa_global__ void hello_world(void)
{
    if (doca_dpa_dev_thread_rank() == 0)
        doca_dpa_dev_printf("Hello from kernel, %u threads\n", doca_dpa_dev_num_threads());
}
