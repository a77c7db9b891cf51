/* Send WQEs: from 16-byte segments to what is to be done. Private to queues. */
#ifndef DPK_QUEUES_WQE_H
#define DPK_QUEUES_WQE_H

#include "rc/rc.h"

#define WQE_SEGMENT      16u
#define WQE_SEGMENTS_MAX 63u /* six bits say how many */
#define WQE_MAX          (WQE_SEGMENTS_MAX * WQE_SEGMENT)

enum opcode {
    WQE_NOP = 0x00,
    WQE_WRITE = 0x08,
    WQE_WRITE_IMMEDIATE = 0x09,
    WQE_SEND = 0x0a,
    WQE_SEND_IMMEDIATE = 0x0b,
    WQE_READ = 0x10,
    WQE_COMPARE_SWAP = 0x11,
    WQE_FETCH_ADD = 0x12,
};

/* What a WQE lists; those with bytes are in the WQE itself. */
struct pieces {
    struct dpk_rc_piece list[WQE_SEGMENTS_MAX + 1];
    unsigned count;
    uint64_t total;
};

struct control {
    uint8_t opcode, modifier, segments, completion; /* `completion`: when there is to be one (CE) */
    uint16_t index;
    uint32_t queue, immediate;
};

struct wqe {
    struct control control;
    uint16_t checksums, mss; /* Ethernet */
    uint64_t address;        /* of the peer's memory */
    uint32_t key;
    uint64_t operand, compare; /* atomics */
    struct pieces data;
};

/* The first segment. False: shorter than that. */
bool control_parse(const uint8_t *bytes, size_t size, struct control *out);
/* All of a WQE, whose pieces point into `bytes`; what is wrong with it. */
enum dpk_rc_status wqe_parse(const uint8_t *bytes, size_t size, bool ethernet, struct wqe *out);
/* A receive: data segments up to the end, or to one with the key that ends a list. */
enum dpk_rc_status rwqe_parse(const uint8_t *bytes, size_t size, struct pieces *out);

#endif
