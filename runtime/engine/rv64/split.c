/* Accesses that are misaligned or refused. */
#include "core.h"

enum rv64_stop rv64_refuse(struct rv64_hart *hart, uint64_t address, unsigned log2, unsigned need)
{
    bool misaligned = (address & ((UINT64_C(1) << log2) - 1)) != 0;
    if (need & RV64_W)
        return rv64_stop_fault(hart, misaligned ? RV64_FAULT_MISALIGNED_STORE : RV64_FAULT_STORE,
                               address);
    return rv64_stop_fault(hart, misaligned ? RV64_FAULT_MISALIGNED_LOAD : RV64_FAULT_LOAD,
                           address);
}

/* Returns whether a load or store that was not plausible, or has no access to its page, is a
 * misaligned access that is allowed. Otherwise sets the hart's fault. At most two pages are
 * concerned. */
static bool splits(const struct rv64_core *core, struct rv64_hart *hart, uint64_t address,
                   unsigned log2, unsigned need)
{
    const uint64_t width = UINT64_C(1) << log2, last = address + width - 1;
    uint64_t bad = address;
    if (address % width == 0 || core->strict) {
        (void)rv64_refuse(hart, address, log2, need);
        return false;
    }
    if (address < core->mem->size && (rv64_page_access(core->mem, address) & need) == need) {
        if (last < core->mem->size && (rv64_page_access(core->mem, last) & need) == need) {
            hart->misaligned++;
            return true;
        }
        bad = last & ~(uint64_t)(RV64_PAGE - 1);
    }
    (void)rv64_stop_fault(hart, need & RV64_W ? RV64_FAULT_STORE : RV64_FAULT_LOAD, bad);
    return false;
}

bool rv64_load_split(const struct rv64_core *core, struct rv64_hart *hart, uint64_t address,
                     unsigned log2, uint64_t *value)
{
    uint64_t v = 0;
    if (!splits(core, hart, address, log2, RV64_R))
        return false;
    for (unsigned i = 0; i < 1u << log2; i++)
        v |= (uint64_t)__atomic_load_n(core->mem->base + address + i, __ATOMIC_RELAXED) << 8 * i;
    *value = v;
    return true;
}

bool rv64_store_split(const struct rv64_core *core, struct rv64_hart *hart, uint64_t address,
                      unsigned log2, uint64_t value)
{
    if (!splits(core, hart, address, log2, RV64_W))
        return false;
    for (unsigned i = 0; i < 1u << log2; i++)
        __atomic_store_n(core->mem->base + address + i, (uint8_t)(value >> 8 * i),
                         __ATOMIC_RELAXED);
    return true;
}
