/* Send WQEs: from 16-byte segments to what is to be done. Private to queues. */
#ifndef DPK_QUEUES_WQE_H
#define DPK_QUEUES_WQE_H

#include "base/base.h"

#define WQE_SEGMENT      16u
#define WQE_SEGMENTS_MAX 63u /* six bits say how many */
#define WQE_MAX          (WQE_SEGMENTS_MAX * WQE_SEGMENT)

/* Syndromes of error completions (MLX5_CQE_SYNDROME_*). */
enum syndrome {
    SYNDROME_NONE = 0,
    SYNDROME_LOCAL_LENGTH = 0x01,
    SYNDROME_LOCAL_OPERATION = 0x02,
    SYNDROME_LOCAL_PROTECTION = 0x04,
    SYNDROME_FLUSHED = 0x05,
    SYNDROME_REMOTE_INVALID = 0x12,
    SYNDROME_REMOTE_ACCESS = 0x13,
    SYNDROME_REMOTE_OPERATION = 0x14,
    SYNDROME_RETRY_EXCEEDED = 0x15,
};

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

/* One piece of a message: in the WQE itself, or by key. */
struct piece {
    const uint8_t *bytes; /* NULL: by key */
    uint32_t key, size;
    uint64_t address;
};

struct pieces {
    struct piece list[WQE_SEGMENTS_MAX + 1];
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
enum syndrome wqe_parse(const uint8_t *bytes, size_t size, bool ethernet, struct wqe *out);
/* A receive: data segments up to the end, or to one with the key that ends a list. */
enum syndrome rwqe_parse(const uint8_t *bytes, size_t size, struct pieces *out);

#endif
