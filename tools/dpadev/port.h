/* Settings of a device's port, which access registers change until the next reset. */
#ifndef DPK_DPADEV_PORT_H
#define DPK_DPADEV_PORT_H

#include "device/port/port.h"
#include "dpadev.h"

struct dpadev_port {
    bool enabled, loops;
    unsigned mbps; /* of the link, or the fastest that the port offers */
    unsigned mtu;  /* bytes of a frame with header, VLAN tag and checksum */
};
/* `wire`: of the device. */
void dpadev_port_look(struct dpk_device *dev, const char *wire, struct dpadev_port *out);
/* Adds a line to the tree if a register has changed the port, and the object `port` to JSON. */
void dpadev_port_tell(struct dpadev_tree *tree, const struct dpadev_port *port);
void dpadev_port_add(cJSON *to, const struct dpadev_port *port);

#endif
