/* Declarations that the host program of Ethernet queues on the DPA and its DPA code share. */
#ifndef TESTS_HOST_VERBS_ETH_H
#define TESTS_HOST_VERBS_ETH_H

/* The operations of the RPC `eth`. */
enum {
    ETH_SEND,        /* posts */
    ETH_SEND_SILENT, /* posts without a completion */
    ETH_SEND_WRITE,  /* posts an operation that Ethernet queues do not have */
    ETH_SEND_COMMIT,
    ETH_SEND_LW_COMMIT,
    ETH_SEND_NUMBER,
    ETH_SEND_INDEX,
    ETH_SEND_ENTRIES,
    ETH_SEND_FIRST, /* the first bytes of the ring: an opcode */
    ETH_RECEIVE,
    ETH_RECEIVE_ACK, /* `length` receives */
    ETH_RECEIVE_COMMIT,
    ETH_RECEIVE_LW_COMMIT,
    ETH_RECEIVE_NUMBER,
    ETH_RECEIVE_INDEX,
    ETH_RECEIVE_ENTRIES,
    ETH_RECEIVE_SIZE,
    ETH_RECEIVE_ADDRESS, /* of the first receive in the ring */
    ETH_RECEIVE_RECORD,
};

/* A completion: type, counter, bytes. */
#define ETH_TOLD(type, counter, bytes)                                                             \
    ((uint64_t)(type) << 48 | (uint64_t)(counter) << 32 | (uint32_t)(bytes))
#define ETH_TOLD_NOTHING UINT64_MAX

#endif
