/*
 * doca_dpa_dev_rdma, as DOCA 2.7 to 2.9 have it: one connection, without a number. doca_dpa_dev_rdma.h
 * includes this file: include that header.
 *
 *     doca_dpa_dev_rdma_post_send(rdma, memory, message, size, 1);   // success is reported
 */
#ifndef DOCA_DPA_DEV_RDMA_2_7_H
#define DOCA_DPA_DEV_RDMA_2_7_H

#include "doca_dpa_dev_rdma.h"

#ifdef __clang__ /* dpacc is clang */

/* An overload of the function with fewer arguments (clang's overloadable). */
#define DOCA_2_7 static inline __attribute__((overloadable, unused))

static inline uint32_t doca_dpa_dev_rdma_flags_2_7(uint32_t completion_requested)
{
    return completion_requested
               ? DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH
               : DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS;
}

DOCA_2_7 void doca_dpa_dev_rdma_post_send(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t mmap_handle,
                                          uint64_t addr, size_t length,
                                          uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_send(rdma, 0, mmap_handle, addr, length,
                                doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_post_send_imm(doca_dpa_dev_rdma_t rdma,
                                              doca_dpa_dev_mmap_t mmap_handle, uint64_t addr,
                                              size_t length, uint32_t immediate,
                                              uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_send_imm(rdma, 0, mmap_handle, addr, length, immediate,
                                    doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_post_buf_send(doca_dpa_dev_rdma_t rdma,
                                              doca_dpa_dev_buf_t send_buf_handle,
                                              uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_send(rdma, 0, send_buf_handle,
                                    doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_post_buf_send_imm(doca_dpa_dev_rdma_t rdma,
                                                  doca_dpa_dev_buf_t send_buf_handle,
                                                  uint32_t immediate, uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_send_imm(rdma, 0, send_buf_handle, immediate,
                                        doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_post_write(doca_dpa_dev_rdma_t rdma,
                                           doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                                           doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
                                           size_t length, uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_write(rdma, 0, dst_mmap_handle, dst_addr, src_mmap_handle, src_addr,
                                 length, doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_post_write_imm(doca_dpa_dev_rdma_t rdma,
                                               doca_dpa_dev_mmap_t dst_mmap_handle,
                                               uint64_t dst_addr,
                                               doca_dpa_dev_mmap_t src_mmap_handle,
                                               uint64_t src_addr, size_t length, uint32_t immediate,
                                               uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_write_imm(rdma, 0, dst_mmap_handle, dst_addr, src_mmap_handle, src_addr,
                                     length, immediate,
                                     doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_post_buf_write(doca_dpa_dev_rdma_t rdma,
                                               doca_dpa_dev_buf_t dst_buf_handle,
                                               doca_dpa_dev_buf_t src_buf_handle,
                                               uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_write(rdma, 0, dst_buf_handle, src_buf_handle,
                                     doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_post_buf_write_imm(doca_dpa_dev_rdma_t rdma,
                                                   doca_dpa_dev_buf_t dst_buf_handle,
                                                   doca_dpa_dev_buf_t src_buf_handle,
                                                   uint32_t immediate,
                                                   uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_write_imm(rdma, 0, dst_buf_handle, src_buf_handle, immediate,
                                         doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_post_read(doca_dpa_dev_rdma_t rdma,
                                          doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                                          doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
                                          size_t length, uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_read(rdma, 0, dst_mmap_handle, dst_addr, src_mmap_handle, src_addr,
                                length, doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_post_buf_read(doca_dpa_dev_rdma_t rdma,
                                              doca_dpa_dev_buf_t dst_buf_handle,
                                              doca_dpa_dev_buf_t src_buf_handle,
                                              uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_read(rdma, 0, dst_buf_handle, src_buf_handle,
                                    doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_post_atomic_fetch_add(doca_dpa_dev_rdma_t rdma,
                                                      doca_dpa_dev_mmap_t dst_mmap_handle,
                                                      uint64_t dst_addr, uint64_t value,
                                                      uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_atomic_fetch_add(rdma, 0, dst_mmap_handle, dst_addr, value,
                                            doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_post_buf_atomic_fetch_add(doca_dpa_dev_rdma_t rdma,
                                                          doca_dpa_dev_buf_t dst_buf_handle,
                                                          uint64_t value,
                                                          uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_atomic_fetch_add(rdma, 0, dst_buf_handle, value,
                                                doca_dpa_dev_rdma_flags_2_7(completion_requested));
}

DOCA_2_7 void doca_dpa_dev_rdma_signal_add(doca_dpa_dev_rdma_t rdma,
                                           doca_dpa_dev_sync_event_remote_net_t event,
                                           uint64_t count)
{
    doca_dpa_dev_rdma_signal_add(rdma, 0, event, count);
}

DOCA_2_7 void doca_dpa_dev_rdma_signal_set(doca_dpa_dev_rdma_t rdma,
                                           doca_dpa_dev_sync_event_remote_net_t event,
                                           uint64_t count)
{
    doca_dpa_dev_rdma_signal_set(rdma, 0, event, count);
}

#undef DOCA_2_7

#endif
#endif
