/* Runs to the very instruction, where rv64_run may go on to the end of its block. */
#include "block.h"

enum rv64_stop rv64_run_exactly(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget)
{
    const uint64_t before = hart->instret;
    enum rv64_stop why = RV64_STOP_BUDGET;
    if (budget > RV64_BLOCK_MAX)
        why = rv64_run(core, hart, budget - RV64_BLOCK_MAX);
    while (why == RV64_STOP_BUDGET && hart->instret - before < budget)
        why = rv64_step(core, hart);
    return why;
}
