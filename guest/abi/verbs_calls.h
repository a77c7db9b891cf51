/* Arguments of the calls for queues of DOCA Verbs (doca_calls.h). */
#ifndef DPK_GUEST_ABI_VERBS_CALLS_H
#define DPK_GUEST_ABI_VERBS_CALLS_H

#include "doca_calls.h"

/* Numbers of a queue: addresses in DPA memory, numbers of entries, bytes of a receive. */
enum dpa_verbs_tell {
    DPA_VERBS_NUMBER,
    DPA_VERBS_USER_INDEX,
    DPA_VERBS_SENDS_AT,
    DPA_VERBS_SEND_ENTRIES,
    DPA_VERBS_RECEIVES_AT,
    DPA_VERBS_RECEIVE_ENTRIES,
    DPA_VERBS_RECEIVE_SIZE,
    DPA_VERBS_RECORD_AT, /* doorbell record */
};

#define DPA_VERBS_SEGMENTS_MAX 30u
#define DPA_VERBS_LIST_END     0x100u /* as a key: the end of the list of a receive */

/* The opcodes of WQEs (MLX5_OPCODE_*). */
enum dpa_verbs_opcode {
    DPA_VERBS_WRITE = 0x08,
    DPA_VERBS_WRITE_IMMEDIATE = 0x09,
    DPA_VERBS_SEND = 0x0a,
    DPA_VERBS_SEND_IMMEDIATE = 0x0b,
    DPA_VERBS_READ = 0x10,
    DPA_VERBS_COMPARE_SWAP = 0x11,
    DPA_VERBS_FETCH_ADD = 0x12,
};

#define DPA_VERBS_SIGNALED  2u /* success is reported */
#define DPA_VERBS_SOLICITED 4u
#define DPA_VERBS_FENCE     8u /* waits for reads and atomic operations before it */

struct dpa_verbs_segment {
    uint64_t address;
    uint32_t length, key;
};

struct dpa_verbs_work {
    uint32_t opcode, flags, count, immediate;
    uint64_t segments; /* address of `count` */
    uint64_t remote_address;
    uint32_t remote_key, reserved;
    uint64_t add, swap; /* a compare-and-swap compares with `add` */
};

#endif
