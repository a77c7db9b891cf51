/* What both sides of the flow monitor know: its table. */
#ifndef FLOWS_H
#define FLOWS_H

#include <stdint.h>

#define FLOWS 4096u

struct flow {
    uint32_t source, destination;
    uint16_t source_port, destination_port;
    uint8_t protocol, used;
    uint64_t packets, bytes;
};

/* In memory that is zero at first. */
struct flows {
    struct flow flows[FLOWS]; /* where the hash of a flow says, or behind that */
    uint32_t count;
    uint64_t others; /* packets that are not IPv4, or of which there was no room for the flow */
};

#endif
