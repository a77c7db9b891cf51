/* Isolation of flows, for machines without DPDK (dpdk.c). */
#pragma once
#include <stdint.h>
struct rte_flow_error {
    int type;
};
int rte_flow_isolate(uint16_t port, int set, struct rte_flow_error *error);
