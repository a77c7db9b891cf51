/* The core, and names of faults. */
#include "core.h"

#include <stdlib.h>

struct rv64_core *rv64_core_create(struct rv64_memory *mem)
{
    struct rv64_core *core = calloc(1, sizeof *core);
    if (core != NULL)
        core->mem = mem;
    return core;
}

void rv64_core_destroy(struct rv64_core *core)
{
    free(core);
}

const char *rv64_fault_name(enum rv64_fault fault)
{
    static const char *const names[] = {
        [RV64_FAULT_NONE] = "no fault",
        [RV64_FAULT_FETCH] = "instruction access fault",
        [RV64_FAULT_ILLEGAL] = "illegal instruction",
        [RV64_FAULT_LOAD] = "load access fault",
        [RV64_FAULT_STORE] = "store access fault",
        [RV64_FAULT_MISALIGNED_LOAD] = "misaligned load",
        [RV64_FAULT_MISALIGNED_STORE] = "misaligned store",
    };
    size_t i = (size_t)fault;
    return i < sizeof names / sizeof *names ? names[i] : "unknown fault";
}
