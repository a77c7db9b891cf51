/* RDMA and copies of DOCA 2.5: buffers with offsets. */
#include "doca_buf.h"
#include "rdma_post.h"

#include <doca-2.5/doca_dpa_dev_rdma.h>

static void post(uint32_t opcode, doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t local,
                 uint64_t local_offset, doca_dpa_dev_buf_t remote, uint64_t remote_offset,
                 uint64_t length)
{
    const struct dpa_doca_buf *mine = buf_of(local), *theirs = buf_of(remote);
    rdma_post(rdma, (struct dpa_rdma_work){.opcode = opcode,
                                           .flags = DPA_RDMA_SILENT,
                                           .local = mine->mmap,
                                           .remote = theirs->mmap,
                                           .local_address = mine->address + local_offset,
                                           .remote_address = theirs->address + remote_offset,
                                           .length = length});
}

void doca_dpa_dev_rdma_read(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem,
                            uint64_t dst_offset, doca_dpa_dev_buf_t src_mem, uint64_t src_offset,
                            size_t length)
{
    post(DPA_RDMA_READ, rdma, dst_mem, dst_offset, src_mem, src_offset, length);
}

void doca_dpa_dev_rdma_write(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem,
                             uint64_t dst_offset, doca_dpa_dev_buf_t src_mem, uint64_t src_offset,
                             size_t length)
{
    post(DPA_RDMA_WRITE, rdma, src_mem, src_offset, dst_mem, dst_offset, length);
}

void doca_dpa_dev_rdma_post_send(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t buf, uint64_t offset,
                                 size_t length)
{
    post(DPA_RDMA_SEND, rdma, buf, offset, buf, offset, length);
}

void doca_dpa_dev_rdma_post_receive(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t buf,
                                    uint64_t offset, size_t length)
{
    const struct dpa_doca_buf *b = buf_of(buf);
    rdma_call(DPA_RDMA_RECEIVE, rdma, b->mmap, b->address + offset, length);
}

void doca_dpa_dev_rdma_srq_post_receive(doca_dpa_dev_rdma_srq_t rdma_srq, doca_dpa_dev_buf_t buf,
                                        uint64_t offset, size_t length)
{
    const struct dpa_doca_buf *b = buf_of(buf);
    rdma_call(DPA_RDMA_SHARED_RECEIVE, rdma_srq, b->mmap, b->address + offset, length);
}

void doca_dpa_dev_rdma_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem,
                                        uint64_t dst_offset, size_t value)
{
    const struct dpa_doca_buf *to = buf_of(dst_mem);
    rdma_post(rdma, (struct dpa_rdma_work){.opcode = DPA_RDMA_FETCH_ADD,
                                           .flags = DPA_RDMA_SILENT,
                                           .remote = to->mmap,
                                           .remote_address = to->address + dst_offset,
                                           .value = value});
}

static void signal_event(uint32_t opcode, doca_dpa_dev_rdma_t rdma,
                         doca_dpa_dev_sync_event_remote_net_t event, uint64_t count)
{
    rdma_post(rdma,
              (struct dpa_rdma_work){
                  .opcode = opcode, .flags = DPA_RDMA_SILENT, .remote = event, .value = count});
}

void doca_dpa_dev_rdma_signal_set(doca_dpa_dev_rdma_t rdma,
                                  doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
                                  uint64_t count)
{
    signal_event(DPA_RDMA_SIGNAL_SET, rdma, remote_sync_event, count);
}

void doca_dpa_dev_rdma_signal_add(doca_dpa_dev_rdma_t rdma,
                                  doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
                                  uint64_t count)
{
    signal_event(DPA_RDMA_SIGNAL_ADD, rdma, remote_sync_event, count);
}
