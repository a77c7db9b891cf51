/* Ports of DPDK that are devices of DOCA. DPDK's driver net_null makes the port, which has a number, a MAC address and
 * queues, but no frames: these go by doca_eth. */
#include <doca_dpdk.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/doca/core/core.h"
#include "dpdk.h"

#define DRIVER    "net_null" /* DPDK finds the driver by the beginning of a device's name */
#define ARGUMENTS "no-rx=1"

typedef int hotplug_add(const char *bus, const char *name, const char *arguments);
typedef int port_by_name(const char *name, uint16_t *port);
typedef int set_mac(uint16_t port, const void *mac);
typedef unsigned lcore_count(void);

/* ---- Arguments ---- */

/* Checks "key=value" with commas between. Their values are a card's: none changes an emulated device. */
static doca_error_t check_arguments(const char *arguments)
{
    const char *next = arguments;
    while (*next) {
        const size_t size = strcspn(next, ","), key = strcspn(next, "=");
        if (key == 0 || key + 1 >= size)
            return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "\"%.*s\" is not KEY=VALUE",
                                    (int)size, next);
        if (strncmp(next, "representor=", key + 1) == 0)
            return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                    "representors have no ports of DPDK (\"%.*s\")", (int)size,
                                    next);
        next += size + (next[size] == ',');
    }
    return DOCA_SUCCESS;
}

/* ---- Ports ---- */

static doca_error_t name_of(const struct doca_dev *dev, char *name, size_t size)
{
    char device[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    const doca_error_t result = dpk_doca_inner(
        doca_devinfo_get_ibdev_name(doca_dev_as_devinfo(dev), device, sizeof device));
    if (result == DOCA_SUCCESS)
        snprintf(name, size, DRIVER "_%s", device);
    return result;
}

/* Makes DPDK's port, or finds the port that an earlier opening of the device made. */
static doca_error_t make_port(const char *name, uint16_t *port)
{
    hotplug_add *const add = (hotplug_add *)dpdk_bridge_function("rte_eal_hotplug_add");
    port_by_name *const find = (port_by_name *)dpdk_bridge_function("rte_eth_dev_get_port_by_name");
    lcore_count *const cores = (lcore_count *)dpdk_bridge_function("rte_lcore_count");
    if (!add || !find || !cores)
        return dpk_doca_because(
            DOCA_ERROR_NOT_SUPPORTED,
            "the program has no DPDK with ports: link with librte_eal and librte_ethdev");
    if (cores() == 0)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "DPDK was not started (rte_eal_init)");
    if (find(name, port) == 0)
        return DOCA_SUCCESS;
    const int why = add("vdev", name, ARGUMENTS);
    if (why < 0)
        return dpk_doca_because(DOCA_ERROR_DRIVER,
                                "DPDK cannot make the port %s with its driver " DRIVER ": %s", name,
                                strerror(-why));
    return find(name, port) == 0 ? DOCA_SUCCESS
                                 : dpk_doca_because(DOCA_ERROR_DRIVER,
                                                    "DPDK has made no port of the device %s", name);
}

static doca_error_t set_address(const struct doca_dev *dev, uint16_t port)
{
    set_mac *const set = (set_mac *)dpdk_bridge_function("rte_eth_dev_default_mac_addr_set");
    /* DPDK's type has the alignment of 2 bytes. */
    uint16_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE / sizeof(uint16_t)];
    doca_error_t result = dpk_doca_inner(
        doca_devinfo_get_mac_addr(doca_dev_as_devinfo(dev), (uint8_t *)mac, sizeof mac));
    if (result == DOCA_SUCCESS && (!set || set(port, mac) != 0))
        result =
            dpk_doca_because(DOCA_ERROR_DRIVER, "DPDK cannot set the MAC address of port %u", port);
    return result;
}

static doca_error_t probe(struct doca_dev *dev, const char *arguments)
{
    char name[sizeof DRIVER + 1 + DOCA_DEVINFO_IBDEV_NAME_SIZE];
    uint16_t port;
    doca_error_t result = check_arguments(arguments);
    if (result == DOCA_SUCCESS)
        result = name_of(dev, name, sizeof name);
    if (result == DOCA_SUCCESS)
        result = make_port(name, &port);
    if (result == DOCA_SUCCESS)
        result = set_address(dev, port);
    return result == DOCA_SUCCESS ? dpk_dpdk_port_set(port, dev) : result;
}

doca_error_t doca_dpdk_port_probe(struct doca_dev *dev, const char *devargs)
{
    struct dpk_dev *d = devargs ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    const doca_error_t result = d ? probe(dev, devargs) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(d);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_dpdk_port_as_dev(uint16_t port_id, struct doca_dev **dev)
{
    if (!dev)
        return dpk_doca_no_object(__func__);
    *dev = dpk_dpdk_port_device(port_id);
    return *dev ? DOCA_SUCCESS
                : dpk_doca_refuse_call(NULL, DOCA_ERROR_NOT_FOUND, __func__,
                                       "port %u of DPDK is not an opened device", port_id);
}

doca_error_t doca_dpdk_get_first_port_id(const struct doca_dev *dev, uint16_t *port_id)
{
    struct dpk_dev *d = port_id ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    doca_error_t result = d ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (d && !dpk_dpdk_port_of(dev, port_id))
        result = dpk_doca_because(DOCA_ERROR_NOT_FOUND,
                                  "the device has no port of DPDK (doca_dpdk_port_probe)");
    dpk_object_drop(d);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_dpdk_cap_is_rep_port_supported(const struct doca_devinfo *devinfo,
                                                 uint8_t *rep_port)
{
    const doca_error_t result =
        dpk_devinfo_answer(devinfo, rep_port ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
    if (result == DOCA_SUCCESS)
        *rep_port = 0;
    return dpk_doca_end(devinfo, __func__, result);
}
