/*
 * The calls of device libraries that the DOCA libraries of the host carry out: family DPA_SYS_FAMILY_DOCA
 * (dpa_abi.h). A new call is a line of DPA_DOCA_CALLS with its name, a number that no other call has, and the
 * room that carries it out (enum dpa_doca_room), and a case in that room. The other headers of this folder
 * describe the arguments that lie in memory.
 */
#ifndef DPK_GUEST_ABI_DOCA_CALLS_H
#define DPK_GUEST_ABI_DOCA_CALLS_H

#include <stdint.h>

/* Each room registers one function for its calls (dpk_dpa_register_calls). */
enum dpa_doca_room {
    DPA_ROOM_NONE,
    DPA_ROOM_DPA,      /* api/doca/dpa/calls.c */
    DPA_ROOM_EXTERNAL, /* api/doca/memory/external.c */
    DPA_ROOM_ASYNC,    /* api/doca/memory/async_ops.c */
    DPA_ROOM_TRACE,    /* api/doca/dpa/messages.c */
    DPA_ROOM_HASH,     /* api/doca/dpa/hash_table.c */
    DPA_ROOM_RDMA,     /* api/doca/rdma/calls.c */
    DPA_ROOM_VERBS,    /* api/doca/verbs/dpa_qp.c */
    DPA_ROOM_SHARED,   /* api/doca/verbs/dpa_srq.c */
    DPA_ROOM_ETH,      /* api/doca/verbs/dpa_eth_calls.c */
    DPA_ROOM_COMCH,    /* api/doca/comch/dpa_producer.c */
    DPA_ROOM_DEVEMU,   /* api/doca/devemu/calls.c */
    DPA_ROOMS
};

