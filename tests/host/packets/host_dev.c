/* Packets are in host memory. A window swaps their addresses. The queues name the memory by the
 * host's memory key. */
#include "packets_dev.h"
#include "packets_test_com.h"

flexio_dev_event_handler_t handle_packets;

static void swap_through(uint64_t window, uint64_t offset)
{
    volatile uint16_t *halves = (volatile uint16_t *)(window + offset);
    for (int i = 0; i < 3; i++) {
        const uint16_t half = halves[i];
        halves[i] = halves[i + 3];
        halves[i + 3] = half;
    }
}

__dpa_global__ void handle_packets(uint64_t arg)
{
    struct packets *q = (struct packets *)arg;
    const struct more *more = (const struct more *)q->user;
    struct flexio_dev_cqe64 *cqe;
    flexio_uintptr_t window = 0;
    if (!packets_completion(q->receive_cq, q->received) ||
        flexio_dev_window_config(FLEXIO_DEV_WINDOW_ENTITY_0, (uint16_t)more->window, q->key) !=
            FLEXIO_DEV_STATUS_SUCCESS ||
        flexio_dev_window_ptr_acquire(FLEXIO_DEV_WINDOW_ENTITY_0, q->packets, &window) !=
            FLEXIO_DEV_STATUS_SUCCESS)
        window = 0;
    for (int i = 0; window && i < 4096 && (cqe = packets_completion(q->receive_cq, q->received));
         i++) {
        const uint32_t place = q->received & (DEPTH - 1), before = q->sent;
        __dpa_thread_window_read_inv();
        swap_through(window, place * PACKET_SIZE);
        __dpa_thread_window_writeback();
        packets_send(q, (const uint8_t *)(q->packets + place * PACKET_SIZE),
                     flexio_dev_cqe_get_byte_cnt(cqe));
        q->received++;
        packets_flush(q, before);
    }
    flexio_dev_cq_arm(q->received, q->receive_cqn);
    flexio_dev_thread_reschedule();
}
