/* The DPA side: as many paths lead to a node as to its parents together. */
#include <doca_dpa_dev.h>

__dpa_global__ void diamond_kernel(uint64_t paths, uint64_t node, uint64_t parent, uint64_t other)
{
    uint64_t *to = (uint64_t *)paths;
    to[node] = parent == node ? 1 : to[parent] + (other == parent ? 0 : to[other]);
    doca_dpa_dev_printf("Node %c: %lu from A\n", (int)('A' + node), to[node]);
}
