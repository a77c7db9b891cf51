#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

static bool populate(const void *at, size_t size, int how)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const size_t before = (uintptr_t)at % page;
    return madvise((char *)at - before, size + before, how) == 0;
}

bool dpk_is_mapped(const void *at, size_t size, bool written)
{
    const int how = written ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
    /* Kernels before 5.14 lack this call and refuse it for our own stack as well. Then assume that
     * the memory is mapped. */
    return populate(at, size, how) || !populate(&how, sizeof how, how);
}
