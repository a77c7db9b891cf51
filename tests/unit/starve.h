/*
 * Allocations that fail: the Nth one from `starve_at` on returns NULL, once. The functions below
 * stand before those of libc for the whole test program, its libraries included. One test program
 * includes this; not with AddressSanitizer, which brings its own.
 */
#ifndef TESTS_STARVE_H
#define TESTS_STARVE_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static struct {
    _Atomic unsigned long at; /* the allocation to fail, from 1; 0: none */
    _Atomic unsigned long calls;
    _Atomic bool fired;
    _Atomic long live; /* blocks allocated and not freed */
} starve;

static inline bool starve_now(void)
{
    if (!starve.at || ++starve.calls != starve.at)
        return false;
    starve.fired = true;
    errno = ENOMEM;
    return true;
}

static inline void *starve_count(void *block)
{
    if (block)
        starve.live++;
    return block;
}

void *malloc(size_t size)
{
    return starve_now() ? NULL : starve_count(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return starve_now() ? NULL : starve_count(__libc_calloc(count, size));
}

void *memalign(size_t alignment, size_t size)
{
    return starve_now() ? NULL : starve_count(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *block = memalign(alignment, size);
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}

void *realloc(void *block, size_t size)
{
    if (starve_now())
        return NULL;
    void *moved = __libc_realloc(block, size);
    if (!block)
        starve_count(moved);
    else if (!moved && size == 0)
        starve.live--;
    return moved;
}

void free(void *block)
{
    if (block)
        starve.live--;
    __libc_free(block);
}

#endif
