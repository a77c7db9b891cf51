/*
 * switch: joins the ports of many emulated devices to one network, as a learning bridge does (IEEE
 * 802.1D, 7.8 and 7.9). The switch holds the outlet of a folder; ports connect to it (cable.h).
 *
 *     struct dpk_switch *s = NULL;
 *     const struct dpk_switch_options o = {.folder = folder, .counters = counters};
 *     dpk_switch_open(&o, &s, &err);
 *     dpk_switch_run(s, stop);       // until `stop`, a descriptor, can be read
 *     dpk_switch_close(s);
 *
 * A frame goes to the port that last sent from its destination address. If that is unknown or a group,
 * the frame goes to all other ports. Addresses are learned independent of VLANs; tags are not changed.
 * Frames to addresses that are reserved for bridges (01:80:C2:00:00:00 to 0F) are dropped. If the ring
 * of a port is full, the port loses the frame: the switch never waits.
 */
#ifndef DPK_NET_SWITCH_SWITCH_H
#define DPK_NET_SWITCH_SWITCH_H

#include "device/counters/counters.h"
#include "net/cable/cable.h"

struct dpk_switch_options {
    const char *folder; /* an existing folder that no other switch uses */
    unsigned ageing_s;  /* time after which an address is forgotten; 0: DPK_SWITCH_AGEING_S */
    /* Counts frames that entered and left the switch, and dropped frames by reason: WIRE_IN + COPIED =
     * WIRE_OUT + all drops. */
    struct dpk_counters *counters;
    /* Called when a port connects or disconnects. May be NULL. */
    void (*tell)(void *context, const char *text);
    void *context;
};
#define DPK_SWITCH_AGEING_S 300 /* IEEE 802.1D, table 7-5 */
#define DPK_SWITCH_PORTS    256

struct dpk_switch;

/* Opens a switch. `options` is copied; the objects it points to must outlive the switch. Errors:
 * DPK_ERR_EXISTS if a switch runs in the folder, DPK_ERR_IO, DPK_ERR_NOMEM. */
enum dpk_status dpk_switch_open(const struct dpk_switch_options *options, struct dpk_switch **out,
                                struct dpk_error *err);
/* Forwards frames until `stop` is readable. Errors: DPK_ERR_IO if waiting for events fails. */
enum dpk_status dpk_switch_run(struct dpk_switch *s, int stop, struct dpk_error *err);
/* NULL is ignored. */
void dpk_switch_close(struct dpk_switch *s);

#endif
