/* Sends the swapped addresses inline, in front of the packet's other bytes, which it never touches; every eighth send
 * has a completion. */
#include "packets_dev.h"

#define ADDRESSES 12u
#define EACH      8u /* sends for a completion */

flexio_dev_event_handler_t handle_packets;

/* Ethernet segment with 18 bytes of headers: 2 in it, 16 in the next one. The data segment has the rest. */
static void send(struct packets *q, const uint8_t *packet, uint32_t size)
{
    const uint32_t headers = 18, ce = q->sent % EACH == EACH - 1 ? 2 : 0;
    uint8_t *w = (uint8_t *)(q->sends + (q->sent & (DEPTH - 1)) * 64);
    uint32_t *words = (uint32_t *)w;
    uint8_t *to = w + 30;
    const uint64_t address = __builtin_bswap64((uint64_t)packet + headers);
    words[0] = __builtin_bswap32((q->sent & 0xffff) << 8 | 0x0a);
    words[1] = __builtin_bswap32(q->sqn << 8 | 4);
    words[2] = __builtin_bswap32(ce << 2);
    for (int i = 3; i < 7; i++)
        words[i] = 0;
    w[28] = 0;
    w[29] = (uint8_t)headers;
    for (uint32_t i = 0; i < headers; i++)
        to[i] = packet[i < 6 ? i + 6 : i < ADDRESSES ? i - 6 : i];
    words[12] = __builtin_bswap32(size - headers);
    words[13] = __builtin_bswap32(q->key);
    words[14] = (uint32_t)address;
    words[15] = (uint32_t)(address >> 32);
    q->sent++;
}

__dpa_global__ void handle_packets(uint64_t arg)
{
    struct packets *q = (struct packets *)arg;
    struct flexio_dev_cqe64 *cqe;
    for (int i = 0; i < 4096 && (cqe = packets_completion(q->receive_cq, q->received)); i++) {
        send(q, (uint8_t *)q->packets + (q->received & (DEPTH - 1)) * PACKET_SIZE,
             flexio_dev_cqe_get_byte_cnt(cqe));
        q->received++;
        __dpa_thread_memory_writeback();
        flexio_dev_qp_sq_ring_db((uint16_t)q->sent, q->sqn);
        for (; packets_completion(q->send_cq, q->completed); q->completed++)
            ;
        flexio_dev_dbr_cq_set_ci((uint32_t *)q->send_cq_record, q->completed);
        flexio_dev_dbr_cq_set_ci((uint32_t *)q->receive_cq_record, q->received);
        flexio_dev_dbr_rq_inc_pi((uint32_t *)q->receives_record);
    }
    flexio_dev_cq_arm(q->received, q->receive_cqn);
    flexio_dev_thread_reschedule();
}
