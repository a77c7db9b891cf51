/* A thread serves several receive queues. The user index of a completion identifies the queue. The
 * thread sends by WQEs of one or two packets. */
#include "packets_dev.h"
#include "packets_test_com.h"

#define SEND_MANY 0x29

flexio_dev_event_handler_t handle_packets;

/* Takes a packet into a data segment, swapped. */
static void take(struct packets *q, struct flexio_dev_cqe64 *cqe, uint32_t *segment)
{
    struct more *more = (struct more *)q->user;
    struct receiver *r = &more->receivers[flexio_dev_cqe_get_user_index(cqe) % RECEIVERS];
    const uint64_t packet = r->packets + (r->received++ & (DEPTH - 1)) * PACKET_SIZE;
    const uint64_t address = __builtin_bswap64(packet);
    packets_swap((uint8_t *)packet);
    segment[0] = __builtin_bswap32(flexio_dev_cqe_get_byte_cnt(cqe));
    segment[1] = __builtin_bswap32(r->key);
    segment[2] = (uint32_t)address;
    segment[3] = (uint32_t)(address >> 32);
    q->received++;
}

/* Gives back what was received. */
static void give_back(struct packets *q)
{
    const struct more *more = (const struct more *)q->user;
    flexio_dev_dbr_cq_set_ci((uint32_t *)q->receive_cq_record, q->received);
    for (uint32_t i = 0; i < RECEIVERS; i++)
        __atomic_store_n((uint32_t *)more->receivers[i].record,
                         __builtin_bswap32((DEPTH + more->receivers[i].received) & 0xffff),
                         __ATOMIC_RELEASE);
}

__dpa_global__ void handle_packets(uint64_t arg)
{
    struct packets *q = (struct packets *)arg;
    struct flexio_dev_cqe64 *cqe;
    for (int i = 0; i < 4096 && (cqe = packets_completion(q->receive_cq, q->received)); i++) {
        uint32_t *w = (uint32_t *)(q->sends + (q->sent & (DEPTH - 1)) * 64), segments = 3;
        take(q, cqe, &w[8]);
        if ((cqe = packets_completion(q->receive_cq, q->received))) {
            take(q, cqe, &w[12]);
            segments = 4;
        }
        w[0] = __builtin_bswap32((q->sent & 0xffff) << 8 | SEND_MANY);
        w[1] = __builtin_bswap32(q->sqn << 8 | segments);
        for (int n = 2; n < 8; n++)
            w[n] = 0;
        q->sent++;
        __dpa_thread_memory_writeback();
        flexio_dev_qp_sq_ring_db((uint16_t)q->sent, q->sqn);
        give_back(q);
    }
    flexio_dev_cq_arm(q->received, q->receive_cqn);
    flexio_dev_thread_reschedule();
}
