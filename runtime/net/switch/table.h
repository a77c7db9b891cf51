/* A table of addresses, with the port that last sent from each address. Private to switch. */
#ifndef DPK_NET_SWITCH_TABLE_H
#define DPK_NET_SWITCH_TABLE_H

#include <stdint.h>

#define ADDRESS 6u /* bytes */

struct port;

/* An address has WAYS possible places. If all are taken, the address that is silent for the longest
 * time is replaced. So a port that invents addresses cannot exhaust memory: it only makes the switch
 * forget. */
#define SETS 4096u
#define WAYS 4u
struct table {
    struct entry {
        struct port *port; /* NULL: free */
        uint64_t heard;    /* in seconds */
        uint8_t address[ADDRESS];
    } entries[SETS][WAYS];
};

void switch_table_learn(struct table *t, const uint8_t address[ADDRESS], struct port *port,
                        uint64_t now);
/* Returns the port of an address, or NULL if the address was not heard since `oldest`. */
struct port *switch_table_find(const struct table *t, const uint8_t address[ADDRESS],
                               uint64_t oldest);
void switch_table_forget(struct table *t, const struct port *port);

#endif
