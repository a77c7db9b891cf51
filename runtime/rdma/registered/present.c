/* Checks that memory exists before it is registered. */
#include <stdio.h>
#include <string.h>

#include "engine/proc/proc.h"
#include "registry.h"

#define GPU_FILE                                                                                   \
    "/memfd:dpakit-gpu " /* as the kernel names memory of the emulated GPU (gpu/memory) */
#define LARGE (4u << 20) /* smaller memory is checked as any other is */

/* Returns whether all of a range is memory of the emulated GPU with that access, which is a file and mapped whole.
 * Other memory is checked by touching each page, which for queues of hundreds of megabytes would take seconds, and
 * as much memory of the machine. */
static bool is_gpu_memory(const void *at, size_t size, bool writes)
{
    unsigned long next = (uintptr_t)at, low, high;
    const unsigned long end = next + size;
    char line[512], rights[5];
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && next < end && fgets(line, sizeof line, f)) {
        int name = 0;
        if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %n", &low, &high, rights, &name) != 3 ||
            high <= next)
            continue;
        if (low > next || name == 0 || strncmp(line + name, GPU_FILE, sizeof GPU_FILE - 1) != 0 ||
            rights[0] != 'r' || (writes && rights[1] != 'w'))
            break;
        next = high;
    }
    if (f)
        fclose(f);
    return next >= end;
}

bool registered_is_present(const struct dpk_memory *m)
{
    const bool writes = (m->rights & DPK_MEMORY_WRITES) != 0;
    if (m->kind != DPK_MEMORY_HOST && m->kind != DPK_MEMORY_DPA)
        return true;
    if (m->size == 0 || m->size - 1 > UINT64_MAX - m->address)
        return false;
    if (m->kind == DPK_MEMORY_DPA)
        return dpk_process_memory(m->process, m->address, m->size, writes) != NULL;
    if (m->size > UINTPTR_MAX - (uintptr_t)m->host)
        return false;
    return (m->size >= LARGE && is_gpu_memory(m->host, m->size, writes)) ||
           dpk_is_mapped(m->host, m->size, writes);
}
