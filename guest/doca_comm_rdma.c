/* RDMA for DPA code: each function describes one operation to the host library. */
#define DOCA_DPA_DEV_RDMA_ONE_GENERATION /* this file defines these functions */
#include "doca_buf.h"
#include "rdma_post.h"

#include <doca_dpa_dev_rdma.h>

void doca_dpa_dev_rdma_post_receive(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t mmap_handle,
                                    uint64_t addr, size_t length)
{
    rdma_call(DPA_RDMA_RECEIVE, rdma, mmap_handle, addr, length);
}

static uint32_t flags_of(uint32_t flags)
{
    return flags & DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS ? DPA_RDMA_SILENT : 0;
}

static void post_send(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                      doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
                      uint32_t immediate, uint32_t flags)
{
    rdma_post(rdma, (struct dpa_rdma_work){.opcode = DPA_RDMA_SEND,
                                           .flags = flags,
                                           .connection = connection_id,
                                           .immediate = immediate,
                                           .local = mmap_handle,
                                           .local_address = addr,
                                           .length = length});
}

void doca_dpa_dev_rdma_post_send(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                 doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
                                 uint32_t flags)
{
    post_send(rdma, connection_id, mmap_handle, addr, length, 0, flags_of(flags));
}

void doca_dpa_dev_rdma_post_send_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                     doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
                                     uint32_t immediate, uint32_t flags)
{
    post_send(rdma, connection_id, mmap_handle, addr, length, immediate,
              flags_of(flags) | DPA_RDMA_IMMEDIATE);
}

static void post_write(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                       doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                       doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
                       uint32_t immediate, uint32_t flags)
{
    rdma_post(rdma, (struct dpa_rdma_work){.opcode = DPA_RDMA_WRITE,
                                           .flags = flags,
                                           .connection = connection_id,
                                           .immediate = immediate,
                                           .local = src_mmap_handle,
                                           .remote = dst_mmap_handle,
                                           .local_address = src_addr,
                                           .remote_address = dst_addr,
                                           .length = length});
}

void doca_dpa_dev_rdma_post_write(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                  doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                                  doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
                                  size_t length, uint32_t flags)
{
    post_write(rdma, connection_id, dst_mmap_handle, dst_addr, src_mmap_handle, src_addr, length, 0,
               flags_of(flags));
}

void doca_dpa_dev_rdma_post_write_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                      doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                                      doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
                                      size_t length, uint32_t immediate, uint32_t flags)
{
    post_write(rdma, connection_id, dst_mmap_handle, dst_addr, src_mmap_handle, src_addr, length,
               immediate, flags_of(flags) | DPA_RDMA_IMMEDIATE);
}

void doca_dpa_dev_rdma_post_read(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                 doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                                 doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
                                 size_t length, uint32_t flags)
{
    rdma_post(rdma, (struct dpa_rdma_work){.opcode = DPA_RDMA_READ,
                                           .flags = flags_of(flags),
                                           .connection = connection_id,
                                           .local = dst_mmap_handle,
                                           .remote = src_mmap_handle,
                                           .local_address = dst_addr,
                                           .remote_address = src_addr,
                                           .length = length});
}

void doca_dpa_dev_rdma_post_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                             doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                                             uint64_t value, uint32_t flags)
{
    rdma_post(rdma, (struct dpa_rdma_work){.opcode = DPA_RDMA_FETCH_ADD,
                                           .flags = flags_of(flags),
                                           .connection = connection_id,
                                           .remote = dst_mmap_handle,
                                           .remote_address = dst_addr,
                                           .value = value});
}

static void signal_event(uint32_t opcode, doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                         doca_dpa_dev_sync_event_remote_net_t event, uint64_t count)
{
    rdma_post(rdma, (struct dpa_rdma_work){.opcode = opcode,
                                           .flags = DPA_RDMA_SILENT,
                                           .connection = connection_id,
                                           .remote = event,
                                           .value = count});
}

