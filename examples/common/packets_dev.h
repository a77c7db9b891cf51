/*
 * Packets on the DPA side, by FlexIO 25.7. A thread takes what its queue has received, and sends
 * packets from the memory that they were received into.
 *
 *     static void handle(struct packets *q, uint8_t *packet, uint32_t size)
 *     {
 *         packets_send(q, packet, size);     // or not
 *     }
 *     __dpa_global__ void handler(uint64_t q)
 *     {
 *         packets_handle((struct packets *)q, handle);
 *     }
 */
#ifndef PACKETS_DEV_H
#define PACKETS_DEV_H

#include "packets_com.h"

#include <libflexio-dev/flexio_dev_ver.h>
#define FLEXIO_DEV_VER_USED FLEXIO_DEV_VER(25, 7, 0)
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_queue_access.h>

#define ROUNDS 256 /* of at most DEPTH packets each, in one activation */

/* The completion after the first `consumed`; NULL: it is not there yet. */
static inline struct flexio_dev_cqe64 *packets_completion(uint64_t ring, uint32_t consumed)
{
    struct flexio_dev_cqe64 *cqe = (struct flexio_dev_cqe64 *)ring + (consumed & (DEPTH - 1));
    uint8_t owned_by_hardware = !(consumed >> LOG_DEPTH & 1); /* changes with every round */
    return flexio_dev_cqe_get_owner(cqe) == owned_by_hardware ? NULL : cqe;
}

static inline union flexio_dev_sqe_seg *packets_wqe(const struct packets *q, uint32_t number)
{
    return (union flexio_dev_sqe_seg *)q->sends + ((number & (DEPTH - 1)) << LOG_SQE_NUM_SEGS);
}

/* Posts a packet; it leaves with the next packets_flush. */
static inline void packets_send(struct packets *q, const uint8_t *packet, uint32_t size)
{
    union flexio_dev_sqe_seg *wqe = packets_wqe(q, q->sent);
    flexio_dev_swqe_seg_ctrl_set(&wqe[0], q->sent, q->sqn, FLEXIO_CTRL_SEG_CE_CQE_ON_CQE_ERROR,
                                 FLEXIO_CTRL_SEG_TYPE_SEND_EN);
    flexio_dev_swqe_seg_eth_set(&wqe[1], 0, 0, 0, NULL);
    flexio_dev_swqe_seg_mem_ptr_data_set(&wqe[2], size, q->key, (uint64_t)packet);
    q->sent++;
}

/* Sends what is posted. The last of it has a completion; when that is there, all have left, and
 * their memory can receive others. `before`: how many were sent before those. */
static inline void packets_flush(struct packets *q, uint32_t before)
{
    if (q->sent != before) {
        flexio_dev_swqe_seg_ctrl_set(packets_wqe(q, q->sent - 1), q->sent - 1, q->sqn,
                                     FLEXIO_CTRL_SEG_CE_CQE_ALWAYS, FLEXIO_CTRL_SEG_TYPE_SEND_EN);
        __dpa_thread_memory_writeback();
        flexio_dev_qp_sq_ring_db((uint16_t)q->sent, q->sqn);
        while (!packets_completion(q->send_cq, q->completed))
            ;
        flexio_dev_dbr_cq_set_ci((uint32_t *)q->send_cq_record, ++q->completed);
    }
    __atomic_store_n(&q->returned, q->received, __ATOMIC_RELEASE);
    flexio_dev_dbr_cq_set_ci((uint32_t *)q->receive_cq_record, q->received);
    __atomic_store_n((uint32_t *)q->receives_record,
                     __builtin_bswap32((DEPTH + q->received) & 0xffff), __ATOMIC_RELEASE);
}

#define RECEIVE_FAILED 14 /* opcode of a completion: the packet was longer than PACKET_SIZE */

/* The next packet that was received since the last flush. NULL: none is there. */
static inline uint8_t *packets_next(struct packets *q, uint32_t *size)
{
    struct flexio_dev_cqe64 *cqe;
    while (q->received - q->returned < DEPTH &&
           (cqe = packets_completion(q->receive_cq, q->received))) {
        q->received++;
        *size = flexio_dev_cqe_get_byte_cnt(cqe);
        if (flexio_dev_cqe_get_opcode(cqe) != RECEIVE_FAILED)
            return (uint8_t *)q->packets +
                   (flexio_dev_cqe_get_wqe_counter(cqe) & (DEPTH - 1)) * PACKET_SIZE;
        q->failed++;
    }
    return NULL;
}

/* Gives every packet to `handle`, and waits for more. An activation is not endless, even if packets
 * come without a pause: arming the queue causes the next one at once if completions are left. */
static inline void packets_handle(struct packets *q,
                                  void (*handle)(struct packets *q, uint8_t *packet, uint32_t size))
{
    for (int i = 0; i < ROUNDS && packets_completion(q->receive_cq, q->received); i++) {
        const uint32_t before = q->sent;
        uint32_t size;
        for (uint8_t *packet; (packet = packets_next(q, &size));)
            handle(q, packet, size);
        packets_flush(q, before);
    }
    flexio_dev_cq_arm(q->received, q->receive_cqn);
    flexio_dev_thread_reschedule();
}

static inline void packets_swap(uint8_t *packet)
{
    uint16_t *halves = (uint16_t *)packet;
    for (int i = 0; i < 3; i++) {
        uint16_t half = halves[i];
        halves[i] = halves[i + 3];
        halves[i + 3] = half;
    }
}

static inline uint16_t get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t get32(const uint8_t *at)
{
    return (uint32_t)get16(at) << 16 | get16(at + 2);
}

static inline void put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* How many packets all threads have handled. */
__dpa_rpc__ uint64_t packets_handled(uint64_t first, uint64_t count)
{
    const struct packets *q = (const struct packets *)first;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += __atomic_load_n(&q[i].returned, __ATOMIC_ACQUIRE) - q[i].failed;
    return sum;
}

#endif
