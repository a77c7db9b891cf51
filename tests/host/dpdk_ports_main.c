/* Makes a port of DPDK of each device, as programs of DOCA 2.5 to 2.10 do before they receive with a GPU, starts it, and
 * starts DOCA Flow by the port's number. */
#include <doca_dev.h>
#include <doca_dpdk.h>
#include <doca_flow.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAY(call) printf("%s\n", doca_error_get_name(call))
#define DONE(call)                                                                                 \
    do {                                                                                           \
        const doca_error_t result_ = (call);                                                       \
        if (result_ != DOCA_SUCCESS) {                                                             \
            printf("%s: %s\n", #call, doca_error_get_name(result_));                               \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define ZERO(call)                                                                                 \
    do {                                                                                           \
        const int result_ = (call);                                                                \
        if (result_ != 0) {                                                                        \
            printf("%s: %d\n", #call, result_);                                                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)
static struct doca_flow_port *flow_port(const char *devargs, uint16_t id)
{
    struct doca_flow_port *port;
    const struct doca_flow_port_cfg cfg = {
        .port_id = id, .type = DOCA_FLOW_PORT_DPDK_BY_ID, .devargs = devargs};
    const doca_error_t result = doca_flow_port_start(&cfg, &port);
    printf("flow %s %u: %s\n", devargs ? devargs : "-", id, doca_error_get_name(result));
    return port;
}

static void flow_start(void)
{
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 6, 0)
    struct doca_flow_cfg cfg = {.mode_args = "vnf,hws,isolated", .pipe_queues = 1};
#else
    struct doca_flow_cfg cfg = {.mode_args = "vnf,hws,isolated", .queues = 1};
#endif
    DONE(doca_flow_init(&cfg));
}
#else
static struct doca_flow_port *flow_port(const char *devargs, uint16_t id)
{
    struct doca_flow_port *port;
    struct doca_flow_port_cfg *cfg;
    DONE(doca_flow_port_cfg_create(&cfg));
    DONE(doca_flow_port_cfg_set_port_id(cfg, id));
    if (devargs)
        DONE(doca_flow_port_cfg_set_devargs(cfg, devargs));
    const doca_error_t result = doca_flow_port_start(cfg, &port);
    printf("flow %s %u: %s\n", devargs ? devargs : "-", id, doca_error_get_name(result));
    DONE(doca_flow_port_cfg_destroy(cfg));
    return port;
}

static void flow_start(void)
{
    struct doca_flow_cfg *cfg;
    DONE(doca_flow_cfg_create(&cfg));
    DONE(doca_flow_cfg_set_mode_args(cfg, "vnf,hws,isolated"));
    DONE(doca_flow_init(cfg));
    DONE(doca_flow_cfg_destroy(cfg));
}
#endif

static void flow(uint16_t port)
{
    char number[8];
    struct doca_flow_port *started;
    snprintf(number, sizeof number, "%u", port);
    flow_start();
    if ((started = flow_port(number, 5)))
        DONE(doca_flow_port_stop(started));
    if ((started = flow_port(NULL, port)))
        DONE(doca_flow_port_stop(started));
    flow_port("31", 0);
    flow_port("four", 7);
    doca_flow_destroy();
}

/* The offloads and the isolation are a card's. */
static void start(uint16_t port, struct doca_devinfo *info)
{
    struct rte_eth_dev_info facts;
    struct rte_ether_addr mac;
    struct rte_flow_error error;
    uint8_t own[DOCA_DEVINFO_MAC_ADDR_SIZE];
    struct rte_eth_conf conf;
    memset(&conf, 0, sizeof conf);
    conf.rxmode.mtu = 2048;
    conf.txmode.offloads =
        RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM;
    ZERO(rte_eth_dev_info_get(port, &facts));
    ZERO(rte_eth_dev_configure(port, 1, 1, &conf));
    ZERO(rte_eth_macaddr_get(port, &mac));
    DONE(doca_devinfo_get_mac_addr(info, own, sizeof own));
    printf("MAC address: %s\n", memcmp(&mac, own, sizeof own) == 0 ? "the device's" : "another");
    ZERO(rte_flow_isolate(port, 1, &error));
    struct rte_eth_rxconf receives = facts.default_rxconf;
    receives.offloads = RTE_ETH_RX_OFFLOAD_TIMESTAMP;
    ZERO(rte_eth_rx_queue_setup(port, 0, 256, SOCKET_ID_ANY, &receives,
                                rte_pktmbuf_pool_create("mbufs", 511, 0, 0, 2048, SOCKET_ID_ANY)));
    struct rte_eth_txconf sends = facts.default_txconf;
    sends.offloads = conf.txmode.offloads;
    ZERO(rte_eth_tx_queue_setup(port, 0, 256, SOCKET_ID_ANY, &sends));
    ZERO(rte_eth_dev_start(port));
    ZERO(rte_eth_dev_stop(port));
}

int main(int argc, char **argv)
{
    struct doca_devinfo **list = NULL;
    struct doca_dev *dev, *again, *other;
    uint32_t count = 0;
    uint16_t port = 7, second = 7;
    DONE(doca_devinfo_create_list(&list, &count));
    DONE(doca_dev_open(list[0], &dev));
    DONE(doca_dev_open(list[0], &again));
    SAY(doca_dpdk_port_probe(dev, "dv_flow_en=2"));
    if (rte_eal_init(argc, argv) < 0)
        return 1;
    SAY(doca_dpdk_port_probe(dev, "dv_flow_en"));
    SAY(doca_dpdk_port_probe(dev, "dv_flow_en=2,representor=pf0"));
    SAY(doca_dpdk_get_first_port_id(dev, &port));
    DONE(doca_dpdk_port_probe(dev, "dv_flow_en=2,tx_pp=500"));
    SAY(doca_dpdk_port_probe(dev, ""));
    SAY(doca_dpdk_port_probe(again, ""));
    DONE(doca_dpdk_get_first_port_id(dev, &port));
    SAY(doca_dpdk_get_first_port_id(again, &second));
    DONE(doca_dpdk_port_as_dev(port, &other));
    SAY(doca_dpdk_port_as_dev(31, &other));
    start(port, list[0]);
    flow(port);
    DONE(doca_dev_close(dev));
    SAY(doca_dpdk_port_as_dev(port, &other));
    DONE(doca_dpdk_port_probe(again, ""));
    DONE(doca_dpdk_get_first_port_id(again, &second));
    printf("the same port: %d\n", port == second);
    DONE(doca_dev_close(again));
    DONE(doca_devinfo_destroy_list(list));
    return 0;
}
