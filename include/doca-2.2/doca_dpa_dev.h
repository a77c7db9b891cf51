/*
 * doca_dpa_dev (DOCA 2.2): the device side of DOCA DPA, for kernels (DPA subsystem guide 2.2.1, section
 * 3.4): doca_dpa_dev_thread_rank, _num_threads, _yield and _printf of the later header.
 *
 *     __dpa_global__ void hello_world_kernel(void)
 *     {
 *         doca_dpa_dev_printf("Hello from thread %u\n", doca_dpa_dev_thread_rank());
 *     }
 */
#ifndef DOCA_2_2_DPA_DEV_H
#define DOCA_2_2_DPA_DEV_H

#include "doca_version.h"

#include "../doca/doca_dpa_dev.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* a fault in one of these functions is reported with the caller's line */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* ---- Registered memory: a bad address, or a bad or foreign handle, faults the thread ---- */

/* Returns the key that a peer uses for the memory. */
uint32_t doca_dpa_dev_mem_rkey_get(doca_dpa_dev_mem_t mem);

/* Copies between registered memories. The copy is complete after doca_dpa_dev_memcpy_synchronize. */
void doca_dpa_dev_memcpy_nb(uint64_t dest_addr, doca_dpa_dev_mem_t dest_mem, uint64_t src_addr,
                            doca_dpa_dev_mem_t src_mem, size_t length);
/* Copies and transposes a matrix. `length`: bytes of the matrix, num_rows * num_columns *
 * element_size. */
void doca_dpa_dev_memcpy_transpose2D_nb(uint64_t dest_addr, doca_dpa_dev_mem_t dest_mem,
                                        uint64_t src_addr, doca_dpa_dev_mem_t src_mem,
                                        size_t length, size_t element_size, size_t num_columns,
                                        size_t num_rows);
void doca_dpa_dev_memcpy_synchronize(void);

/* Gets an address for loads and stores to `ext_addr` of registered host memory, valid while the memory
 * is registered. These accesses fault the thread: outside the memory, stores to memory without
 * DOCA_ACCESS_LOCAL_READ_WRITE, and accesses that are not aligned to their size. */
void doca_dpa_dev_external_ptr_get(uint64_t ext_addr, doca_dpa_dev_mem_t mem,
                                   doca_dpa_dev_uintptr_t *dev_ptr);

/* ---- Endpoints ---- */

/* Writes to the peer's memory. Operations of an endpoint run in order. */
void doca_dpa_dev_put_nb(doca_dpa_dev_ep_t ep, uint64_t local_addr, size_t length,
                         doca_dpa_dev_mem_t local_mem, uint64_t raddr, uint32_t rkey);
/* Write to the peer's memory, then update an event of the peer. */
void doca_dpa_dev_put_signal_add_nb(doca_dpa_dev_ep_t ep, uint64_t local_addr,
                                    doca_dpa_dev_mem_t local_mem, size_t length, uint64_t raddr,
                                    uint32_t rkey, doca_dpa_dev_sync_event_remote_t event,
                                    uint64_t comp_count);
void doca_dpa_dev_put_signal_set_nb(doca_dpa_dev_ep_t ep, uint64_t local_addr,
                                    doca_dpa_dev_mem_t local_mem, size_t length, uint64_t raddr,
                                    uint32_t rkey, doca_dpa_dev_sync_event_remote_t event,
                                    uint64_t comp_count);
/* Returns when all operations of the endpoint have ended. */
void doca_dpa_dev_ep_synchronize(doca_dpa_dev_ep_t ep);

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
