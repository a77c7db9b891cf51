/* A network interface of the machine, by its name. Private to wire. */
#ifndef DPK_NET_WIRE_INTERFACE_H
#define DPK_NET_WIRE_INTERFACE_H

#include <net/if.h>

#include "kinds.h"

/* Appends the name of an interface (wire_ops.check). DPK_ERR_USAGE: none can have it. */
enum dpk_status interface_check(const char *name, struct dpk_buf *out, struct dpk_error *err);

/* `socket`: any one, of the network namespace that the interface is in. */
int interface_index(int socket, const char *name); /* 0: there is none */
int interface_mtu(int socket, const char *name);   /* 0: there is none */
enum interface_state { INTERFACE_GONE, INTERFACE_DOWN, INTERFACE_NO_CARRIER, INTERFACE_UP };
enum interface_state interface_state(int socket, const char *name);
/* False: it is not there, or this process may not do that. */
bool interface_set_up(int socket, const char *name);

/* The same; warns, with the remedy, if it cannot carry frames. */
enum interface_state interface_look(struct dpk_wire *wire, int socket, const char *name);
/* Counts a frame that could not be sent, warns, and finds the reason in errno. */
void interface_not_sent(struct dpk_wire *wire, int socket, const char *name, size_t size);

#endif