void doca_dpa_dev_rdma_signal_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                  doca_dpa_dev_sync_event_remote_net_t event, uint64_t count)
{
    signal_event(DPA_RDMA_SIGNAL_ADD, rdma, connection_id, event, count);
}

void doca_dpa_dev_rdma_signal_set(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                  doca_dpa_dev_sync_event_remote_net_t event, uint64_t count)
{
    signal_event(DPA_RDMA_SIGNAL_SET, rdma, connection_id, event, count);
}

/* ---- Buffers ---- */

void doca_dpa_dev_rdma_post_buf_receive(doca_dpa_dev_rdma_t rdma,
                                        doca_dpa_dev_buf_t receive_buf_handle)
{
    const struct dpa_doca_buf *b = buf_of(receive_buf_handle);
    doca_dpa_dev_rdma_post_receive(rdma, b->mmap, b->address, b->length);
}

void doca_dpa_dev_rdma_post_buf_send(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                     doca_dpa_dev_buf_t send_buf_handle, uint32_t flags)
{
    const struct dpa_doca_buf *b = buf_of(send_buf_handle);
    doca_dpa_dev_rdma_post_send(rdma, connection_id, b->mmap, b->address, b->length, flags);
}

void doca_dpa_dev_rdma_post_buf_send_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                         doca_dpa_dev_buf_t send_buf_handle, uint32_t immediate,
                                         uint32_t flags)
{
    const struct dpa_doca_buf *b = buf_of(send_buf_handle);
    doca_dpa_dev_rdma_post_send_imm(rdma, connection_id, b->mmap, b->address, b->length, immediate,
                                    flags);
}

void doca_dpa_dev_rdma_post_buf_write(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                      doca_dpa_dev_buf_t dst_buf_handle,
                                      doca_dpa_dev_buf_t src_buf_handle, uint32_t flags)
{
    const struct dpa_doca_buf *to = buf_of(dst_buf_handle), *from = buf_of(src_buf_handle);
    doca_dpa_dev_rdma_post_write(rdma, connection_id, to->mmap, to->address, from->mmap,
                                 from->address, from->length, flags);
}

void doca_dpa_dev_rdma_post_buf_write_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                          doca_dpa_dev_buf_t dst_buf_handle,
                                          doca_dpa_dev_buf_t src_buf_handle, uint32_t immediate,
                                          uint32_t flags)
{
    const struct dpa_doca_buf *to = buf_of(dst_buf_handle), *from = buf_of(src_buf_handle);
    doca_dpa_dev_rdma_post_write_imm(rdma, connection_id, to->mmap, to->address, from->mmap,
                                     from->address, from->length, immediate, flags);
}

void doca_dpa_dev_rdma_post_buf_read(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                     doca_dpa_dev_buf_t dst_buf_handle,
                                     doca_dpa_dev_buf_t src_buf_handle, uint32_t flags)
{
    const struct dpa_doca_buf *to = buf_of(dst_buf_handle), *from = buf_of(src_buf_handle);
    doca_dpa_dev_rdma_post_read(rdma, connection_id, to->mmap, to->address, from->mmap,
                                from->address, from->length, flags);
}

void doca_dpa_dev_rdma_post_buf_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
                                                 doca_dpa_dev_buf_t dst_buf_handle, uint64_t value,
                                                 uint32_t flags)
{
    const struct dpa_doca_buf *to = buf_of(dst_buf_handle);
    doca_dpa_dev_rdma_post_atomic_fetch_add(rdma, connection_id, to->mmap, to->address, value,
                                            flags);
}

/* ---- Completions ---- */

void doca_dpa_dev_rdma_synchronize(doca_dpa_dev_rdma_t rdma)
{
    rdma_wait_idle(rdma);
}

void doca_dpa_dev_rdma_receive_ack(doca_dpa_dev_rdma_t rdma, uint32_t num_acked)
{
    (void)rdma;
    (void)num_acked;
}

uint32_t doca_dpa_dev_rdma_completion_get_wr_index(doca_dpa_dev_completion_element_t comp_element)
{
    return doca_dpa_dev_completion_element_get_wqe_counter(comp_element);
}
