/* Descriptors: what programs hand to peers, as bytes: of a memory map, of a sync event. */
#ifndef DPK_API_DOCA_CORE_DESCRIPTOR_H
#define DPK_API_DOCA_CORE_DESCRIPTOR_H

#include <doca_error.h>

#include "base/base.h"

enum descriptor_kind {
    DESCRIPTOR_MMAP_PCI = 1,
    DESCRIPTOR_MMAP_RDMA = 2,
    DESCRIPTOR_SYNC_EVENT = 3,
    DESCRIPTOR_SYNC_EVENT_PCI = 4,
};

struct descriptor {
    enum descriptor_kind kind;
    uint32_t permissions;
    struct dpk_uuid owner; /* the process that exported it; 0: the RDMA peer, whichever it is */
    uint64_t key;          /* its number there */
    uint64_t address, size;
    /* For peers behind the same PCIe bus: the number of the owner's process, and its file descriptor
     * of the memory that they map. Process 0: they cannot reach it. */
    uint32_t process, file;
};

/* Appends the bytes to `out`, which says whether there was memory for them. */
void descriptor_write(const struct descriptor *d, struct dpk_buf *out);
/* INVALID_VALUE: not one of ours, or damaged. UNSUPPORTED_VERSION. */
doca_error_t descriptor_read(const void *bytes, size_t size, struct descriptor *out);

#endif