/* clang-format off */
#define DPA_DOCA_CALLS(CALL)                                                                                \
    /* (context) */\
    CALL(DPA_DOCA_DEVICE_SET, 0x01, DPA_ROOM_DPA)\
    /* (queue, address of an element) -> 1 if there was an element */\
    CALL(DPA_DOCA_GET_COMPLETION, 0x02, DPA_ROOM_DPA)\
    /* (queue, number of elements) */\
    CALL(DPA_DOCA_COMPLETION_ACK, 0x03, DPA_ROOM_DPA)\
    /* (queue) */\
    CALL(DPA_DOCA_REQUEST_NOTIFICATION, 0x04, DPA_ROOM_DPA)\
    /* (address, memory) -> address for loads and stores */\
    CALL(DPA_DOCA_EXTERNAL_POINTER, 0x05, DPA_ROOM_EXTERNAL)\
    /* (operations, address of a struct dpa_async_copy) */\
    CALL(DPA_DOCA_ASYNC_COPY, 0x06, DPA_ROOM_ASYNC)\
    /* (operations, event, value, 1: until another value; 0: until a greater value) */\
    CALL(DPA_DOCA_ASYNC_WAIT, 0x07, DPA_ROOM_ASYNC)\
    /* (address of DPA_DOCA_TRACE_VALUES numbers) */\
    CALL(DPA_DOCA_TRACE, 0x08, DPA_ROOM_TRACE)\
    /* () */\
    CALL(DPA_DOCA_TRACE_FLUSH, 0x09, DPA_ROOM_TRACE)\
    /* (table, key, value) */\
    CALL(DPA_DOCA_HASH_ADD, 0x0a, DPA_ROOM_HASH)\
    /* (table, key) */\
    CALL(DPA_DOCA_HASH_REMOVE, 0x0b, DPA_ROOM_HASH)\
    /* (table, key, address of the value) -> 1 if the key is there */\
    CALL(DPA_DOCA_HASH_FIND, 0x0c, DPA_ROOM_HASH)\
    /* (rdma, address of a struct dpa_rdma_work) -> 0: no room now */\
    CALL(DPA_RDMA_POST, 0x20, DPA_ROOM_RDMA)\
    /* (rdma, memory, address, length) */\
    CALL(DPA_RDMA_RECEIVE, 0x21, DPA_ROOM_RDMA)\
    /* (rdma) -> 1: all posted work has ended */\
    CALL(DPA_RDMA_IS_IDLE, 0x22, DPA_ROOM_RDMA)\
    /* (address of a struct dpa_memory_copy) */\
    CALL(DPA_MEMORY_COPY, 0x23, DPA_ROOM_RDMA)\
    /* (shared receive queue, memory, address, length) */\
    CALL(DPA_RDMA_SHARED_RECEIVE, 0x24, DPA_ROOM_RDMA)\
    /* (qp, address of a struct dpa_verbs_work) -> its count, or 0 */\
    CALL(DPA_VERBS_POST, 0x30, DPA_ROOM_VERBS)\
    /* (qp, address of segments, their number) -> its count, or 0 */\
    CALL(DPA_VERBS_RECEIVE, 0x31, DPA_ROOM_VERBS)\
    /* (qp, 0: sends, 1: receives): carries out posted work */\
    CALL(DPA_VERBS_COMMIT, 0x32, DPA_ROOM_VERBS)\
    /* (qp, enum dpa_verbs_tell) -> that number */\
    CALL(DPA_VERBS_TELL, 0x33, DPA_ROOM_VERBS)\
    /* (qp, address of a WQE) -> its count, or 0 */\
    CALL(DPA_VERBS_RAW, 0x34, DPA_ROOM_VERBS)\
    /* (srq, address of segments, their number, 1: contiguous) -> its count, or 0 */\
    CALL(DPA_VERBS_SHARED_RECEIVE, 0x35, DPA_ROOM_SHARED)\
    /* (srq) */\
    CALL(DPA_VERBS_SHARED_COMMIT, 0x36, DPA_ROOM_SHARED)\
    /* (srq, a count): frees a place of a linked list */\
    CALL(DPA_VERBS_SHARED_ACK, 0x37, DPA_ROOM_SHARED)\
    /* (srq, enum dpa_verbs_tell) -> that number */\
    CALL(DPA_VERBS_SHARED_TELL, 0x38, DPA_ROOM_SHARED)\
    /* (qp, address of a WQE, its bytes) -> its count, or 0 */\
    CALL(DPA_VERBS_RAW_RECEIVE, 0x39, DPA_ROOM_VERBS)\
    /* (srq, address of a WQE, its bytes, 1: contiguous) -> its count, or 0 */\
    CALL(DPA_VERBS_SHARED_RAW, 0x3a, DPA_ROOM_SHARED)\
    /* (qp, number of receives that are in the ring) -> the last one's count, or 0 */\
    CALL(DPA_VERBS_ACK, 0x3b, DPA_ROOM_VERBS)\
    /* (sq, address of a struct dpa_verbs_work) -> its count, or 0 */\
    CALL(DPA_ETH_SEND, 0x60, DPA_ROOM_ETH)\
    /* (sq): carries out posted sends */\
    CALL(DPA_ETH_SEND_COMMIT, 0x61, DPA_ROOM_ETH)\
    /* (sq, enum dpa_verbs_tell) -> that number */\
    CALL(DPA_ETH_SEND_TELL, 0x62, DPA_ROOM_ETH)\
    /* (rq, address of segments, their number) -> its count, or 0 */\
    CALL(DPA_ETH_RECEIVE, 0x63, DPA_ROOM_ETH)\
    /* (rq, number of receives that are in the ring) -> the last one's count, or 0 */\
    CALL(DPA_ETH_ACK, 0x64, DPA_ROOM_ETH)\
    /* (rq): makes posted receives available */\
    CALL(DPA_ETH_RECEIVE_COMMIT, 0x65, DPA_ROOM_ETH)\
    /* (rq, enum dpa_verbs_tell) -> that number */\
    CALL(DPA_ETH_RECEIVE_TELL, 0x66, DPA_ROOM_ETH)\
    /* (consumer, number of receives) */\
    CALL(DPA_COMCH_RECEIVE, 0x40, DPA_ROOM_COMCH)\
    /* (producer, number of the consumer) -> 1: the consumer has no receive */\
    CALL(DPA_COMCH_IS_EMPTY, 0x41, DPA_ROOM_COMCH)\
    /* (producer, address of a struct dpa_comch_send) -> 0: not now */\
    CALL(DPA_COMCH_SEND, 0x42, DPA_ROOM_COMCH)\
    /* (completion, doorbell) -> 0: the doorbell is bound, or of another completion */\
    CALL(DPA_DEVEMU_BIND, 0x50, DPA_ROOM_DEVEMU)\
    /* (completion, doorbell) -> 0: the doorbell is not bound */\
    CALL(DPA_DEVEMU_UNBIND, 0x51, DPA_ROOM_DEVEMU)\
    /* (completion, element, address of two numbers) */\
    CALL(DPA_DEVEMU_PROPERTIES, 0x52, DPA_ROOM_DEVEMU)\
    /* (doorbell) */\
    CALL(DPA_DEVEMU_REQUEST, 0x53, DPA_ROOM_DEVEMU)\
    /* (doorbell) -> its value */\
    CALL(DPA_DEVEMU_VALUE, 0x54, DPA_ROOM_DEVEMU)\
    /* (vector) */\
    CALL(DPA_DEVEMU_RAISE, 0x55, DPA_ROOM_DEVEMU)\
    /* (vector) -> its user data */\
    CALL(DPA_DEVEMU_DATA, 0x56, DPA_ROOM_DEVEMU)
