/* Whether host memory can be registered. */
#include <sys/mman.h>
#include <unistd.h>

#include "memory/memory.h"

static bool populate(const void *at, size_t size, int how)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    size_t before = (uintptr_t)at % page;
    return madvise((char *)at - before, size + before, how) == 0;
}

bool dpk_memory_is_mapped(const void *at, size_t size, bool writes)
{
    const int how = writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
    /* A kernel that cannot tell (before 5.14) refuses for our own stack as well: then the program
     * is believed. */
    return populate(at, size, how) || !populate(&how, sizeof how, how);
}
