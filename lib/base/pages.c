#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

static bool populate(const void *at, size_t size, int how)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const size_t before = (uintptr_t)at % page;
    return size <= SIZE_MAX - before && madvise((char *)at - before, size + before, how) == 0;
}

/* Gets the stack with which this thread began, from `low` to before `high`; an empty range if it is not known. */
static void find_stack(uintptr_t *low, uintptr_t *high)
{
    pthread_attr_t attributes;
    void *stack = NULL;
    size_t size = 0;
    *low = *high = 1;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &stack, &size) == 0) {
        *low = (uintptr_t)stack;
        *high = *low + size;
    }
    pthread_attr_destroy(&attributes);
}

/* Returns true for memory of the frames of this thread, from the caller's on: they are mapped, and may be written. Tools
 * that access a card give the address of a local variable hundreds of thousands of times, so the kernel is not asked. */
static bool is_in_frames(const void *at, size_t size)
{
    static _Thread_local uintptr_t low, high; /* of the stack; 0: not asked for yet */
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0), from = (uintptr_t)at;
    if (high == 0)
        find_stack(&low, &high);
    return here >= low && from >= here && from < high && size <= high - from;
}

bool dpk_is_mapped(const void *at, size_t size, bool written)
{
    if (is_in_frames(at, size))
        return true;
    const int how = written ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
    /* Kernels before 5.14 lack this call and refuse it for our own stack as well. Then assume that
     * the memory is mapped. */
    return populate(at, size, how) || !populate(&how, sizeof how, how);
}
