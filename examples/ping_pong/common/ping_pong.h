/* What host and device know of each other. */
#ifndef PING_PONG_H
#define PING_PONG_H

#include <doca_dpa_types.h>

#define FAILED UINT64_MAX /* value of the event after an error */

/* One player: its queue, its connection, its two buffers; by value to the RPC that serves. */
struct player {
    doca_dpa_dev_t dpa;
    doca_dpa_dev_completion_t completion;
    doca_dpa_dev_rdma_t rdma;
    doca_dpa_dev_uintptr_t receive_address, send_address;
    uint64_t size;   /* of a buffer */
    uint64_t rounds; /* then it is over */
    doca_dpa_dev_sync_event_t over;
    doca_dpa_dev_mmap_t receive_map, send_map;
    uint32_t connection, serves;
} __dpa_global__;

/* In the thread's local storage: it keeps its value from one activation to the next. */
struct score {
    uint64_t rounds;
    uint64_t last;
} __dpa_global__;

#endif
