/* Rings and doorbell records of queue pairs and shared receive queues, in DPA memory. */
#include <string.h>

#include "api/doca/memory/memory.h"
#include "dpa_queues.h"

#define ALIGN 64u

bool verbs_memory_new(struct dpa_memory *m, uint64_t receives, uint64_t sends)
{
    struct dpk_process *p = m->base->process->dpa;
    const uint64_t first = (receives + ALIGN - 1) / ALIGN * ALIGN;
    const uint64_t size = first + (sends + ALIGN - 1) / ALIGN * ALIGN + ALIGN;
    if (dpk_heap_alloc(p, size, &m->owned, NULL) != DPK_OK ||
        dpk_fill(p, m->owned, 0, size, NULL) != DPK_OK)
        return false;
    m->receives = m->owned;
    m->sends = m->owned + first;
    m->record = m->owned + size - ALIGN;
    return true;
}

void verbs_memory_free(struct dpa_memory *m)
{
    struct dpk_process *p = m->owned ? dpk_dpa_enter(m->base, m->run) : NULL;
    if (p) {
        dpk_heap_free(p, m->owned, &(struct dpk_error){0});
        dpk_dpa_leave(m->base);
    }
    m->owned = 0;
}

bool verbs_memory_find(struct dpa_memory *m, uint64_t receives, uint64_t sends,
                       const struct doca_umem *rings, uint64_t offset,
                       const struct doca_umem *record, uint64_t record_offset)
{
    void *ring_at = NULL, *record_at = NULL;
    if (!dpk_umem_has(rings, m->base, offset, receives + sends) ||
        !dpk_umem_has(record, m->base, record_offset, RECORD) ||
        dpk_doca_inner(doca_umem_get_address(rings, &ring_at)) != DOCA_SUCCESS ||
        dpk_doca_inner(doca_umem_get_address(record, &record_at)) != DOCA_SUCCESS)
        return false;
    m->receives = (uintptr_t)ring_at + offset;
    m->sends = m->receives + receives;
    m->record = (uintptr_t)record_at + record_offset;
    return true;
}

uint32_t verbs_receive_size(uint32_t segments)
{
    uint32_t size = WQE_SEGMENT;
    while (size < segments * WQE_SEGMENT)
        size *= 2;
    return size;
}

void verbs_write_receive(uint8_t *to, size_t size, const struct dpk_rc_piece *pieces,
                         uint32_t count)
{
    memset(to, 0, size);
    for (uint32_t i = 0; i < count; i++, to += WQE_SEGMENT) {
        dpk_store_be32(to, (uint32_t)pieces[i].memory.size);
        dpk_store_be32(to + 4, pieces[i].memory.key);
        dpk_store_be64(to + 8, pieces[i].memory.address);
    }
    if ((size_t)count * WQE_SEGMENT < size)
        dpk_store_be32(to + 4, DPA_VERBS_LIST_END);
}

void verbs_write_record(const struct dpk_dpa *d, uint64_t record, uint32_t value)
{
    uint8_t word[sizeof value];
    dpk_store_be32(word, value);
    dpk_copy_in(d->process->dpa, record, word, sizeof word, NULL);
}
