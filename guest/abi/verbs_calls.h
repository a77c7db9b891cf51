/* Calls of the device library for queues of DOCA Verbs, of family DPA_SYS_FAMILY_DOCA
 * (dpa_abi.h), next to those of rdma_calls.h. */
#ifndef DPK_GUEST_ABI_VERBS_CALLS_H
#define DPK_GUEST_ABI_VERBS_CALLS_H

#include <stdint.h>

#define DPA_VERBS_POST    0x30 /* (qp, address of a struct dpa_verbs_work) -> its count, or 0 */
#define DPA_VERBS_RECEIVE 0x31 /* (qp, address of segments, their number) -> its count, or 0 */
#define DPA_VERBS_COMMIT  0x32 /* (qp, 0: sends, 1: receives): what was posted is carried out */
#define DPA_VERBS_TELL    0x33 /* (qp, one of these) -> */
#define DPA_VERBS_RAW     0x34 /* (qp, address of a WQE) -> its count, or 0 */

/* Of shared receive queues. */
#define DPA_VERBS_SHARED_RECEIVE                                                                   \
    0x35 /* (srq, address of segments, their number, 1: it is contiguous) -> its count, or 0 */
#define DPA_VERBS_SHARED_COMMIT 0x36 /* (srq) */
#define DPA_VERBS_SHARED_ACK    0x37 /* (srq, a count): the place of a linked list is free again */
#define DPA_VERBS_SHARED_NUMBER 0x38 /* (srq) -> */

enum dpa_verbs_tell { DPA_VERBS_NUMBER, DPA_VERBS_USER_INDEX };

#define DPA_VERBS_SEGMENTS_MAX 30u
#define DPA_VERBS_LIST_END     0x100u /* as a key: here ends the list of a receive */

/* Opcodes are those of elements of work (MLX5_OPCODE_*). */
enum dpa_verbs_opcode {
    DPA_VERBS_WRITE = 0x08,
    DPA_VERBS_WRITE_IMMEDIATE = 0x09,
    DPA_VERBS_SEND = 0x0a,
    DPA_VERBS_SEND_IMMEDIATE = 0x0b,
    DPA_VERBS_READ = 0x10,
    DPA_VERBS_COMPARE_SWAP = 0x11,
    DPA_VERBS_FETCH_ADD = 0x12,
};

#define DPA_VERBS_SIGNALED  2u /* success is told */
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
    uint64_t add, swap; /* `add` is what a compare-and-swap compares with */
};

#endif
