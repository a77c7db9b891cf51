/* What tests need of DPDK, for machines without DPDK: the start, which prints its arguments, ports, and tables.
 * Like DPDK, the start refuses to run without huge pages, unless it is told to do without. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rte_eal.h"
#include "rte_ethdev.h"
#include "rte_flow.h"
#include "rte_hash.h"
#include "rte_jhash.h"
#include "rte_mbuf.h"

static bool started;

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
    started = without;
    if (without)
        return used;
    fprintf(stderr, "EAL: no huge pages\n");
    return -1;
}

/* ---- Ports: of net_null, which has neither offloads nor flows ---- */

static struct port {
    char name[64];
    struct rte_ether_addr mac;
    bool configured, works;
} ports[4];
static uint16_t port_count;

unsigned rte_lcore_count(void);
unsigned rte_lcore_count(void)
{
    return started ? 2 : 0;
}

int rte_eal_hotplug_add(const char *bus, const char *name, const char *arguments);
int rte_eal_hotplug_add(const char *bus, const char *name, const char *arguments)
{
    if (strcmp(bus, "vdev") != 0 || strncmp(name, "net_null", 8) != 0 ||
        strcmp(arguments, "no-rx=1") != 0 || port_count == sizeof ports / sizeof *ports)
        return -EINVAL;
    snprintf(ports[port_count++].name, sizeof ports->name, "%s", name);
    return 0;
}

int rte_eth_dev_get_port_by_name(const char *name, uint16_t *port);
int rte_eth_dev_get_port_by_name(const char *name, uint16_t *port)
{
    for (*port = 0; *port < port_count; ++*port)
        if (strcmp(ports[*port].name, name) == 0)
            return 0;
    return -ENODEV;
}

int rte_eth_dev_default_mac_addr_set(uint16_t port, const struct rte_ether_addr *mac);
int rte_eth_dev_default_mac_addr_set(uint16_t port, const struct rte_ether_addr *mac)
{
    if (port >= port_count)
        return -ENODEV;
    ports[port].mac = *mac;
    return 0;
}

int rte_eth_macaddr_get(uint16_t port, struct rte_ether_addr *mac)
{
    if (port >= port_count)
        return -ENODEV;
    *mac = ports[port].mac;
    return 0;
}

int rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info)
{
    memset(info, 0, sizeof *info);
    return port < port_count ? 0 : -ENODEV;
}

int rte_eth_dev_configure(uint16_t port, uint16_t receives, uint16_t sends,
                          const struct rte_eth_conf *conf)
{
    if (port >= port_count)
        return -ENODEV;
    if (conf->txmode.offloads || receives + sends == 0)
        return -EINVAL;
    ports[port].configured = true;
    return 0;
}

struct rte_mempool *rte_pktmbuf_pool_create(const char *name, unsigned count, unsigned cache,
                                            uint16_t own, uint16_t size, int node)
{
    static char pool; /* no frame takes memory of it */
    (void)cache;
    (void)own;
    (void)node;
    return name && count > 0 && size > 0 ? (struct rte_mempool *)&pool : NULL;
}

int rte_eth_rx_queue_setup(uint16_t port, uint16_t queue, uint16_t places, unsigned node,
                           const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
    (void)queue;
    (void)node;
    return port >= port_count                                 ? -ENODEV
           : places == 0 || !pool || (conf && conf->offloads) ? -EINVAL
                                                              : 0;
}

int rte_eth_tx_queue_setup(uint16_t port, uint16_t queue, uint16_t places, unsigned node,
                           const struct rte_eth_txconf *conf)
{
    (void)queue;
    (void)node;
    return port >= port_count ? -ENODEV : places == 0 || (conf && conf->offloads) ? -EINVAL : 0;
}

int rte_flow_isolate(uint16_t port, int set, struct rte_flow_error *error)
{
    (void)set;
    (void)error;
    return port < port_count ? -ENOSYS : -ENODEV;
}

int rte_eth_dev_start(uint16_t port)
{
    if (port >= port_count || !ports[port].configured)
        return -EINVAL;
    ports[port].works = true;
    return 0;
}

int rte_eth_dev_stop(uint16_t port)
{
    return port < port_count && ports[port].works ? 0 : -EINVAL;
}

/* ---- Tables ---- */

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
