/* What both sides of packet_swap know: where the queues are. */
#ifndef PACKET_SWAP_COM_H
#define PACKET_SWAP_COM_H

#include <stdint.h>

#define LOG_DEPTH   5 /* 32 packets */
#define DEPTH       (1u << LOG_DEPTH)
#define PACKET_SIZE 2048u

struct packet_swap {
    uint64_t receive_cq, receive_cq_record; /* rings and doorbell records, in DPA memory */
    uint64_t receives, receives_record;
    uint64_t sends;
    uint64_t send_packets; /* DEPTH packets to send from */
    uint32_t receive_cqn, sqn;
    uint32_t send_key; /* of send_packets */
    uint32_t unused;
};

#endif
