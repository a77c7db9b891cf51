/*
 * doca_dpdk: DPDK beside DOCA, for programs that use DPDK's tables, rings, memory or ports
 * (libdoca_dpdk_bridge, before DPDK's libraries on the command line of the linker).
 *
 *     char *arguments[] = {"program", "-a", "00:00.0"};
 *     uint16_t port;
 *     if (rte_eal_init(3, arguments) < 0 || doca_dpdk_port_probe(dev, "dv_flow_en=2") != DOCA_SUCCESS ||
 *         doca_dpdk_get_first_port_id(dev, &port) != DOCA_SUCCESS)
 *         return 1;
 *     rte_eth_dev_configure(port, 1, 0, &settings);
 *     rte_eth_dev_start(port);                             // DOCA Flow finds the device by the port's number
 *
 * The library has its own rte_eal_init, which passes the program's arguments to that of DPDK. On a machine
 * without free huge pages, it adds arguments that let DPDK do without (doca-gpunetio(7)). A port is one of
 * DPDK's driver net_null with the MAC address of the device: it can be configured and started as a card's, with any
 * offloads, and isolated. Its bursts are empty, and what it sends is lost: frames go by doca_eth. Errors of all
 * functions: INVALID_VALUE for NULL, and for an object that is not of the right kind.
 */
#ifndef DOCA_DPDK_H
#define DOCA_DPDK_H

#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_devinfo;

/* Makes a port of DPDK of an opened device. `devargs`: KEY=VALUE of a card, with commas between, without effect.
 * After the device was closed, another opening of it may have the port. Errors: INVALID_VALUE for other devargs;
 * NOT_SUPPORTED for representors, and for a program without librte_ethdev; BAD_STATE before rte_eal_init;
 * ALREADY_EXIST if the port is an opened device; DRIVER if DPDK cannot make the port; TOO_BIG. */
doca_error_t doca_dpdk_port_probe(struct doca_dev *dev, const char *devargs);
/* Gets the device that a port of DPDK is. Errors: NOT_FOUND if it is not an opened device. */
doca_error_t doca_dpdk_port_as_dev(uint16_t port_id, struct doca_dev **dev);
/* Gets the port of DPDK that an opened device has. Errors: NOT_FOUND without a port. */
doca_error_t doca_dpdk_get_first_port_id(const struct doca_dev *dev, uint16_t *port_id);
/* Asks whether ports of representors are supported. *rep_port is 0 for an emulated device. */
doca_error_t doca_dpdk_cap_is_rep_port_supported(const struct doca_devinfo *devinfo,
                                                 uint8_t *rep_port);

#ifdef __cplusplus
}
#endif

#endif
