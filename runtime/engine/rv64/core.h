/* Private to rv64: the core. */
#ifndef DPK_ENGINE_RV64_CORE_H
#define DPK_ENGINE_RV64_CORE_H

#include "memory.h"

struct rv64_core {
    struct rv64_memory *mem;
    bool strict;                              /* misaligned loads and stores fault */
    unsigned extensions;                      /* RV64_ZBA */
    const struct rv64_translator *translator; /* NULL if there is none */
    pthread_mutex_t lock;             /* held while users of caches are counted, and blocks are
                                       * made */
    struct rv64_cache *cache;         /* the current cache, NULL before the first run */
    uint64_t breaks[RV64_BREAKS_MAX]; /* under the lock */
    size_t break_count;
};

/* Returns true if there is a breakpoint at `pc`. Call this with the lock. */
bool rv64_core_breaks(const struct rv64_core *core, uint64_t pc);

/* Fills `to` with known targets of the indirect jump or call at `from`, at most `max`. Returns
 * their number. Call this with the lock. */
size_t rv64_core_jumps(struct rv64_core *core, uint64_t from, uint64_t *to, size_t max);

/* Ends a run with a fault, which it stores in the hart. */
static inline enum rv64_stop rv64_stop_fault(struct rv64_hart *hart, enum rv64_fault fault,
                                             uint64_t address)
{
    hart->fault = fault;
    hart->fault_address = address;
    return RV64_STOP_FAULT;
}

/* Ends a run because an access of 1 << log2 bytes is refused; `need`: RV64_R, RV64_W or both. */
__attribute__((cold)) enum rv64_stop rv64_refuse(struct rv64_hart *hart, uint64_t address,
                                                 unsigned log2, unsigned need);
/* Handle an access that is misaligned, at no guest address, or on a page that does not allow it.
 * They execute a misaligned access if that is allowed. They return false with the fault in the
 * hart. */
__attribute__((cold)) bool rv64_load_split(const struct rv64_core *core, struct rv64_hart *hart,
                                           uint64_t address, unsigned log2, uint64_t *value);
__attribute__((cold)) bool rv64_store_split(const struct rv64_core *core, struct rv64_hart *hart,
                                            uint64_t address, unsigned log2, uint64_t value);

#endif
