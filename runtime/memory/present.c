/* Checks that memory exists before it is registered. */
#include <sys/mman.h>
#include <unistd.h>

#include "proc/proc.h"
#include "registry.h"

/* Faults in the pages of host memory, as a driver that pins it does. */
static bool populate(const void *at, size_t size, int how)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    size_t before = (uintptr_t)at % page;
    return madvise((char *)at - before, size + before, how) == 0;
}

static bool is_mapped(const void *at, size_t size, bool writes)
{
    const int how = writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
    /* Kernels before 5.14 do not have this call and refuse it for our own stack as well. Then the
     * memory is taken to be there. */
    return populate(at, size, how) || !populate(&how, sizeof how, how);
}

bool memory_is_present(const struct dpk_memory *m)
{
    const bool writes = (m->rights & DPK_MEMORY_WRITES) != 0;
    if (m->kind != DPK_MEMORY_HOST && m->kind != DPK_MEMORY_DPA)
        return true;
    if (m->size == 0 || m->size - 1 > UINT64_MAX - m->address)
        return false;
    if (m->kind == DPK_MEMORY_DPA)
        return dpk_process_memory(m->process, m->address, m->size, writes) != NULL;
    return m->size <= UINTPTR_MAX - (uintptr_t)m->host && is_mapped(m->host, m->size, writes);
}
