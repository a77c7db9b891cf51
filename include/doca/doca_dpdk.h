/*
 * doca_dpdk: DPDK beside DOCA, for programs that use DPDK's tables, rings and memory
 * (libdoca_dpdk_bridge, before DPDK's libraries on the command line of the linker).
 *
 *     char *arguments[] = {"program", "-a", "00:00.0"};
 *     if (rte_eal_init(3, arguments) < 0)
 *         return 1;
 *
 * The library has its own rte_eal_init, which passes the program's arguments to that of DPDK. On a machine
 * without free huge pages, it adds arguments that let DPDK do without (dpakit-compatibility(7)). DPDK has no
 * driver of emulated devices: frames go by doca_eth. Errors of all functions: INVALID_VALUE for NULL, and for
 * an object that is not of the right kind.
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

/* Makes a port of DPDK of an opened device. Errors: NOT_SUPPORTED for an emulated device. */
doca_error_t doca_dpdk_port_probe(struct doca_dev *dev, const char *devargs);
/* Gets the device of a port of DPDK. Errors: NOT_FOUND, since no port is of an emulated device. */
doca_error_t doca_dpdk_port_as_dev(uint16_t port_id, struct doca_dev **dev);
/* Gets the first port of DPDK that an opened device has. Errors: NOT_FOUND for an emulated device. */
doca_error_t doca_dpdk_get_first_port_id(const struct doca_dev *dev, uint16_t *port_id);
/* Asks whether ports of representors are supported. *rep_port is 0 for an emulated device. */
doca_error_t doca_dpdk_cap_is_rep_port_supported(const struct doca_devinfo *devinfo,
                                                 uint8_t *rep_port);

#ifdef __cplusplus
}
#endif

#endif
