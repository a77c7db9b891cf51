/*
 * doca_dpa_dev_rdma: operations that DPA code posts on connections of a doca_rdma. Link the program
 * with -ldoca_dpa_dev_comm.
 *
 *     doca_dpa_dev_rdma_post_receive(rdma, memory, buffer, size);
 *     doca_dpa_dev_rdma_post_send(rdma, 0, memory, message, size,
 *                                 DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
 *     while (!doca_dpa_dev_get_completion(queue, &element))
 *         ;
 *     doca_dpa_dev_completion_ack(queue, 1);
 *
 * Operations of a connection run and complete in order. A successful operation completes with
 * DOCA_DPA_DEV_COMP_SEND and the connection's number as user data, unless its flags have
 * OPTIMIZE_REPORTS. A failed operation always completes with DOCA_DPA_DEV_COMP_SEND_ERR, and so do all
 * later operations of the connection. If the send queue is full, the thread waits. A full receive queue
 * or a bad handle faults the thread.
 *
 * Queue pairs of doca_verbs have functions of their own (doca_dpa_dev_verbs.h).
 *
 * Memory is named by a handle of doca_mmap_dev_get_dpa_handle and an address of the map's owner.
 * Functions with "buf" in their names take buffers instead (doca_dpa_dev_buf.h), with the length of the
 * source buffer.
 *
 * DOCA 2.7 to 2.9 have these functions without a connection. In place of the flags they have a number:
 * not 0 if success is reported. dpacc selects a form by the number of arguments, at the end of this
 * header. DOCA 2.5 has its own headers (include/doca-2.5).
 */
#ifndef DOCA_DPA_DEV_RDMA_H
#define DOCA_DPA_DEV_RDMA_H

#include "doca_dpa_dev.h"
#include "doca_dpa_dev_buf.h"
#include "doca_dpa_dev_sync_event.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* a fault in one of these functions is reported with the caller's line */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* Posts a receive for a message of any connection. It completes with DOCA_DPA_DEV_COMP_RECV_SEND or
 * _RECV_SEND_IMM. A write with an immediate also consumes a receive (_RECV_RDMA_WRITE_IMM). */
void doca_dpa_dev_rdma_post_receive(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t mmap_handle,
                                    uint64_t addr, size_t length);
void doca_dpa_dev_rdma_post_buf_receive(doca_dpa_dev_rdma_t rdma,
                                        doca_dpa_dev_buf_t receive_buf_handle);
/* Acknowledges completed receives. Here their room is already free, so this does nothing. */
void doca_dpa_dev_rdma_receive_ack(doca_dpa_dev_rdma_t rdma, uint32_t num_acked);

void doca_dpa_dev_rdma_post_send(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                 doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
                                 uint32_t flags);
void doca_dpa_dev_rdma_post_send_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                     doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
                                     uint32_t immediate, uint32_t flags);
void doca_dpa_dev_rdma_post_buf_send(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                     doca_dpa_dev_buf_t send_buf_handle, uint32_t flags);
void doca_dpa_dev_rdma_post_buf_send_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                         doca_dpa_dev_buf_t send_buf_handle, uint32_t immediate,
                                         uint32_t flags);

/* Post a write from this side's memory to the peer's. */
void doca_dpa_dev_rdma_post_write(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                  doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                                  doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
                                  size_t length, uint32_t flags);
void doca_dpa_dev_rdma_post_write_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                      doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                                      doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
                                      size_t length, uint32_t immediate, uint32_t flags);
void doca_dpa_dev_rdma_post_buf_write(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                      doca_dpa_dev_buf_t dst_buf_handle,
                                      doca_dpa_dev_buf_t src_buf_handle, uint32_t flags);
void doca_dpa_dev_rdma_post_buf_write_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                          doca_dpa_dev_buf_t dst_buf_handle,
                                          doca_dpa_dev_buf_t src_buf_handle, uint32_t immediate,
                                          uint32_t flags);

/* Post a read from the peer's memory to this side's. */
void doca_dpa_dev_rdma_post_read(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                 doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                                 doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
                                 size_t length, uint32_t flags);
void doca_dpa_dev_rdma_post_buf_read(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                     doca_dpa_dev_buf_t dst_buf_handle,
                                     doca_dpa_dev_buf_t src_buf_handle, uint32_t flags);

/* Adds a number to 8 bytes of the peer's memory, at an address that is a multiple of 8. */
void doca_dpa_dev_rdma_post_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                             doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                                             uint64_t value, uint32_t flags);
void doca_dpa_dev_rdma_post_buf_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                                 doca_dpa_dev_buf_t dst_buf_handle, uint64_t value,
                                                 uint32_t flags);

/* Update a sync event of the peer, after all operations posted before. Only a failure gives a
 * completion. */
void doca_dpa_dev_rdma_signal_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                  doca_dpa_dev_sync_event_remote_net_t event, uint64_t count);
void doca_dpa_dev_rdma_signal_set(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                  doca_dpa_dev_sync_event_remote_net_t event, uint64_t count);

/* Returns when all posted operations of all connections have ended. */
void doca_dpa_dev_rdma_synchronize(doca_dpa_dev_rdma_t rdma);

/* Returns the index of the completed operation in its queue. */
uint32_t doca_dpa_dev_rdma_completion_get_wr_index(doca_dpa_dev_completion_element_t comp_element);

#ifndef DOCA_DPA_DEV_RDMA_ONE_GENERATION
#include "doca_dpa_dev_rdma_2_7.h"
#endif

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
