/* Memory and endpoints of DOCA 2.2. The lower 32 bits of a mem are the key for peers. */
#include "guest/abi/doca_calls.h"
#include "rdma_post.h"

#include <doca-2.2/doca_dpa_dev.h>

uint32_t doca_dpa_dev_mem_rkey_get(doca_dpa_dev_mem_t mem)
{
    return (uint32_t)mem;
}

void doca_dpa_dev_memcpy_transpose2D_nb(uint64_t dest_addr, doca_dpa_dev_mem_t dest_mem,
                                        uint64_t src_addr, doca_dpa_dev_mem_t src_mem,
                                        size_t length, size_t element_size, size_t num_columns,
                                        size_t num_rows)
{
    const struct dpa_memory_copy copy = {.to = (uint32_t)dest_mem,
                                         .from = (uint32_t)src_mem,
                                         .to_address = dest_addr,
                                         .from_address = src_addr,
                                         .length = length,
                                         .element_size = element_size,
                                         .columns = num_columns,
                                         .rows = num_rows};
    rdma_call(DPA_MEMORY_COPY, (uintptr_t)&copy, 0, 0, 0);
}

void doca_dpa_dev_memcpy_nb(uint64_t dest_addr, doca_dpa_dev_mem_t dest_mem, uint64_t src_addr,
                            doca_dpa_dev_mem_t src_mem, size_t length)
{
    doca_dpa_dev_memcpy_transpose2D_nb(dest_addr, dest_mem, src_addr, src_mem, length, 0, 0, 0);
}

/* Copies have ended already: the host library makes them at once. */
void doca_dpa_dev_memcpy_synchronize(void)
{
    __asm__ volatile("fence rw, rw" ::: "memory");
}

void doca_dpa_dev_external_ptr_get(uint64_t ext_addr, doca_dpa_dev_mem_t mem,
                                   doca_dpa_dev_uintptr_t *dev_ptr)
{
    *dev_ptr = rdma_call(DPA_DOCA_EXTERNAL_POINTER, ext_addr, mem, 0, 0);
}

void doca_dpa_dev_put_nb(doca_dpa_dev_ep_t ep, uint64_t local_addr, size_t length,
                         doca_dpa_dev_mem_t local_mem, uint64_t raddr, uint32_t rkey)
{
    rdma_post(ep, (struct dpa_rdma_work){.opcode = DPA_RDMA_WRITE,
                                         .flags = DPA_RDMA_SILENT | DPA_RDMA_PEERS_KEY,
                                         .local = (uint32_t)local_mem,
                                         .remote = rkey,
                                         .local_address = local_addr,
                                         .remote_address = raddr,
                                         .length = length});
}

static void signal_event(uint32_t opcode, doca_dpa_dev_ep_t ep,
                         doca_dpa_dev_sync_event_remote_t event, uint64_t count)
{
    rdma_post(ep, (struct dpa_rdma_work){.opcode = opcode,
                                         .flags = DPA_RDMA_SILENT | DPA_RDMA_PEERS_KEY,
                                         .remote = event.data[0],
                                         .value = count});
}

void doca_dpa_dev_put_signal_add_nb(doca_dpa_dev_ep_t ep, uint64_t local_addr,
                                    doca_dpa_dev_mem_t local_mem, size_t length, uint64_t raddr,
                                    uint32_t rkey, doca_dpa_dev_sync_event_remote_t event,
                                    uint64_t comp_count)
{
    doca_dpa_dev_put_nb(ep, local_addr, length, local_mem, raddr, rkey);
    signal_event(DPA_RDMA_SIGNAL_ADD, ep, event, comp_count);
}

void doca_dpa_dev_put_signal_set_nb(doca_dpa_dev_ep_t ep, uint64_t local_addr,
                                    doca_dpa_dev_mem_t local_mem, size_t length, uint64_t raddr,
                                    uint32_t rkey, doca_dpa_dev_sync_event_remote_t event,
                                    uint64_t comp_count)
{
    doca_dpa_dev_put_nb(ep, local_addr, length, local_mem, raddr, rkey);
    signal_event(DPA_RDMA_SIGNAL_SET, ep, event, comp_count);
}

void doca_dpa_dev_ep_synchronize(doca_dpa_dev_ep_t ep)
{
    rdma_wait_idle(ep);
}
