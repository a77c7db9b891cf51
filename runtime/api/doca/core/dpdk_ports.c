/* Ports of DPDK that are devices: the numbers by which programs name devices to DOCA Flow. */
#include "api/doca/core/core.h"

#define PORTS_MAX 32u /* DPDK has no more */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct doca_dev *devices[PORTS_MAX]; /* a device may be closed: then the port is nobody's */

static bool is_open(const struct doca_dev *dev)
{
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    dpk_object_drop(d);
    return d != NULL;
}

doca_error_t dpk_dpdk_port_set(uint16_t port, struct doca_dev *dev)
{
    doca_error_t result = DOCA_SUCCESS;
    if (port >= PORTS_MAX)
        return dpk_doca_because(DOCA_ERROR_TOO_BIG,
                                "DPDK has made port %u, and ports of devices end at %u", port,
                                PORTS_MAX - 1);
    pthread_mutex_lock(&lock);
    if (is_open(devices[port]))
        result = dpk_doca_because(DOCA_ERROR_ALREADY_EXIST, "port %u of DPDK is the device already",
                                  port);
    else
        devices[port] = dev;
    pthread_mutex_unlock(&lock);
    return result;
}

struct doca_dev *dpk_dpdk_port_device(uint16_t port)
{
    struct doca_dev *dev = NULL;
    pthread_mutex_lock(&lock);
    if (port < PORTS_MAX && is_open(devices[port]))
        dev = devices[port];
    pthread_mutex_unlock(&lock);
    return dev;
}

bool dpk_dpdk_port_of(const struct doca_dev *dev, uint16_t *port)
{
    unsigned i;
    pthread_mutex_lock(&lock);
    for (i = 0; i < PORTS_MAX && devices[i] != dev; i++)
        continue;
    pthread_mutex_unlock(&lock);
    *port = (uint16_t)i;
    return i < PORTS_MAX;
}
