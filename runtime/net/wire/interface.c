/* Network interfaces of the machine: checks of names, and their state. */
#include "interface.h"

#include <ctype.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>

enum dpk_status wire_interface_check(const char *name, struct dpk_buf *out, struct dpk_error *err)
{
    const size_t length = strlen(name);
    bool valid =
        length > 0 && length < IFNAMSIZ && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
    for (const char *c = name; *c; c++)
        valid = valid && isgraph((unsigned char)*c) && *c != '/' && *c != ':';
    if (!valid)
        return dpk_fail(err, DPK_ERR_USAGE, "'%.100s' is not a name of an interface", name);
    dpk_put_format(out, "%s", name);
    return DPK_OK;
}

static bool ask(int socket, unsigned long request, const char *name, struct ifreq *out)
{
    *out = (struct ifreq){0};
    snprintf(out->ifr_name, sizeof out->ifr_name, "%s", name);
    return ioctl(socket, request, out) == 0;
}

int wire_interface_index(int socket, const char *name)
{
    struct ifreq r;
    return ask(socket, SIOCGIFINDEX, name, &r) ? r.ifr_ifindex : 0;
}

int wire_interface_mtu(int socket, const char *name)
{
    struct ifreq r;
    return ask(socket, SIOCGIFMTU, name, &r) ? r.ifr_mtu : 0;
}

/* The interface flags report a carrier a little later than ethtool. */
static bool has_carrier(int socket, const char *name, bool runs)
{
    struct ethtool_value link = {.cmd = ETHTOOL_GLINK};
    struct ifreq r = {.ifr_data = (void *)&link};
    snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
    return ioctl(socket, SIOCETHTOOL, &r) == 0 ? link.data != 0 : runs;
}

enum interface_state wire_interface_state(int socket, const char *name)
{
    struct ifreq r;
    if (!ask(socket, SIOCGIFFLAGS, name, &r))
        return INTERFACE_GONE;
    if (!(r.ifr_flags & IFF_UP))
        return INTERFACE_DOWN;
    return has_carrier(socket, name, r.ifr_flags & IFF_RUNNING) ? INTERFACE_UP
                                                                : INTERFACE_NO_CARRIER;
}

bool wire_interface_set_up(int socket, const char *name)
{
    struct ifreq r;
    if (!ask(socket, SIOCGIFFLAGS, name, &r))
        return false;
    r.ifr_flags |= IFF_UP;
    return ioctl(socket, SIOCSIFFLAGS, &r) == 0;
}

enum interface_state wire_interface_look(struct dpk_wire *wire, int socket, const char *name)
{
    const enum interface_state state = wire_interface_state(socket, name);
    if (state == INTERFACE_GONE)
        wire_warn(wire, WIRE_IS_GONE,
                  "the interface is gone; the wire works again when it is back");
    else if (state == INTERFACE_DOWN)
        wire_warn(wire, WIRE_IS_DOWN, "the interface is down: sudo ip link set %s up", name);
    else if (state == INTERFACE_NO_CARRIER)
        wire_warn(wire, WIRE_HAS_NO_PEER, "the interface has no carrier: its other end is down");
    return state;
}

static enum dpk_wire_drop drop_of(enum interface_state state, int why)
{
    if (why == EMSGSIZE)
        return DPK_WIRE_TOO_LONG;
    if (state == INTERFACE_NO_CARRIER)
        return DPK_WIRE_NO_PEER;
    if (state != INTERFACE_UP)
        return DPK_WIRE_DOWN;
    return why == EAGAIN || why == ENOBUFS || why == ENOMEM ? DPK_WIRE_NO_ROOM : DPK_WIRE_BROKEN;
}

void wire_interface_not_sent(struct dpk_wire *wire, int socket, const char *name, size_t size)
{
    const int why = errno;
    const enum dpk_wire_drop drop = drop_of(wire_interface_look(wire, socket, name), why);
    if (drop == DPK_WIRE_TOO_LONG)
        wire_warn(wire, WIRE_CUTS, "%zu bytes are too long for it: sudo ip link set %s mtu 9216",
                  size, name);
    else if (drop == DPK_WIRE_BROKEN)
        wire_warn(wire, WIRE_FAILS, "cannot send: %s", strerror(why));
    wire_drop_sent(wire, drop, 1);
}
