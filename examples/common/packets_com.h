/* What both sides of the packet examples know: where the queues of a thread of the DPA are. */
#ifndef PACKETS_COM_H
#define PACKETS_COM_H

#include <stdint.h>

#define LOG_DEPTH   6 /* 64 packets in each ring */
#define DEPTH       (1u << LOG_DEPTH)
#define PACKET_SIZE 2048u

/* The argument of a thread; all addresses are of DPA memory. */
struct packets {
    uint64_t receive_cq, receive_cq_record; /* rings, and their doorbell records */
    uint64_t send_cq, send_cq_record;
    uint64_t receives, receives_record;
    uint64_t sends;
    uint64_t packets; /* DEPTH of them; receive n goes into packet n mod DEPTH */
    uint32_t receive_cqn, sqn;
    uint32_t key; /* of the packets */
    /* How far the thread is: */
    uint32_t received, returned; /* receives, and how many of them may be received into again */
    uint32_t failed;             /* of those: they have no packet */
    uint32_t sent, completed;    /* packets, and completions of sends */
    uint64_t user;               /* the example's */
};

#endif
