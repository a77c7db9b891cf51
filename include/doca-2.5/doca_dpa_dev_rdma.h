/*
 * doca_dpa_dev_rdma (DOCA 2.5): operations of DPA code on the connection of a doca_rdma: with buffers
 * and offsets into them, without completions.
 *
 *     doca_dpa_dev_rdma_write(rdma, remote, 0, local, 0, size);
 *     doca_dpa_dev_rdma_signal_set(rdma, remote_event, 1);
 *     doca_dpa_dev_rdma_synchronize(rdma);
 *
 * Operations run in order. A failed operation puts the context into the error state, unless the
 * doca_rdma has a completion queue: then the operation completes there. A bad handle faults the thread.
 * DOCA DPA programming guide of that release.
 */
#ifndef DOCA_2_5_DPA_DEV_RDMA_H
#define DOCA_2_5_DPA_DEV_RDMA_H

#include "doca_dpa_dev_buf.h"

#include "../doca/doca_dpa_dev_sync_event.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* a fault in one of these functions is reported with the caller's line */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* Read from the peer's memory, and write to it. */
void doca_dpa_dev_rdma_read(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem,
                            uint64_t dst_offset, doca_dpa_dev_buf_t src_mem, uint64_t src_offset,
                            size_t length);
void doca_dpa_dev_rdma_write(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem,
                             uint64_t dst_offset, doca_dpa_dev_buf_t src_mem, uint64_t src_offset,
                             size_t length);

/* Post a send of the buffer; post a receive. */
void doca_dpa_dev_rdma_post_send(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t buf, uint64_t offset,
                                 size_t length) __asm__("doca_dpa_dev_rdma_post_send_v2_5");
void doca_dpa_dev_rdma_post_receive(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t buf,
                                    uint64_t offset, size_t length)
    __asm__("doca_dpa_dev_rdma_post_receive_v2_5");

/* Posts a receive to a shared receive queue (doca_rdma_srq_create), of DOCA 2.6. A queue that is full
 * faults the thread. */
void doca_dpa_dev_rdma_srq_post_receive(doca_dpa_dev_rdma_srq_t rdma_srq, doca_dpa_dev_buf_t buf,
                                        uint64_t offset, size_t length);

/* Adds to 8 bytes of the peer's memory, at an address that is a multiple of 8. */
void doca_dpa_dev_rdma_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem,
                                        uint64_t dst_offset, size_t value);

/* Update a sync event of the peer, after all operations posted before. */
void doca_dpa_dev_rdma_signal_set(doca_dpa_dev_rdma_t rdma,
                                  doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
                                  uint64_t count) __asm__("doca_dpa_dev_rdma_signal_set_v2_5");
void doca_dpa_dev_rdma_signal_add(doca_dpa_dev_rdma_t rdma,
                                  doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
                                  uint64_t count) __asm__("doca_dpa_dev_rdma_signal_add_v2_5");

/* Returns when all posted operations have ended. */
void doca_dpa_dev_rdma_synchronize(doca_dpa_dev_rdma_t rdma);

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
