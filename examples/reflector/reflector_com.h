/* What both sides of the reflector know: where the queues of a thread are. */
#ifndef REFLECTOR_COM_H
#define REFLECTOR_COM_H

#include <stdint.h>

#define LOG_DEPTH   6 /* 64 packets in each ring */
#define DEPTH       (1u << LOG_DEPTH)
#define PACKET_SIZE 2048u
#define QUEUES_MAX  256u

/* One of the thread's argument; all addresses are of DPA memory. */
struct reflector {
    uint64_t receive_cq, receive_cq_record; /* rings, and their doorbell records */
    uint64_t send_cq, send_cq_record;
    uint64_t receives, receives_record;
    uint64_t sends;
    uint64_t packets; /* DEPTH of them; receive n goes into packet n mod DEPTH */
    uint32_t receive_cqn, sqn;
    uint32_t key; /* of the packets */
    /* Of the device: how far it is. */
    uint32_t received, sent, sends_completed;
    uint64_t count; /* packets that were sent back */
};

#endif
