/* Tables of keys, for machines without DPDK (dpdk.c). */
#pragma once
#include <stdint.h>

typedef uint32_t (*rte_hash_function)(const void *key, uint32_t key_len, uint32_t init_val);
struct rte_hash_parameters {
    const char *name;
    uint32_t entries;
    uint32_t reserved;
    uint32_t key_len;
    rte_hash_function hash_func;
    uint32_t hash_func_init_val;
    int socket_id;
    uint8_t extra_flag;
};
struct rte_hash;

struct rte_hash *rte_hash_create(const struct rte_hash_parameters *params);
int rte_hash_add_key_data(const struct rte_hash *h, const void *key, void *data);
int rte_hash_lookup_data(const struct rte_hash *h, const void *key, void **data);
int32_t rte_hash_del_key(const struct rte_hash *h, const void *key);
