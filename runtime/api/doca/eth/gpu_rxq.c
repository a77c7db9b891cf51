/* Receive queues of kernels: a ring of packets that the NIC fills, and that kernels read. */
#include "eth.h"

#define LOG_RECEIVE 4u /* a receive has one segment */

/* Gets the queue's own memory as an access of its device, and the first byte's address. */
static doca_error_t find_packets(const struct rxq *q, struct dpk_memory_access *out)
{
    void *at = NULL;
    size_t size = 0;
    if (!q->mmap)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "the receive queue has no memory (doca_eth_rxq_set_pkt_buf)");
    doca_error_t result = dpk_doca_inner(doca_mmap_get_memrange(q->mmap, &at, &size));
    if (result == DOCA_SUCCESS)
        result = dpk_mmap_key(q->mmap, q->base.dev->object.handle, &out->key);
    if (result != DOCA_SUCCESS)
        return result;
    if (q->mmap_offset > size || q->mmap_len > size - q->mmap_offset)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the map has %zu bytes, not %u from offset %u "
                                "(doca_eth_rxq_set_pkt_buf)",
                                size, q->mmap_len, q->mmap_offset);
    out->address = (uintptr_t)at + q->mmap_offset;
    out->size = q->mmap_len;
    return DOCA_SUCCESS;
}

/* Writes a receive for each packet of the ring, and posts all. */
static void post_all(struct rxq *q, const struct dpk_memory_access *packets, uint32_t depth,
                     uint64_t stride)
{
    for (uint32_t i = 0; i < depth; i++) {
        const struct dpk_memory_access at = {.key = packets->key,
                                             .address = packets->address + i * stride + q->headroom,
                                             .size = q->packet};
        eth_write_pointer(eth_entry(&q->rings, (uint16_t)i), &at);
    }
    q->rings.posted = (uint16_t)(depth < ETH_GPU_MAX ? depth : ETH_GPU_MAX - 1);
    eth_rings_release(&q->rings);
}

static doca_error_t make_handle(struct rxq *q, const struct dpk_memory_access *packets,
                                uint32_t depth, uint64_t stride)
{
    const struct doca_gpu_eth_rxq handle = {.packets = packets->address + q->headroom,
                                            .completions = q->rings.completions.bytes,
                                            .posted = (uint32_t *)(void *)q->rings.record.bytes,
                                            .consumed =
                                                (uint32_t *)(void *)q->rings.consumed_record.bytes,
                                            .depth = depth,
                                            .stride = (uint32_t)stride,
                                            .mkey = htobe32(packets->key)};
    q->handle = q->rings.gpu->ops->alloc(sizeof *q->handle);
    if (!q->handle)
        return DOCA_ERROR_NO_MEMORY;
    *q->handle = handle;
    return DOCA_SUCCESS;
}

doca_error_t eth_gpu_rxq_start(struct rxq *q)
{
    struct dpk_memory_access packets = {0};
    const uint64_t stride = eth_slot_size(q->headroom, q->packet, q->tailroom);
    uint32_t depth = 1;
    while (depth < q->burst)
        depth *= 2;
    if (q->type != DOCA_ETH_RXQ_TYPE_CYCLIC)
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "a receive queue on a GPU has the type DOCA_ETH_RXQ_TYPE_CYCLIC");
    doca_error_t result = find_packets(q, &packets);
    if (result == DOCA_SUCCESS && depth * stride > packets.size)
        result =
            dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                             "%u packets of %llu bytes need more than the %llu bytes of "
                             "doca_eth_rxq_set_pkt_buf",
                             depth, (unsigned long long)stride, (unsigned long long)packets.size);
    if (result != DOCA_SUCCESS)
        return result;
    q->rings.gpu = eth_gpu(&q->base);
    q->rings.silent = true;
    result = eth_rings_open(&q->rings, &q->base, DPK_RQ, depth, LOG_RECEIVE);
    if (result == DOCA_SUCCESS)
        result = make_handle(q, &packets, depth, stride);
    if (result == DOCA_SUCCESS) {
        post_all(q, &packets, depth, stride);
    } else {
        eth_gpu_rxq_stop(q);
        eth_rings_close(&q->rings);
    }
    return result;
}

void eth_gpu_rxq_stop(struct rxq *q)
{
    if (!q->rings.gpu)
        return;
    q->rings.gpu->ops->free(q->handle);
    q->handle = NULL;
    q->rings.gpu = NULL;
    q->rings.silent = false;
}
