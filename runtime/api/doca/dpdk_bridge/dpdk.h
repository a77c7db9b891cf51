/*
 * dpdk_bridge: DPDK beside DOCA. The library is built without DPDK: it finds DPDK's functions in the program, which
 * links DPDK after this library.
 *
 *     int (*const start)(uint16_t) = (int (*)(uint16_t))dpdk_bridge_function("rte_eth_dev_start");
 */
#ifndef DPK_API_DOCA_DPDK_BRIDGE_DPDK_H
#define DPK_API_DOCA_DPDK_BRIDGE_DPDK_H

/* Returns DPDK's function, also if this library has a function of that name, or NULL without DPDK. */
void (*dpdk_bridge_function(const char *name))(void);

#endif
