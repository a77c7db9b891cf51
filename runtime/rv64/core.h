/* Private to rv64: the core. */
#ifndef RV64_CORE_H
#define RV64_CORE_H

#include "memory.h"

struct rv64_core {
    struct rv64_memory *mem;
    bool strict;                      /* misaligned loads and stores fault */
    pthread_mutex_t lock;             /* held to count users of caches, and to make blocks */
    struct rv64_cache *cache;         /* the current one, NULL before the first run */
    uint64_t breaks[RV64_BREAKS_MAX]; /* under the lock */
    size_t break_count;
};

/* Whether there is a breakpoint at `pc`. With the lock held. */
bool rv64_core_breaks(const struct rv64_core *core, uint64_t pc);

/* Ends a run with a fault, and stores the fault in the hart. */
static inline enum rv64_stop rv64_stop_fault(struct rv64_hart *hart, enum rv64_fault fault,
                                             uint64_t address)
{
    hart->fault = fault;
    hart->fault_address = address;
    return RV64_STOP_FAULT;
}

#endif
