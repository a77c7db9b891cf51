/* The kernel: runs on the DPA, one call per thread of the launch. */
#include "doca_dpa_dev.h"

__dpa_global__ void hello_world_kernel(void)
{
    doca_dpa_dev_printf("Hello World\n");
}
