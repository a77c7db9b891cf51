/* Callbacks for queues in fuzzers: all memory is one piece of MEMORY bytes, and warnings are
 * ignored. */
#ifndef FUZZ_QUEUE_MEMORY_H
#define FUZZ_QUEUE_MEMORY_H

#include <string.h>

#include "net/queues/queues.h"

#define MEMORY 0x8000u

static bool inside(uint64_t address, uint64_t size)
{
    return size <= MEMORY && address <= MEMORY - size;
}

static bool load(void *memory, uint64_t address, void *to, size_t size)
{
    if (inside(address, size))
        memcpy(to, (const uint8_t *)memory + address, size);
    return inside(address, size);
}

static bool store(void *memory, uint64_t address, const void *from, size_t size)
{
    if (inside(address, size))
        memcpy((uint8_t *)memory + address, from, size);
    return inside(address, size);
}

static void completed(void *context, void *user, unsigned count, bool event)
{
    (void)context, (void)user, (void)count, (void)event;
}

static bool listens(void *user)
{
    (void)user;
    return true;
}

static void waits(void *context)
{
    (void)context;
}

#endif
