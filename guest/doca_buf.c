/* Buffers and memory maps in DPA code. A buffer's handle is the address of a struct dpa_doca_buf. */
#include "doca_buf.h"
#include "rdma_post.h"

#include <doca_dpa_dev_buf.h>

doca_dpa_dev_buf_t doca_dpa_dev_buf_array_get_buf(doca_dpa_dev_buf_arr_t buf_arr,
                                                  const uint64_t buf_idx)
{
    return buf_arr + buf_idx * sizeof(struct dpa_doca_buf);
}

uintptr_t doca_dpa_dev_buf_get_addr(doca_dpa_dev_buf_t buf)
{
    return buf_of(buf)->address;
}

uint64_t doca_dpa_dev_buf_get_len(doca_dpa_dev_buf_t buf)
{
    return buf_of(buf)->length;
}

doca_dpa_dev_mmap_t doca_dpa_dev_buf_get_mmap(doca_dpa_dev_buf_t buf)
{
    return buf_of(buf)->mmap;
}

void doca_dpa_dev_buf_set_addr(doca_dpa_dev_buf_t buf, uintptr_t addr)
{
    buf_of(buf)->address = addr;
}

void doca_dpa_dev_buf_set_len(doca_dpa_dev_buf_t buf, size_t len)
{
    buf_of(buf)->length = len;
}

void doca_dpa_dev_buf_set_mmap(doca_dpa_dev_buf_t buf, doca_dpa_dev_mmap_t mmap)
{
    buf_of(buf)->mmap = mmap;
}

doca_dpa_dev_uintptr_t doca_dpa_dev_mmap_get_external_ptr(doca_dpa_dev_mmap_t mmap_handle,
                                                          uint64_t addr)
{
    return rdma_call(DPA_DOCA_EXTERNAL_POINTER, addr, mmap_handle, 0, 0);
}

doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf)
{
    return doca_dpa_dev_mmap_get_external_ptr(buf_of(buf)->mmap, buf_of(buf)->address);
}

void doca_dpa_dev_post_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
                              doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                              doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
                              uint32_t flags)
{
    const struct dpa_async_copy copy = {
        .to = dst_mmap_handle,
        .from = src_mmap_handle,
        .to_address = dst_addr,
        .from_address = src_addr,
        .length = length,
        .report = flags & DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS ? DPA_COPY_SILENT
                  : flags == DOCA_DPA_DEV_SUBMIT_FLAG_NONE          ? DPA_COPY_REPORT_IF_ROOM
                                                                    : DPA_COPY_REPORT};
    rdma_call(DPA_DOCA_ASYNC_COPY, async_ops_handle, (uintptr_t)&copy, 0, 0);
}

void doca_dpa_dev_post_buf_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
                                  doca_dpa_dev_buf_t dst_buf_handle,
                                  doca_dpa_dev_buf_t src_buf_handle, uint32_t flags)
{
    const struct dpa_doca_buf *to = buf_of(dst_buf_handle), *from = buf_of(src_buf_handle);
    doca_dpa_dev_post_memcpy(async_ops_handle, to->mmap, to->address, from->mmap, from->address,
                             from->length, flags);
}
