/* Sends by WQEs that the host has written once: of each only the size changes. */
#include "packets_dev.h"

flexio_dev_event_handler_t handle_packets;

__dpa_global__ void handle_packets(uint64_t arg)
{
    struct packets *q = (struct packets *)arg;
    struct flexio_dev_cqe64 *cqe;
    for (int i = 0; i < 4096 && (cqe = packets_completion(q->receive_cq, q->received)); i++) {
        const uint32_t place = q->received & (DEPTH - 1);
        uint32_t *data = (uint32_t *)(q->sends + place * 64 + 32);
        packets_swap((uint8_t *)q->packets + place * PACKET_SIZE);
        data[0] = __builtin_bswap32(flexio_dev_cqe_get_byte_cnt(cqe));
        q->received++;
        __dpa_thread_memory_writeback();
        flexio_dev_qp_sq_ring_db((uint16_t)q->received, q->sqn);
        flexio_dev_dbr_cq_set_ci((uint32_t *)q->receive_cq_record, q->received);
        flexio_dev_dbr_rq_inc_pi((uint32_t *)q->receives_record);
    }
    flexio_dev_cq_arm(q->received, q->receive_cqn);
    flexio_dev_thread_reschedule();
}
