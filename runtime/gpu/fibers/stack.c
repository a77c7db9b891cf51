#include "fibers.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool dpk_fiber_stack_map(struct dpk_fiber_stack *stack, size_t size)
{
    const size_t page = page_size();
    if (size > SIZE_MAX - 2 * page)
        return false;
    size = (size + page - 1) / page * page;
    char *at = mmap(NULL, size + page, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (at == MAP_FAILED)
        return false;
    if (mprotect(at + page, size, PROT_READ | PROT_WRITE) != 0) {
        munmap(at, size + page);
        return false;
    }
    *stack = (struct dpk_fiber_stack){.low = at + page, .top = at + page + size};
    return true;
}

void dpk_fiber_stack_unmap(struct dpk_fiber_stack *stack)
{
    const size_t page = page_size();
    if (stack->low)
        munmap(stack->low - page, (size_t)(stack->top - stack->low) + page);
    *stack = (struct dpk_fiber_stack){0};
}

bool dpk_fiber_stack_overflowed(const struct dpk_fiber_stack *stack, const void *address)
{
    const uintptr_t at = (uintptr_t)address, low = (uintptr_t)stack->low;
    return stack->low && at < low && low - at <= page_size();
}
