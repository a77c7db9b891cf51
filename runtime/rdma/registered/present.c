/* Checks that memory exists before it is registered. */
#include "engine/proc/proc.h"
#include "registry.h"

bool registered_is_present(const struct dpk_memory *m)
{
    const bool writes = (m->rights & DPK_MEMORY_WRITES) != 0;
    if (m->kind != DPK_MEMORY_HOST && m->kind != DPK_MEMORY_DPA)
        return true;
    if (m->size == 0 || m->size - 1 > UINT64_MAX - m->address)
        return false;
    if (m->kind == DPK_MEMORY_DPA)
        return dpk_process_memory(m->process, m->address, m->size, writes) != NULL;
    return m->size <= UINTPTR_MAX - (uintptr_t)m->host && dpk_is_mapped(m->host, m->size, writes);
}
