/* Arguments of the calls for RDMA and registered memory (doca_calls.h). */
#ifndef DPK_GUEST_ABI_RDMA_CALLS_H
#define DPK_GUEST_ABI_RDMA_CALLS_H

#include "doca_calls.h"

enum dpa_rdma_opcode {
    DPA_RDMA_SEND,
    DPA_RDMA_WRITE,
    DPA_RDMA_READ,
    DPA_RDMA_FETCH_ADD,
    DPA_RDMA_COMPARE_SWAP,
    DPA_RDMA_SIGNAL_ADD,
    DPA_RDMA_SIGNAL_SET,
};

#define DPA_RDMA_SILENT    1u /* success is not reported */
#define DPA_RDMA_IMMEDIATE 2u
#define DPA_RDMA_PEERS_KEY                                                                         \
    4u /* `remote` is the peer's own number, not a handle of this process \ */

struct dpa_rdma_work {
    uint32_t opcode, flags, connection, immediate;
    uint32_t local, reserved;
    uint64_t remote; /* memory, or a sync event */
    uint64_t local_address, remote_address, length;
    uint64_t value;
};

/* A copy that transposes rows of `columns` elements; element size 0: a plain copy. */
struct dpa_memory_copy {
    uint32_t to, from;
    uint64_t to_address, from_address, length;
    uint64_t element_size, columns, rows;
};

#endif
