/* Keys of buffers, for libibverbs. */
#include <doca_rdma_bridge.h>

#include "buf.h"
#include "doca/memory/memory.h"

/* Of a map that a peer exported, the key that the peer has. */
static uint32_t key_of_peer(uint32_t key)
{
    struct dpk_memory m;
    return dpk_memory_describe(key, &m) && m.kind == DPK_MEMORY_REMOTE ? m.exported_key : key;
}

doca_error_t doca_rdma_bridge_get_buf_mkey(const struct doca_buf *buf, struct doca_dev *dev,
                                           uint32_t *mkey)
{
    uint32_t key = 0;
    struct dpk_doca_buf *b = dev && mkey ? dpk_buf_begin(buf) : NULL;
    doca_error_t result =
        b ? dpk_mmap_key(b->mmap->object.handle, dev, &key) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_ERROR_NOT_FOUND)
        result = DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *mkey = key_of_peer(key);
    return dpk_buf_end(b, result);
}
