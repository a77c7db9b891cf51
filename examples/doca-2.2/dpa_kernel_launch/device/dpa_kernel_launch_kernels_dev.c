/* The DPA side: one line. */
#include <doca_dpa_dev.h>

__dpa_global__ void hello_world(void)
{
    doca_dpa_dev_printf("Hello from kernel\n");
}
