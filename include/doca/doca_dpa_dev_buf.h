/*
 * doca_dpa_dev_buf: memory maps and buffers in DPA code: buffers of an array (doca_buf_array.h), loads
 * and stores of the host's memory, and copies.
 *
 *     doca_dpa_dev_buf_t buf = doca_dpa_dev_buf_array_get_buf(array, 3);
 *     uint64_t *words = (uint64_t *)doca_dpa_dev_buf_get_external_ptr(buf);
 *     words[0]++;                                              // in the host's memory
 *     doca_dpa_dev_post_memcpy(ops, to_mmap, to, from_mmap, from, 4096,
 *                              DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
 *     while (!doca_dpa_dev_get_completion(queue, &element))
 *         ;
 *
 * Memory is named by a handle of doca_mmap_dev_get_dpa_handle and an address of the map's owner. The
 * handle is for the device of the context, or of doca_dpa_dev_device_set.
 */
#ifndef DOCA_DPA_DEV_BUF_H
#define DOCA_DPA_DEV_BUF_H

#include "doca_dpa_dev.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* a fault in one of these functions is reported with the caller's line */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* ---- Buffers: address, length in bytes and memory map. Changes are visible only to this program
 * ---- */

/* Returns buffer `buf_idx` of an array, from 0. The index is not checked. */
doca_dpa_dev_buf_t doca_dpa_dev_buf_array_get_buf(doca_dpa_dev_buf_arr_t buf_arr,
                                                  const uint64_t buf_idx);
uintptr_t doca_dpa_dev_buf_get_addr(doca_dpa_dev_buf_t buf);
uint64_t doca_dpa_dev_buf_get_len(doca_dpa_dev_buf_t buf);
doca_dpa_dev_mmap_t doca_dpa_dev_buf_get_mmap(doca_dpa_dev_buf_t buf);
void doca_dpa_dev_buf_set_addr(doca_dpa_dev_buf_t buf, uintptr_t addr);
void doca_dpa_dev_buf_set_len(doca_dpa_dev_buf_t buf, size_t len);
void doca_dpa_dev_buf_set_mmap(doca_dpa_dev_buf_t buf, doca_dpa_dev_mmap_t mmap);

/* ---- Loads and stores ---- */

/* Returns an address for loads and stores to a buffer, or to `addr` of a map. It is valid while the map
 * is started. These accesses fault the thread: outside the memory, stores to memory without
 * DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, accesses that are not aligned to their size, and accesses to
 * memory that is neither the host's nor the program's. */
doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf);
doca_dpa_dev_uintptr_t doca_dpa_dev_mmap_get_external_ptr(doca_dpa_dev_mmap_t mmap_handle,
                                                          uint64_t addr);

/* ---- Copies ---- */

/* Copies memory, or as many bytes as the source buffer has, on a started queue
 * (doca_dpa_async_ops_create). Copies of a queue run and complete in order. A success completes with
 * DOCA_DPA_DEV_COMP_SEND unless `flags` have DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS. A failure
 * always completes with DOCA_DPA_DEV_COMP_SEND_ERR. In DOCA 2.7 to 2.9 the last argument requests a
 * completion, so 0 means no completion: therefore the completion of a copy without flags is lost if the
 * completion queue is full. A bad handle of the queue faults the thread. */
void doca_dpa_dev_post_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
                              doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                              doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
                              uint32_t flags);
void doca_dpa_dev_post_buf_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
                                  doca_dpa_dev_buf_t dst_buf_handle,
                                  doca_dpa_dev_buf_t src_buf_handle, uint32_t flags);

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