/* clang-format on */

enum dpa_doca_call {
#define DPA_DOCA_CALL_NUMBER(name, number, room) name = number,
    DPA_DOCA_CALLS(DPA_DOCA_CALL_NUMBER)
#undef DPA_DOCA_CALL_NUMBER
};

#define DPA_DOCA_CALL_FITS(name, number, room)                                                     \
    _Static_assert((number) > 0 && (number) < 256, #name " has eight bits (DPA_SYS_CALL)");
DPA_DOCA_CALLS(DPA_DOCA_CALL_FITS)
#undef DPA_DOCA_CALL_FITS

/* Returns the room that carries out a call, or DPA_ROOM_NONE. Two calls with one number do not compile. */
static inline enum dpa_doca_room dpa_doca_room_of(unsigned call)
{
    switch (call) {
#define DPA_DOCA_CALL_CASE(name, number, room)                                                     \
    case number:                                                                                   \
        return room;
        DPA_DOCA_CALLS(DPA_DOCA_CALL_CASE)
#undef DPA_DOCA_CALL_CASE
    default:
        return DPA_ROOM_NONE;
    }
}

#define DPA_DOCA_TRACE_VALUES 5

/* A buffer of an array, doca_dpa_dev_buf_t. The host writes it; the program may change it. */
struct dpa_doca_buf {
    uint64_t address, length;
    uint32_t mmap, reserved[3];
};

/* A completion that was taken, in DPA memory: doca_dpa_dev_completion_element_t is its address. */
struct dpa_doca_completion {
    uint32_t type, user_data, immediate, wqe_counter;
    uint64_t timestamp;
    uint32_t bytes, syndrome;
    uint32_t queue, shared_queue, opcode, vendor_syndrome;
};

/* A copy that ends with a completion. */
#define DPA_COPY_REPORT         0
#define DPA_COPY_REPORT_IF_ROOM 1 /* success is reported if the completion queue has room */
#define DPA_COPY_SILENT         2 /* success is not reported */
struct dpa_async_copy {
    uint32_t to, from; /* memory maps */
    uint64_t to_address, from_address, length;
    uint64_t report;
};

#endif
