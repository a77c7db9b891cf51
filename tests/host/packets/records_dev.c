/* Writes WQEs and doorbell records by its own structures, as programs do that come from a driver: the records are big
 * endian words in memory, of which only every 16th change is written; WQEs have the place in their ring as their index. */
#include "packets_dev.h"

#define LATE 16 /* receives that are given back at once */

struct wqe {
    uint32_t opcode, queue, flags, immediate;
    uint32_t ethernet[4];
    uint32_t size, key, address[2];
    uint32_t rest[4];
};

flexio_dev_event_handler_t handle_packets;

static void store(uint64_t record, uint32_t value)
{
    __atomic_store_n((volatile uint32_t *)record, __builtin_bswap32(value), __ATOMIC_RELEASE);
}

static void send(struct packets *q, uint64_t packet, uint32_t size)
{
    const uint32_t place = q->sent & (DEPTH - 1);
    struct wqe *w = (struct wqe *)q->sends + place;
    const uint64_t address = __builtin_bswap64(packet);
    *w = (struct wqe){.opcode = __builtin_bswap32(place << 8 | 0x0a),
                      .queue = __builtin_bswap32(q->sqn << 8 | 3),
                      .size = __builtin_bswap32(size),
                      .key = __builtin_bswap32(q->key),
                      .address = {(uint32_t)address, (uint32_t)(address >> 32)}};
    q->sent++;
}

__dpa_global__ void handle_packets(uint64_t arg)
{
    struct packets *q = (struct packets *)arg;
    struct flexio_dev_cqe64 *cqe;
    for (int i = 0; i < 4096 && (cqe = packets_completion(q->receive_cq, q->received)); i++) {
        const uint64_t packet = q->packets + (q->received & (DEPTH - 1)) * PACKET_SIZE;
        packets_swap((uint8_t *)packet);
        send(q, packet, __builtin_bswap32(cqe->byte_cnt));
        q->received++;
        __dpa_thread_memory_writeback();
        flexio_dev_qp_sq_ring_db((uint16_t)q->sent, q->sqn);
        if (q->received - q->returned < LATE)
            continue;
        q->returned = q->received;
        store(q->receive_cq_record, q->received & 0xffffff);
        store(q->receives_record, (DEPTH + q->received) & 0xffff);
    }
    flexio_dev_cq_arm(q->received, q->receive_cqn);
    flexio_dev_thread_reschedule();
}
