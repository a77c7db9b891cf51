/* A network interface of the machine, by its name. Private to wire. */
#ifndef DPK_NET_WIRE_INTERFACE_H
#define DPK_NET_WIRE_INTERFACE_H

#include <net/if.h>

#include "kinds.h"

/* Appends the name of an interface (wire_ops.check). Errors: DPK_ERR_USAGE if no interface can have the
 * name. */
enum dpk_status wire_interface_check(const char *name, struct dpk_buf *out, struct dpk_error *err);

/* `socket`: any socket of the network namespace of the interface. */
int wire_interface_index(int socket, const char *name); /* 0: there is none */
int wire_interface_mtu(int socket, const char *name);   /* 0: there is none */
enum interface_state { INTERFACE_GONE, INTERFACE_DOWN, INTERFACE_NO_CARRIER, INTERFACE_UP };
enum interface_state wire_interface_state(int socket, const char *name);
/* Sets an interface up. Returns false if it does not exist, or if this process lacks the permission. */
bool wire_interface_set_up(int socket, const char *name);

/* Returns the state of an interface. Warns, with the remedy, if it cannot carry frames. */
enum interface_state wire_interface_look(struct dpk_wire *wire, int socket, const char *name);
/* Counts a frame that could not be sent, warns, and finds the reason in errno. */
void wire_interface_not_sent(struct dpk_wire *wire, int socket, const char *name, size_t size);

#endif
