/* What struct packets.user leads to, for device programs that need more than their own queues. */
#ifndef PACKETS_TEST_COM_H
#define PACKETS_TEST_COM_H

#include "packets_com.h"

#define RECEIVERS 4u /* receive queues of one thread, with one completion queue */

struct more {
    uint32_t window; /* to host memory, where the packets are */
    uint32_t unused;
    struct receiver {
        uint64_t packets, record;
        uint32_t key, received;
    } receivers[RECEIVERS]; /* by their user index */
};

#endif
