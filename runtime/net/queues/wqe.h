/* Decodes WQEs, which consist of segments of 16 bytes. Private to this room. */
#ifndef DPK_NET_QUEUES_WQE_H
#define DPK_NET_QUEUES_WQE_H

#include "rdma/pairs/pairs.h"

#define WQE_SEGMENT      16u
#define WQE_SEGMENTS_MAX 63u /* the number has six bits */
#define WQE_MAX          (WQE_SEGMENTS_MAX * WQE_SEGMENT)

enum opcode {
    WQE_NOP = 0x00,
    WQE_WRITE = 0x08,
    WQE_WRITE_IMMEDIATE = 0x09,
    WQE_SEND = 0x0a,
    WQE_SEND_IMMEDIATE = 0x0b,
    WQE_LARGE_SEND = 0x0e, /* TSO: data is cut into segments of TCP */
    WQE_WAIT = 0x0f, /* SQ: for a time; QP: for completions of a CQ. The next WQEs follow then */
    WQE_READ = 0x10,
    WQE_COMPARE_SWAP = 0x11,
    WQE_FETCH_ADD = 0x12,
    WQE_DUMP = 0x23,       /* reads local memory; nothing leaves */
    WQE_MULTI_SEND = 0x29, /* ENHANCED_MPSW: each piece of data is a frame */
};

/* The data of a WQE: the first `count` of the list. Pieces with `bytes` are inline data of the WQE. */
struct pieces {
    struct dpk_rc_piece list[WQE_SEGMENTS_MAX + 1];
    unsigned count;
    uint64_t total;
};

struct control {
    uint8_t opcode, modifier, segments, completion; /* `completion`: the field CE */
    uint16_t index;
    uint32_t queue, immediate;
};

/* Checksums that the Ethernet segment requests (MLX5_ETH_WQE_*). */
enum checksum_flags { CHECKSUM_INNER = 0x3000, CHECKSUM_L3 = 0x4000, CHECKSUM_L4 = 0x8000 };

struct wqe {
    struct control control;
    uint16_t checksums, mss;   /* Ethernet */
    uint32_t metadata;         /* for rules of steering */
    uint16_t headers;          /* bytes of headers in the WQE, the first piece of `data` */
    uint16_t tci;              /* of a tag to insert, */
    bool has_tag, service_tag; /* there is a tag; its type is 0x88a8 */
    uint64_t time;             /* of a wait for a time: nanoseconds of CLOCK_REALTIME */
    uint32_t awaited, until;   /* of a wait for completions: number of the CQ, and an index of it */
    uint64_t address;          /* of the peer's memory */
    uint32_t key;
    uint64_t operand, compare; /* atomics */
    struct pieces data;
};

/* The reason why a WQE is refused, as text. */
struct why {
    char text[120];
};
/* Sets the text and returns `status`. `why` may be NULL. */
enum dpk_rc_status queues_wqe_refuse(struct why *why, enum dpk_rc_status status, const char *format,
                                     ...) __attribute__((format(printf, 3, 4)));

/* Decodes the control segment. Returns false if there are too few bytes. */
bool queues_control_parse(const uint8_t *bytes, size_t size, struct control *out);
/* Decodes a send WQE; inline pieces point into `bytes`. Returns its error. `why`: NULL, or receives the
 * reason of an error. */
enum dpk_rc_status queues_wqe_parse(const uint8_t *bytes, size_t size, bool ethernet,
                                    struct wqe *out, struct why *why);
/* Describes the WQE as work of a connected queue pair. The pieces stay in the WQE. */
void queues_wqe_describe(const struct wqe *wqe, struct dpk_rc_work *out);
/* Decodes a receive: data segments up to the end, or up to a segment with the key that ends the
 * list. */
enum dpk_rc_status queues_rwqe_parse(const uint8_t *bytes, size_t size, struct pieces *out);

#endif
