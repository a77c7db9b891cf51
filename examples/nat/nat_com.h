/* What both sides of the NAT know: its tables. */
#ifndef NAT_COM_H
#define NAT_COM_H

#include <stdint.h>

#define MAPPINGS 1024u
#define PLACES   4096u

/* In memory that is zero at first. */
struct nat {
    uint32_t count;
    struct {
        uint32_t address;
        uint16_t port;
        uint8_t protocol;
    } mappings[MAPPINGS];
    uint16_t places[PLACES]; /* index of a mapping + 1, where its hash says, or behind that */
};

#endif
