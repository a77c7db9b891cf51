/* Keys of memory maps and their buffers, for libibverbs. */
#include <doca_rdma_bridge.h>

#include "api/doca/memory/memory.h"
#include "api/verbs/verbs.h"
#include "buf.h"

/* For a map that a peer exported, returns the peer's key. */
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
    struct doca_mmap *mmap = b ? b->mmap->object.handle : NULL;
    doca_error_t result = dpk_buf_end(b, b ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
    if (result == DOCA_SUCCESS)
        result = dpk_mmap_key(mmap, dev, &key);
    if (result == DOCA_SUCCESS)
        *mkey = key_of_peer(key);
    return dpk_doca_end(buf, __func__,
                        result == DOCA_ERROR_NOT_FOUND ? DOCA_ERROR_INVALID_VALUE : result);
}

/* Call this with the map's lock. */
static bool has_domain(const struct dpk_mmap *m, const struct dpk_memory_domain *domain)
{
    bool any = false;
    for (unsigned i = 0; i < m->dev_count; i++)
        any |= m->devs[i]->domain == domain;
    return any;
}

doca_error_t doca_rdma_bridge_get_mmap_mkey_from_pd(const struct doca_mmap *mmap, struct ibv_pd *pd,
                                                    uint32_t *mkey)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    const bool good = mkey && pd && dpk_context_is_emulated(pd->context);
    struct dpk_mmap *m = good ? dpk_mmap_pin_started(mmap, NULL, &result) : NULL;
    if (!m)
        return dpk_doca_end(mmap, __func__, result);
    pthread_mutex_lock(&m->object.lock);
    const bool has = has_domain(m, dpk_verbs_domain(pd));
    const uint32_t key = m->key;
    pthread_mutex_unlock(&m->object.lock);
    dpk_object_drop(m);
    if (!has)
        return dpk_doca_end(mmap, __func__, DOCA_ERROR_INVALID_VALUE);
    if (key == 0)
        return dpk_doca_end(mmap, __func__, DOCA_ERROR_BAD_STATE); /* just stopped */
    *mkey = key_of_peer(key);
    return dpk_doca_end(mmap, __func__, DOCA_SUCCESS);
}
