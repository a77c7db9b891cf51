/* A hash of a key, for machines without DPDK (dpdk.c). */
#pragma once
#include <stdint.h>
uint32_t rte_jhash(const void *key, uint32_t length, uint32_t initval);
