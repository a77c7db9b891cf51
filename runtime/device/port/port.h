/*
 * port: settings of a device's port, which access registers change (device/registers) until the
 * device boots. They are in the file `port` of the device's directory. All processes that use the
 * port map this file, so a change takes effect at once.
 *
 *     struct dpk_port *port = NULL;
 *     dpk_port_open(directory, "dev:mlx5_1", &port, &err);
 *     dpk_port_set(port, DPK_PORT_MTU, 1522);
 *     if (!dpk_port_link(port))
 *         puts("the link is down");
 *     dpk_port_close(port);
 *
 * A setting is a number; 0 means that nobody has set it since the last boot. Values in the file are
 * not trusted: each function below accepts any number.
 */
#ifndef DPK_DEVICE_PORT_PORT_H
#define DPK_DEVICE_PORT_PORT_H

#include <stdatomic.h>

#include "base/base.h"

enum dpk_port_setting {
    DPK_PORT_ADMIN,    /* enum dpk_port_admin */
    DPK_PORT_MODULE,   /* the same for the module that the cable is plugged into */
    DPK_PORT_LOOPBACK, /* DPK_PORT_LOCAL: sent frames come back, and the wire is not used */
    DPK_PORT_MTU,      /* bytes of a frame with its header, VLAN tag and checksum */
    DPK_PORT_PROTOCOLS, /* extended Ethernet protocols that the port offers (struct dpk_port_speed) */
    DPK_PORT_FORCED,    /* 1: no negotiation of the speed */
    DPK_PORT_DOWNS,     /* how many times a register took the link down */
    DPK_PORT_CLEARED,   /* when counters were cleared: milliseconds since 1970 */
    DPK_PORT_STORED,    /* from here on: words of registers that are only stored */
    DPK_PORT_SETTINGS = 128
};
enum dpk_port_admin { DPK_PORT_UP = 1, DPK_PORT_DOWN = 2 };
enum { DPK_PORT_LOCAL = 2 };

/* Header with VLAN tag and checksum; the MTU without any setting, which is the maximum; and the
 * smallest MTU: that of an IPv4 packet of 68 bytes, which every link can carry. */
#define DPK_PORT_OVERHEAD 22u
#define DPK_PORT_MTU_MAX  (9216u + DPK_PORT_OVERHEAD)
#define DPK_PORT_MTU_MIN  (68u + DPK_PORT_OVERHEAD)

struct dpk_port;

/* Maps the settings of the device in `directory`, and those of the device at the other end if `wire`
 * is a cable ("dev:NAME"). NULL as `wire`: the other end does not matter. NULL as `directory`:
 * settings of this process alone. Errors: those of dpk_file_share, DPK_ERR_NOMEM. */
enum dpk_status dpk_port_open(const char *directory, const char *wire, struct dpk_port **out,
                              struct dpk_error *err);
/* The same for a user who only looks: makes no file. DPK_ERR_NOT_FOUND: nothing was ever set. */
enum dpk_status dpk_port_look(const char *directory, const char *wire, struct dpk_port **out,
                              struct dpk_error *err);
void dpk_port_close(struct dpk_port *port); /* NULL is allowed */
/* Ends all settings of the device in `directory`, because it boots. Errors: those of dpk_file_share,
 * but a device without settings is not an error. */
enum dpk_status dpk_port_reset(const char *directory, struct dpk_error *err);

uint64_t dpk_port_get(const struct dpk_port *port, enum dpk_port_setting setting);
/* Changes a setting. Counts in DPK_PORT_DOWNS if the port is disabled by this. */
void dpk_port_set(struct dpk_port *port, enum dpk_port_setting setting, uint64_t value);

/* ---- What the settings mean ---- */

/* Returns true if neither the port nor its module is disabled. */
bool dpk_port_is_enabled(const struct dpk_port *port);
/* Returns the MTU that the port applies to frames. */
unsigned dpk_port_mtu(const struct dpk_port *port);
/* Returns true if sent frames come back, instead of using the wire. */
bool dpk_port_loops(const struct dpk_port *port);

/* What happens to a frame of `size` bytes (without its checksum) that the port sends or receives. A
 * wire asks for each frame. NULL as `port`: nothing was set. */
enum dpk_port_way { DPK_PORT_PASSES, DPK_PORT_DROPS, DPK_PORT_TOO_LONG, DPK_PORT_COMES_BACK };
enum dpk_port_way dpk_port_way(const struct dpk_port *port, size_t size);

/* ---- Speeds ---- */

struct dpk_port_speed {
    unsigned mbps, lanes;
    uint32_t protocol; /* bit of ext_eth_proto_* in PTYS */
    uint32_t legacy;   /* bit of eth_proto_* in PTYS */
    unsigned width;    /* active_width of ibv_query_port */
    unsigned signal;   /* active_speed of ibv_query_port, of a lane */
    const char *name;  /* of `signal`: "EDR" */
};
/* Speeds that the port can have, the fastest first. */
extern const struct dpk_port_speed dpk_port_speeds[];
#define DPK_PORT_SPEEDS 6
/* Returns all extended or legacy protocols. */
uint32_t dpk_port_protocols(bool legacy);
/* Returns the extended protocols that the port offers. */
uint32_t dpk_port_offers(const struct dpk_port *port);
/* Returns the fastest speed that the port offers. */
const struct dpk_port_speed *dpk_port_fastest(const struct dpk_port *port);
/* Returns the speed of the link if something is plugged into the port: the fastest that both ends
 * offer. Returns NULL if an end of the cable is disabled, or if the ends have no speed in common. */
const struct dpk_port_speed *dpk_port_link(const struct dpk_port *port);

#endif
