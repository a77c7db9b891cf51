/* Rings and doorbell records. Those in DPA memory, which lives as long as its process, are accessed
 * by address, others by callbacks of the owner. */
#include <string.h>

#include "model.h"

#define LAST 8u /* the last bytes are written last, as they make an entry valid */

void queues_places_find(struct dpk_queue *q, uint64_t ring_size)
{
    const struct dpk_queue_options *o = &q->options;
    const bool written = o->kind == DPK_CQ || o->kind == DPK_EQ;
    if (o->ring.process && ring_size > 0)
        q->ring = dpk_memory_of_process(o->ring.process, o->ring.address, ring_size, written);
    if (o->record.process)
        q->record = dpk_memory_of_process(o->record.process, o->record.address, RECORD_SIZE, false);
}

bool queues_ring_load(const struct dpk_queue *q, uint64_t offset, void *to, size_t size)
{
    const struct dpk_queue_place *at = &q->options.ring;
    if (!q->ring)
        return q->nic->ops->load(at->memory, at->address + offset, to, size);
    memcpy(to, q->ring + offset, size);
    return true;
}

bool queues_ring_put(const struct dpk_queue *q, uint64_t index, const uint8_t entry[DPK_CQE])
{
    const struct dpk_queue_place *at = &q->options.ring;
    const uint64_t offset = index * DPK_CQE;
    const size_t first = DPK_CQE - LAST;
    uint64_t last;
    if (!q->ring)
        return q->nic->ops->store(at->memory, at->address + offset, entry, first) &&
               q->nic->ops->store(at->memory, at->address + offset + first, entry + first, LAST);
    memcpy(q->ring + offset, entry, first);
    memcpy(&last, entry + first, LAST);
    __atomic_store_n((uint64_t *)(void *)(q->ring + offset + first), last, __ATOMIC_RELEASE);
    return true;
}

bool queues_record_load(const struct dpk_queue *q, uint32_t *out)
{
    const struct dpk_queue_place *at = &q->options.record;
    uint32_t word;
    if (q->record)
        word = __atomic_load_n((const uint32_t *)(const void *)q->record, __ATOMIC_ACQUIRE);
    else if (!q->nic->ops->load(at->memory, at->address, &word, sizeof word))
        return false;
    struct dpk_reader r = dpk_reader(&word, sizeof word);
    *out = dpk_read_be32(&r);
    return true;
}

void queues_ring_prefetch(const struct dpk_queue *q, uint64_t offset)
{
    if (q->ring)
        __builtin_prefetch(q->ring + offset, 1);
}

void queues_ring_prefetch_data(const struct dpk_queue *q, uint64_t offset)
{
    uint8_t segment[WQE_SEGMENT];
    if (!q->ring)
        return;
    memcpy(segment, q->ring + offset, sizeof segment);
    struct dpk_reader r = dpk_reader(segment, sizeof segment);
    dpk_read_skip(&r, 8); /* size and key */
    const uint64_t distance = dpk_read_be64(&r) - q->options.ring.address;
    __builtin_prefetch((const void *)((uintptr_t)q->ring + distance), 1);
}
