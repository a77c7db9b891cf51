/* The DPA side: each thread sends the packets of its queue back to where they came from. It goes by
 * FlexIO 25.7. */
#include "../reflector_com.h"

#include <libflexio-dev/flexio_dev_ver.h>
#define FLEXIO_DEV_VER_USED FLEXIO_DEV_VER(25, 7, 0)
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_queue_access.h>

#define ROUNDS 256 /* of at most DEPTH packets each, in one activation */

flexio_dev_event_handler_t reflect;

/* The completion after the first `consumed`; NULL: it is not there yet. */
static struct flexio_dev_cqe64 *completion(uint64_t ring, uint32_t consumed)
{
    struct flexio_dev_cqe64 *cqe = (struct flexio_dev_cqe64 *)ring + (consumed & (DEPTH - 1));
    uint8_t owned_by_hardware = !(consumed >> LOG_DEPTH & 1); /* changes with every round */
    return flexio_dev_cqe_get_owner(cqe) == owned_by_hardware ? NULL : cqe;
}

static void swap_addresses(uint8_t *packet)
{
    uint16_t *halves = (uint16_t *)packet;
    for (int i = 0; i < 3; i++) {
        uint16_t half = halves[i];
        halves[i] = halves[i + 3];
        halves[i + 3] = half;
    }
}

/* Posts a packet to be sent from where it was received. */
static void post(struct reflector *r, struct flexio_dev_cqe64 *cqe)
{
    uint8_t *packet =
        (uint8_t *)(r->packets + (flexio_dev_cqe_get_wqe_counter(cqe) & (DEPTH - 1)) * PACKET_SIZE);
    union flexio_dev_sqe_seg *wqe =
        (union flexio_dev_sqe_seg *)r->sends + ((r->sent & (DEPTH - 1)) << LOG_SQE_NUM_SEGS);
    swap_addresses(packet);
    flexio_dev_swqe_seg_ctrl_set(&wqe[0], r->sent, r->sqn, FLEXIO_CTRL_SEG_CE_CQE_ON_CQE_ERROR,
                                 FLEXIO_CTRL_SEG_TYPE_SEND_EN);
    flexio_dev_swqe_seg_eth_set(&wqe[1], 0, 0, 0, NULL);
    flexio_dev_swqe_seg_mem_ptr_data_set(&wqe[2], flexio_dev_cqe_get_byte_cnt(cqe), r->key,
                                         (uint64_t)packet);
    r->sent++;
}

/* The last of the posted packets has a completion. When it is there, all of them have left, and
 * their memory can receive others. */
static void send(struct reflector *r)
{
    union flexio_dev_sqe_seg *last =
        (union flexio_dev_sqe_seg *)r->sends + (((r->sent - 1) & (DEPTH - 1)) << LOG_SQE_NUM_SEGS);
    flexio_dev_swqe_seg_ctrl_set(last, r->sent - 1, r->sqn, FLEXIO_CTRL_SEG_CE_CQE_ALWAYS,
                                 FLEXIO_CTRL_SEG_TYPE_SEND_EN);
    __dpa_thread_memory_writeback();
    flexio_dev_qp_sq_ring_db((uint16_t)r->sent, r->sqn);
    while (!completion(r->send_cq, r->sends_completed))
        ;
    flexio_dev_dbr_cq_set_ci((uint32_t *)r->send_cq_record, ++r->sends_completed);
    flexio_dev_dbr_cq_set_ci((uint32_t *)r->receive_cq_record, r->received);
    __atomic_store_n((uint32_t *)r->receives_record,
                     __builtin_bswap32((DEPTH + r->received) & 0xffff), __ATOMIC_RELEASE);
}

/* An activation is not endless, even if packets come without a pause: the last doorbell causes the
 * next one at once if completions are left. */
__dpa_global__ void reflect(uint64_t argument)
{
    struct reflector *r = (struct reflector *)argument;
    struct flexio_dev_cqe64 *cqe = completion(r->receive_cq, r->received);
    for (int rounds = 0; cqe && rounds < ROUNDS; rounds++) {
        uint32_t count = 0;
        for (; cqe && count < DEPTH; count++) {
            post(r, cqe);
            cqe = completion(r->receive_cq, ++r->received);
        }
        send(r);
        __atomic_store_n(&r->count, r->count + count, __ATOMIC_RELEASE);
        cqe = completion(r->receive_cq, r->received);
    }
    flexio_dev_cq_arm(r->received, r->receive_cqn);
    flexio_dev_thread_reschedule();
}

/* How many packets all threads have sent back. */
__dpa_rpc__ uint64_t packets_sent(uint64_t reflectors, uint64_t count)
{
    struct reflector *r = (struct reflector *)reflectors;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += __atomic_load_n(&r[i].count, __ATOMIC_ACQUIRE);
    return sum;
}
