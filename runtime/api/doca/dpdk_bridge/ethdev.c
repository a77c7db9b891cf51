/* Functions of DPDK for ports that are devices. net_null has no offloads, and no flows to isolate from. A card has them,
 * so that programs ask for them, and end if they are refused; no frame passes here. Other ports go to DPDK. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "api/doca/core/core.h"
#include "dpdk.h"

/* Larger than DPDK's struct rte_eth_conf, whose layout depends on the release. Zeros are its defaults. */
static const uint64_t defaults[1024];

typedef int configure(uint16_t port, uint16_t receives, uint16_t sends, const void *settings);
typedef int receive_setup(uint16_t port, uint16_t queue, uint16_t places, unsigned node,
                          const void *settings, void *pool);
typedef int send_setup(uint16_t port, uint16_t queue, uint16_t places, unsigned node,
                       const void *settings);
typedef int isolate(uint16_t port, int set, void *error);

configure rte_eth_dev_configure;
receive_setup rte_eth_rx_queue_setup;
send_setup rte_eth_tx_queue_setup;
isolate rte_flow_isolate;

static bool is_device(uint16_t port)
{
    return dpk_dpdk_port_device(port) != NULL;
}

int rte_eth_dev_configure(uint16_t port, uint16_t receives, uint16_t sends, const void *settings)
{
    configure *const next = (configure *)dpdk_bridge_function(__func__);
    return next ? next(port, receives, sends, settings && is_device(port) ? defaults : settings)
                : -ENOTSUP;
}

int rte_eth_rx_queue_setup(uint16_t port, uint16_t queue, uint16_t places, unsigned node,
                           const void *settings, void *pool)
{
    receive_setup *const next = (receive_setup *)dpdk_bridge_function(__func__);
    return next ? next(port, queue, places, node, is_device(port) ? NULL : settings, pool)
                : -ENOTSUP;
}

int rte_eth_tx_queue_setup(uint16_t port, uint16_t queue, uint16_t places, unsigned node,
                           const void *settings)
{
    send_setup *const next = (send_setup *)dpdk_bridge_function(__func__);
    return next ? next(port, queue, places, node, is_device(port) ? NULL : settings) : -ENOTSUP;
}

int rte_flow_isolate(uint16_t port, int set, void *error)
{
    isolate *const next = (isolate *)dpdk_bridge_function(__func__);
    if (is_device(port))
        return 0;
    return next ? next(port, set, error) : -ENOTSUP;
}
