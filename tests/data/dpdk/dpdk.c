/* What tests need of DPDK, for machines without DPDK: the start, which prints its arguments, and tables.
 * Like DPDK, the start refuses to run without huge pages, unless it is told to do without. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rte_eal.h"
#include "rte_hash.h"
#include "rte_jhash.h"

int rte_eal_init(int argc, char **argv)
{
    bool without = false;
    int used = 0;
    printf("EAL:");
    for (int i = 1; i < argc && argv[i] && strcmp(argv[i], "--") != 0; i++) {
        printf(" %s", argv[i]);
        without = without || strcmp(argv[i], "--no-huge") == 0;
        used = i;
    }
    printf("\n");
    fflush(stdout);
    if (without)
        return used;
    fprintf(stderr, "EAL: no huge pages\n");
    return -1;
}

uint32_t rte_jhash(const void *key, uint32_t length, uint32_t initval)
{
    uint32_t hash = initval;
    for (uint32_t i = 0; i < length; i++)
        hash = hash * 31 + ((const uint8_t *)key)[i];
    return hash;
}

struct rte_hash {
    uint32_t entries, key_len;
    rte_hash_function hash;
    uint8_t *keys; /* one after the other */
    void **data;   /* NULL: the entry is free */
};

struct rte_hash *rte_hash_create(const struct rte_hash_parameters *params)
{
    struct rte_hash *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->entries = params->entries;
    h->key_len = params->key_len;
    h->hash = params->hash_func;
    h->keys = calloc(params->entries, params->key_len);
    h->data = calloc(params->entries, sizeof *h->data);
    return h;
}

/* Returns the entry of the key, or a free entry if there is none, or -1. */
static long find(const struct rte_hash *h, const void *key, bool free_too)
{
    const uint32_t begin = h->hash(key, h->key_len, 0);
    long unused = -1;
    for (uint32_t i = 0; i < h->entries; i++) {
        const uint32_t at = (begin + i) % h->entries;
        if (h->data[at] && memcmp(h->keys + (size_t)at * h->key_len, key, h->key_len) == 0)
            return at;
        if (!h->data[at] && unused < 0)
            unused = at;
    }
    return free_too ? unused : -1;
}

int rte_hash_add_key_data(const struct rte_hash *h, const void *key, void *data)
{
    const long at = find(h, key, true);
    if (at < 0)
        return -1;
    memcpy(h->keys + (size_t)at * h->key_len, key, h->key_len);
    h->data[at] = data;
    return 0;
}

int rte_hash_lookup_data(const struct rte_hash *h, const void *key, void **data)
{
    const long at = find(h, key, false);
    if (at >= 0)
        *data = h->data[at];
    return (int)at;
}

int32_t rte_hash_del_key(const struct rte_hash *h, const void *key)
{
    const long at = find(h, key, false);
    if (at >= 0)
        h->data[at] = NULL;
    return (int32_t)at;
}
