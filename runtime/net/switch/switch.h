/*
 * switch: joins the ports of many emulated devices to one network, as a learning bridge does (IEEE
 * 802.1D, 7.8 and 7.9). It holds the outlet of a folder; ports call it there (cable.h).
 *
 *     struct dpk_switch *s = NULL;
 *     const struct dpk_switch_options o = {.folder = folder, .counters = counters};
 *     dpk_switch_open(&o, &s, &err);
 *     dpk_switch_run(s, stop);       // until `stop`, a descriptor, can be read
 *     dpk_switch_close(s);
 *
 * A frame goes to the port from which its destination address was last heard, and to all other
 * ports if that is unknown or a group. Addresses are learned whatever the VLAN; tags stay as they
 * are. Frames to the addresses that bridges keep for themselves (01:80:C2:00:00:00 to 0F) go
 * nowhere. A port whose ring is full loses the frame: the switch waits for nobody.
 */
#ifndef DPK_NET_SWITCH_SWITCH_H
#define DPK_NET_SWITCH_SWITCH_H

#include "device/counters/counters.h"
#include "net/cable/cable.h"

struct dpk_switch_options {
    const char *folder; /* that is there, and that it has alone */
    unsigned ageing_s;  /* after which an address is forgotten; 0: DPK_SWITCH_AGEING_S */
    /* Counts what came to the switch and left it, and why it dropped the rest:
     * WIRE_IN + COPIED = WIRE_OUT + all drops. */
    struct dpk_counters *counters;
    /* A port came or went; or NULL. */
    void (*tell)(void *context, const char *text);
    void *context;
};
#define DPK_SWITCH_AGEING_S 300 /* IEEE 802.1D, table 7-5 */
#define DPK_SWITCH_PORTS    256

struct dpk_switch;

/* `options` is copied; what it points to must outlive the switch. DPK_ERR_EXISTS: a switch runs
 * there. DPK_ERR_IO, DPK_ERR_NOMEM. */
enum dpk_status dpk_switch_open(const struct dpk_switch_options *options, struct dpk_switch **out,
                                struct dpk_error *err);
/* Carries frames until `stop` can be read. DPK_ERR_IO: it cannot wait for events. */
enum dpk_status dpk_switch_run(struct dpk_switch *s, int stop, struct dpk_error *err);
/* NULL is fine. */
void dpk_switch_close(struct dpk_switch *s);

#endif
