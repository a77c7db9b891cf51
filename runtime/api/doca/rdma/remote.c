/* Memory of the peer. */
#include "rdma.h"

bool dpk_rdma_find_remote(uint32_t key, struct dpk_uuid *owner, uint64_t *owners_key)
{
    struct dpk_memory m;
    if (!dpk_memory_describe(key, &m))
        return false;
    const bool imported = m.kind == DPK_MEMORY_REMOTE;
    *owner = imported ? m.exporter.identity : *dpk_process_identity();
    *owners_key = imported ? m.exported_key : key;
    return true;
}
