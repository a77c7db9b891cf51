/* Memory of frames, for machines without DPDK (dpdk.c). */
#pragma once
#include <stdint.h>
struct rte_mempool;
struct rte_mempool *rte_pktmbuf_pool_create(const char *name, unsigned count, unsigned cache,
                                            uint16_t own, uint16_t size, int node);
