/*
 * doca_dpa_dev_rdma (DOCA 2.5): what DPA code posts on the connection of a doca_rdma: with buffers,
 * offsets into them, and no completions.
 *
 *     doca_dpa_dev_rdma_write(rdma, remote, 0, local, 0, size);
 *     doca_dpa_dev_rdma_signal_set(rdma, remote_event, 1);
 *     doca_dpa_dev_rdma_synchronize(rdma);
 *
 * Operations are carried out in order. One that fails puts the context into the error state, unless
 * the doca_rdma has a completion queue: then it completes there. A bad handle faults the thread.
 * DOCA DPA programming guide of that release.
 */
#ifndef DOCA_2_5_DPA_DEV_RDMA_H
#define DOCA_2_5_DPA_DEV_RDMA_H

#include "doca_dpa_dev_buf.h"

#include "../doca/doca_dpa_dev_sync_event.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* so that a fault in one of these is told with the line that calls it */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* From the peer's memory, and to it. */
void doca_dpa_dev_rdma_read(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem,
                            uint64_t dst_offset, doca_dpa_dev_buf_t src_mem, uint64_t src_offset,
                            size_t length);
void doca_dpa_dev_rdma_write(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem,
                             uint64_t dst_offset, doca_dpa_dev_buf_t src_mem, uint64_t src_offset,
                             size_t length);

/* A message of the buffer; where one may go. */
void doca_dpa_dev_rdma_post_send(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t buf, uint64_t offset,
                                 size_t length) __asm__("doca_dpa_dev_rdma_post_send_v2_5");
void doca_dpa_dev_rdma_post_receive(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t buf,
                                    uint64_t offset, size_t length)
    __asm__("doca_dpa_dev_rdma_post_receive_v2_5");

/* Adds to 8 bytes of the peer's, at an address that is a multiple of 8. */
void doca_dpa_dev_rdma_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem,
                                        uint64_t dst_offset, size_t value);

/* Updates a sync event of the peer's, after what was posted before. */
void doca_dpa_dev_rdma_signal_set(doca_dpa_dev_rdma_t rdma,
                                  doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
                                  uint64_t count) __asm__("doca_dpa_dev_rdma_signal_set_v2_5");
void doca_dpa_dev_rdma_signal_add(doca_dpa_dev_rdma_t rdma,
                                  doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
                                  uint64_t count) __asm__("doca_dpa_dev_rdma_signal_add_v2_5");

/* Returns when all that was posted has ended. */
void doca_dpa_dev_rdma_synchronize(doca_dpa_dev_rdma_t rdma);

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
