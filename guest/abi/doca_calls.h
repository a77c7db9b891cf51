/* Calls of libdoca_dpa_dev that the DOCA libraries of the host carry out, of family
 * DPA_SYS_FAMILY_DOCA (dpa_abi.h). Those of RDMA begin at 0x20. */
#ifndef DPK_GUEST_ABI_DOCA_CALLS_H
#define DPK_GUEST_ABI_DOCA_CALLS_H

#include <stdint.h>

#define DPA_DOCA_DEVICE_SET           1 /* (context) */
#define DPA_DOCA_GET_COMPLETION       2 /* (queue, address of an element) -> 1 if there was one */
#define DPA_DOCA_COMPLETION_ACK       3 /* (queue, how many) */
#define DPA_DOCA_REQUEST_NOTIFICATION 4 /* (queue) */
#define DPA_DOCA_EXTERNAL_POINTER     5 /* (address, memory) -> address for loads and stores */
#define DPA_DOCA_ASYNC_COPY           6 /* (operations, address of a struct dpa_async_copy) */
#define DPA_DOCA_ASYNC_WAIT           7 /* (operations, event, value, 1: another value; 0: above it) */
#define DPA_DOCA_TRACE                8 /* (address of DPA_DOCA_TRACE_VALUES numbers) */
#define DPA_DOCA_TRACE_FLUSH          9 /* () */

#define DPA_DOCA_HASH_ADD    10 /* (table, key, value) */
#define DPA_DOCA_HASH_REMOVE 11 /* (table, key) */
#define DPA_DOCA_HASH_FIND   12 /* (table, key, address of the value) -> 1 if it is there */

#define DPA_DOCA_TRACE_VALUES 5

/* One buffer of an array, doca_dpa_dev_buf_t: the host writes it, the program may change it. */
struct dpa_doca_buf {
    uint64_t address, length;
    uint32_t mmap, reserved[3];
};

/* A copy whose end is a completion. */
#define DPA_COPY_REPORT         0
#define DPA_COPY_REPORT_IF_ROOM 1 /* success is reported if the completion queue has room */
#define DPA_COPY_SILENT         2 /* success is not reported */
struct dpa_async_copy {
    uint32_t to, from; /* memory maps */
    uint64_t to_address, from_address, length;
    uint64_t report;
};

#endif
