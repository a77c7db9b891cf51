/* A set of queues, shared by the host and the DPA side of flexio_queue_cases.c. */
#ifndef TESTS_QUEUE_COM_H
#define TESTS_QUEUE_COM_H

#include <stdint.h>

#define LOG_DEPTH 3
#define DEPTH     (1u << LOG_DEPTH)
#define BUFFER    256 /* bytes of a receive */

/* A send side and a receive side with a CQ each. */
struct queues {
    uint64_t sends, receives;           /* rings */
    uint64_t receive_record;            /* doorbell record */
    uint64_t send_cq, receive_cq;       /* rings */
    uint64_t send_ci_at, receive_ci_at; /* doorbell records */
    uint64_t data;                      /* DEPTH buffers of receives, then one to send from */
    uint32_t send_number, send_cqn, receive_cqn, key;
    uint32_t posted, send_ci, receive_ci; /* counters of the DPA side */
    uint32_t activations, wrong;
};

#define LOG_EVENTS 2

/* The state of a thread that polls an event queue. */
struct events {
    uint64_t ring; /* of 2^LOG_EVENTS EQEs */
    uint32_t number, cqn;
    uint32_t wanted;        /* number of events, after which the thread ends */
    uint32_t seen, strange; /* number of events; of events of another CQ */
};

/* The description of a WQE. */
struct work {
    uint64_t address, operand, compare, local;
    uint32_t kind, key, size, local_key, immediate;
};

/* A completion: opcode << 56 | syndrome << 48 | counter << 32 | bytes. */
#define OUTCOME(opcode, syndrome, counter, bytes)                                                  \
    ((uint64_t)(opcode) << 56 | (uint64_t)(syndrome) << 48 | (uint64_t)(counter) << 32 | (bytes))

#endif
