/* Starts DPDK with the program's arguments, and asks for ports of DPDK. */
#include <doca_dev.h>
#include <doca_dpdk.h>
#include <rte_eal.h>
#include <stdio.h>

#define SAY(call) printf("%s\n", doca_error_get_name(call))

int main(int argc, char **argv)
{
    struct doca_devinfo **list = NULL;
    struct doca_dev *dev = NULL, *other = NULL;
    uint32_t count = 0;
    uint16_t port = 7;
    uint8_t can = 7;
    printf("used: %d\n", rte_eal_init(argc, argv));
    if (doca_devinfo_create_list(&list, &count) != DOCA_SUCCESS || count == 0 ||
        doca_dev_open(list[0], &dev) != DOCA_SUCCESS)
        return 1;
    SAY(doca_dpdk_port_probe(dev, "dv_flow_en=2"));
    SAY(doca_dpdk_port_probe(NULL, ""));
    SAY(doca_dpdk_port_as_dev(0, &other));
    SAY(doca_dpdk_port_as_dev(0, NULL));
    SAY(doca_dpdk_get_first_port_id(dev, &port));
    SAY(doca_dpdk_get_first_port_id(dev, NULL));
    SAY(doca_dpdk_cap_is_rep_port_supported(list[0], &can));
    SAY(doca_dpdk_cap_is_rep_port_supported(NULL, &can));
    printf("%u\n", can);
    doca_dev_close(dev);
    doca_devinfo_destroy_list(list);
    return 0;
}
