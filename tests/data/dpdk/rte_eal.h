/* The start of DPDK, for machines without DPDK (dpdk.c). */
#pragma once
int rte_eal_init(int argc, char **argv);
