/* Descriptors: bytes that programs pass to peers, for a memory map or a sync event. */
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
    struct dpk_uuid owner; /* the exporting process; 0: any RDMA peer */
    uint64_t key;          /* its number there */
    uint64_t address, size;
    /* For peers on the same PCIe bus: the number of the owner's process, and its file descriptor of the
     * memory to map. Process 0: not accessible. */
    uint32_t process, file;
};

/* Appends the bytes to `out`, which records whether memory was exhausted. */
void core_descriptor_write(const struct descriptor *d, struct dpk_buf *out);
/* Reads a descriptor. Errors: INVALID_VALUE if the bytes are not a descriptor, or are damaged,
 * UNSUPPORTED_VERSION. */
doca_error_t core_descriptor_read(const void *bytes, size_t size, struct descriptor *out);

#endif
