/* The DPA side: a node tells its number. */
#include <doca_dpa_dev.h>

__dpa_global__ void binary_tree_kernel(uint64_t node)
{
    doca_dpa_dev_printf("Node %lu\n", node);
}
