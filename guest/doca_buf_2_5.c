/* Buffers of DOCA 2.5: pointers and copies with offsets. */
#include "doca_buf.h"
#include "rdma_post.h"

#include <doca-2.5/doca_dpa_dev_buf.h>

doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf,
                                                         uint64_t buf_offset)
{
    const struct dpa_doca_buf *b = buf_of(buf);
    return rdma_call(DPA_DOCA_EXTERNAL_POINTER, b->address + buf_offset, b->mmap, 0, 0);
}

void doca_dpa_dev_memcpy_transpose2D_nb(doca_dpa_dev_buf_t dst_mem, uint64_t dst_offset,
                                        doca_dpa_dev_buf_t src_mem, uint64_t src_offset,
                                        size_t length, size_t element_size, size_t num_columns,
                                        size_t num_rows)
{
    const struct dpa_doca_buf *to = buf_of(dst_mem), *from = buf_of(src_mem);
    const struct dpa_memory_copy copy = {.to = to->mmap,
                                         .from = from->mmap,
                                         .to_address = to->address + dst_offset,
                                         .from_address = from->address + src_offset,
                                         .length = length,
                                         .element_size = element_size,
                                         .columns = num_columns,
                                         .rows = num_rows};
    rdma_call(DPA_MEMORY_COPY, (uintptr_t)&copy, 0, 0, 0);
}

void doca_dpa_dev_memcpy_nb(doca_dpa_dev_buf_t dst_mem, uint64_t dst_offset,
                            doca_dpa_dev_buf_t src_mem, uint64_t src_offset, size_t length)
{
    doca_dpa_dev_memcpy_transpose2D_nb(dst_mem, dst_offset, src_mem, src_offset, length, 0, 0, 0);
}
