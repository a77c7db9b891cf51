/*
 * doca_dpa_dev_buf (DOCA 2.5): buffers in DPA code, with offsets into them, and synchronous copies.
 * Arrays of buffers are as in later DOCA (../doca/doca_dpa_dev_buf.h).
 *
 *     doca_dpa_dev_buf_t from = doca_dpa_dev_buf_array_get_buf(array, 0),
 *                        to = doca_dpa_dev_buf_array_get_buf(array, 1);
 *     doca_dpa_dev_memcpy_nb(to, 0, from, 64, 128);
 *     doca_dpa_dev_memcpy_synchronize();
 *
 * An invalid buffer, or an access outside its memory, faults the thread.
 */
#ifndef DOCA_2_5_DPA_DEV_BUF_H
#define DOCA_2_5_DPA_DEV_BUF_H

#include "doca_2_5.h"

#include "../doca/doca_dpa_dev.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* a fault in one of these functions is reported with the caller's line */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* As in later DOCA. */
doca_dpa_dev_buf_t doca_dpa_dev_buf_array_get_buf(doca_dpa_dev_buf_arr_t buf_arr,
                                                  const uint64_t buf_idx);
uintptr_t doca_dpa_dev_buf_get_addr(doca_dpa_dev_buf_t buf);
uint64_t doca_dpa_dev_buf_get_len(doca_dpa_dev_buf_t buf);

/* Returns an address for loads and stores to the buffer, `buf_offset` bytes after its start. All else
 * is as in later DOCA. */
doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf,
                                                         uint64_t buf_offset)
    __asm__("doca_dpa_dev_buf_get_external_ptr_v2_5");

/* Copies. They are complete after doca_dpa_dev_memcpy_synchronize. The second function copies and
 * transposes a matrix: `length` is num_rows * num_columns * element_size. */
void doca_dpa_dev_memcpy_nb(doca_dpa_dev_buf_t dst_mem, uint64_t dst_offset,
                            doca_dpa_dev_buf_t src_mem, uint64_t src_offset, size_t length)
    __asm__("doca_dpa_dev_memcpy_nb_v2_5");
void doca_dpa_dev_memcpy_transpose2D_nb(doca_dpa_dev_buf_t dst_mem, uint64_t dst_offset,
                                        doca_dpa_dev_buf_t src_mem, uint64_t src_offset,
                                        size_t length, size_t element_size, size_t num_columns,
                                        size_t num_rows)
    __asm__("doca_dpa_dev_memcpy_transpose2D_nb_v2_5");
void doca_dpa_dev_memcpy_synchronize(void);

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
