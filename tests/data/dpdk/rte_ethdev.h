/* Ports, for machines without DPDK (dpdk.c). */
#pragma once
#include <stdint.h>

#define SOCKET_ID_ANY                 (-1)
#define RTE_ETH_TX_OFFLOAD_IPV4_CKSUM (UINT64_C(1) << 1)
#define RTE_ETH_TX_OFFLOAD_UDP_CKSUM  (UINT64_C(1) << 2)
#define RTE_ETH_TX_OFFLOAD_TCP_CKSUM  (UINT64_C(1) << 3)

#define RTE_ETH_RX_OFFLOAD_TIMESTAMP (UINT64_C(1) << 14)

struct rte_mempool;
struct rte_ether_addr {
    uint8_t addr_bytes[6];
} __attribute__((aligned(2)));
struct rte_eth_conf {
    struct {
        uint32_t mtu;
    } rxmode;
    struct {
        uint64_t offloads;
    } txmode;
};
struct rte_eth_txconf {
    uint64_t offloads;
};
struct rte_eth_rxconf {
    uint64_t offloads;
};
struct rte_eth_dev_info {
    struct rte_eth_rxconf default_rxconf;
    struct rte_eth_txconf default_txconf;
};

int rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info);
int rte_eth_dev_configure(uint16_t port, uint16_t receives, uint16_t sends,
                          const struct rte_eth_conf *conf);
int rte_eth_macaddr_get(uint16_t port, struct rte_ether_addr *mac);
int rte_eth_rx_queue_setup(uint16_t port, uint16_t queue, uint16_t places, unsigned node,
                           const struct rte_eth_rxconf *conf, struct rte_mempool *pool);
int rte_eth_tx_queue_setup(uint16_t port, uint16_t queue, uint16_t places, unsigned node,
                           const struct rte_eth_txconf *conf);
int rte_eth_dev_start(uint16_t port);
int rte_eth_dev_stop(uint16_t port);
