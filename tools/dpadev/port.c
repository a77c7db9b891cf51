/* Settings of a device's port that access registers have changed, for dpadev show. */
#include "port.h"

void dpadev_port_look(struct dpk_device *dev, const char *wire, struct dpadev_port *out)
{
    char directory[PATH_MAX];
    struct dpk_port *port = NULL;
    *out = (struct dpadev_port){
        .enabled = true, .mbps = dpk_port_speeds[0].mbps, .mtu = DPK_PORT_MTU_MAX};
    if (dpk_device_directory(dev, directory, NULL) != DPK_OK ||
        dpk_port_look(directory, wire, &port, NULL) != DPK_OK)
        return; /* nothing was set, or this user cannot know */
    const struct dpk_port_speed *link = dpk_port_link(port);
    out->enabled = dpk_port_is_enabled(port);
    out->mbps = link ? link->mbps : dpk_port_fastest(port)->mbps;
    out->mtu = dpk_port_mtu(port);
    out->loops = dpk_port_loops(port);
    dpk_port_close(port);
}

/* Appends nothing if all is as after a boot. */
void dpadev_port_tell(struct dpadev_tree *tree, const struct dpadev_port *port)
{
    char text[96] = "";
    size_t length = 0;
    if (!port->enabled)
        length += (size_t)snprintf(text, sizeof text, "disabled, ");
    if (port->mbps != dpk_port_speeds[0].mbps)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%u Gb/s, ", port->mbps / 1000);
    if (port->mtu != DPK_PORT_MTU_MAX)
        length += (size_t)snprintf(text + length, sizeof text - length, "MTU %u, ", port->mtu);
    if (port->loops)
        length += (size_t)snprintf(text + length, sizeof text - length, "loopback, ");
    if (length > 2)
        dpadev_tree_add(tree, 1, "Port: %.*s", (int)length - 2, text);
}

void dpadev_port_add(cJSON *to, const struct dpadev_port *port)
{
    cJSON *o = cJSON_AddObjectToObject(to, "port");
    cJSON_AddBoolToObject(o, "enabled", port->enabled);
    cJSON_AddNumberToObject(o, "mbps", port->mbps);
    cJSON_AddNumberToObject(o, "mtu", port->mtu);
    cJSON_AddBoolToObject(o, "loopback", port->loops);
}
