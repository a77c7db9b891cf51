/* The DPA side: sends every packet back to where it came from. It goes by FlexIO 25.7: doorbells have
 * no context since 24.10. */
#include "../packet_swap_com.h"

#include <libflexio-dev/flexio_dev_ver.h>
#define FLEXIO_DEV_VER_USED FLEXIO_DEV_VER(25, 7, 0)
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_queue_access.h>
#include <libflexio-libc/string.h>

#define RECEIVE_FAILED 14 /* opcode of a completion: the packet was longer than PACKET_SIZE */

flexio_dev_event_handler_t swap_packets;

/* Where the thread is in its queues; it lives on between activations. */
static uint32_t consumed, sent;

static struct flexio_dev_cqe64 *next_completion(const struct packet_swap *q)
{
    struct flexio_dev_cqe64 *cqe =
        (struct flexio_dev_cqe64 *)q->receive_cq + (consumed & (DEPTH - 1));
    uint8_t owned_by_hardware = !(consumed >> LOG_DEPTH & 1); /* changes with every round */
    return flexio_dev_cqe_get_owner(cqe) == owned_by_hardware ? NULL : cqe;
}

static void swap_addresses(uint8_t *packet)
{
    uint8_t destination[6];
    memcpy(destination, packet, 6);
    memcpy(packet, packet + 6, 6);
    memcpy(packet + 6, destination, 6);
}

static void send_back(const struct packet_swap *q, struct flexio_dev_cqe64 *cqe)
{
    uint32_t size = flexio_dev_cqe_get_byte_cnt(cqe), place = sent & (DEPTH - 1);
    struct flexio_dev_wqe_rcv_data_seg *receive =
        (struct flexio_dev_wqe_rcv_data_seg *)q->receives +
        (flexio_dev_cqe_get_wqe_counter(cqe) & (DEPTH - 1));
    union flexio_dev_sqe_seg *wqe =
        (union flexio_dev_sqe_seg *)q->sends + (place << LOG_SQE_NUM_SEGS);
    uint8_t *packet = (uint8_t *)(q->send_packets + place * PACKET_SIZE);

    memcpy(packet, flexio_dev_rwqe_get_addr(receive), size);
    swap_addresses(packet);
    flexio_dev_swqe_seg_ctrl_set(&wqe[0], sent, q->sqn, FLEXIO_CTRL_SEG_CE_CQE_ON_CQE_ERROR,
                                 FLEXIO_CTRL_SEG_TYPE_SEND_EN);
    flexio_dev_swqe_seg_eth_set(&wqe[1], 0, 0, 0, NULL);
    flexio_dev_swqe_seg_mem_ptr_data_set(&wqe[2], size, q->send_key, (uint64_t)packet);
    __dpa_thread_memory_writeback();
    flexio_dev_qp_sq_ring_db((uint16_t)(sent + 1), q->sqn);
    flexio_dev_print("Packet %u: %u bytes\n", sent + 1, size);
    __atomic_store_n(&sent, sent + 1, __ATOMIC_RELEASE); /* an RPC reads it meanwhile */
}

__dpa_global__ void swap_packets(uint64_t arg)
{
    const struct packet_swap *q = (const struct packet_swap *)arg;
    struct flexio_dev_cqe64 *cqe;
    while ((cqe = next_completion(q))) {
        if (flexio_dev_cqe_get_opcode(cqe) != RECEIVE_FAILED)
            send_back(q, cqe);
        flexio_dev_dbr_cq_set_ci((uint32_t *)q->receive_cq_record, ++consumed);
        flexio_dev_dbr_rq_inc_pi((uint32_t *)q->receives_record);
    }
    __dpa_thread_memory_writeback();
    flexio_dev_cq_arm(consumed, q->receive_cqn);
    flexio_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t packets_sent(void)
{
    return __atomic_load_n(&sent, __ATOMIC_ACQUIRE);
}
