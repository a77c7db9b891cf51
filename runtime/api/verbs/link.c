/* The link of a device's port: its state, speed and MTU, by the settings of the port (device/port). */
#include "link.h"

#include "device/port/port.h"

enum { X4 = 2, QDR = 4 };           /* what Linux's driver says of a link that is down */
enum { DISABLED = 3, LINK_UP = 5 }; /* phys_state */
enum { ROCE_OVERHEAD = 96 };        /* bytes of headers */
#define DEFAULT_MTU IBV_MTU_1024

/* Returns the speed of the link, or NULL if the link is down. */
static const struct dpk_port_speed *speed_of(const struct dpk_verbs_device *device)
{
    return device->port ? dpk_port_link(device->port) : &dpk_port_speeds[0];
}

static uint64_t rate_of(const struct dpk_verbs_device *device)
{
    const struct dpk_port_speed *speed = speed_of(device);
    return speed ? (uint64_t)speed->mbps * 1000000 : 0;
}

void verbs_link_open(struct dpk_verbs_device *device)
{
    device->rate = rate_of;
    if (!device->directory[0] ||
        dpk_port_open(device->directory, device->wire, &device->port, NULL) != DPK_OK)
        device->port = NULL;
}

void verbs_link_close(struct dpk_verbs_device *device)
{
    dpk_port_close(device->port);
    device->port = NULL;
}

/* Returns the largest MTU of RDMA whose packets fit into frames of the port. */
static enum ibv_mtu mtu_of(const struct dpk_port *port)
{
    const unsigned room = dpk_port_mtu(port) - DPK_PORT_OVERHEAD;
    enum ibv_mtu mtu = DEFAULT_MTU;
    while (mtu > IBV_MTU_256 && (128u << mtu) + ROCE_OVERHEAD > room)
        mtu--;
    return mtu;
}

void verbs_link_describe(const struct dpk_verbs_device *device, struct ibv_port_attr *out)
{
    const struct dpk_port_speed *speed = speed_of(device);
    out->state = speed ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
    out->phys_state = speed ? LINK_UP : DISABLED;
    out->active_width = (uint8_t)(speed ? speed->width : X4);
    out->active_speed = (uint8_t)(speed ? speed->signal : QDR);
    out->max_mtu = IBV_MTU_4096;
    out->active_mtu = device->port ? mtu_of(device->port) : DEFAULT_MTU;
}

void verbs_link_rate(const struct dpk_verbs_device *device, char out[VERBS_LINK_RATE_MAX])
{
    const struct dpk_port_speed *speed = speed_of(device);
    if (speed)
        snprintf(out, VERBS_LINK_RATE_MAX, "%u Gb/sec (%uX %s)", speed->mbps / 1000, speed->lanes,
                 speed->name);
    else
        snprintf(out, VERBS_LINK_RATE_MAX, "40 Gb/sec (4X QDR)");
}
