/* Private to rv64: the core. */
#ifndef DPK_ENGINE_RV64_CORE_H
#define DPK_ENGINE_RV64_CORE_H

#include "memory.h"

struct rv64_core {
    struct rv64_memory *mem;
    bool strict;                              /* misaligned loads and stores fault */
    unsigned extensions;                      /* RV64_ZBA */
    const struct rv64_translator *translator; /* NULL: none */
    pthread_mutex_t lock;             /* held to count users of caches, and to make blocks */
    struct rv64_cache *cache;         /* the current one, NULL before the first run */
    uint64_t breaks[RV64_BREAKS_MAX]; /* under the lock */
    size_t break_count;
};

/* Whether there is a breakpoint at `pc`. With the lock held. */
bool rv64_core_breaks(const struct rv64_core *core, uint64_t pc);

/* Fills `to` with where the indirect jump or call at `from` has led, at most `max`. Returns how many. With
 * the lock held. */
size_t rv64_core_jumps(struct rv64_core *core, uint64_t from, uint64_t *to, size_t max);

/* Ends a run with a fault, and stores the fault in the hart. */
static inline enum rv64_stop rv64_stop_fault(struct rv64_hart *hart, enum rv64_fault fault,
                                             uint64_t address)
{
    hart->fault = fault;
    hart->fault_address = address;
    return RV64_STOP_FAULT;
}

/* Ends a run with the fault of an access of 1 << log2 bytes; `need`: RV64_R, RV64_W or both. */
__attribute__((cold)) enum rv64_stop rv64_refuse(struct rv64_hart *hart, uint64_t address,
                                                 unsigned log2, unsigned need);
/* Carries out a misaligned load or store where that is allowed, for accesses that are not aligned,
 * or to no guest address, or to a page that does not allow them. False: the hart has the fault. */
__attribute__((cold)) bool rv64_load_split(const struct rv64_core *core, struct rv64_hart *hart,
                                           uint64_t address, unsigned log2, uint64_t *value);
__attribute__((cold)) bool rv64_store_split(const struct rv64_core *core, struct rv64_hart *hart,
                                            uint64_t address, unsigned log2, uint64_t value);

#endif
